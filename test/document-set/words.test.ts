import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { RowLog } from "../../provider/resources/document-set/words.js";
import { factsIn } from "../../provider/schema/facts.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { base64, forgetMachine, type Scene, scene, sceneWith } from "../lifecycle/scene.js";
import { secret } from "../support/engine-client.js";
import type { IndependentService } from "../support/independent-service/index.js";
import { type Goal, Ref } from "../support/simulated-engine.js";
import { addressOf, CHANGED, mailsOf, NDA, outputsOf, TYPE, team } from "./team.js";

type Json = Parameters<Extract<Parameters<IndependentService["faults"]["push"]>[0], { kind: "edit" }>["edit"]>[0];

const PEOPLE = ["Ana", "Bob", "Cy"];
const nobody = { creates: 0, mails: 0 };

const idOf = (s: Scene, name: string): string =>
  s.service.ledger.documents().findLast(document => document.name === `NDA of ${name}`)?.id ?? "";

const sign = (s: Scene, ...names: string[]): void => {
  for (const name of names) s.service.people.sign(idOf(s, name), addressOf(name));
};

/** Each line of an error that is about one row. */
const linesOf = (error: string | undefined): string[] =>
  (error ?? "").split("\n").filter(line => /^ {2}\S+@example\.com: /.test(line));

const remediesOf = (error: string | undefined): string[] =>
  (error ?? "").split("What you can do:\n")[1]?.split("\n") ?? [];

/** A set with one document, of a PDF that is no template. */
const documents = (more: Values = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  inputs: {
    documents: { "ana@example.com": { invitations: [{ email: "ana@example.com" }], ...more } },
    defaults: { name: "NDA of Ana", base64File: base64("one") },
  } as Goal["inputs"],
});

test.each<[string, Goal["inputs"], RegExp]>([
  ["a description", { description: "Mutual" }, /changed: description \("Mutual" → ""\);/],
  ["a folder", { folderId: new Ref("leases", "folderId") }, /changed: folderId \("\d+" → ""\);/],
])("a refused row names %s that the program takes out", async (_, more, changed) => {
  const folder: Goal = { name: "leases", type: "docsign:index:Folder", inputs: { name: "Leases" } };
  await using s = await sceneWith([folder, documents(more as Values)]);
  sign(s, "Ana");
  const { error } = await s.stack.up([folder, documents()]);
  expect(error).toMatch(changed);
  expect(s.sent()).toEqual(nobody);
});

test("a row's folder that the service ignored is taken out, and nobody is mailed", async () => {
  await using s = await sceneWith([documents({ folderId: "901" })], { dialect: { folderId: "ignore" } });
  sign(s, "Ana");
  expect((await s.stack.up([documents()])).error).toBeUndefined();
  expect(s.sent()).toEqual(nobody);
});

test("a refused row of a set that is secret in part names what changed, without values", async () => {
  const goal = (name: string): Goal => {
    const { inputs, ...set } = documents();
    const defaults = secret({ name, base64File: base64(name) });
    return { ...set, inputs: { ...inputs, defaults } as Goal["inputs"] };
  };
  await using s = await sceneWith([goal("NDA of Ana")]);
  sign(s, "Ana");
  expect((await s.stack.up([goal("Lease of Ana")])).error).toContain("changed: name, base64File; signed: ");
});

test("a preview's line says a key that is an address once", async () => {
  await using s = await scene();
  const { previewLines } = await s.stack.preview([documents()]);
  expect(previewLines.join("\n")).toMatch(/^will mail ana@example\.com: document "NDA of Ana"$/m);
});

