import { trimmed } from "../../kit/records.js";
import { addressOf } from "../../provider/core/same.js";
import { parseDuration } from "../../provider/schema/types.js";
import { counted, DAY } from "../ui/time.js";
import {
  type DocumentFacts,
  deadlinesOf,
  documentsOf,
  type FoundDocument,
  remindersOf,
  type SignerFacts,
} from "./documents.js";
import type { Board, Contract, Person, Signer, StackSummary, Totals } from "./model.js";
import type { StackState } from "./state.js";

export interface BoardOptions {
  readonly now: Date;
  /** Somebody who has waited longer is late, also without a deadline. */
  readonly lateAfterDays: number;
  /** Creates whose outcome isn't known. */
  readonly open?: Board["open"];
}

/** Puts the states of stacks together: every contract, and everybody it waits for. */
export function boardOf(states: readonly StackState[], { now, lateAfterDays, open = [] }: BoardOptions): Board {
  const contracts = states.flatMap(state => contractsOf(state, now, lateAfterDays));
  const people = peopleOf(contracts);
  return {
    format: 1,
    madeAt: now.toISOString(),
    lateAfterDays,
    totals: totalsOf(contracts, people),
    stacks: states.map(({ name, stateAt }) => summaryOf(name, stateAt, contracts)),
    open,
    contracts,
    people,
  };
}

function contractsOf({ name, resources }: StackState, now: Date, lateAfterDays: number): Contract[] {
  const reminders = remindersOf(resources);
  const deadlines = deadlinesOf(resources);
  return documentsOf(resources).map(document => {
    const { facts } = document;
    const allSigned = facts.allSigned ?? facts.status === "signed";
    const signers = signersOf(document, reminders);
    const latest = facts.versions?.find(one => one.version === facts.lastVersion) ?? facts.versions?.at(-1);
    const deadline = facts.deadline ?? deadlines.get(facts.documentId);
    const lastReminderAt = latestOf(signers.map(one => one.lastReminderAt));
    return trimmed({
      documentId: facts.documentId,
      name: facts.name ?? document.resource,
      stack: name,
      resource: document.resource,
      status: facts.status,
      allSigned,
      signers,
      signersSecret: document.signersSecret,
      sentAt: facts.createdAt,
      signedAt: allSigned ? latest?.signedEndedAt : undefined,
      lastReminderAt,
      deadline,
      ...endsOf(facts, now),
      late: !allSigned && isLate(facts.createdAt, deadline, now, lateAfterDays),
      drift: facts.drift ?? [],
      supersedes: facts.supersedes ?? [],
      originalUrl: facts.fileUrl,
      // The service may give this address before anyone has signed.
      signedUrl: allSigned ? facts.signedFileUrl : undefined,
      bitcoinCertificateUrl: facts.certificates?.btcUrl,
      ethereumCertificateUrl: facts.certificates?.ethUrl,
      nom151: facts.nom151?.ready ?? false,
    });
  });
}

function signersOf({ facts, stages }: FoundDocument, reminders: ReadonlyMap<string, string>): Signer[] {
  const rows: SignerFacts[] =
    facts.signers ?? (facts.pendingSigners ?? []).map(email => ({ email, status: "unsigned" }) as SignerFacts);
  const stageOf = (row: SignerFacts) => row.stage ?? stages.get(addressOf(row.email));
  const turns = facts.waiting?.emails;
  const open = Math.min(...rows.filter(isWaiting).map(row => stageOf(row) ?? 1));
  return rows.map(row =>
    trimmed({
      email: row.email,
      name: row.name,
      stage: stageOf(row),
      status: row.status,
      turn: isWaiting(row) && (turns?.includes(row.email) ?? (stageOf(row) ?? 1) === open),
      lastReminderAt: row.invitationId === undefined ? undefined : reminders.get(row.invitationId),
    }),
  );
}

/** Who is shown with another status than these two may have signed, so nobody is said to wait for them. */
const isWaiting = ({ status }: { status: string }): boolean => status === "unsigned";

function isLate(sentAt: string | undefined, deadline: string | undefined, now: Date, lateAfterDays: number): boolean {
  if (deadline !== undefined) return Date.parse(deadline) < now.getTime();
  return sentAt !== undefined && now.getTime() - Date.parse(sentAt) > lateAfterDays * DAY;
}

