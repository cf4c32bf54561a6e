import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { createService } from "../../provider/client/client.js";
import { DEFAULTS } from "../client/setup.js";
import type { Fault, IndependentService } from "../support/independent-service/index.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { messageOf } from "./support/engine.js";
import { folder, nda, sawOf, startRig } from "./support/rig.js";

const status = (code: number, when: "before" | "after", more: object = {}): Fault => ({
  kind: "status",
  when,
  status: code,
  ...more,
});

const AMBIGUOUS: Record<string, Fault> = {
  "reset before": { kind: "reset", when: "before" },
  "reset after": { kind: "reset", when: "after" },
  "no answer": { kind: "hang", when: "after" },
  "reset in the body": { kind: "reset-mid-body" },
  truncated: { kind: "truncated-json" },
  empty: { kind: "empty", when: "after" },
  "{ok:true}": { kind: "say", when: "after", json: { ok: true } },
  "ok: false": { kind: "not-ok", when: "after" },
  "a web page": { kind: "html", when: "before" },
  "negative id": { kind: "wrong-ids", as: "negative" },
  redirect: { kind: "redirect", when: "before", status: 303, location: "https://elsewhere.example/" },
  "429": status(429, "before"),
  "429 for a day": status(429, "before", { retryAfter: "86400" }),
  ...Object.fromEntries([408, 409, 425, 500, 502, 503, 504].map(code => [String(code), status(code, "after")])),
};

/** Only who waits for nothing is in a hurry. */
const hurry = (row: string): Values => (row === "no answer" ? { requestTimeout: "0.15s" } : {});

const UNKNOWN_FOLDER = /^it isn't known whether the folder was created: .*\[docsign\/folder-unconfirmed\]$/m;

describe("a folder that an earlier run created, and that state lost", () => {
  const renamed = folder("leases", { name: "Leases 2027" });

  test("is named before another one is created under a new name, and that is heard first", async () => {
    await using rig = await startRig();
    await rig.up([folder()]);
    const lost = rig.idOf("leases", "Folder");
    rig.state.clear();
    const flushed = Promise.withResolvers<void>();
    const said: string[] = [];
    const warned = Promise.withResolvers<void>();
    const warn = (text: string) => {
      said.push(text);
      warned.resolve();
    };
    const log = { info() {}, warn, progress() {}, debug() {}, flush: () => flushed.promise };
    const went = rig.up([renamed], { call: { log } });
    await warned.promise;
    expect(said).toEqual([expect.stringMatching(`^an earlier run created folder ${lost} .* empty twin`)]);
    expect(rig.service.ledger.requests("createFolder")).toHaveLength(1);
    flushed.resolve();
    expect((await went).errors).toEqual({});
    expect(rig.service.ledger.requests("createFolder")).toHaveLength(2);
  });

  test("with unconfirmedFolder refuse: nothing is created until somebody decides", async () => {
    await using rig = await startRig({ config: { unconfirmedFolder: "refuse" } });
    await rig.up([folder()]);
    const lost = rig.idOf("leases", "Folder");
    rig.state.clear();
    const error = (await rig.up([renamed])).errors["leases"] ?? "";
    expect(error).toMatch(UNKNOWN_FOLDER);
    expect(error).toContain(`folder ${lost} `);
    expect(rig.service.ledger.requests("createFolder")).toHaveLength(1);
    const token = /create it again: DOCSIGN_FORGET=(\w{8}) pulumi up$/m.exec(error)?.[1] ?? "";
    expect((await rig.up([renamed], { env: { DOCSIGN_FORGET: token } })).errors).toEqual({});
  });
});

