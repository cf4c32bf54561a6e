import type { DocumentBody, Service } from "../../client/service.js";
import { parseTimestamp } from "../../client/timestamps.js";
import { isRecord } from "../../core/records.js";
import type { Value, Values } from "../../schema/values.js";
import type { SignerRow } from "../document/declaration.js";
import { certificatesOf, nom151Of } from "../document/document-state.js";
import { allSigned, isPending, latestFile, signerRows } from "../document/signatures.js";
import type { Call } from "../resource.js";
import { addressesIn, chosenRows, named } from "./chosen-signers.js";
import { deadlineOf, endOf } from "./deadline.js";
import { GATE_DEFAULTS, type GateOutputs } from "./declaration.js";

/** A document as a gate sees it. */
export interface Evaluation {
  /** What waits, as a message says it. */
  readonly title: string;
  readonly satisfied: boolean;
  /** Documents that have all that is waited for. */
  readonly satisfiedIds: readonly string[];
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
  inputs: Values,
  call: Call,
  now: Date,
): Evaluation {
  const until = inputs["until"] ?? GATE_DEFAULTS.until;
  const latest = latestFile(body);
  const certificates = certificatesOf(latest, service.baseUrl);
  const nom151 = nom151Of(body.id, latest);

  const chosen = chosenRows(signerRows(body), inputs["signers"], body.id, call);
  const everyone = allSigned(body);
  const waiting = everyone ? [] : chosen.filter(row => row.status !== "signed");
  const narrowed = Array.isArray(inputs["signers"]);
  const signed = everyone || (narrowed && waiting.length === 0);
  const pendingSigners = addressesIn(waiting.filter(isPending));

  const missing: string[] = [];
  if ((until === "signed" || until === "all" || narrowed) && !signed)
    missing.push(...signaturesMissing(chosen, waiting, call));
  if ((until === "nom151" || until === "all") && !nom151.ready) missing.push("the NOM151 certificate");
  if ((until === "blockchain" || until === "all") && !certificates.ready) {
    missing.push(`the blockchain certificates${certificates.status === "" ? "" : ` (${certificates.status})`}`);
  }
  const opensAt = until === "expiresAt" ? endOf(inputs, body) : undefined;
  if (until === "expiresAt" && !(opensAt !== undefined && now.getTime() > opensAt)) {
    const what = inputs["renewBefore"] === undefined ? "its end" : "its renewal";
    missing.push(opensAt === undefined ? `${what}, which isn't known yet` : `${what} at ${timeText(opensAt)}`);
  }
  const deadline = deadlineOf(inputs["deadline"], body);
  const signedAt = parseTimestamp(latest?.signedEndedAt);
  if (missing.length === 0 && everyone && deadline !== undefined && signedAt !== undefined && signedAt > deadline) {
    missing.push(`signatures by ${timeText(deadline)} (the last came at ${timeText(signedAt)})`);
  }
  const satisfied = missing.length === 0;
  return {
    title: `document ${body.id}`,
    satisfied,
    satisfiedIds: satisfied ? [body.id] : [],
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
  if (people.length > 0) missing.push(`${named(people, call)} to sign${count}`);
  const unknown = addressesIn(waiting.filter(row => !isPending(row)));
  if (unknown.length > 0) missing.push(`the service to say whether ${named(unknown, call)} signed`);
  return missing;
}

/** Whether state says what the service says, whenever that was. */
export const isInState = ({ outputs }: Evaluation, state: Values | undefined): state is Values =>
  typeof state?.["checkedAt"] === "string" &&
  sorted({ ...state, checkedAt: "" }) === sorted({ ...outputs, checkedAt: "" });

/** `checkedAt` moves only when something else did. */
export const settled = (evaluation: Evaluation, before: Values | undefined, now: () => Value): Values =>
  ({
    ...evaluation.outputs,
    checkedAt: isInState(evaluation, before) ? (before["checkedAt"] ?? "") : now(),
  }) as Values;

const sorted = (values: object): string =>
  JSON.stringify(values, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
