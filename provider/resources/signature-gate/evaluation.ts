import { hash } from "node:crypto";
import type { Stored } from "../../../kit/check.js";
import { parseTimestamp } from "../../client/bodies.js";
import { CancelledError, LoginError, NotFoundError, ServiceError, UnauthorizedError } from "../../client/errors.js";
import { allSigned, certificatesOf, latestFile, nom151Of } from "../../client/files.js";
import type { DocumentBody, Service } from "../../client/service.js";
import { addressOf, sortedJson } from "../../core/same.js";
import { counted, firstLines, oneLine } from "../../core/text.js";
import { inParallel } from "../../core/turns.js";
import type { Context } from "../context.js";
import { type Call, UserError } from "../resource.js";
import { isPending, type SignerRow, signerRows } from "../signers.js";
import { deadlineOf, endOf, type GateInputs, type GateOutputs, type GateState } from "./declaration.js";

/** What a gate finds at the service, of one document or several; of several also who is asked, for reminders. */

// ---- One document ----

/** A document as a gate sees it. */
export interface Evaluation {
  /** What waits, as a message says it. */
  readonly title: string;
  /** What is missing, as a message says it; empty when satisfied. */
  readonly missing: string;
  /** In milliseconds. */
  readonly deadline: number | undefined;
  readonly outputs: Omit<GateOutputs, "checkedAt">;
}

/**
 * Signatures are counted from the signers of the latest version, never taken from the document's status; a signer's
 * status the service adds later counts as not signed. `signers` narrows whose signatures count, beside any certificate.
 */
export function evaluate(
  body: DocumentBody,
  service: Pick<Service, "origin" | "baseUrl">,
  inputs: Stored<GateInputs>,
  call: Call,
  now: Date,
): Evaluation {
  const { until, signers } = inputs;
  const latest = latestFile(body);
  const certificates = certificatesOf(latest, service.baseUrl);
  const nom151 = nom151Of(body.id, latest);

  const chosen = chosenRows(signerRows(body), signers, body.id, call);
  const everyone = allSigned(body);
  const waiting = everyone ? [] : chosen.filter(row => row.status !== "signed");
  const signed = everyone || (signers && waiting.length === 0);
  const pendingSigners = addressesIn(waiting.filter(isPending));

  const missing: string[] = [];
  // What state has may be another version's, and mean more.
  const isWithoutPeople = until === "nom151" || until === "blockchain" || until === "expiresAt";
  if ((!isWithoutPeople || signers) && !signed) missing.push(...signaturesMissing(chosen, waiting, call));
  if ((until === "nom151" || until === "all") && !nom151.ready) missing.push("the NOM151 certificate");
  if ((until === "blockchain" || until === "all") && !certificates.ready) {
    missing.push(`the blockchain certificates${certificates.status === "" ? "" : ` (${certificates.status})`}`);
  }
  const opensAt = until === "expiresAt" ? endOf(inputs, body) : undefined;
  if (until === "expiresAt" && !(opensAt !== undefined && now.getTime() > opensAt)) {
    const what = inputs.renewBefore === undefined ? "its end" : "its renewal";
    missing.push(opensAt === undefined ? `${what}, which isn't known yet` : `${what} at ${timeText(opensAt)}`);
  }
  const deadline = deadlineOf(inputs.deadline, body);
  const signedAt = parseTimestamp(latest?.signedEndedAt);
  if (missing.length === 0 && everyone && deadline !== undefined && signedAt !== undefined && signedAt > deadline) {
    missing.push(`signatures by ${timeText(deadline)} (the last came at ${timeText(signedAt)})`);
  }
  const satisfied = missing.length === 0;
  return {
    title: `document ${body.id}`,
    deadline,
    missing: missing.join(", and for "),
    outputs: {
      documentId: body.id,
      satisfied,
      satisfiedIds: satisfied ? [body.id] : [],
      status: body.status,
      pendingSigners,
      missing,
      ...(opensAt === undefined ? {} : { opensAt: timeText(opensAt) }),
      ...(deadline === undefined ? {} : { deadlineAt: timeText(deadline) }),
      certificates,
      nom151Ready: nom151.ready,
      ...(nom151.fileName === null ? {} : { nom151FileName: nom151.fileName }),
      service: service.origin,
    },
  };
}

