import { excerpt } from "../../schema/check.js";
import { isRecord, isUnknown, type Value, type Values } from "../../schema/values.js";
import type { Replaced } from "../guard.js";
import { markOf } from "../pdf/base64.js";
import { pdfHashOf } from "../pdf/pdf-source.js";
import type { Call } from "../resource.js";
import type { Change } from "./comparison.js";

/** Says at preview who will be mailed and why, and what stays behind. */
export function announceMail(call: Call, inputs: Values, replaces: readonly Replaced[]): void {
  const title = isUnknown(inputs["name"])
    ? "a new document"
    : `document ${call.secrets.has("name") ? "(secret name)" : excerpt(inputs["name"] ?? "")}`;
  const lines = [`will mail ${invitees(inputs["invitations"], call)}: ${title}`];
  for (const { id, sha256 } of replaces) {
    lines.push(`it replaces document ${id}, which stays alive at the service, its invitations open`);
    const hash = pdfHashOf(inputs);
    if (typeof hash === "string" && sha256 !== undefined && sha256.toLowerCase() !== hash) {
      lines.push(`the PDF changes too: ${short(sha256)} → ${short(hash)}`);
    }
  }
  call.log.info(lines.join("\n  "));
}

function invitees(value: Value | undefined, call: Call): string {
  if (!Array.isArray(value)) return "people not known yet";
  if (call.secrets.has("invitations")) return value.length === 1 ? "1 person" : `${value.length} people`;
  return value
    .map(row => (isRecord(row) && typeof row["email"] === "string" ? row["email"] : "an address not known yet"))
    .join(", ");
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
    const shown =
      path === property && property !== "extraParameters" && property !== "invitations" && !secrets.has(property);
    return shown ? `${path} (${excerpt(before[property] ?? "")} → ${excerpt(after[property] ?? "")})` : path;
  });
}

const short = (hash: string): string => `${markOf(hash).slice(0, 19)}…`;