describe("a refused row names what the program changed", () => {
  test.each<[string, Values, string]>([
    ["a name", { name: "Lease" }, 'changed: name ("NDA of Ana" → "Lease");'],
    ["a description", { description: "Mutual" }, 'changed: description ("" → "Mutual");'],
    ["a person", { invitations: [{ email: "eve@example.com" }] }, "changed: invitations[0].email;"],
    ["a PDF", { base64File: base64("two") }, "changed: base64File (sha256:"],
  ])("%s, from what to what, in a set of documents", async (_, more, changed) => {
    await using s = await sceneWith([documents()]);
    sign(s, "Ana");
    const { error } = await s.stack.up([documents(more)]);
    expect(error).toContain(changed);
    expect(error?.match(/changed: /g)).toHaveLength(1);
    expect(s.sent()).toEqual(nobody);
  });

  test("a template, where the table is the same", async () => {
    await using s = await sceneWith([team(PEOPLE)]);
    sign(s, "Bob");
    const { error } = await s.stack.up([team(PEOPLE, { defaults: CHANGED })]);
    expect(error).toMatch(/changed: template \(sha256:\S+… → sha256:\S+…\); signed: /);
  });

  test("a cell, without values, as state has no table", async () => {
    const table = (start: string): Values => ({
      table: new Asset({ text: `email,name,start\nana@example.com,Ana,${start}\n` }),
    });
    await using s = await sceneWith([team([], table("1 March"))]);
    sign(s, "Ana");
    const { error } = await s.stack.up([team([], table("2 March"))]);
    expect(error).toContain("changed: template or variables; signed: ");
  });

  test("what the program changed, also where an earlier update was refused halfway", async () => {
    await using s = await sceneWith([team(PEOPLE)]);
    const before = (call: string) => call.startsWith("update") && sign(s, "Bob");
    const defaults = { ...NDA, description: "Mutual" };
    const first = await s.stack.up([team(PEOPLE, { defaults })], { skipPreview: true, before });
    expect(first.error).toContain("2 of 3 rows are done, 1 is not");
    s.sent();
    // State's inputs are the new ones by now, and Bob's document is of the old ones.
    const { error } = await s.stack.up([team(PEOPLE, { defaults })]);
    expect(linesOf(error)).toEqual([
      expect.stringMatching(/^ {2}bob@example\.com: .*; changed: description; signed: /),
    ]);
    expect(s.sent()).toEqual(nobody);
  });
});