export const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString();

function signaturesMissing(chosen: readonly SignerRow[], waiting: readonly SignerRow[], call: Call): string[] {
  if (waiting.length === 0) return ["a signature of someone who isn't among the invited"];
  const missing: string[] = [];
  const people = addressesIn(waiting.filter(isPending));
  const done = chosen.length - waiting.length;
  const count = chosen.length > 1 ? ` (${done} of ${chosen.length} signed)` : "";
  if (people.length > 0) missing.push(`${peopleText(people, call)} to sign${count}`);
  const unknown = addressesIn(waiting.filter(row => !isPending(row)));
  if (unknown.length > 0) missing.push(`the service to say whether ${peopleText(unknown, call)} signed`);
  return missing;
}

/** Whether state says what the service says, whenever that was. */
export const isInState = ({ outputs }: Evaluation, state: GateState | undefined): state is GateState =>
  state !== undefined && sortedJson({ ...state, checkedAt: "" }) === sortedJson({ ...outputs, checkedAt: "" });

/** `checkedAt` moves only when something else did. */
export const withTime = <T>(evaluation: Evaluation, before: GateState | undefined, now: () => T) => ({
  ...evaluation.outputs,
  checkedAt: (isInState(evaluation, before) ? before.checkedAt : undefined) ?? now(),
});

// ---- Several documents ----

/** The documents of a list, each once; undefined where the resource is about a single one. */
export const listedIn = ({ documentIds }: Stored<Pick<GateInputs, "documentIds">>): string[] | undefined =>
  documentIds && [...new Set(documentIds)];

/** Id of a resource about a document, or about several: their list may change, the id doesn't. */
export function idOf(inputs: Pick<GateInputs, "documentId" | "documentIds">): string {
  const listed = listedIn(inputs)?.sort();
  return listed ? `documents-${hash("sha256", listed.join(), "hex").slice(0, 16)}` : String(inputs.documentId);
}

/** The output `missing` has them all. */
const MOST_IN_A_LINE = 3;
/** Documents of a list read at the same time; the client's own limit holds as well. */
const AT_ONCE = 16;

interface Unread {
  readonly id: string;
  readonly error: ServiceError;
}

/**
 * Reads a list's documents, but for those in `done`, past those that can't be read, of which it warns once. Where nothing is
 * known of any, and where the account can't read at all, it fails.
 */
export async function readEach<T>(
  listed: readonly string[],
  done: ReadonlySet<string>,
  read: (id: string) => Promise<T>,
  call: Call,
): Promise<{ found: readonly T[]; unread: readonly Unread[] }> {
  const ids = listed.filter(id => !done.has(id));
  const results = await inParallel(AT_ONCE, ids, async (id): Promise<{ value: T } | Unread> => {
    try {
      return { value: await read(id) };
    } catch (error) {
      if (!(error instanceof ServiceError) || error instanceof CancelledError) throw error;
      return { id, error };
    }
  });
  const found = results.flatMap(result => ("value" in result ? [result.value] : []));
  const unread = results.filter(result => "error" in result);
  const [first] = unread;
  if (!first) return { found, unread };
  const isRefused = first.error instanceof UnauthorizedError || first.error instanceof LoginError;
  if (found.length === 0 && (isRefused || ids.length === listed.length)) throw first.error;
  const lines = firstLines(unread.map(({ id, error }) => `document ${id}: ${error.message}`));
  const headline = `${unread.length} of ${counted(ids.length, "document")} couldn't be read:`;
  call.log.warn([headline, ...lines.map(line => `  ${line}`)].join("\n"));
  return { found, unread };
}

/** A document of which nothing is known now: open, whatever it is that it lacks. */
export const unreadEvaluation = ({ id, error }: Unread, service: string): Evaluation => ({
  title: `document ${id}`,
  missing: `an answer of the service (${oneLine(error.message)})`,
  deadline: undefined,
  outputs: { satisfied: false, satisfiedIds: [], pendingSigners: [], missing: [], service },
});

