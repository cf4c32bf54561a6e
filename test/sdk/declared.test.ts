import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { propertiesWhere, propertyMetadata, type ResourceDeclaration, type Shape } from "../../kit/property.js";
import { BODY_FIELDS } from "../../provider/client/documents.js";
import { functionDeclarations } from "../../provider/functions/index.js";
import { documentDeclaration, documentInputs } from "../../provider/resources/document/declaration.js";
import { documentSetDeclaration } from "../../provider/resources/document-set/declaration.js";
import { folderDeclaration } from "../../provider/resources/folder-declaration.js";
import { reminderDeclaration } from "../../provider/resources/reminder/declaration.js";
import { gateDeclaration } from "../../provider/resources/signature-gate/declaration.js";
import { TERMS } from "../../provider/resources/terms.js";
import { limitOf } from "../../scripts/docgen/reference/limits.js";
import { DERIVED, type Kind } from "../../sdk/front-end.js";

/**
 * The types a program sees are written by hand, for the sake of what an editor shows. This holds them to the
 * declarations that checks, schema and plugin are read off.
 */

const sdk = join(import.meta.dirname, "../../sdk");
const sources = readdirSync(sdk)
  .filter(name => name.endsWith(".ts"))
  // Types of functions extend types of resources.
  .sort((one, other) => Number(other === "types.ts") - Number(one === "types.ts"))
  .map(name => ts.createSourceFile(name, readFileSync(join(sdk, name), "utf8"), ts.ScriptTarget.Latest, true));

interface Member {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly documented: boolean;
  /** How long a text may be, as an editor says it. */
  readonly limit: string;
}

/** As the pages of reference say it: `1 to 1000 characters`. */
const LIMIT = /(at most|\d+ to) \d+\s+(\*\s+)?characters/;

const shapes = new Map<string, Member[]>();
/** Names of types in the SDK → what is declared: types that only the SDK has, and those of a few texts. */
const aliases = new Map([
  ["InvitationArgs", "Invitation"],
  ["TemplateVariable", "unknown"],
  ["Truncated", "string"],
]);
for (const source of sources) {
  source.forEachChild(node => {
    if (ts.isInterfaceDeclaration(node)) {
      const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
        types.map(({ expression }) => expression.getText()),
      );
      shapes.set(node.name.text, [...bases.flatMap(base => shapes.get(base) ?? []), ...node.members.flatMap(memberOf)]);
    }
    if (ts.isTypeAliasDeclaration(node) && node.type.getText().includes('"') && !aliases.has(node.name.text))
      aliases.set(node.name.text, node.type.getText());
    if (ts.isClassDeclaration(node) && node.name) shapes.set(node.name.text, node.members.flatMap(memberOf));
  });
}

function memberOf(node: ts.Node): Member[] {
  if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node)) return [];
  const comment = ts
    .getJSDocCommentsAndTags(node)
    .map(each => each.getText())
    .join("\n");
  return [
    {
      name: node.name.getText(),
      type: node.type?.getText() ?? "",
      optional: node.questionToken !== undefined || /\| undefined>$/.test(node.type?.getText() ?? ""),
      documented: ts.getJSDocCommentsAndTags(node).length > 0,
      limit: LIMIT.exec(comment)?.[0].replace(/[\s*]+/g, " ") ?? "",
    },
  ];
}

/** The SDK's type as `typeText` writes it: not that it may be an output or absent. Bytes are text once they are sent. */
function plain(type: string): string {
  const inner = type.replace(/pulumi\.(Input|Output)<((?:[^<>]|<[^<>]*>)*)>/g, "$2");
  if (inner !== type) return plain(inner);
  return type.replace(/[()]| \| (undefined|Uint8Array)/g, "").replace(/\w+/g, name => aliases.get(name) ?? name);
}

function typeText(type: z.ZodType): string {
  const { asset, typeName } = propertyMetadata.get(type) ?? {};
  if (asset) return "pulumi.asset.Asset";
  if (type instanceof z.ZodNullable) return `${typeText(type.unwrap() as z.ZodType)} | null`;
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault) return typeText(type.unwrap() as z.ZodType);
  if (type instanceof z.ZodPipe) return typeText(type.in as z.ZodType);
  if (type instanceof z.ZodArray) return `${typeText(type.element as z.ZodType)}[]`;
  if (type instanceof z.ZodRecord) return `Record<string, ${typeText(type.valueType as z.ZodType)}>`;
  if (type instanceof z.ZodUnion) return type.options.map(option => typeText(option as z.ZodType)).join(" | ");
  if (type instanceof z.ZodEnum) return type.options.map(option => JSON.stringify(option)).join(" | ");
  return typeName ?? type.def.type;
}