describe("a refused set", () => {
  test("is one line of cause, a line for each row, and what can be done with a set", async () => {
    await using s = await sceneWith([team(PEOPLE)]);
    sign(s, "Ana", "Bob");
    const { error } = await s.stack.up([team(PEOPLE, { defaults: CHANGED })]);
    const [first, ...rest] = (error ?? "").split("\n");
    expect(first).toBe("2 of 3 changed rows can't be replaced, so nothing was sent. [docsign/replace-signed]");
    expect(linesOf(error)).toEqual(
      ["Ana", "Bob"].map(name =>
        expect.stringContaining(`${addressOf(name)}: document ${idOf(s, name)} "NDA of ${name}" is signed; changed: `),
      ),
    );
    expect(rest.slice(2)).toEqual([
      "What you can do:",
      "  - keep these documents: put their rows, and the `defaults` and the template they use, back as they were",
      '  - keep them and replace the others: set whenSigned: "keep"',
      "  - send a changed contract as well: give its row another key, which makes it a new row. Its people are mailed and sign a second contract; the first leaves the set and stays at the service",
    ]);
    expect(error).not.toMatch(/ignoreChanges|new resource|this document/);
  });

  test("of many rows is one row, a count and the first few keys", async () => {
    const many = Array.from({ length: 23 }, (_, index) => `P${index}`);
    await using s = await sceneWith([team(many)]);
    sign(s, ...many);
    const { error } = await s.stack.up([team(many, { defaults: CHANGED })]);
    expect(error).toContain("23 of 23 changed rows can't be replaced");
    expect(linesOf(error)).toEqual([expect.stringContaining(`p0@example.com: document ${idOf(s, "P0")} `)]);
    expect(error).toContain(
      "\n  and the same for 22 more rows: p1@example.com, p2@example.com, p3@example.com and 19 more\nWhat you can do:",
    );
    expect(error?.length).toBeLessThan(1_000);
    expect(s.sent()).toEqual(nobody);
  });

  test("that is replaced by force isn't offered to keep signed rows", async () => {
    const goal = { ...team(PEOPLE), deleteBeforeReplace: true };
    await using s = await sceneWith([goal]);
    sign(s, "Bob");
    const { error } = await s.stack.up([goal], { replace: ["ndas"], skipPreview: true });
    expect(error).toContain("1 of 3 rows can't be replaced, so nothing was sent. [docsign/replace-signed]");
    expect(error).not.toContain("whenSigned");
    expect(remediesOf(error)).toContainEqual(expect.stringContaining("pulumi state untaint"));
  });

  test("takes the changed contract under another key, beside the signed one", async () => {
    await using s = await sceneWith([documents()]);
    sign(s, "Ana");
    const { defaults } = documents().inputs;
    const row = { invitations: [{ email: "ana@example.com" }], base64File: base64("two") };
    const second: Goal = {
      name: "ndas",
      type: TYPE,
      inputs: { documents: { "ana-2": row }, defaults } as Goal["inputs"],
    };
    const outcome = await s.stack.up([second]);
    expect(outcome.error).toBeUndefined();
    expect(outcome.previewLines.join("\n")).toContain(`document ${s.id(0)} is removed from state, not deleted`);
    expect(s.sent()).toEqual({ creates: 1, mails: 1 });
    expect(outputsOf(s)["summary"]).toMatchObject({ total: 1, unsigned: 1, forgotten: 1 });
  });

  test("names the cause in each row where there are several", async () => {
    await using s = await sceneWith([team(PEOPLE)]);
    sign(s, "Ana");
    const missing = { kind: "status", when: "before", status: 404 } as const;
    s.service.faults.push(missing, { path: `/v1/documents/${idOf(s, "Bob")}` }, { times: 2 });
    const { error } = await s.stack.up([team(PEOPLE, { defaults: CHANGED })], { skipPreview: true });
    expect(error?.split("\n")[0]).toBe("2 of 3 changed rows can't be replaced, so nothing was sent.");
    expect(linesOf(error)[0]).toMatch(/^ {2}ana@example\.com: .* \[docsign\/replace-signed\]$/);
    expect(linesOf(error)[1]).toMatch(/^ {2}bob@example\.com: .* \[docsign\/replace-unconfirmed\]$/);
  });
});

