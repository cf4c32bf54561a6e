import type { DocumentBody } from "../../client/service.js";
import { statusInWords } from "../../core/text.js";
import { excerpt } from "../../schema/check.js";
import { mailsTo } from "../../schema/facts.js";
import { Asset, isRecord, isUnknown, type Value, type Values } from "../../schema/values.js";
import { markOf } from "../pdf/base64.js";
import { pdfHashOf } from "../pdf/pdf-source.js";
import { originIn, type Replaced } from "../replace-guard.js";
import type { Call } from "../resource.js";
import type { Change } from "./comparison.js";

/** Says at preview who will be mailed and why, and what stays behind. */
export function announceMail(
  call: Call,
  inputs: Values,
  { replaces, unshown }: { readonly replaces: readonly Replaced[]; readonly unshown: readonly string[] },
): void {
  const title = isUnknown(inputs["name"])
    ? "a new document"
    : `document ${call.secrets.has("name") ? "(secret name)" : excerpt(inputs["name"] ?? "")}`;
  const lines = [`will mail ${invitees(inputs["invitations"], call)}: ${title}`];
  for (const { id, sha256 } of replaces) {
    lines.push(`it replaces document ${id}, which stays at the service with its invitations open`);
    const hash = pdfHashOf(inputs);
    if (typeof hash === "string" && sha256 !== undefined && sha256.toLowerCase() !== hash) {
      lines.push(`the PDF changes too: ${short(sha256)} → ${short(hash)}`);
    }
  }
  const { invitations } = inputs;
  call.log.info(lines.join("\n  "), {
    ...(Array.isArray(invitations) ? mailsTo(invitations.map(emailOf)) : { undecided: 1 }),
    ...(replaces.length > 0 ? { replaces: 1 } : { sends: 1 }),
  });
  if (unshown.length === 0) return;
  call.log.warn(
    `\`pulumi up\` replaces document ${unshown.join(", ")} only with the resource option \`deleteBeforeReplace: true\`: without it, nothing shows then that state still holds it, and a document exactly alike isn't created a second time`,
  );
}

export const takingOver = ({ preview }: Call, { id }: DocumentBody, why: string): string =>
  `${preview ? "will take over" : "takes over"} document ${id}, and mails no one: ${why}`;

export const takingBack = ({ id, status }: DocumentBody): string =>
  `takes back document ${id} (${statusInWords(status)}), mails nobody: this stack or team had it before, with the same content`;

/** Those of the first stage are invited at once, the others when it is their turn. */
function invitees(value: Value | undefined, call: Call): string {
  if (!Array.isArray(value)) return "people not known yet";
  if (call.secrets.has("invitations")) return value.length === 1 ? "1 person" : `${value.length} people`;
  const stages = new Map<number, string[]>();
  for (const row of value) {
    const stage = isRecord(row) && typeof row["stage"] === "number" ? row["stage"] : 0;
    const email = emailOf(row) ?? "an address not known yet";
    stages.set(stage, [...(stages.get(stage) ?? []), email]);
  }
  const [first, ...later] = [...stages].sort(([a], [b]) => a - b);
  return [
    (first?.[1] ?? []).join(", "),
    ...later.map(([stage, emails]) => `${emails.join(", ")} (in stage ${stage}, after those before)`),
  ].join(", then ");
}

const emailOf = (row: Value): string | undefined =>
  isRecord(row) && typeof row["email"] === "string" ? row["email"] : undefined;

/** What a delete says: the document lives on. */
export function forgetting(id: string, outputs: Values, here: string | undefined, call: Call): string {
  const origin = originIn(outputs);
  const where =
    origin !== "" && origin !== here
      ? ` at ${origin}, which this provider isn't configured for`
      : " at the service, which can't delete documents";
  const pending = Array.isArray(outputs["pendingSigners"])
    ? outputs["pendingSigners"].filter(email => typeof email === "string")
    : [];
  const signed = outputs["status"] === "partially_signed" ? "It is partially signed. " : "";
  const open =
    pending.length === 0
      ? `${outputs["status"] === "signed" ? "It is signed" : "No invitation is open"}, as far as state knows.`
      : `Not signed yet, as far as state knows: ${call.secrets.has("invitations") || call.secrets.has("pendingSigners") ? `${pending.length} people` : pending.join(", ")}.`;
  return `document ${id} is removed from state, not deleted: it stays${where}. ${signed}${open}`;
}

/** Changes as the guard's refusal names them: property, then before and after where that is safe to show. */
export function describeChanges(
  changes: readonly Change[],
  before: Values,
  after: Values,
  secrets: ReadonlySet<string>,
): string[] {
  return changes.map(({ property, path }) => {
    if (property === "file" || property === "base64File") {
      const [was, is] = [pdfHashOf(before), pdfHashOf(after)];
      return `${path} (${typeof was === "string" ? short(was) : "unknown PDF"} → ${typeof is === "string" ? short(is) : "unknown PDF"})`;
    }
    const was: Value = before[property] ?? "";
    const is: Value = after[property] ?? "";
    if (was instanceof Asset && is instanceof Asset) return `${path} (${assetHash(was)} → ${assetHash(is)})`;
    const shown =
      path === property && property !== "extraParameters" && property !== "invitations" && !secrets.has(property);
    return shown ? `${path} (${excerpt(was)} → ${excerpt(is)})` : path;
  });
}

const assetHash = ({ hash }: Asset): string => (hash === undefined ? "unknown" : short(hash));

const short = (hash: string): string => `${markOf(hash).slice(0, 19)}…`;
