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
}

/** Everything wrong with a document's inputs at once; and the inputs as state keeps them. Nothing is asked of the service. */
export async function checkDocument(
  { olds, news, secrets }: CheckArgs,
  sources: PdfSources,
): Promise<{ inputs: Values; failures: Failure[] }> {
  const pdf = await checkPdf(olds, news, sources, secrets);
  const failures = [
    ...problemsOf(documentInputs, withoutNulls(news), { secrets }).filter(
      problem => !/^(file|base64File|template|fonts(\[\d+\])?):/.test(problem.reason),
    ),
    ...ownMarker(news["description"], secrets?.has("description") === true),
    ...duplicates(news["invitations"], olds?.["invitations"], secrets?.has("invitations") === true),
    ...pdf.failures,
  ];
  const rest = Object.fromEntries(Object.entries(news).filter(([name]) => !PDF_INPUTS.includes(name)));
  const inputs: Values = { ...withoutNulls(rest), ...pdf.inputs };
  if (typeof inputs["folderId"] === "number") inputs["folderId"] = String(inputs["folderId"]);
  return { inputs, failures };
}

/** At the end of a description it says which create made the document: one that isn't ours would hide it from us. */
function ownMarker(description: Value | undefined, hidden: boolean): Failure[] {
  const marker = typeof description === "string" ? markerIn(description) : undefined;
  if (marker === undefined) return [];
  const reason = `description: given one that ends in [docsign:${marker}]; wanted one without, because \`docsign:creationMarker\` writes such a mark itself`;
  return [{ property: hidden ? "" : "description", reason }];
}

/**
 * One address twice in one stage is one person asked twice. What state has twice already stays: an import doesn't always
 * tell the stages, and no create can follow a Check with old inputs.
 */
function duplicates(invitations: Value | undefined, olds: Value | undefined, hidden: boolean): Failure[] {
  if (!Array.isArray(invitations)) return [];
  const there = (Array.isArray(olds) ? olds : []).map(placeOf);
  const seen: (string | undefined)[] = [];
  return invitations.flatMap((row, index): Failure[] => {
    const place = placeOf(row);
    const first = place === undefined ? -1 : seen.indexOf(place);
    const allowed = Math.max(1, there.filter(each => each === place).length);
    const isFine = first < 0 || seen.filter(each => each === place).length < allowed;
    seen.push(place);
    if (isFine) return [];
    const path = `invitations[${index}].email`;
    const given = hidden ? "the same address" : JSON.stringify(isRecord(row) ? row["email"] : "");
    return [
      {
        property: hidden ? "" : path,
        reason: `${path}: given ${given}, which invitations[${first}] invites already in the same stage; wanted each address once in a stage`,
      },
    ];
  });
}

/** Who is asked when; undefined where that isn't known. */
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