describe("rows that can't be sent", () => {
  test("are forgotten by one command with all their tokens", async () => {
    await using s = await scene({ config: { reconcileTimeout: "1s" } });
    s.service.faults.push({ kind: "status", when: "before", status: 504 }, "createDocument", { times: 3 });
    const failed = await s.stack.up([team(PEOPLE)], { skipPreview: true });
    expect(failed.error).toMatch(/^0 of 3 rows are done, 3 are not\./);
    const { error } = await s.stack.up([team(PEOPLE)]);
    expect(error?.split("\n")[0]).toBe("3 of 3 rows can't be sent. [docsign/create-unconfirmed]");
    expect(linesOf(error)).toEqual([
      expect.stringMatching(/^ {2}ana@example\.com: .*; look for "NDA of Ana" on the platform$/),
    ]);
    expect(error).toContain("\n  and the same for 2 more rows: bob@example.com, cy@example.com\n");
    expect(error?.match(/DOCSIGN_FORGET=/g)).toHaveLength(1);
    expect(error).toMatch(/DOCSIGN_FORGET=[0-9a-f]{8},[0-9a-f]{8},[0-9a-f]{8} pulumi up/);
  });

  test("of one cause are told apart where not the same can be done, each with its own rows", async () => {
    await using s = await scene({ config: { reconcileTimeout: "1s" } });
    s.service.faults.push({ kind: "status", when: "before", status: 504 }, "createDocument", { times: 2 });
    s.service.faults.push({ kind: "say", when: "before", status: 200, json: { ok: true } }, "createDocument");
    await s.stack.up([team(PEOPLE)], { skipPreview: true });
    const { error } = await s.stack.up([team(PEOPLE)]);
    expect(error?.split("\n")[0]).toBe("3 of 3 rows can't be sent. [docsign/create-unconfirmed]");
    const [lost, answered] = linesOf(error).toSorted((a, b) => Number(/answered/.test(a)) - Number(/answered/.test(b)));
    expect(linesOf(error)).toHaveLength(2);
    expect(lost).toContain("; the service lists no document, so nothing tells whether its lists are complete; ");
    expect(answered).toContain("; the service answered that it was created, and doesn't show it; ");
    const sendsAgain = remediesOf(error).filter(line => line.includes("DOCSIGN_FORGET="));
    const one = (answered ?? "").trim().split(":")[0] ?? "";
    const two = PEOPLE.map(addressOf).filter(key => key !== one);
    expect(sendsAgain).toHaveLength(2);
    expect(sendsAgain).toContainEqual(
      expect.stringMatching(
        new RegExp(`^  - ${two.join(", ")}: it isn't there: send it again: .*=\\w{8},\\w{8} pulumi up$`),
      ),
    );
    expect(sendsAgain).toContainEqual(
      expect.stringMatching(new RegExp(`^  - ${one}: it isn't there: send it again: .*=\\w{8} pulumi up$`)),
    );
  });

  test("are of one cause by what the service complains of, whatever else its answers say", async () => {
    await using s = await scene();
    const answers = [
      { request_id: "8f-a1", errors: [{ code: "quota", message: "no documents left", at: "10:01:07" }] },
      { errors: [{ code: "quota", message: "no documents left", at: "10:01:08" }], request_id: "c0-77" },
      { request_id: "d1-09", errors: [{ code: "name", message: "is too long", at: "10:01:08" }] },
    ];
    for (const json of answers)
      s.service.faults.push({ kind: "say", when: "before", status: 422, json }, "createDocument");
    const { error } = await s.stack.up([team(PEOPLE)], { skipPreview: true });
    const causes = error?.match(/answered 422 .*(no documents left|is too long)/g) ?? [];
    expect(causes.map(line => /no documents left|is too long/.exec(line)?.[0]).toSorted()).toEqual([
      "is too long",
      "no documents left",
    ]);
    expect(error).toMatch(/^ {2}and the same for 1 more row: \w+@example\.com$/m);
    expect(error?.split("\n")).toHaveLength(4);
  });

  test("of an earlier run with other content say so with the document first", async () => {
    await using s = await scene();
    await s.stack.up([team(PEOPLE)]);
    s.stack.entries = [];
    const { error } = await s.stack.up([team(PEOPLE, { defaults: CHANGED })]);
    expect(linesOf(error)[0]).toContain(
      `document ${idOf(s, "Ana")} was created for this resource by an earlier run, with other content`,
    );
    expect(remediesOf(error)).toContain(
      `  - to manage a document by itself, such as ${idOf(s, "Ana")}: take ana@example.com out of the set, then pulumi import --generate-code=false docsign:index:Document NAME ${idOf(s, "Ana")}`,
    );
    expect(mailsOf(s)).toHaveLength(3);
  });

  test("say what can be done in the front end's own way", async () => {
    await using s = await scene({ frontEnd: dynamicFrontEnd });
    const set = (more?: Values): Goal => {
      const { documents: documentRows = {}, ...inputs } = documents(more).inputs;
      return { name: "ndas", type: TYPE, inputs: { ...inputs, documentRows } };
    };
    expect((await s.stack.up([set()])).error).toBeUndefined();
    s.stack.entries = [];
    const { error } = await s.stack.up([set({ description: "Mutual" })]);
    expect(remediesOf(error)).toContain(
      `  - to manage a document by itself, such as ${idOf(s, "Ana")}: take ana@example.com out of the set, and declare it as a Document with the resource option import: "${idOf(s, "Ana")}"`,
    );
  });

  test("of an earlier run with the same content are kept, and the notice says it in plain words", async () => {
    await using s = await scene();
    await s.stack.up([team(PEOPLE)]);
    s.stack.entries = [];
    const { lines, error } = await s.stack.up([team(PEOPLE)], { skipPreview: true });
    expect(error).toBeUndefined();
    expect(lines.join("\n")).toContain(
      `ana@example.com: document ${idOf(s, "Ana")} is kept, no one is mailed: it was created by an earlier run, with this content. To force a replacement of it, run \`pulumi refresh\` first`,
    );
    expect(mailsOf(s)).toHaveLength(3);
  });

  test("are one reason for the engine, which puts a bullet before each", async () => {
    await using s = await sceneWith([team(PEOPLE)], { config: { reconcileTimeout: "1s" } });
    await forgetMachine(s);
    s.stack.entries = [];
    const failed = await s.stack.up([team([...PEOPLE, "Zoe"])], { skipPreview: true });
    expect(failed.error).toContain("[docsign/duplicate]");
    expect(s.stack.entry("ndas").initErrors).toHaveLength(1);
  });
});

