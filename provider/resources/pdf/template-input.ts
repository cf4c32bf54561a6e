import { hash } from "node:crypto";
import { isVariable, type VariableValue } from "../../../templates/variables.js";
import { oneLine } from "../../core/text.js";
import {
  Asset,
  hasUnknown,
  isRecord,
  isUnknown,
  UNKNOWN,
  type Unknown,
  type Value,
  type Values,
} from "../../schema/values.js";
import { type Failure, unnamedFailure as failure } from "../resource.js";
import { assetIn } from "./asset-source.js";
import { markOf } from "./base64.js";
import type { RenderRequest, TemplateStore } from "./template-store.js";

/** Inputs that say how `template` is rendered. */
export const TEMPLATE_OPTIONS = ["variables", "fonts", "pageSize", "pageNumbers", "title"] as const;
export const TEMPLATE_INPUTS = ["template", ...TEMPLATE_OPTIONS] as const;

/**
 * Part of every template's identity. It changes only with a major version of this package, together with the golden hash
 * in test/templates/same-bytes.test.ts: another number says that the same inputs may now be other bytes.
 */
const FORMAT = 1;

const isGiven = (value: Value | undefined): value is Value => value !== undefined && value !== null;

export interface CheckedTemplate {
  readonly inputs: Values;
  readonly failures: Failure[];
}

interface CheckedAsset {
  readonly value: Value | undefined;
  readonly failures: Failure[];
}

/** The template's inputs as state keeps them, and everything that is wrong with them and can be known without rendering. */
export async function checkTemplate(
  olds: Values | undefined,
  news: Values,
  store: TemplateStore,
  hidesValues: boolean,
): Promise<CheckedTemplate> {
  const given = Object.fromEntries(
    TEMPLATE_OPTIONS.filter(name => isGiven(news[name])).map(name => [name, news[name]]),
  );
  const template = await checkAsset("template", news["template"] ?? null, olds, {
    isHeld: hash => store.source(hash) !== undefined,
    keep: asset => store.keepTemplate(asset),
  });
  const fonts = await checkFonts(news["fonts"], olds, store);
  const failures = [...template.failures, ...fonts.failures];
  if (template.value === undefined || failures.length > 0) return { inputs: {}, failures };
  const inputs: Values = {
    ...given,
    template: template.value,
    ...(fonts.value === undefined ? {} : { fonts: fonts.value }),
  };
  if (olds !== undefined && templateIdentity(olds) === templateIdentity(inputs)) return { inputs, failures };
  const request = requestFor(inputs, store);
  if (request === undefined) return { inputs, failures };
  const problems = await store.renderer.problemsOf(request, unknownVariables(inputs));
  const file = pathOf(news["template"]);
  return {
    inputs,
    failures: problems.map(problem => failure(`${file}${hidesValues ? withoutCharacters(problem) : problem}`)),
  };
}

/** A template's file before what is wrong with it. */
function pathOf(template: Value | undefined): string {
  const path = template instanceof Asset && template.text === undefined ? template.path : undefined;
  return path === undefined ? "" : `${oneLine(path).slice(0, LONGEST_PATH)}: `;
}

const LONGEST_PATH = 200;

/** Options without a template to apply to. */
export function strayOptions(news: Values): Failure[] {
  const stray = TEMPLATE_OPTIONS.filter(name => isGiven(news[name]));
  if (stray.length === 0) return [];
  return [failure(`${stray.join(", ")}: expected \`template\` beside ${stray.length === 1 ? "it" : "them"}, got none`)];
}

async function checkFonts(
  value: Value | undefined,
  olds: Values | undefined,
  store: TemplateStore,
): Promise<CheckedAsset> {
  // What isn't a list is reported by the declaration.
  if (!isGiven(value) || !Array.isArray(value)) return { value: isUnknown(value) ? UNKNOWN : undefined, failures: [] };
  const checked = await Promise.all(
    value.map((font, index) =>
      checkAsset(`fonts[${index}]`, font, olds, {
        isHeld: hash => store.file(hash) !== undefined,
        keep: asset => store.keepFile(asset),
      }),
    ),
  );
  return { value: checked.map(each => each.value ?? null), failures: checked.flatMap(each => each.failures) };
}

interface Contents {
  isHeld(hash: string): boolean;
  keep(asset: Asset): Promise<{ asset: Asset } | { wrong: string }>;
}