function peopleOf(contracts: readonly Contract[]): Person[] {
  const turns = contracts.flatMap(contract =>
    contract.signers.filter(({ turn }) => turn).map(signer => ({ contract, signer })),
  );
  const people = Map.groupBy(turns, ({ signer }) => addressOf(signer.email));
  return [...people.values()].map(personOf).sort(byUrgency);
}

function personOf(turns: readonly { readonly contract: Contract; readonly signer: Signer }[]): Person {
  const waiting = [...new Set(turns.map(({ contract }) => contract))].sort(bySent);
  return trimmed({
    email: turns[0]?.signer.email ?? "",
    name: turns.find(({ signer }) => signer.name !== undefined)?.signer.name,
    late: waiting.some(one => one.late),
    since: waiting[0]?.sentAt,
    lastReminderAt: latestOf(turns.map(({ signer }) => signer.lastReminderAt)),
    nextDeadline: waiting.flatMap(one => one.deadline ?? []).sort((a, b) => Date.parse(a) - Date.parse(b))[0],
    contracts: waiting.map(one => ({ documentId: one.documentId, stack: one.stack, name: one.name })),
  });
}

const time = (iso: string | undefined): number => (iso === undefined ? Number.POSITIVE_INFINITY : Date.parse(iso));
const bySent = (a: Contract, b: Contract): number => time(a.sentAt) - time(b.sentAt) || 0;
const byUrgency = (a: Person, b: Person): number =>
  Number(b.late) - Number(a.late) || time(a.since) - time(b.since) || (a.email < b.email ? -1 : 1);

function latestOf(times: readonly (string | undefined)[]): string | undefined {
  return times.filter(one => one !== undefined).sort((a, b) => Date.parse(b) - Date.parse(a))[0];
}

function totalsOf(contracts: readonly Contract[], people: readonly Person[]): Totals {
  const count = (fits: (contract: Contract) => boolean) => contracts.filter(fits).length;
  const signed = count(one => one.status === "signed");
  const partlySigned = count(one => one.status === "partially_signed");
  const unsigned = count(one => one.status === "unsigned");
  return {
    contracts: contracts.length,
    signed,
    partlySigned,
    unsigned,
    other: contracts.length - signed - partlySigned - unsigned,
    waitingFor: people.length,
    late: count(one => one.late),
    drifted: count(one => one.drift.length > 0),
    superseded: contracts.reduce((sum, one) => sum + one.supersedes.length, 0),
  };
}

function summaryOf(name: string, stateAt: string | undefined, contracts: readonly Contract[]): StackSummary {
  const own = contracts.filter(one => one.stack === name);
  const signed = own.filter(one => one.allSigned).length;
  return trimmed({ name, contracts: own.length, signed, stateAt });
}

// ---- When contracts end ----

/** A contract that ends within so many days is named, also where it says nothing of a renewal. */
const SOON_DAYS = 30;

type Ends = Pick<Contract, "effectiveFrom" | "expiresAt" | "endsInDays" | "toRenew">;

/** What a contract's terms mean on this day. */
function endsOf({ effectiveFrom, expiresAt, renewBefore }: DocumentFacts, now: Date): Ends {
  const today = Date.parse(now.toISOString().slice(0, 10));
  const end = /^\d{4}-\d{2}-\d{2}$/.test(expiresAt ?? "") ? Date.parse(expiresAt ?? "") : Number.NaN;
  const start = effectiveFrom === undefined ? {} : { effectiveFrom };
  if (expiresAt === undefined || Number.isNaN(end)) return start;
  const endsInDays = Math.round((end - today) / DAY);
  const before = parseDuration(renewBefore ?? "") ?? 0;
  return { ...start, expiresAt, endsInDays, toRenew: before > 0 && endsInDays * DAY <= before };
}

/** `ends in 30 days`; nothing of a contract without an end. */
export function endText({ endsInDays }: Pick<Contract, "endsInDays">): string | undefined {
  if (endsInDays === undefined) return undefined;
  if (endsInDays === 0) return "ends today";
  return endsInDays > 0 ? `ends in ${counted(endsInDays, "day")}` : `ended ${counted(-endsInDays, "day")} ago`;
}

/** Contracts that somebody should see to, the next end first. One that has ended needs nobody unless it was to be renewed. */
export const endingSoon = (contracts: readonly Contract[]): Contract[] =>
  contracts
    .filter(
      ({ endsInDays, toRenew }) => toRenew || (endsInDays !== undefined && endsInDays >= 0 && endsInDays <= SOON_DAYS),
    )
    .sort((one, other) => (one.endsInDays ?? 0) - (other.endsInDays ?? 0));
