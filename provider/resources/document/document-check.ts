import { problemsOf } from "../../schema/check.js";
import { isRecord, isUnknown, type Value, type Values } from "../../schema/values.js";
import { checkPdf, PDF_INPUTS, type PdfSources } from "../pdf/pdf-input.js";
import type { Failure } from "../resource.js";
import { documentInputs } from "./declaration.js";
import { addressOf } from "./document-state.js";
import { markerIn } from "./marker.js";

export interface CheckArgs {
  readonly olds: Values | undefined;
  readonly news: Values;
  readonly secrets?: ReadonlySet<string> | undefined;
  warn(message: string): void;
}

/** Everything wrong with a document's inputs at once; and the inputs as state keeps them. Nothing is asked of the service. */
export async function checkDocument(
  { olds, news, secrets, warn }: CheckArgs,
  sources: PdfSources,
): Promise<{ inputs: Values; failures: Failure[] }> {
  const pdf = await checkPdf(olds, news, sources, secrets);
  const failures = [
    ...problemsOf(documentInputs, withoutNulls(news), { secrets }).filter(
      problem =>
        !/^(file|base64File|template|fonts(\[\d+\])?):/.test(problem.reason) && !isKept(problem.reason, news, olds),
    ),
    ...ownMarker(news["description"], secrets?.has("description") === true),
    ...pdf.failures,
  ];
  // Only a Check without old inputs comes before a create, and the engine repeats the others.
  if (olds === undefined) {
    const twice = invitedTwice(news["invitations"]);
    if (twice > 0)
      warn(
        `${twice === 1 ? "one address is" : `${twice} addresses are`} invited twice in the same stage: the service mails each invitation.`,
      );
  }
  const rest = Object.fromEntries(Object.entries(news).filter(([name]) => !PDF_INPUTS.some(input => input === name)));
  const inputs: Values = { ...withoutNulls(rest), ...pdf.inputs };
  if (typeof inputs["folderId"] === "number") inputs["folderId"] = String(inputs["folderId"]);
  return { inputs, failures };
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

function invitedTwice(invitations: Value | undefined): number {
  if (!Array.isArray(invitations)) return 0;
  const places = invitations.map(placeOf).filter(place => place !== undefined);
  return new Set(places.filter((place, index) => places.indexOf(place) < index)).size;
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