async function checkAsset(
  name: string,
  given: Value,
  olds: Values | undefined,
  { isHeld, keep }: Contents,
): Promise<CheckedAsset> {
  const property = name.replace(/\[.*/, "");
  const wrong = (reason: string) => ({ value: undefined, failures: [failure(`${name}: ${reason}`)] });
  if (isUnknown(given)) return { value: UNKNOWN, failures: [] };
  const asset = assetIn(given);
  if ("wrong" in asset) return wrong(asset.wrong);
  const { hash } = asset;
  const hasContent = asset.text !== undefined || asset.path !== undefined || asset.uri !== undefined;
  // From state, under `ignoreChanges`: no create can follow a Check with old inputs.
  if (!hasContent && hash !== undefined && (olds !== undefined || isHeld(hash))) return { value: asset, failures: [] };
  if (!hasContent && hash !== undefined) {
    return wrong(`expected the file itself, got ${markOf(hash)}: creating the document needs its content`);
  }
  const kept = await keep(asset);
  if (!("wrong" in kept)) return { value: kept.asset, failures: [] };
  // Under `ignoreChanges` the engine gives what state has: its file may say something else by now, or be gone.
  if (hash !== undefined && hashesIn(olds?.[property]).includes(hash)) return { value: asset, failures: [] };
  return wrong(kept.wrong);
}

/** What tells one rendered PDF from another, without rendering it; undefined where there is no template. */
export function templateIdentity(inputs: Values): string | Unknown | undefined {
  const { template, variables, fonts, pageSize, pageNumbers, title } = inputs;
  if (!isGiven(template)) return undefined;
  const parts = [template, variables, fonts, pageSize, pageNumbers, title];
  const values = [...(isRecord(variables) ? Object.values(variables) : []), ...(Array.isArray(fonts) ? fonts : [])];
  if (parts.some(isUnknown) || values.some(hasUnknown)) return UNKNOWN;
  const content = [
    FORMAT,
    hashIn(template),
    sortedVariables(variables),
    (Array.isArray(fonts) ? fonts : []).map(hashIn),
    pageSize ?? "A4",
    pageNumbers ?? true,
    title ?? null,
  ];
  return `template:${hash("sha256", JSON.stringify(content), "hex")}`;
}

/** What to render; undefined while the template isn't known, and where its content isn't at hand. */
export function requestFor(inputs: Values, store: TemplateStore): RenderRequest | undefined {
  const { template, variables, fonts, pageSize, pageNumbers, title } = inputs;
  const source = template instanceof Asset && template.hash !== undefined ? store.source(template.hash) : undefined;
  if (source === undefined || isUnknown(variables) || isUnknown(fonts)) return undefined;
  const files = (Array.isArray(fonts) ? fonts : []).map((font, index) => ({
    name: `fonts[${index}]`,
    bytes: store.file(hashIn(font) ?? ""),
  }));
  if (!files.every((file): file is { name: string; bytes: Uint8Array } => file.bytes !== undefined)) return undefined;
  return {
    source,
    variables: Object.fromEntries(
      Object.entries(isRecord(variables) ? variables : {}).filter((entry): entry is [string, VariableValue & Value] =>
        isVariable(entry[1]),
      ),
    ),
    fonts: files,
    pageSize: pageSize === "Letter" ? "Letter" : "A4",
    pageNumbers: pageNumbers !== false,
    title: typeof title === "string" ? title : undefined,
  };
}

const unknownVariables = ({ variables }: Values): string[] =>
  Object.entries(isRecord(variables) ? variables : {}).flatMap(([name, value]) => (hasUnknown(value) ? [name] : []));

function hashesIn(value: Value | undefined): (string | null)[] {
  const values: Value[] = Array.isArray(value) ? value : [value ?? null];
  return values.map(hashIn);
}

const hashIn = (value: Value): string | null => (value instanceof Asset ? (value.hash ?? null) : null);

function sortedVariables(variables: Value | undefined): (readonly [string, Value])[] {
  return Object.entries(isRecord(variables) ? variables : {})
    .map(([name, value]) => [name.normalize("NFC"), sortedValue(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function sortedValue(value: Value): Value {
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(sortedValue);
  return isRecord(value)
    ? sortedVariables(value).map(([field, text]) => [field, text])
    : String(value).normalize("NFC");
}

/** A problem names the character that can't be printed, which may be one of a secret. */
const withoutCharacters = (problem: string): string => problem.replace(/U\+[0-9A-F]{4,6}( "[^"]*")?/gu, "a character");