describe.each(Object.entries(AMBIGUOUS).filter(([row]) => !row.startsWith("429")))("POST folder: %s", (row, fault) => {
  test("one POST, then an error that says what to check; up again says so once and creates it", async context => {
    await using rig = await startRig();
    cell(context, { matrix: "A", row, column: "POST folder" }, rig);
    rig.service.faults.push(fault, "createFolder");
    expect((await rig.up([folder()], { config: hurry(row) })).errors["leases"]).toMatch(UNKNOWN_FOLDER);
    expect(rig.service.ledger.requests("createFolder")).toHaveLength(1);
    rig.read.length = 0;
    expect((await rig.up([folder()])).errors).toEqual({});
    expect(rig.read).toContainEqual(expect.stringMatching(/^an earlier run tried to create this folder.*empty twin/));
    expect(rig.service.ledger.requests("createFolder")).toHaveLength(2);
    expect(rig.idOf("leases", "Folder")).toBe(rig.service.ledger.folders().at(-1)?.id);
    rig.read.length = 0;
    expect((await rig.up([folder()])).errors).toEqual({});
    expect(rig.read).toEqual([]);
    expect(rig.service.ledger.requests("createFolder")).toHaveLength(2);
  });

  test("with unconfirmedFolder refuse: up again sends nothing; an import by id heals, or forgetting it", async context => {
    await using rig = await startRig({ config: { unconfirmedFolder: "refuse" } });
    cell(context, { matrix: "A", row, column: "POST folder, refuse" }, rig);
    rig.service.faults.push(fault, "createFolder");
    const first = (await rig.up([folder()], { config: hurry(row) })).errors["leases"];
    expect(first).toMatch(UNKNOWN_FOLDER);
    for (let again = 0; again < 2; again++) expect((await rig.up([folder()])).errors["leases"]).toMatch(UNKNOWN_FOLDER);
    expect(rig.service.ledger.requests("createFolder")).toHaveLength(1);
    const [made] = rig.service.ledger.folders();
    if (made) {
      await rig.import({ name: "leases", type: "Folder" }, `${made.id}/${made.name}`);
      expect((await rig.up([folder()])).errors).toEqual({});
      expect(rig.idOf("leases", "Folder")).toBe(made.id);
    } else {
      const token = /create it again: DOCSIGN_FORGET=(\w{8}) pulumi up$/m.exec(first ?? "")?.[1] ?? "";
      expect((await rig.up([folder()], { env: { DOCSIGN_FORGET: token } })).errors).toEqual({});
    }
    expect(rig.saw()).toMatchObject({ folders: 1 });
    expect(rig.read.join("\n")).not.toContain(rig.service.apiKey);
  });
});

test.each([
  ["429", status(429, "before"), 1],
  ["503 with a time to wait", status(503, "before", { retryAfter: "1" }), 1],
  ["429 for a day", status(429, "before", { retryAfter: "86400" }), 2],
  ["307", status(307, "before", { headers: { location: "https://elsewhere.example/" } }), 2],
])("POST folder: %s says that nothing was done: one folder, and nothing is said of a twin", async (_, fault, runs) => {
  await using rig = await startRig({ config: { unconfirmedFolder: "refuse" } });
  rig.service.faults.push(fault, "createFolder");
  for (let run = 1; run <= runs; run++)
    expect("leases" in (await rig.up([folder()])).errors, `run ${run}`).toBe(run < runs);
  expect(rig.saw()).toMatchObject({ folders: 1 });
  expect(rig.read.join("\n")).not.toMatch(/twin|docsign\//);
});

test("a folder and the process killed before the reply: one folder", async context => {
  await using rig = await startRig();
  cell(context, { matrix: "B", row: "killed before the reply", column: "folder: up" }, rig);
  const process = rig.process();
  const { journal } = process.run.runtime.context;
  const real = journal.claim.bind(journal);
  const claimed = new Promise(resolve => {
    journal.claim = async (...args) => {
      await real(...args);
      resolve(undefined);
      return new Promise<never>(() => {});
    };
  });
  const { up } = await import("./support/engine.js");
  await rig.crash(frontEnd => up(frontEnd, rig.state, [folder()]), process, claimed);
  expect((await rig.up([folder()])).errors).toEqual({});
  expect(rig.saw()).toMatchObject({ folders: 1 });
});

const REMINDERS: Record<string, Fault> = { ...AMBIGUOUS, closed: { kind: "close", when: "after" } };
delete REMINDERS["negative id"];
delete REMINDERS["truncated"];
delete REMINDERS["reset in the body"];
delete REMINDERS["empty"];
delete REMINDERS["{ok:true}"];
delete REMINDERS["ok: false"];
delete REMINDERS["redirect"];

/** The service said no, though not with a status of its own. */
const REFUSED_REMINDERS: Record<string, Fault> = {
  "ok: false": { kind: "not-ok", when: "before" },
  redirect: { kind: "redirect", when: "before", status: 307, location: "https://elsewhere.example/" },
  "501": status(501, "before"),
};

async function remind(service: IndependentService, row: string, fault: Fault, context: TestContext) {
  cell(context, { matrix: "A", row, column: "reminder" }, { saw: () => sawOf(service.ledger) });
  const id = service.people.upload("first", {
    name: "x",
    pdf: Buffer.from("%PDF-1 x"),
    emails: ["ana@example.com"],
  });
  const invitation = service.ledger.documents().find(document => document.id === id)?.invitations[0]?.id ?? "";
  const client = createService({
    ...DEFAULTS,
    baseUrl: service.url,
    credentials: { kind: "apiKey", apiKey: service.apiKey, source: "docsign:apiKey" },
    requestTimeoutMs: row === "no answer" ? 150 : 60_000,
  });
  service.faults.push(fault, "remind");
  const error = await client
    .turn(turn => turn.remind(invitation))
    .then(
      () => undefined,
      (thrown: Error) => thrown,
    );
  expect(service.ledger.requests("remind")).toHaveLength(1);
  expect(error?.message).not.toContain(service.apiKey);
  await client.close();
  return error;
}

test.for(Object.entries(REFUSED_REMINDERS))(
  "a reminder: %s: a clear no, with the method to try instead; nobody is mailed",
  async ([row, fault], context) => {
    await using service = await startIndependentService();
    const error = await remind(service, row, fault, context);
    expect([row, error?.name]).toEqual([row, "RefusedError"]);
    expect(error?.message).toContain("pulumi config set docsign:reminderMethod GET");
    expect(service.ledger.mails("reminder")).toHaveLength(0);
  },
);

test.for(Object.entries(REMINDERS))(
  "a reminder: %s: sent once, and whoever asked knows it isn't known",
  async ([row, fault], context) => {
    await using service = await startIndependentService();
    const error = await remind(service, row, fault, context);
    expect([row, error?.name]).toEqual([row, "AmbiguousWriteError"]);
    expect(service.ledger.mails("reminder").length).toBeLessThanOrEqual(1);
  },
);

const PASSING_AT_LOGIN = [
  "reset before",
  "reset after",
  "no answer",
  "reset in the body",
  "truncated",
  "empty",
  "500",
  "502",
  "503",
  "504",
  "408",
  "425",
  "429",
];
const PASSWORD = "canary-password-4b1e";

describe.each(["login", "apiKey"] as const)("%s", operation => {
  test.for(PASSING_AT_LOGIN)("%s: asked again; one document, one mail a signer", async (row, context) => {
    await using rig = await startRig({ first: { password: PASSWORD }, config: hurry(row) });
    cell(context, { matrix: "A", row, column: operation }, rig);
    const { email } = rig.service.first;
    rig.service.faults.push(AMBIGUOUS[row] ?? raise(), operation);
    rig.config["email"] = email;
    rig.config["password"] = PASSWORD;
    delete rig.config["apiKey"];
    expect([row, (await rig.up([nda()])).errors]).toEqual([row, {}]);
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1 });
  });

  test.each(["ok: false", "a web page", "redirect", "409", "429 for a day"])(
    "%s: an error before anything is sent",
    async row => {
      await using rig = await startRig({ first: { password: PASSWORD } });
      rig.service.faults.push(AMBIGUOUS[row] ?? raise(), operation, { times: 9 });
      rig.config["email"] = rig.service.first.email;
      rig.config["password"] = PASSWORD;
      delete rig.config["apiKey"];
      const { errors } = await rig.up([nda()]);
      expect([row, errors["nda"]]).toEqual([
        row,
        expect.stringMatching(
          row === "429 for a day"
            ? /asked everybody to wait until|\/v1\/(login|users\/api_key)/
            : /logging in|\/v1\/(login|users\/api_key)/,
        ),
      ]);
      expect(rig.saw()).toMatchObject({ posts: 0, documents: 0 });
      rig.service.faults.clear();
      expect((await rig.up([nda()])).errors).toEqual({});
      rig.expectOnce();
    },
  );
});

