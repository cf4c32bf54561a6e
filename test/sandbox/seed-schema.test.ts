import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseScenario } from "../../sandbox/control/parse.js";
import { Fields } from "../../sandbox/fields.js";
import { exampleSeed } from "../../sandbox/help.js";
import { startSandbox } from "../../sandbox/index.js";

interface Schema {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const schema: Schema = JSON.parse(readFileSync("sandbox/seed.schema.json", "utf8"));

/** Answers nothing, and keeps what it was asked for: the shape a parser expects. */
class RecordingFields extends Fields {
  readonly #properties: Record<string, () => Schema> = {};
  readonly #required: string[] = [];

  constructor() {
    super({});
  }

  get shape(): Schema {
    const properties = Object.fromEntries(Object.entries(this.#properties).map(([name, shape]) => [name, shape()]));
    const required = this.#required.length > 0 ? { required: this.#required } : {};
    return { type: "object", additionalProperties: false, ...required, properties };
  }

  override text(name: string): string {
    this.#required.push(name);
    this.#properties[name] = () => ({ type: "string", pattern: "\\S" });
    return "";
  }

  override optionalText = (name: string) => this.#note(name, { type: "string" });
  override optionalInteger = (name: string) => this.#note(name, { type: "integer" });
  override optionalBoolean = (name: string) => this.#note(name, { type: "boolean" });
  override optionalTextList = (name: string) => this.#note(name, { type: "array", items: { type: "string" } });
  override optionalTextListOr = (name: string, word: string) =>
    this.#note(name, { anyOf: [{ type: "array", items: { type: "string" } }, { const: word }] });
  override optionalOneOf = (name: string, allowed: readonly (string | number)[]) =>
    this.#note(name, { enum: [...allowed] });

  override each(name: string): Fields[] {
    const inner = new RecordingFields();
    this.#properties[name] = () => ({ type: "array", items: inner.shape });
    return [inner];
  }

  #note(name: string, shape: Schema): undefined {
    this.#properties[name] = () => shape;
  }
}

/** Without what is for people. */
function bare({ description: _, title: __, contentEncoding: ___, $schema: ____, ...rest }: Schema): Schema {
  const shape: Schema = { ...rest };
  if (rest.items) shape.items = bare(rest.items);
  if (rest.properties)
    shape.properties = Object.fromEntries(Object.entries(rest.properties).map(([name, one]) => [name, bare(one)]));
  return shape;
}

function undescribed(path: string, one: Schema): string[] {
  const within = Object.entries(one.properties ?? {}).flatMap(([name, inner]) => undescribed(`${path}.${name}`, inner));
  const items = one.items?.properties ? undescribed(`${path}[]`, { description: "items", ...one.items }) : [];
  return [...(one["description"] ? [] : [path]), ...within, ...items];
}

function accepts(seed: unknown): boolean {
  try {
    const fields = new Fields(seed);
    parseScenario(fields);
    fields.refuseIfWrong();
    return true;
  } catch {
    return false;
  }
}

describe("the schema of seed files", () => {
  test("asks for what the sandbox reads, field by field, and for nothing else", () => {
    const asked = new RecordingFields();
    parseScenario(asked);
    expect(bare(schema)).toEqual(asked.shape);
  });

  test("is in the package, where the help says", () => {
    const { files } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(files).toContain("sandbox/seed.schema.json");
  });

  test("says of every field what it means", () => {
    expect(undescribed("seed", schema)).toEqual([]);
  });

  test("and the sandbox agree about any file", () => {
    const checker = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)));
    const text = fc.constantFrom("ana@example.com", "Lease 12", " ", "all");
    const any = fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant([]), fc.array(text));
    const object = (names: string[], inner: fc.Arbitrary<unknown> = any) =>
      fc.dictionary(fc.constantFrom(...names), fc.oneof({ weight: 3, arbitrary: text }, inner), { maxKeys: 5 });
    const invitation = object(["email", "name", "message", "stage", "allowedSignatureTypes", "mail"]);
    const documents = fc.record(
      { name: text, signed: any, certified: any, invitations: fc.array(invitation, { maxLength: 2 }), tag: any },
      { requiredKeys: [] },
    );
    const list = (names: string[]) => fc.array(object(names), { maxLength: 2 });
    const seed = fc.record(
      {
        $schema: any,
        accounts: list(["email", "name", "quota", "apiKey"]),
        users: list(["email", "name"]),
        organizations: list(["name", "members"]),
        folders: list(["name", "owner"]),
        documents: fc.array(documents, { maxLength: 2 }),
        document: any,
      },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(seed, value => accepts(value) === checker.safeParse(value).success));
  });

  test("the example in the help and in the docs is one, and starts a sandbox", async () => {
    expect(readFileSync("docs/sandbox.md", "utf8")).toContain(`\`\`\`json\n${exampleSeed}\n\`\`\``);
    const { $schema, ...scenario } = JSON.parse(exampleSeed);
    expect([$schema, accepts(JSON.parse(exampleSeed))]).toEqual([
      "./node_modules/pulumi-docsign/sandbox/seed.schema.json",
      true,
    ]);
    await using sandbox = await startSandbox({ scenario });
    expect(sandbox.documents().map(({ id, name, status }) => ({ id, name, status }))).toEqual([
      { id: 5001, name: "Lease 12", status: "partially_signed" },
    ]);
  });
});
