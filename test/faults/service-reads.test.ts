import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { allowed, nodeStart } from "../support/calibration.js";
import type { Fault, Matcher } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { folder, nda, pdf, type Rig, startRig } from "./support/rig.js";

const status = (code: number, more: object = {}): Fault => ({ kind: "status", when: "before", status: code, ...more });
const inAMinute = new Date(Date.now() + 60_000).toUTCString();

/** Overcome by asking again. */
const PASSING: Record<string, Fault> = {
  "reset before": { kind: "reset", when: "before" },
  "reset after": { kind: "reset", when: "after" },
  "closed without a word": { kind: "close", when: "after" },
  "garbage bytes": { kind: "raw", when: "before", bytes: "\u0000" },
  "reset in the body": { kind: "reset-mid-body" },
  "closed in the body": { kind: "close-mid-body" },
  "headers late": { kind: "hang", when: "before" },
  "body stalls": { kind: "hang-mid-body" },
  truncated: { kind: "truncated-json" },
  "two lengths": { kind: "duplicate-content-length", differing: true },
  empty: { kind: "empty", when: "after" },
  "429 without a hint": status(429),
  "429, 0": status(429, { retryAfter: "0" }),
  "429, 2 seconds": status(429, { retryAfter: "2" }),
  "429, a date": status(429, { retryAfter: inAMinute }),
  "429, garbage": status(429, { retryAfter: "later" }),
  ...Object.fromEntries([408, 425, 500, 502, 503, 504].map(code => [String(code), status(code)])),
};

/** An answer all the same. */
const READABLE: Record<string, Fault> = {
  "a byte-order mark": { kind: "bom" },
  "wrong content type": { kind: "content-type", type: "text/html" },
  "the connection dies after": { kind: "die-after-answer" },
  "one byte after the other": { kind: "drip", bytes: 64, everyMs: 1 },
};

/** An error that keeps state as it is. */
const LASTING: Record<string, [Fault, RegExp]> = {
  "401": [status(401), /401.*docsign:apiKey/s],
  "403": [status(403), /403.*docsign:apiKey/s],
  "409": [status(409), /409/],
  "501": [status(501), /501/],
  "304": [status(304), /304/],
  "429 for a day": [status(429, { retryAfter: "86400" }), /429|wait/],
  "redirect, same origin": [{ kind: "redirect", when: "before", status: 302, location: "/v2/x" }, /redirect/],
  "redirect elsewhere": [
    { kind: "redirect", when: "before", status: 308, location: "https://elsewhere.example/k" },
    /redirect/,
  ],
  "ok: false": [{ kind: "not-ok", when: "before" }, /not ok/],
  "a web page": [{ kind: "html", when: "before" }, /web page/],
  "a compressed bomb": [{ kind: "gzip-bomb", megabytes: 64 }, /compressed/],
  "far too large": [{ kind: "padded", megabytes: 65 }, /larger than/],
  "10,000 levels": [{ kind: "deep", levels: 10_000 }, /nested too deep/],
  "negative ids": [{ kind: "wrong-ids", as: "negative" }, /can't be read/],
  "fractions for ids": [{ kind: "wrong-ids", as: "fraction" }, /can't be read/],
};

interface Column {
  readonly matcher: Matcher;
  /** Makes the request suffer, and says what the user read. */
  ask(rig: Rig): Promise<string>;
}

/** Only who waits for nothing is in a hurry, as far as this machine can be: large answers take their time. */
const hurry = `${(allowed(200, await nodeStart()) / 1_000).toFixed(2)}s`;
const configFor = (row: string): Values => (/late|stalls/.test(row) ? { requestTimeout: hurry } : {});
const said = ({ errors }: { errors: Record<string, string> }): string => Object.values(errors).join("\n");

const COLUMNS: Record<string, Column> = {
  "GET document": {
    matcher: "getDocument",
    ask: async rig => said(await rig.refresh()),
  },
  list: {
    matcher: "listDocuments",
    // A folder is replaced only when the list shows it empty; here it isn't.
    ask: async rig => said(await rig.up([nda(), folder("leases", { name: "Other" })])),
  },
};

async function settled(row: string): Promise<Rig> {
  const rig = await startRig({ config: configFor(row) });
  expect((await rig.up([nda(), folder()])).errors).toEqual({});
  const [made] = rig.service.ledger.folders();
  rig.service.people.moveToFolder(rig.service.ledger.documents()[0]?.id ?? "", made?.id ?? "");
  return rig;
}

describe.each(Object.entries(COLUMNS))("%s", (column, { matcher, ask }) => {
  test.for(Object.entries({ ...PASSING, ...READABLE }))(
    "%s: asked again, and the answer is the same",
    async ([row, fault], context) => {
      await using rig = await settled(row);
      cell(context, { matrix: "A", row, column }, rig);
      const before = [...rig.state.values()].map(({ id }) => id);
      const well = await ask(rig);
      rig.service.faults.push(fault, matcher);
      expect([row, await ask(rig)]).toEqual([row, well]);
      expect([...rig.state.values()].map(({ id }) => id)).toEqual(before);
      expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, folders: 1, mails: 2 });
    },
  );

  test.for(Object.entries(LASTING))(
    "%s: an error, state stays, nobody is mailed",
    async ([row, [fault, words]], context) => {
      await using rig = await settled(row);
      cell(context, { matrix: "A", row, column }, rig);
      const before = [...rig.state.entries()].map(([urn, { id }]) => [urn, id]);
      rig.service.faults.push(fault, matcher, { times: 99 });
      expect([row, await ask(rig)]).toEqual([row, expect.stringMatching(words)]);
      expect([...rig.state.entries()].map(([urn, { id }]) => [urn, id])).toEqual(before);
      expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, folders: 1, mails: 2 });
      expect(rig.read.join("\n")).not.toContain(rig.service.apiKey);
      expect(rig.read.join("\n")).not.toContain("elsewhere.example/k");
    },
  );
});