test("thousands of rows have their lines in the log once, most of them with --debug as they come, the first ones at the end", () => {
  const said: [string, string][] = [];
  const note = (severity: string) => (words: string) => void said.push([severity, words]);
  const log = new RowLog({ info: note("info"), progress() {}, debug: note("debug"), warn: note("warn") });
  const keys = Array.from({ length: 2_500 }, (_, index) => `row ${index}`);
  log.expect(keys);
  // What comes last is first in its set.
  for (const key of keys.toReversed()) log.of(key).info("is sent");
  expect(said.map(([severity]) => severity)).toEqual(["debug", "debug"]);
  log.of("row 2400").info("is signed");
  log.flush(() => "in all: 2,500");
  const first = keys.slice(0, 20).map(key => `${key}: is sent`);
  const end = [...first, "and for 2480 more rows; `--debug` shows all", "in all: 2,500"];
  expect(said.at(-1)).toEqual(["info", end.join("\n")]);
  const debugged = said.slice(0, -1).flatMap(([severity, words]) => {
    expect(severity).toBe("debug");
    return words.split("\n");
  });
  const others = keys.slice(20).map(key => `${key}: is sent`);
  expect(debugged.toSorted()).toEqual([...others, "row 2400: is signed"].sort());
});

describe("warnings about rows", () => {
  test("name the other rows, and forget all by one command", () => {
    const said: string[] = [];
    const log = new RowLog({ info() {}, progress() {}, debug() {}, warn: message => void said.push(message) });
    const tokens = ["b0b16720", "4fb0c131", "365a4ce9"];
    for (const [index, token] of tokens.entries()) {
      const words = (all: string) => `document 90${index} waits: DOCSIGN_FORGET=${all} pulumi up`;
      log.of(`row ${index}`).warn(words(token), {}, { token, words });
    }
    log.flush();
    expect(said).toEqual([
      `row 0: document 900 waits: DOCSIGN_FORGET=${tokens.join(",")} pulumi up\nand the same for 2 more rows: row 1, row 2`,
    ]);
  });
});

