import { describe, expect, test } from "vitest";
import type { Dialect, Fault, Operation } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { nda, type Rig, startRig } from "./support/rig.js";

const FAULTS: Record<string, Fault> = {
  "503": { kind: "status", when: "before", status: 503 },
  "503, 1 second": { kind: "status", when: "before", status: 503, retryAfter: "1" },
  "429": { kind: "status", when: "before", status: 429 },
  "429, 1 second": { kind: "status", when: "before", status: 429, retryAfter: "1" },
  "a reset before anything is done": { kind: "reset", when: "before" },
  "a reset after": { kind: "reset", when: "after" },
  "the connection closed before anything is done": { kind: "close", when: "before" },
  "a web page in its place": { kind: "html", when: "before" },
  "502 after it was done": { kind: "status", when: "after", status: 502, body: "html" },
  "a truncated answer": { kind: "truncated-json" },
  "a redirect": { kind: "redirect", when: "before", status: 302, location: "https://elsewhere.example/login" },
};
const PLACES: readonly Operation[] = ["createDocument", "getDocument", "listDocuments", "listByDateRange"];
const CELLS = Object.keys(FAULTS).flatMap(fault => PLACES.map(place => [fault, place] as const));

/** In an empty account nothing shows whether lists leave out a whole kind. */
const NEEDS_A_PERSON = [
  "503",
  "a reset before anything is done",
  "the connection closed before anything is done",
  "a web page in its place",
];

const three = [1, 2, 3].map(nth => nda({ name: `Lease ${nth}` }, `lease${nth}`));

/** `pulumi up` three times, as a pipeline does; nobody acts in between. What the last one said of the document. */
async function threeTimes(rig: Rig, fault: string, place: Operation): Promise<string | undefined> {
  const planned = FAULTS[fault] ?? expect.fail(fault);
  rig.service.faults.push(planned, place);
  const program = [...three.filter(({ name }) => rig.idOf(name)), nda()];
  let said: string | undefined;
  for (let count = 0; count < 3; count++) said = (await rig.up(program)).errors["nda"];
  return said;
}

describe("a single fault in an account that holds three contracts of the stack: nobody is asked", () => {
  for (const order of ["oldest", "newest", "shuffled"] as const satisfies readonly Dialect["order"][])
    test.for(CELLS)(`%s at %s, lists ${order} first`, async ([fault, place], context) => {
      await using rig = await startRig({ config: { resendAfter: "8s" }, dialect: { order } });
      cell(context, { matrix: "single faults", row: `${fault}, ${order}`, column: place }, rig);
      expect((await rig.up(three)).errors).toEqual({});
      expect(await threeTimes(rig, fault, place)).toBeUndefined();
      expect(rig.saw()).toMatchObject({ documents: 4, mails: 8 });
    });
});

/** 200, and nothing that says that it was created. */
const HOSTILE = {
  "what isn't JSON": "{]",
  "JSON that ends early": '{"ok":true,"payl',
  "a web page": "<html><body>hello</body></html>",
  "ok in words": '{"ok":"false","payload":null}',
  "no ok": '{"ok":null}',
  "an error": '{"error":"try again"}',
};