test("canaries: key, password, token and PDF are in no message, no log line, no file and no state", async context => {
  await using rig = await startRig({ first: { password: PASSWORD, apiKey: "canary-key-77d0" } });
  cell(context, { matrix: "E", row: "canaries", column: "errors, log, disk, state" }, rig);
  rig.config["email"] = rig.service.first.email;
  rig.config["password"] = PASSWORD;
  delete rig.config["apiKey"];
  const secretPdf = Buffer.from(`%PDF-1.4\ncanary-pdf-e01f ${"z".repeat(100)}`).toString("base64");
  const wanted = nda({ base64File: secretPdf });
  const echo: Fault = {
    kind: "edit",
    edit: () => ({
      ok: false,
      why: `canary-key-77d0 ${PASSWORD} ${secretPdf} eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln`,
    }),
  };
  for (const operation of ["login", "apiKey", "createDocument", "listDocuments", "getDocument"] as const) {
    rig.service.faults.push(echo, operation);
    await rig.up([wanted]);
  }
  rig.service.faults.clear();
  expect((await rig.up([wanted])).errors).toEqual({});
  rig.expectOnce();
  const disk = readdirSync(rig.machine.folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  const everything = [...rig.read, ...disk, JSON.stringify([...rig.state])].join("\n");
  for (const canary of [
    "canary-key-77d0",
    PASSWORD,
    "canary-pdf-e01f",
    secretPdf.slice(0, 40),
    secretPdf.slice(12, 60),
    "eyJhbGci",
  ])
    expect(everything).not.toContain(canary);
});

test.each([
  "http://example.com",
  "https://user:pw@example.com",
  "ftp://example.com",
  "https://example.com?x=1",
  "nonsense",
])("base URL %s: refused before anything is sent, without its password", async baseUrl => {
  await using rig = await startRig();
  const message = await rig.up([nda()], { config: { baseUrl } }).then(({ errors }) => errors["nda"], messageOf);
  expect(message).toMatch(/docsign:baseUrl/);
  expect(message).not.toContain("user:pw");
  expect(rig.saw()).toMatchObject({ requests: 0 });
});

const raise = (): never => {
  throw new Error("no such row");
};