describe("kept rows", () => {
  /** A manager signs beside each, in the same stage. */
  const both = (more: Values = NDA): Values => ({
    ...more,
    invitations: [{ email: "{{email}}", name: "{{name}}" }, { email: "manager@example.org" }],
  });

  test("count as what the service says of them now, and wait for those who haven't signed", async () => {
    await using s = await sceneWith([team(PEOPLE, { defaults: both() })]);
    sign(s, "Ana");
    const goal = team(PEOPLE, { defaults: both(CHANGED), whenSigned: "keep" });
    const outcome = await s.stack.up([goal]);
    expect(outcome.error).toBeUndefined();
    const notice = `ana@example.com: document ${idOf(s, "Ana")} is partially signed and stays as it is`;
    expect(outcome.previewLines.join("\n")).toContain(notice);
    expect(outcome.lines.join("\n")).toContain(notice);
    expect(outcome.lines).toContain("replaced 2 of 3, 1 kept");
    expect(s.sent()).toEqual({ creates: 2, mails: 4 });
    expect(outputsOf(s)["summary"]).toMatchObject({ total: 3, unsigned: 2, partiallySigned: 1, signed: 0 });
    const waiting = outputsOf(s)["waitingFor"] as Values[];
    expect(waiting.filter(({ key }) => key === "ana@example.com").map(({ email }) => email)).toEqual([
      "manager@example.org",
    ]);
  });

  test("that all have signed count as signed", async () => {
    await using s = await sceneWith([team(PEOPLE)]);
    sign(s, "Ana");
    const outcome = await s.stack.up([team(PEOPLE, { defaults: CHANGED, whenSigned: "keep" })]);
    expect(outcome.lines.join("\n")).toContain(`document ${idOf(s, "Ana")} is signed and stays as it is`);
    expect(outputsOf(s)["summary"]).toMatchObject({ unsigned: 2, signed: 1 });
  });

  test("aren't among those that a preview counts", async () => {
    const many = Array.from({ length: 23 }, (_, index) => `P${index}`);
    await using s = await sceneWith([team(many)]);
    sign(s, "P0", "P1");
    const { previewLines } = await s.stack.preview([team(many, { defaults: CHANGED, whenSigned: "keep" })]);
    const said = previewLines.join("\n").match(/^in all: .*$/m)?.[0];
    expect(said).toMatch(/^in all: 21 people will be mailed \(21 documents in place of others\), 2 documents kept \[/);
    expect(factsIn(said ?? "")).toMatchObject({ mails: 21, replaces: 21, keeps: 2 });
  });

  test("stay where the service doesn't answer about them, and the others are replaced", async () => {
    await using s = await sceneWith([team(PEOPLE)]);
    sign(s, "Ana");
    const before = (call: string) => {
      if (call.startsWith("update"))
        s.service.faults.push(
          { kind: "status", when: "before", status: 422 },
          { path: `/v1/documents/${idOf(s, "Ana")}` },
        );
    };
    const goal = team(PEOPLE, { defaults: CHANGED, whenSigned: "keep" });
    const outcome = await s.stack.up([goal], { skipPreview: true, before });
    expect(outcome.error).toBeUndefined();
    expect(outcome.lines.join("\n")).toContain("is signed, at least in part, and stays as it is");
    expect(outputsOf(s)["kept"]).toEqual(["ana@example.com"]);
    expect(s.sent()).toEqual({ creates: 2, mails: 2 });
  });
});

describe("whom a set waits for", () => {
  const inStages: Values = {
    ...NDA,
    invitations: [
      { email: "{{email}}", name: "{{name}}", stage: 1 },
      { email: "manager@example.org", stage: 2 },
    ],
  };
  const goal = team(["Ana"], { defaults: inStages });
  const waiting = (s: Scene): Values[] => outputsOf(s)["waitingFor"] as Values[];

  const forms = ["extended", "basic", "as-documented"] as const;
  test.each(forms)("are those of the open stage, and `since` is when they were invited (%s form)", async form => {
    await using s = await sceneWith([goal], { dialect: { form } });
    expect(waiting(s)).toEqual([{ key: "ana@example.com", email: "ana@example.com", since: expect.any(String) }]);
    sign(s, "Ana");
    await s.stack.refresh();
    expect(waiting(s)).toEqual([{ key: "ana@example.com", email: "manager@example.org" }]);
    expect(outputsOf(s)["summary"]).toMatchObject({ partiallySigned: 1 });
  });

  test.each(["this version", "a version that wrote it into each row as well"])(
    "`since` stays while others are added, in state of %s",
    async version => {
      await using s = await sceneWith([team(["Ana"])]);
      const [ana] = waiting(s);
      const { documents, ...others } = outputsOf(s) as { documents: Record<string, Values> };
      const row = documents["ana@example.com"] as Values;
      expect(row).not.toHaveProperty("createdAt");
      if (version !== "this version") {
        const written = { ...row, createdAt: "2026-11-01T09:00:00.000-06:00" };
        s.stack.entry("ndas").outputs = { ...others, documents: { "ana@example.com": written } };
      }
      await s.stack.up([team(["Ana", "Bob"])]);
      const since = version === "this version" ? ana?.["since"] : "2026-11-01T09:00:00.000-06:00";
      expect(waiting(s)).toMatchObject([{ ...ana, since }, { key: "bob@example.com" }]);
    },
  );

  test("is the service's word on the stage, as for a reminder", async () => {
    await using s = await sceneWith([goal], { dialect: { form: "extended" } });
    const edit = (json: Json): Json => {
      const { payload } = json as unknown as { payload: Record<string, Json> };
      return { ...(json as object), payload: { ...payload, signing_stage: 2 } } as unknown as Json;
    };
    s.service.faults.push({ kind: "edit", edit }, "getDocument");
    await s.stack.refresh();
    expect(waiting(s).map(({ email }) => email)).toEqual(["manager@example.org"]);
  });
});

test("a preview names the rows that are removed, a few of them, and counts the others", async () => {
  const many = Array.from({ length: 23 }, (_, index) => `P${index}`);
  await using s = await sceneWith([team(["Ana", ...many])]);
  const { previewLines, lines } = await s.stack.up([team(["Ana"])]);
  for (const said of [previewLines, lines].map(each => each.join("\n"))) {
    expect(said).toContain(
      `p0@example.com: document ${idOf(s, "P0")} is removed from state, not deleted: it stays at the service, which can't delete documents. Nobody had signed when it was last read; p0@example.com can still sign.`,
    );
    expect(said).toMatch(
      /and the same for 22 more rows: p\d+@example\.com, p\d+@example\.com, p\d+@example\.com and 19 more$/m,
    );
  }
  expect(s.sent()).toEqual(nobody);
});

test("a row whose key is renamed keeps its document: nothing is let go of", async () => {
  await using s = await sceneWith([team(["Ana", "Bob"])]);
  const { previewLines, lines, error } = await s.stack.up([team(["Ana", "Bob"], { key: "{{name}}" })]);
  expect(error).toBeUndefined();
  expect(previewLines.join("\n")).toContain("[docsign/facts mails=0&takesBack=2]");
  expect([...previewLines, ...lines].join("\n")).not.toContain("removed from state");
  expect(outputsOf(s)["summary"]).toMatchObject({ total: 2, forgotten: 0 });
  expect(s.sent()).toEqual(nobody);
});

test("a preview counts people by address, and names first who is mailed most", async () => {
  await using s = await scene();
  const many = Array.from({ length: 12 }, (_, index) => `P${index}`);
  const invitations = [{ email: "{{email}}" }, { email: "Legal@example.com" }, { email: "p0@example.com", stage: 2 }];
  const { previewLines } = await s.stack.preview([team(many, { defaults: { ...NDA, invitations } })]);
  const said = previewLines.join("\n").match(/^in all: .*$/m)?.[0] ?? "";
  expect(said).toMatch(/^in all: 13 people will be mailed, 36 mails \(12 new documents\) \[/);
  const { mails, people, to } = factsIn(said) ?? {};
  expect({ mails, people, to: to?.slice(0, 3) }).toEqual({
    ...{ mails: 36, people: 13 },
    to: ["p0@example.com", "legal@example.com", "p1@example.com"],
  });
});

describe("a set whose rows a preview doesn't know", () => {
  test("may mail people, if they aren't known yet", async () => {
    await using s = await scene();
    const folder: Goal = { name: "leases", type: "docsign:index:Folder", inputs: { name: "Leases" } };
    const set: Goal = { name: "ndas", type: TYPE, inputs: { documents: new Ref("leases", "folderId") } };
    const { previewLines } = await s.stack.preview([folder, set]);
    expect(previewLines.map(factsIn)).toContainEqual({ undecided: 1 });
  });

  test("mails nobody, if its table is ignored", async () => {
    await using s = await sceneWith([team(PEOPLE)]);
    const ignoring = { ...team(["Dee"], { whenSigned: "keep" }), ignoreChanges: ["table"] };
    const { previewLines } = await s.stack.preview([ignoring]);
    expect(previewLines).toEqual([expect.stringContaining("in all: nobody will be mailed")]);
    expect(previewLines.map(factsIn)).toEqual([{ mails: 0 }]);
  });
});
