import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import type { Fault } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { nda, startRig } from "./support/rig.js";

const status = (code: number, when: "before" | "after", more: object = {}): Fault => ({
  kind: "status",
  when,
  status: code,
  ...more,
});
const inAMinute = new Date(Date.now() + 60_000).toUTCString();
const longAgo = new Date(0).toUTCString();

/** The request led to nothing, and the answer leaves that open: looked for, then sent once more. */
const NOTHING_HAPPENED: Record<string, Fault> = {
  "reset when the headers are in": { kind: "reset", when: "headers" },
  "reset before processing": { kind: "reset", when: "before" },
  "connection closed in order": { kind: "close", when: "before" },
  "garbage bytes": { kind: "raw", when: "before", bytes: "SSH-2.0-x\r\n\r\n" },
  "no answer in time": { kind: "hang", when: "before" },
  "408": status(408, "before"),
  "425": status(425, "before"),
  "500": status(500, "before"),
  "501": status(501, "before"),
  "502 as HTML": status(502, "before", { body: "html" }),
  "503 with Retry-After: soon": status(503, "before", { retryAfter: "soon", body: "text" }),
  "504, empty": status(504, "before", { body: "empty" }),
};

/** Nothing was done, says the service, and asks to come back. */
const REFUSED_FOR_NOW: Record<string, Fault> = {
  "429 without a hint": status(429, "before"),
  "429, 0 seconds": status(429, "before", { retryAfter: "0" }),
  "429, 3 seconds": status(429, "before", { retryAfter: "3" }),
  "429, a date gone by": status(429, "before", { retryAfter: longAgo }),
  "429, a date to come": status(429, "before", { retryAfter: inAMinute }),
  "429, garbage": status(429, "before", { retryAfter: "soon" }),
  "503, 2 seconds": status(503, "before", { retryAfter: "2", body: "text" }),
};

/** The request led to nothing, and the answer says something else: what the message names. */
const UNREADABLE: Record<string, [Fault, RegExp]> = {
  "409": [status(409, "before"), /answered 409/],
  "303 elsewhere": [
    { kind: "redirect", when: "before", status: 303, location: "https://elsewhere.example" },
    /redirect/,
  ],
  "418": [status(418, "before"), /answered 418/],
  "304": [status(304, "before"), /304/],
  "200, a web page": [{ kind: "html", when: "before" }, /web page/],
  "200, ok: false": [{ kind: "not-ok", when: "before" }, /not ok/],
};

/** The request led to nothing, and the answer says that it did. */
const ONLY_SAID_TO_BE_DONE: Record<string, Fault> = {
  "200, empty": { kind: "empty", when: "before" },
  "200, {ok:true}": { kind: "say", when: "before", json: { ok: true } },
  "201, an id that isn't there": { kind: "say", when: "before", status: 201, json: { ok: true, payload: { id: 77 } } },
};

/** The service said no: nothing to look for, nothing remembered. */
const REFUSED = [301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 410, 411, 413, 415, 422, 431, 451];

/** It happened, and the answer doesn't say so. */
const HAPPENED: Record<string, Fault> = {
  "reset after processing": { kind: "reset", when: "after" },
  "closed after processing": { kind: "close", when: "after" },
  "no answer in time": { kind: "hang", when: "after" },
  "garbage bytes": { kind: "raw", when: "after", bytes: "\u0000\u0001" },
  "reset in the body": { kind: "reset-mid-body" },
  "closed in the body": { kind: "close-mid-body" },
  "stalled in the body": { kind: "hang-mid-body" },
  "truncated JSON": { kind: "truncated-json" },
  "two lengths": { kind: "duplicate-content-length", differing: true },
  "a web page": { kind: "html", when: "after" },
  "ok: false": { kind: "not-ok", when: "after" },
  empty: { kind: "empty", when: "after" },
  "{ok:true}": { kind: "say", when: "after", json: { ok: true } },
  "10,000 levels": { kind: "deep", levels: 10_000 },
  "compressed bomb": { kind: "gzip-bomb", megabytes: 64 },
  "far too large": { kind: "padded", megabytes: 17 },
  "negative id": { kind: "wrong-ids", as: "negative" },
  "zero id": { kind: "wrong-ids", as: "zero" },
  "null id": { kind: "wrong-ids", as: "null" },
  "fraction for an id": { kind: "wrong-ids", as: "fraction" },
  redirect: { kind: "redirect", when: "after", status: 303, location: "/v1/elsewhere" },
  "304": status(304, "after"),
  ...Object.fromEntries(
    [408, 409, 425, 429, 500, 501, 502, 503, 504].map(code => [String(code), status(code, "after")]),
  ),
  "429, 3 seconds": status(429, "after", { retryAfter: "3" }),
  "503 as HTML, 1 second": status(503, "after", { retryAfter: "1", body: "html" }),
};