test.for(
  Object.entries({ ...PASSING, ...Object.fromEntries(Object.entries(LASTING).map(([row, [fault]]) => [row, fault])) }),
)("by_date_range while a lost answer is looked for: %s: the list alone finds it", async ([row, fault], context) => {
  await using rig = await startRig({ config: configFor(row) });
  cell(context, { matrix: "A", row, column: "by_date_range" }, rig);
  rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  const hides = row.startsWith("429") || row.startsWith("503");
  // Before the create, each of the three is asked once.
  rig.service.faults.push(fault, "listByDateRange", { times: hides ? 1 : 99, skip: 3 });
  await rig.up([nda()]);
  if (rig.state.size === 0) await rig.up([nda()]);
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 1 });
});

const NOT_SHOWN: Record<string, Fault> = { "404": status(404), "404 as a page": status(404, { body: "html" }) };

describe.each(Object.entries(NOT_SHOWN))("%s", (row, fault) => {
  test("GET document: a refresh warns and keeps state, nobody is mailed", async context => {
    await using rig = await settled(row);
    cell(context, { matrix: "A", row, column: "GET document" }, rig);
    const before = [...rig.state.entries()];
    rig.service.faults.push(fault, "getDocument", { times: 99 });
    rig.read.length = 0;
    expect((await rig.refresh()).errors).toEqual({});
    expect(rig.read).toContainEqual(
      expect.stringMatching(new RegExp(`^the service doesn't show document ${rig.idOf("nda")}, so state keeps`)),
    );
    expect([...rig.state.entries()]).toEqual(before);
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, folders: 1, mails: 2 });
  });

  test("list: a folder isn't replaced, state stays", async context => {
    await using rig = await settled(row);
    cell(context, { matrix: "A", row, column: "list" }, rig);
    const before = [...rig.state.values()].map(({ id }) => id);
    rig.service.faults.push(fault, "listDocuments", { times: 99 });
    expect(await COLUMNS["list"]?.ask(rig)).toMatch(/could not confirm that folder \d+ is safe.*answered 404/s);
    expect([...rig.state.values()].map(({ id }) => id)).toEqual(before);
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, folders: 1, mails: 2 });
  });
});

test.each([404, 403] as const)("another account's key answers %i: state keeps the document", async foreign => {
  await using rig = await startRig({ dialect: { foreign } });
  await rig.up([nda()]);
  const id = rig.idOf("nda");
  rig.service.people.upload("second", {
    name: "theirs",
    pdf: Buffer.from(pdf("x"), "base64"),
    emails: ["x@example.com"],
  });
  rig.service.clock.advance(60_000);
  const went = await rig.refresh({ config: { apiKey: rig.service.second.apiKey } });
  if (foreign === 403) expect(said(went)).toMatch(/403/);
  else {
    expect(went.errors).toEqual({});
    expect(rig.read.join("\n")).toContain(`the service doesn't show document ${id}, so state keeps what it knew`);
  }
  expect(rig.idOf("nda")).toBe(id);
});

test("`up --refresh` seconds after a create whose document isn't shown any more: state keeps it", async () => {
  await using rig = await startRig();
  await rig.up([nda()]);
  const id = rig.idOf("nda");
  rig.service.people.removeDocument(id ?? "");
  expect((await rig.refresh()).errors).toEqual({});
  expect(rig.read.join("\n")).toContain(`the service doesn't show document ${id}, so state keeps what it knew`);
  expect((await rig.up([nda()])).errors).toEqual({});
  expect(rig.idOf("nda")).toBe(id);
  expect(rig.saw()).toMatchObject({ posts: 1, mails: 2 });
});
