import type { Context } from "./context.js";

/** For a resource that is only looked at, or that another resource owns by now: nothing is remembered of it. */
export function onlyReading(context: Context): Context {
  const { journal } = context;
  const nothing = async () => {};
  return {
    ...context,
    journal: {
      run: journal.run,
      losses: journal.losses,
      refresh: () => journal.refresh(),
      resource: scope => journal.resource(scope),
      ofContract: (service, contract) => journal.ofContract(service, contract),
      owner: (service, id, kind) => journal.owner(service, id, kind),
      owns: (scope, token) => journal.owns(scope, token),
      seenAt: attempt => journal.seenAt(attempt),
      documents: service => journal.documents(service),
      rewrites: service => journal.rewrites(service),
      unsettled: service => journal.unsettled(service),
      elsewhere: scope => journal.elsewhere(scope),
      warnings: () => journal.warnings(),
      reminded: (scope, ids) => journal.reminded(scope, ids),
      reminds: (scope, token) => journal.reminds(scope, token),
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
    },
  };
}