describe("an answer to a create that says nothing", () => {
  const cases = Object.keys(HOSTILE).flatMap(name => (["before", "after"] as const).map(when => [name, when] as const));
  test.for(cases)("%s, %s it was done: it is looked for, and sent again where it isn't there", async ([name, when]) => {
    await using rig = await startRig({ config: { resendAfter: "8s" } });
    expect((await rig.up(three)).errors).toEqual({});
    const body = HOSTILE[name as keyof typeof HOSTILE];
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    const bytes = `${head}connection: close\r\n\r\n${body}`;
    rig.service.faults.push({ kind: "raw", when, bytes }, "createDocument");
    for (let count = 0; count < 2; count++) await rig.up([...three, nda()]);
    expect((await rig.up([...three, nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ documents: 4, mails: 8, posts: when === "before" ? 5 : 4 });
  });
});

describe("a Date that is wrong", () => {
  const DAY_MS = 24 * 3_600_000;
  const DATES: Record<string, Dialect["date"]> = {
    "a day ahead": { aheadMs: DAY_MS },
    "a day behind": { aheadMs: -DAY_MS },
    "always the same, years ago": { always: Date.UTC(2021, 0, 1) },
    "always the same, years ahead": { always: Date.UTC(2040, 0, 1) },
  };
  const cases = Object.keys(DATES).flatMap(name => (["before", "after"] as const).map(when => [name, when] as const));
  test.for(cases)("%s: a create whose connection breaks %s it was done is made once", async ([name, when]) => {
    await using rig = await startRig({
      config: { resendAfter: "8s" },
      dialect: { date: DATES[name] ?? expect.fail() },
    });
    expect((await rig.up(three)).errors).toEqual({});
    rig.service.faults.push({ kind: "reset", when }, "createDocument");
    for (let count = 0; count < 2; count++) {
      await rig.up([...three, nda()]);
      rig.later();
    }
    expect((await rig.up([...three, nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ documents: 4, mails: 8 });
  });

  test("what was made looks hours older than its request, by every clock: it is named, and not sent again", async () => {
    await using rig = await startRig({ config: { resendAfter: "8s" } });
    expect((await rig.up(three)).errors).toEqual({});
    const gate = rig.service.gate("processed", "createDocument");
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    const went = rig.up([...three, nda()]);
    await gate.reached;
    const made = rig.service.ledger.documents().at(-1) ?? expect.fail();
    made.createdAt -= DAY_MS / 4;
    for (const each of rig.service.ledger.documents().slice(0, 3)) each.createdAt -= DAY_MS / 2;
    gate.open();
    const errors = [(await went).errors["nda"]];
    for (let count = 0; count < 2; count++) {
      rig.later();
      errors.push((await rig.up([...three, nda()])).errors["nda"]);
    }
    for (const error of errors) expect(error).toContain(`document ${made.id}, unsigned`);
    expect(rig.saw()).toMatchObject({ posts: 4, documents: 4, mails: 8 });
  });
});

describe("a single fault in an empty account", () => {
  test.for(CELLS)("%s at %s", async ([fault, place], context) => {
    await using rig = await startRig({ config: { resendAfter: "8s" } });
    cell(context, { matrix: "single faults", row: `${fault}, empty`, column: place }, rig);
    const said = await threeTimes(rig, fault, place);
    const isAsked = place === "createDocument" && NEEDS_A_PERSON.includes(fault);
    if (isAsked) expect(said).toMatch(/\[docsign\/create-unconfirmed\].*look for "NDA" on the platform/s);
    else {
      expect(said).toBeUndefined();
      rig.expectOnce();
    }
    expect(rig.saw().mails).toBe(isAsked ? 0 : 2);
  });
});

describe.each(["oldest", "newest", "shuffled"] as const)("an account whose lists are whole, %s first", order => {
  test("one create of many is lost: the next run after resendAfter sends it", async () => {
    await using rig = await startRig({ dialect: { order } });
    const program = Array.from({ length: 34 }, (_, nth) => nda({ name: `NDA ${nth}` }, `nda${nth}`));
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument", { skip: 17 });
    expect(Object.keys((await rig.up(program)).errors)).toEqual(["nda17"]);
    rig.later();
    expect((await rig.up(program)).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 35, documents: 34, mails: 68 });
  });
});

describe("a first run whose service shows no Date", () => {
  const four = [1, 2, 3].map(nth => nda({ name: `Lease ${nth}` }, `lease${nth}`)).concat(nda());
  /** One of four creates gets no answer; the others are this run's own, and tell how old a list is. */
  async function loseOne(when: "before" | "after", dialect: Partial<Dialect> = {}): Promise<Rig> {
    const rig = await startRig({ dialect: { date: "none", order: "oldest", ...dialect } });
    rig.service.faults.push({ kind: "reset", when }, "createDocument", { skip: 3 });
    expect(Object.keys((await rig.up(four)).errors)).toHaveLength(1);
    rig.later();
    return rig;
  }

  test("what never arrived is sent by the next run, within fifty minutes", async () => {
    await using rig = await loseOne("before");
    expect((await rig.up(four)).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 5, documents: 4, mails: 8 });
  });

  test("an hour later a list may show what is recent alone: a person is asked", async () => {
    await using rig = await loseOne("before");
    for (let count = 0; count < 30; count++) rig.later();
    expect(Object.values((await rig.up(four)).errors).join()).toContain("[docsign/create-unconfirmed]");
    expect(rig.saw()).toMatchObject({ posts: 4, documents: 3, mails: 6 });
  });

  test("a list of the latest three alone, newest first, proves nothing", async () => {
    await using rig = await loseOne("before", { order: "newest" });
    expect(Object.values((await rig.up(four)).errors).join()).toContain("[docsign/create-unconfirmed]");
    expect(rig.saw()).toMatchObject({ posts: 4, documents: 3, mails: 6 });
  });
});
