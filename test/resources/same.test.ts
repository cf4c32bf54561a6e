import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { isRecord, type Value, type Values } from "../../kit/values.js";
import { createBody } from "../../provider/client/documents.js";
import { checkDocument } from "../../provider/resources/document/check.js";
import { newDocument, specOf } from "../../provider/resources/document/content.js";
import { documentChanges, documentInputs, hashesOf, madeOf } from "../../provider/resources/document/declaration.js";
import { isPdfInput } from "../../provider/resources/pdf/pdf-input.js";
import { invitation } from "../../provider/resources/people.js";
import { termInputs } from "../../provider/resources/terms.js";
import { base64, nda, scene } from "../lifecycle/scene.js";

const GIVEN: Values = {
  name: "Señal de NDA",
  description: "Mutual",
  folderId: "12",
  invitations: [
    { email: "ana@example.com", name: "Ana", stage: 1 },
    { email: "bob@example.org", stage: 1 },
  ],
  base64File: base64("one"),
  extraParameters: { a: 1, b: { c: [2], d: 3 } },
};
const [ANA, BOB] = GIVEN["invitations"] as [Values, Values];

/** By a Document's Diff, by a row's, and by what a create is known by again. */
async function views(before: Values, after: Values): Promise<Record<string, boolean>> {
  await using s = await scene();
  await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const { pdfs } = run.runtime.context;
  const look = async (news: Values) => {
    const { checked: inputs, failures } = await checkDocument({ olds: undefined, news }, pdfs);
    expect(failures).toEqual([]);
    const spec = await specOf(inputs, pdfs);
    return { inputs, row: JSON.stringify(hashesOf(inputs)), content: JSON.stringify(spec?.content) };
  };
  const [one, other] = [await look(before), await look(after)];
  return {
    document: documentChanges(madeOf(one.inputs), other.inputs, {}).length === 0,
    row: one.row === other.row,
    create: one.content === other.content,
  };
}

describe("a Document, a row and an interrupted create agree", () => {
  test.each<[string, Values, Values?]>([
    ["an address in another case", { invitations: [{ ...ANA, email: "Ana@Example.COM" }, BOB] }],
    [
      "an address in another Unicode form",
      { invitations: [{ ...ANA, email: "jose\u0301@example.com" }, BOB] },
      { invitations: [{ ...ANA, email: "jos\u00e9@example.com" }, BOB] },
    ],
    ["white space about an address", { invitations: [{ ...ANA, email: " ana@example.com\u200b" }, BOB] }],
    ["people in another order", { invitations: [BOB, ANA] }],
    ["white space about a name", { invitations: [{ ...ANA, name: "Ana " }, BOB] }],
    ["an empty name", { invitations: [ANA, { ...BOB, name: "" }] }],
    ["a name of white space", { invitations: [ANA, { ...BOB, name: " " }] }],
    ["a message", { invitations: [{ ...ANA, message: "Hello" }, BOB] }],
    ["a title in another Unicode form", { name: "Sen\u0303al  de NDA" }],
    ["a description of white space", { description: " " }, { description: undefined } as never],
    ["a folder as a number", { folderId: 12 }],
    ["parameters in another order", { extraParameters: { b: { d: 3, c: [2] }, a: 1 } }],
    ["no parameters", { extraParameters: {} }, { extraParameters: undefined } as never],
  ])("that %s is no difference", async (_, more, given = {}) => {
    const both = { document: true, row: true, create: true };
    expect(await views({ ...GIVEN, ...given }, { ...GIVEN, ...more })).toEqual(both);
    expect(await views({ ...GIVEN, ...more }, { ...GIVEN, ...given })).toEqual(both);
  });

  test("that a parameter of null is no difference, and a cut-off create may not know it", async () => {
    const both = { document: true, row: true, create: false };
    const withNulls = { ...GIVEN, extraParameters: { a: 1, b: { c: [2], d: 3, e: null }, f: null } };
    expect(await views(GIVEN, withNulls)).toEqual(both);
    expect(await views(withNulls, GIVEN)).toEqual(both);
  });

  test.each<[string, Values]>([
    ["an address", { invitations: [{ ...ANA, email: "eva@example.com" }, BOB] }],
    ["a name in another case", { invitations: [{ ...ANA, name: "ANA" }, BOB] }],
    ["a stage", { invitations: [ANA, { ...BOB, stage: 2 }] }],
    ["a way to sign", { invitations: [ANA, { ...BOB, allowedSignatureTypes: "all" }] }],
    ["a person twice", { invitations: [ANA, BOB, BOB] }],
    ["a title in another case", { name: "señal de NDA" }],
    ["a description", { description: "Other" }],
    ["a folder", { folderId: "13" }],
    ["a PDF", { base64File: base64("two") }],
    ["a parameter", { extraParameters: { a: 1, b: { c: [2], d: 4 } } }],
  ])("that %s is one", async (_, more) => {
    expect(await views(GIVEN, { ...GIVEN, ...more })).toEqual({ document: false, row: false, create: false });
  });
});