/** Several documents as one gate sees them: `done` were satisfied before and aren't among the `others`. */
export function together(
  done: readonly string[],
  others: readonly Evaluation[],
  minimum: number | undefined,
  service: string,
): Evaluation {
  const open = others.filter(({ outputs }) => !outputs.satisfied);
  const satisfiedIds = [...done, ...others.flatMap(({ outputs }) => outputs.satisfiedIds)];
  const total = satisfiedIds.length + open.length;
  const needed = Math.max(0, (minimum ?? total) - satisfiedIds.length);
  const satisfied = needed === 0;
  const deadline = satisfied ? undefined : lastChance(open, needed);
  const each = satisfied ? [] : open.map(({ title, missing }) => `${title}: ${missing}`);
  const count = `${needed}${needed === open.length ? "" : " more"} of ${counted(total, "document")}`;
  return {
    title: "the gate",
    missing: satisfied ? "" : `${count}: ${firstLines(each, MOST_IN_A_LINE).join("; ")}`,
    deadline,
    outputs: {
      satisfied,
      satisfiedIds,
      pendingSigners: satisfied ? [] : [...new Set(open.flatMap(({ outputs }) => outputs.pendingSigners))],
      missing: each,
      ...(deadline === undefined ? {} : { deadlineAt: timeText(deadline) }),
      service,
    },
  };
}

/** The moment from which too few documents are left that can still be done in time. */
function lastChance(open: readonly Evaluation[], needed: number): number | undefined {
  const deadlines = open.map(({ deadline }) => deadline ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const last = deadlines[open.length - needed];
  return last === undefined || last === Number.POSITIVE_INFINITY ? undefined : last;
}

// ---- Signers ----

/** The rows that a list of addresses chooses; all of them where there is no list. */
export function rowsOf(rows: readonly SignerRow[], signers: readonly string[] | undefined): readonly SignerRow[] {
  if (!signers) return rows;
  const wanted = new Set(signers.map(addressOf));
  return rows.filter(row => wanted.has(addressOf(row.email)));
}

/** The same of one document, where an address that nobody invited is an error. */
export function chosenRows(
  rows: readonly SignerRow[],
  signers: readonly string[] | undefined,
  documentId: string,
  call: Call,
): readonly SignerRow[] {
  const invited = new Set(rows.map(row => addressOf(row.email)));
  const wanted = new Map(signers?.map(email => [addressOf(email), email]));
  const uninvited = [...wanted].flatMap(([address, email]) => (invited.has(address) ? [] : [email]));
  if (uninvited.length > 0) {
    throw new UserError(
      `signers: ${peopleText(uninvited, call)} ${uninvited.length === 1 ? "isn't" : "aren't"} invited to sign document ${documentId}. ` +
        `Invited: ${rows.map(row => row.email || "an address the service doesn't return").join(", ") || "nobody"}.`,
    );
  }
  return rowsOf(rows, signers);
}

/** Each address once, however it is written. */
export const addressesIn = (rows: readonly Pick<SignerRow, "email">[]): string[] => [
  ...new Map(rows.map(row => [addressOf(row.email), row.email])).values(),
];

/** People as a message names them: by number where the program keeps them secret. */
export function peopleText(emails: readonly string[], call: Call): string {
  if (!call.secrets.has("signers")) return emails.join(", ");
  return emails.length === 1 ? "1 person" : `${emails.length} people`;
}

// ---- Asking ----

const FIRST_PAUSE_MS = 250;

/** The document as the service shows it now. One just created may not be shown at once: `patient` waits for that. */
export async function askFor(
  context: Context,
  call: Call,
  id: string,
  { patient = false } = {},
): Promise<DocumentBody> {
  const until = context.clock.now() + context.policy().reconcileTimeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await context.service().getDocument(id, { signal: call.signal });
    } catch (error) {
      if (!patient || !(error instanceof NotFoundError && error.json) || context.clock.now() >= until) throw error;
    }
    await context.clock.wait(Math.min(pause, until - context.clock.now()), call.signal);
  }
}

/** The service's time; this machine's where the service hasn't shown one. */
export const serviceNow = (context: Context): Date => context.service().now() ?? new Date(context.clock.now());
