import { problemsOf } from "../../schema/check.js";
import { lacksDomain, tidyAddress } from "../../schema/types.js";
import { isRecord, isUnknown, type Value, type Values } from "../../schema/values.js";
import { checkPdf, PDF_INPUTS, type PdfSources } from "../pdf/pdf-input.js";
import type { Failure } from "../resource.js";
import { documentInputs } from "./declaration.js";
import { addressOf } from "./document-state.js";
import { markerIn } from "./marker.js";
import { termFailures } from "./terms.js";

export interface CheckArgs {
  readonly olds: Values | undefined;
  readonly news: Values;
  readonly secrets?: ReadonlySet<string> | undefined;
}

export interface CheckedDocument {
  /** As state keeps them. */
  readonly inputs: Values;
  readonly failures: Failure[];
  /** What may be meant, and may be a mistake. Only a Check without old inputs comes before a create, and the engine repeats the others. */
  readonly warnings: readonly string[];
}

/** Everything wrong with a document's inputs at once. Nothing is asked of the service. */
export async function checkDocument({ olds, news, secrets }: CheckArgs, sources: PdfSources): Promise<CheckedDocument> {
  const pdf = await checkPdf(olds, news, sources, secrets);
  const failures = [
    ...problemsOf(documentInputs, withoutNulls(news), { secrets }).filter(
      problem =>
        !/^(file|base64File|template|fonts(\[\d+\])?):/.test(problem.reason) && !isKept(problem.reason, news, olds),
    ),
    ...ownMarker(news["description"], secrets?.has("description") === true),
    ...termFailures(withoutNulls(news), secrets),
    ...pdf.failures,
  ];
  const rest = Object.fromEntries(Object.entries(news).filter(([name]) => !PDF_INPUTS.some(input => input === name)));
  const inputs: Values = { ...withoutNulls(rest), ...pdf.inputs };
  if (typeof inputs["folderId"] === "number") inputs["folderId"] = String(inputs["folderId"]);
  if (Array.isArray(inputs["invitations"])) inputs["invitations"] = inputs["invitations"].map(withTidyAddress);
  const warnings = olds === undefined ? warningsAbout(inputs["invitations"], secrets?.has("invitations") === true) : [];
  return { inputs, failures, warnings };
}

const withTidyAddress = (row: Value): Value =>
  isRecord(row) && typeof row["email"] === "string" ? { ...row, email: tidyAddress(row["email"]) } : row;

function warningsAbout(invitations: Value | undefined, hidden: boolean): string[] {
  if (!Array.isArray(invitations)) return [];
  const warnings: string[] = [];
  const twice = invitedTwice(invitations);
  if (twice > 0)
    warnings.push(
      `${twice === 1 ? "one address is" : `${twice} addresses are`} invited twice in the same stage: the service mails each invitation.`,
    );
  const short = [...new Set(invitations.flatMap(row => (isRecord(row) ? [row["email"]] : [])))].filter(
    (email): email is string => typeof email === "string" && email.includes("@") && lacksDomain(email),
  );
  if (short.length > 0) {
    const named = hidden ? (short.length === 1 ? "one address" : `${short.length} addresses`) : short.join(", ");
    warnings.push(`${named}: expected a domain with a dot in it, such as example.com, got none. It is sent as it is.`);
  }
  return warnings;
}

/** At the end of a description it says which create made the document: one that isn't ours would hide it from us. */
function ownMarker(description: Value | undefined, hidden: boolean): Failure[] {
  const marker = typeof description === "string" ? markerIn(description) : undefined;
  if (marker === undefined) return [];
  const reason = `description: expected one that doesn't end in [docsign:${marker}]: \`docsign:creationMarker\` writes such a mark itself`;
  return [{ property: hidden ? "" : "description", reason }];
}

/** What state has already is the service's own: an import takes whatever the service shows. */
function isKept(reason: string, news: Values, olds: Values | undefined): boolean {
  const name = /^[A-Za-z]+/.exec(reason)?.[0] ?? "";
  const [before, after] = [olds?.[name], news[name]];
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after);
}

function invitedTwice(invitations: readonly Value[]): number {
  const places = invitations.map(placeOf).filter(place => place !== undefined);
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const place of places) (seen.has(place) ? twice : seen).add(place);
  return twice.size;
}

/** Address and stage; undefined where they aren't known. */
function placeOf(row: Value): string | undefined {
  if (!isRecord(row) || typeof row["email"] !== "string" || isUnknown(row["stage"])) return undefined;
  return `${addressOf(row["email"])}\n${String(row["stage"] ?? "")}`;
}

function withoutNulls(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, name === "extraParameters" ? value : tidy(value)]),
  );
}

function tidy(value: Value): Value {
  if (Array.isArray(value)) return value.map(tidy);
  return isRecord(value) ? withoutNulls(value) : value;
}