/** Odd, and still an answer. */
const READABLE: Record<string, Fault> = {
  "a byte-order mark": { kind: "bom" },
  "text/plain": { kind: "content-type", type: "text/plain" },
  "text/html": { kind: "content-type", type: "text/html" },
  "an id as text": { kind: "wrong-ids", as: "text" },
  slowly: { kind: "drip", bytes: 16, everyMs: 2 },
  "then the connection dies": { kind: "die-after-answer" },
  "with __proto__": { kind: "edit", edit: json => ({ ...Object(json), ["__proto__"]: { id: 1n } }) },
};

/** Only who waits for nothing is in a hurry. */
const configFor = (row: string): Values => (/no answer|stalled/.test(row) ? { uploadTimeout: "0.15s" } : {});
const POST = { matrix: "A", column: "POST document" };

describe.each(Object.entries(NOTHING_HAPPENED))("POST document, nothing done: %s", (row, fault) => {
  test("is looked for, then sent again once resendAfter is over: one document, one mail a signer", async context => {
    await using rig = await startRig({ config: { ...configFor(row), resendAfter: "8s" }, proving: true });
    cell(context, { ...POST, row: `before: ${row}` }, rig);
    rig.service.faults.push(fault, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 1, mails: 2 });
    expect(rig.service.ledger.requests("listDocuments").length).toBeGreaterThan(1);
    expect(rig.read.join("\n")).not.toContain(rig.service.apiKey);
  });
});

describe.each(Object.entries({ ...NOTHING_HAPPENED, ...UNREADABLE }))(
  "POST document, nothing done: %s",
  (row, answer) => {
    const [fault, said] = Array.isArray(answer) ? answer : [answer, /POST \S*documents/];

    test("isn't sent again before resendAfter is over; a later run looks, then sends", async context => {
      await using rig = await startRig({ config: configFor(row), proving: true });
      cell(context, { ...POST, row: `before: ${row}, by default` }, rig);
      rig.service.faults.push(fault, "createDocument");
      const { errors } = await rig.up([nda()]);
      expect(errors["nda"]).toMatch(/\[docsign\/create-unconfirmed\]/);
      expect(errors["nda"]).toMatch(said);
      expect(rig.saw()).toMatchObject({ posts: 1, documents: 0, mails: 0 });
      expect((await rig.up([nda()])).errors["nda"]).toMatch(/\[docsign\/create-unconfirmed\]/);
      expect(rig.saw()).toMatchObject({ posts: 1, documents: 0, mails: 0 });
      expect(rig.state.size).toBe(0);
      rig.later();
      expect((await rig.up([nda()])).errors).toEqual({});
      rig.expectOnce();
      expect(rig.saw()).toMatchObject({ posts: 2, documents: 1, mails: 2 });
      expect(rig.read.join("\n")).not.toContain(rig.service.apiKey);
    });
  },
);

test.for(Object.entries(REFUSED_FOR_NOW))(
  "POST document, refused for now: %s: waits as asked, looks, and sends again, in an empty account too",
  async ([row, fault], context) => {
    await using rig = await startRig();
    cell(context, { ...POST, row: `refused for now: ${row}` }, rig);
    rig.service.faults.push(fault, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 1, mails: 2 });
    // Before it, and once between the two.
    expect(rig.service.ledger.requests("listDocuments")).toHaveLength(2);
    expect(rig.read.join("\n")).toMatch(/the service asks to wait/);
  },
);

test("POST document, refused for a day: an error, nothing stays open, and a later run sends", async context => {
  await using rig = await startRig();
  cell(context, { ...POST, row: "refused for a day" }, rig);
  rig.service.faults.push(status(429, "before", { retryAfter: "86400" }), "createDocument");
  const { errors } = await rig.up([nda()]);
  expect(errors["nda"]).toMatch(/answered 429 .*it asks to wait until/);
  expect(errors["nda"]).not.toContain("docsign/");
  expect(rig.read.join("\n")).not.toContain("sent again");
  expect((await rig.up([nda()])).errors).toEqual({});
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 2 });
});