/** Each member's type, after a question mark where it may be left out. */
const declared = (shape: Shape): Record<string, string> =>
  Object.fromEntries(
    Object.entries(shape.shape).map(([name, type]) => [name, `${type.isOptional() ? "?" : ""}${typeText(type)}`]),
  );

const written = (name: string): Record<string, string> =>
  Object.fromEntries(
    (shapes.get(name) ?? []).map(({ name, optional, type }) => [name, `${optional ? "?" : ""}${plain(type)}`]),
  );

/** Object types below a shape, by the name they have in the package. */
function named(type: unknown, found = new Map<string, Shape>()): Map<string, Shape> {
  if (!(type instanceof z.ZodType)) return found;
  const typeName = propertyMetadata.get(type)?.typeName;
  if (type instanceof z.ZodObject) {
    if (typeName !== undefined) found.set(typeName, type);
    for (const inner of Object.values(type.shape)) named(inner, found);
  } else if (type instanceof z.ZodArray) named(type.element, found);
  else if (type instanceof z.ZodRecord) named(type.valueType, found);
  else if (type instanceof z.ZodOptional) {
    const inner = type.unwrap();
    if (typeName !== undefined && inner instanceof z.ZodObject) found.set(typeName, inner);
    named(inner, found);
  }
  return found;
}

const resources: [Kind, ResourceDeclaration][] = [
  ["Document", documentDeclaration],
  ["DocumentSet", documentSetDeclaration],
  ["Folder", folderDeclaration],
  ["Reminder", reminderDeclaration],
  ["SignatureGate", gateDeclaration],
];

/** Of texts with a longest length. */
const limitsDeclared = (shape: Shape): [string, string][] =>
  Object.entries(shape.shape)
    .map(([name, type]): [string, string] => [name, limitOf(type)])
    .filter(([, limit]) => limit.endsWith("characters"));

const limitsSaid = (name: string) =>
  (shapes.get(name) ?? []).filter(({ limit }) => limit !== "").map(member => [member.name, member.limit]);

describe.each(resources)("%s", (kind, declaration) => {
  test("takes and returns what is declared", () => {
    expect(written(`${kind}Args`)).toEqual(declared(declaration.inputs));
    expect(limitsSaid(`${kind}Args`)).toEqual(limitsDeclared(declaration.inputs));
    expect(written(kind)).toEqual(declared(declaration.outputs));
  });

  test("hides what is made of secrets", () => {
    const derived = propertiesWhere(declaration.outputs, meta => meta.derivedFrom !== undefined);
    const from = derived.map(name => {
      const type = declaration.outputs.shape[name];
      return [name, type && propertyMetadata.get(type)?.derivedFrom];
    });
    expect(DERIVED[kind]).toEqual(Object.fromEntries(from));
  });
});

describe.each(
  functionDeclarations.map(declaration => [declaration.token.split(":").at(-1) ?? "", declaration] as const),
)("%s", (name, declaration) => {
  test("takes and returns what is declared, and has a twin", () => {
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    expect(written(`${title}Args`)).toEqual(declared(declaration.inputs));
    expect(written(`${title}Result`)).toEqual(declared(declaration.outputs));
    const text = readFileSync(join(sdk, "functions.ts"), "utf8");
    expect(text).toContain(`export function ${name}(`);
    expect(text).toMatch(new RegExp(`export (function|const) ${name}Output\\b`));
  });
});

describe("object types", () => {
  const all = [...resources.map(([, declaration]) => declaration), ...functionDeclarations].flatMap(
    ({ inputs, outputs }) => [...named(inputs), ...named(outputs)],
  );
  test.each([...new Map(all)])("%s is what is declared", (name, shape) => {
    // A part of what a Document takes.
    if (name === "DocumentSetRow")
      return expect(Object.keys(written("DocumentArgs"))).toEqual(Object.keys(shape.shape));
    const type = name === "Invitation" ? "InvitationArgs" : name;
    expect(written(type)).toEqual(declared(shape));
    expect(limitsSaid(type)).toEqual(limitsDeclared(shape));
  });
});

test("everything an editor shows is explained", () => {
  const silent = [...shapes].flatMap(([name, members]) =>
    members.filter(({ documented }) => !documented).map(member => `${name}.${member.name}`),
  );
  expect(silent).toEqual([]);
});

test("the comment of extraParameters lists what they can't name", () => {
  const [, list = ""] =
    /a field the provider sets \(([^)]*)\)/.exec(readFileSync(join(sdk, "document.ts"), "utf8")) ?? [];
  expect(list.match(/\w+/g)).toEqual(BODY_FIELDS);
});

test("every input of Document but its terms replaces, as Diff has it", () => {
  const inPlace = Object.keys(documentInputs.shape).filter(
    name => !propertiesWhere(documentInputs, meta => meta.replaces === true).includes(name),
  );
  expect(inPlace).toEqual([...TERMS]);
});
