import { setImmediate } from "node:timers/promises";
import type { Context } from "./context.js";
import type { Journal, ReminderAttempt, Scope } from "./journal/contract.js";
import { JournalUnavailableError } from "./journal/log.js";
import type { Call } from "./resource.js";

/** For a resource that is only looked at, or that another resource owns by now: nothing is remembered of it. */
export const onlyReading = (context: Context): Context => ({ ...context, journal: readerOf(context.journal) });

const nothing = async () => {};

const readerOf = (journal: Journal): Journal => ({
  run: journal.run,
  losses: () => journal.losses(),
  refresh: () => journal.refresh(),
  resource: scope => journal.resource(scope),
  shownElsewhere: scope => journal.shownElsewhere(scope),
  ofContract: (service, contract) => journal.ofContract(service, contract),
  ofInputs: (service, stated) => journal.ofInputs(service, stated),
  owner: (service, id, kind) => journal.owner(service, id, kind),
  owns: (scope, token) => journal.owns(scope, token),
  seenAt: attempt => journal.seenAt(attempt),
  documents: service => journal.documents(service),
  latest: service => journal.latest(service),
  rewrites: service => journal.rewrites(service),
  unsettled: service => journal.unsettled(service),
  atOtherServices: scope => journal.atOtherServices(scope),
  warnings: () => journal.warnings(),
  reminded: (scope, ids) => journal.reminded(scope, ids),
  remind: async () => undefined,
  confirmReminder: nothing,
  unremind: nothing,
  begin: async () => undefined,
  claim: async () => false,
  hint: nothing,
  withdraw: nothing,
  show: nothing,
  replace: nothing,
  release: nothing,
  close: nothing,
});

/** What a preview asks in the place of each journal: it remembers what the preview has announced. */
const previews = new WeakMap<Journal, Journal>();

/** In a preview, a journal that can't be read remembers nothing: its warning is said, and `pulumi up` would be refused. */
export function previewing(context: Context, { preview }: Pick<Call, "preview">): Context {
  if (!preview) return context;
  const journal = previews.get(context.journal) ?? previewOf(context.journal);
  previews.set(context.journal, journal);
  return { ...context, journal };
}

function previewOf(journal: Journal): Journal {
  const planned: (ReminderAttempt & Scope)[] = [];
  const plannedByOthers = ({ service, urn }: Scope, ids: readonly string[]) =>
    planned.filter(each => each.service === service && each.urn !== urn && ids.includes(each.invitationId));
  return {
    ...readerOf(journal),
    refresh: onceATurn(() => orNothing(journal.refresh(), undefined)),
    resource: scope => orNothing(journal.resource(scope), { attempt: undefined, owned: [] }),
    shownElsewhere: scope => orNothing(journal.shownElsewhere(scope), []),
    ofContract: (service, contract) => orNothing(journal.ofContract(service, contract), { attempts: [], owned: [] }),
    ofInputs: (service, stated) => orNothing(journal.ofInputs(service, stated), []),
    owner: (service, id, kind) => orNothing(journal.owner(service, id, kind), undefined),
    atOtherServices: scope => orNothing(journal.atOtherServices(scope), []),
    async reminded(scope, ids) {
      return [...(await orNothing(journal.reminded(scope, ids), [])), ...plannedByOthers(scope, ids)];
    },
    async remind(scope, about, knows) {
      if (plannedByOthers(scope, [about.invitationId]).some(({ token }) => !knows.includes(token))) return undefined;
      planned.push({ ...scope, ...about, token: scope.urn, outcome: "sent", own: false, isPlanned: true });
      return scope.urn;
    },
  };
}

/** The thousands of rows that are previewed before anybody else has a turn read the same: nothing is decided by it. */
function onceATurn(read: () => Promise<void>): () => Promise<void> {
  let reading: Promise<void> | undefined;
  const next = () => {
    reading = undefined;
  };
  return () => {
    if (!reading) {
      reading = read();
      void setImmediate().then(next);
    }
    return reading;
  };
}

const orNothing = <T>(answer: Promise<T>, nothing: T): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof JournalUnavailableError) return nothing;
    throw error;
  });