test("thirty documents, and twelve refusals with a second to wait: all are sent, each once", async context => {
  await using rig = await startRig({ config: { maxConcurrency: 10 } });
  cell(context, { ...POST, row: "refused for now, of thirty" }, rig);
  rig.service.faults.push(status(429, "before", { retryAfter: "1" }), "createDocument", { times: 12, skip: 3 });
  const program = Array.from({ length: 30 }, (_, nth) => nda({ name: `NDA ${nth}` }, `nda${nth}`));
  expect((await rig.up(program)).errors).toEqual({});
  expect(rig.saw()).toMatchObject({ posts: 42, documents: 30, mails: 60 });
});

test("a log-in page in place of the service: an error, nothing stays open, and a later run sends", async context => {
  await using rig = await startRig();
  cell(context, { ...POST, row: "a log-in page" }, rig);
  const page = '<form><input type="password"></form>';
  const bytes = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`;
  rig.service.faults.push({ kind: "raw", when: "before", bytes }, "createDocument");
  expect((await rig.up([nda()])).errors["nda"]).toMatch(/a log-in page/);
  expect((await rig.up([nda()])).errors).toEqual({});
  rig.expectOnce();
});

test.for(Object.entries(ONLY_SAID_TO_BE_DONE))(
  "POST document, said to be done: %s: never sent again without a person's word",
  async ([row, fault], context) => {
    await using rig = await startRig();
    cell(context, { ...POST, row: `said to be done: ${row}` }, rig);
    rig.service.faults.push(fault, "createDocument");
    let token = "";
    for (let runs = 0; runs < 3; runs++) {
      const error = (await rig.up([nda()])).errors["nda"] ?? "";
      expect(error).toMatch(/\[docsign\/create-unconfirmed\]/);
      expect(error).toContain("the service answered that it was created, and doesn't show it");
      token = /send it again: DOCSIGN_FORGET=(\w{8}) pulumi up$/m.exec(error)?.[1] ?? "";
      rig.later();
    }
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 0 });
    expect((await rig.up([nda()], { env: { DOCSIGN_FORGET: token } })).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 2 });
  },
);

test.for(REFUSED)(
  "POST document, refused with %i: said at once, forgotten, and the next run sends",
  async (code, context) => {
    await using rig = await startRig();
    cell(context, { ...POST, row: `refused: ${code}` }, rig);
    rig.service.faults.push(status(code, "before"), "createDocument");
    const { errors } = await rig.up([nda()]);
    expect(errors["nda"]).toMatch(new RegExp(`answered ${code}`));
    if (code === 401 || code === 403) expect(errors["nda"]).toContain("docsign:apiKey");
    // Four lists before it.
    expect(rig.saw()).toEqual({ requests: 5, posts: 1, documents: 0, folders: 0, mails: 0 });
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.service.ledger.requests("listDocuments")).toHaveLength(2);
  },
);

describe.each(Object.entries(HAPPENED))("POST document, done with its answer lost: %s", (row, fault) => {
  test("is found: one POST, one document, one mail a signer", async context => {
    await using rig = await startRig({ config: configFor(row) });
    cell(context, { ...POST, row: `after: ${row}` }, rig);
    rig.service.faults.push(fault, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    expect(rig.read.join("\n")).toMatch(/found document \d+\. No one is mailed again/);
    expect(rig.read.join("\n")).not.toContain(rig.service.apiKey);
  });
});

describe.each(Object.entries(READABLE))("POST document, answered oddly: %s", (row, fault) => {
  test("is read, and nothing is looked for", async context => {
    await using rig = await startRig();
    cell(context, { ...POST, row: `answered: ${row}` }, rig);
    rig.service.faults.push(fault, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    // Before the create, and not after it.
    expect(rig.service.ledger.requests("listDocuments")).toHaveLength(1);
  });
});

test("429 for a day after the document was made: the next run finds it", async context => {
  await using rig = await startRig();
  cell(context, { ...POST, row: "after: 429, a day" }, rig);
  rig.service.faults.push(status(429, "after", { retryAfter: "86400" }), "createDocument");
  expect((await rig.up([nda()])).errors["nda"]).toMatch(/answered 429/);
  const { errors } = await rig.up([nda()], { config: { duplicatePolicy: "adopt" } });
  expect(errors).toEqual({});
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
});

test("every request reset: three POSTs, each after proof and resendAfter, then an error; a later run succeeds", async context => {
  await using rig = await startRig({ config: { resendAfter: "8s" }, proving: true });
  cell(context, { ...POST, row: "before: reset, for ever" }, rig);
  rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument", { times: 3 });
  expect((await rig.up([nda()])).errors["nda"]).toMatch(/\[docsign\/create-unconfirmed\]/);
  expect(rig.saw()).toMatchObject({ posts: 3, documents: 0, mails: 0 });
  rig.later();
  expect((await rig.up([nda()])).errors).toEqual({});
  rig.expectOnce();
});