test("an interrupted create is taken over where only the case of an address was edited", async () => {
  const written = (email: string) => nda({ inputs: { invitations: [{ email, name: "Ana" }] } });
  await using s = await scene();
  expect((await s.stack.up([written("Ana@Example.com")])).error).toBeUndefined();
  s.stack.entries = [];
  s.sent();
  const again = await s.stack.up([written("ana@example.com")]);
  expect(again.error).toBeUndefined();
  expect(s.stack.entry("nda").id).toBe(s.id());
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});

test.each(["answered", "unanswered"])(
  "an %s create isn't sent again where a null came to its parameters",
  async how => {
    const written = (extraParameters: Values) => nda({ inputs: { extraParameters } });
    await using s = await scene();
    let isDown = false;
    s.service.faults.otherwise(({ operation }) => {
      if (isDown) return { kind: "status", when: "before", status: 500 };
      isDown = how === "unanswered" && operation === "createDocument";
      return isDown ? { kind: "reset", when: "after" } : undefined;
    });
    const first = await s.stack.up([written({ a: 1 })]);
    expect(first.error === undefined).toBe(how === "answered");
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    s.service.faults.otherwise(() => undefined);
    s.stack.entries = [];
    await s.stack.up([written({ a: 1, b: null })]);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  },
);

test("a row from a state that has a hash of no parameters doesn't change", async () => {
  const row = { name: "NDA", base64File: base64("one"), invitations: [{ email: "ana@example.com" }] };
  const set = (more: Values) => ({
    ...{ name: "ndas", type: "docsign:index:DocumentSet" },
    inputs: { documents: { ana: { ...row, ...more } } } as never,
  });
  await using s = await scene();
  expect((await s.stack.up([set({})])).error).toBeUndefined();
  const documents = s.stack.entry("ndas").outputs["documents"] as Record<string, Values>;
  const { ana } = documents;
  if (ana) ana["content"] = `${String(ana["content"])}RBNvo1WzZ4oR`;
  s.sent();
  for (const more of [{}, { extraParameters: {} }]) {
    const { calls } = await s.stack.up([set(more)], { skipPreview: true });
    expect(calls.filter(call => /^(create|delete)/.test(call))).toEqual([]);
  }
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});

/** What a create sends of a program. */
async function bodyOf(news: Values): Promise<Values> {
  await using s = await scene();
  await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const { pdfs } = run.runtime.context;
  const { checked } = await checkDocument({ olds: undefined, news }, pdfs);
  const spec = await specOf(checked, pdfs);
  if (!spec) return expect.fail("expected a spec, got none");
  const pieces: Uint8Array[] = [];
  for await (const piece of createBody(await newDocument(spec)).open()) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString("utf8"));
}

const LEAST: Values = { name: "NDA", invitations: [{ email: "ana@example.com" }], base64File: base64("one") };
const SAMPLES: readonly Value[] = ["sample", "12", 12, true, ["sample"], { sample: "sample" }, "all"];
const EMPTY: readonly Value[] = ["", [], {}];

type Optional = readonly [name: string, type: z.ZodType, programWith: (value: Value) => Values];
const optionalIn = (shape: z.ZodObject, programWith: (name: string, value: Value) => Values): Optional[] =>
  Object.entries(shape.shape).flatMap(([name, type]): Optional[] =>
    type.isOptional() ? [[name, type, value => programWith(name, value)]] : [],
  );
const withOne = (values: Values, name: string, value: Value): Values =>
  Object.fromEntries([...Object.entries(values), [name, value]]);
const OF_DOCUMENT = optionalIn(documentInputs, (name, value) => withOne(LEAST, name, value));
const OF_PERSON = optionalIn(invitation, (name, value) => ({
  ...LEAST,
  invitations: [withOne({ email: "ana@example.com" }, name, value)],
}));
const isSent = ([name]: Optional): boolean => !isPdfInput(name) && !Object.hasOwn(termInputs, name);

describe.each([...OF_DOCUMENT.filter(isSent), ...OF_PERSON])(
  "%s, which a program may leave out",
  (name, type, programWith) => {
    const isOfType = (value: Value) => type.safeParse(value).success;
    const sentAs = async (news: Values) => {
      const { invitations_attributes: people, ...body } = await bodyOf(news);
      return { ...body, ...(Array.isArray(people) && isRecord(people[0]) ? people[0] : {}) };
    };

    test("is sent where it is given, and makes another document", async () => {
      const sample = SAMPLES.find(isOfType);
      if (sample === undefined) return expect.fail(`expected one of SAMPLES to be right for ${name}, got none`);
      const given = programWith(sample);
      const isSame = name === "message";
      expect(await views(LEAST, given)).toEqual({ document: isSame, row: isSame, create: isSame });
      const before = await sentAs(LEAST);
      const gained = Object.entries(await sentAs(given)).filter(([field]) => !Object.hasOwn(before, field));
      expect(gained).toHaveLength(1);
      expect(JSON.stringify(gained)).toContain(typeof sample === "object" ? "sample" : String(sample));
    });

    test.each<[Value]>(EMPTY.filter(isOfType).map(empty => [empty]))("is left out where it is %j", async empty => {
      const given = programWith(empty);
      expect(await views(LEAST, given)).toEqual({ document: true, row: true, create: true });
      expect(await bodyOf(given)).toEqual(await bodyOf(LEAST));
    });
  },
);
