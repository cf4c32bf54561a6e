import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  type IndependentService,
  mixedDialects,
  startIndependentService,
} from "../support/independent-service/index.js";
import { ask, contract, create, pdf } from "./connect.js";

describe("POST /v1/documents", () => {
  test("answers with an id and nothing else", async () => {
    await using service = await startIndependentService();
    const heard = await ask(service, "POST", "/v1/documents", contract());
    expect(heard.status).toBe(201);
    expect(heard.json).toEqual({ ok: true, payload: { id: Number(service.ledger.documents()[0]?.id) } });
  });

  test.each([
    ["no name", { name: undefined }],
    ["nobody invited", { invitations_attributes: [] }],
    ["bare base64", { base64_file: pdf.toString("base64") }],
    ["not base64", { base64_file: "data:application/pdf;base64,%%%" }],
    ["not a PDF", { base64_file: `data:application/pdf;base64,${Buffer.from("hello").toString("base64")}` }],
    [
      "an unknown signature type",
      { invitations_attributes: [{ invite_email: "a@b.c", allowed_signature_types: "x" }] },
    ],
    ["a folder that is not there", { folder_id: 1 }],
  ])("refuses %s and makes nothing", async (_, more) => {
    await using service = await startIndependentService();
    expect((await ask(service, "POST", "/v1/documents", contract(more))).status).toBe(422);
    expect(service.ledger.documentCount()).toBe(0);
    expect(service.ledger.mails()).toEqual([]);
  });

  test("mails each invitee once", async () => {
    await using service = await startIndependentService();
    await create(service);
    expect(service.ledger.mails().map(({ kind, to }) => [kind, to])).toEqual([
      ["invitation", "Lea@clients.test"],
      ["invitation", "tom@clients.test"],
    ]);
    expect(service.ledger.mailsTo("LEA@clients.test")).toHaveLength(1);
  });
});

describe.each(mixedDialects)("$name", ({ settings }) => {
  test("keeps what the interface promises of a document's life", async () => {
    await using service = await startIndependentService({ ...settings, basePath: "/api" });
    const id = await create(service);
    const get = async () => (await ask(service, "GET", `/v1/documents/${id}`)).json.payload;
    expect(await get()).toMatchObject({ name: "Rental", status: "unsigned", last_version: "1", folder_id: null });
    service.people.sign(id, "lea@clients.test");
    expect((await get()).status).toBe("partially_signed");
    service.people.sign(id, "tom@clients.test");
    service.people.certify(id);
    const done = await get();
    expect(done).toMatchObject({
      status: "signed",
      files: [{ signers: [{ status: "signed" }, { status: "signed" }] }],
    });
    expect(done.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
    const list = await ask(service, "GET", "/v1/documents");
    expect(list.json).toMatchObject({ ok: true, payload: [{ name: "Rental", status: "signed", organization: null }] });
  });
});

describe("GET /v1/documents/:id", () => {
  test("shows certificates and NOM151 once certified, and serves both timestamps", async () => {
    await using service = await startIndependentService();
    const id = await create(service);
    service.people.signAll(id);
    service.people.certify(id, { chain: "requested" });
    const file = async () => (await ask(service, "GET", `/v1/documents/${id}`)).json.payload.files[0];
    expect(await file()).toMatchObject({ xml_btc_cert: null, blockchain_certs_status: "requested" });
    service.people.certify(id);
    const { sha256_signed_file: sha, xml_btc_cert, xml_eth_cert, adv_str_constance } = await file();
    expect([xml_btc_cert, xml_eth_cert, adv_str_constance]).not.toContain(null);
    expect((await ask(service, "GET", `/v3/timestamps/${sha}.pdf`)).status).toBe(200);
    expect((await ask(service, "GET", `/v3/timestamps/eth/${sha}.pdf`)).text).toMatch(/^%PDF-/);
  });

  test("serves the uploaded bytes at the file's address, with the hash it shows", async () => {
    await using service = await startIndependentService({ basePath: "/api" });
    const id = await create(service);
    const [file] = (await ask(service, "GET", `/v1/documents/${id}`)).json.payload.files;
    const bytes = Buffer.from(await (await fetch(file.url)).arrayBuffer());
    expect(bytes.equals(pdf)).toBe(true);
    expect(file.sha256).toBe(createHash("sha256").update(pdf).digest("hex"));
  });

  test("does not know removed documents, other accounts' documents, or strange ids", async () => {
    await using service = await startIndependentService();
    const id = await create(service);
    expect((await ask(service, "GET", `/v1/documents/${id}`, undefined, service.second.apiKey)).status).toBe(404);
    expect((await ask(service, "GET", `/v1/documents/0${id}`)).status).toBe(404);
    expect((await ask(service, "GET", `/v1/documents/${id}`, undefined, "wrong")).status).toBe(401);
    service.people.removeDocument(id);
    expect((await ask(service, "GET", `/v1/documents/${id}`)).json).toMatchObject({ message: expect.any(String) });
    expect((await ask(service, "GET", "/v1/documents")).json.payload).toEqual([]);
    expect(service.ledger.documentCount()).toBe(1);
  });

  test("writes ids above 2^53 with all their digits", async () => {
    await using service = await startIndependentService({ dialect: { firstId: 2n ** 53n + 1n } });
    const id = await create(service);
    expect(BigInt(id)).toBeGreaterThan(2n ** 53n);
    expect((await ask(service, "GET", `/v1/documents/${id}`)).text).toContain(`"id":${id}`);
  });

  test("lists signers only once they signed, under their user's address, if that is its dialect", async () => {
    await using service = await startIndependentService({
      dialect: { signers: "when-signed", emailOn: "user", emailCase: "upper" },
    });
    const id = await create(service);
    const signers = async () => (await ask(service, "GET", `/v1/documents/${id}`)).json.payload.files[0].signers;
    expect(await signers()).toEqual([]);
    service.people.sign(id, "tom@clients.test");
    expect(await signers()).toMatchObject([{ user: { email: "TOM@CLIENTS.TEST" } }]);
    expect((await signers())[0]).not.toHaveProperty("email");
  });
});

describe("lists", () => {
  test("are filtered by folder, and a folder can be ignored at creation", async () => {
    await using service = await startIndependentService();
    await using ignoring = await startIndependentService({ dialect: { folderId: "ignore" } });
    for (const each of [service, ignoring]) {
      await ask(each, "POST", "/v1/folders", { name: "2031" });
      await create(each, { folder_id: Number(each.ledger.folders()[0]?.id) });
    }
    const inFolder = async (each: IndependentService) => {
      const path = `/v1/documents?folder_id=${each.ledger.folders()[0]?.id}`;
      return (await ask(each, "GET", path)).json.payload.length;
    };
    expect([await inFolder(service), await inFolder(ignoring)]).toEqual([1, 0]);
  });

  test("by date are days in the service's own zone", async () => {
    await using service = await startIndependentService({ dialect: { dayOffset: 840 } });
    const byDate = async (day: string) => {
      const path = `/v1/documents/by_date_range?from_date=${day}&to_date=${day}&status=unsigned`;
      return (await ask(service, "GET", path)).json.payload?.length;
    };
    service.clock.skew(Date.parse("2031-05-01T11:00:00Z") - Date.now());
    await create(service);
    expect([await byDate("2031-05-01"), await byDate("2031-05-02"), await byDate("2031-02-30")]).toEqual([
      0,
      1,
      undefined,
    ]);
  });
});

test("login, then the key, then the key is rotated", async () => {
  await using service = await startIndependentService({ first: { password: "canary-pw" } });
  const login = await ask(service, "POST", "/v1/login", { email: service.first.email, password: "canary-pw" });
  expect(login.json.token.split(".")).toHaveLength(3);
  const authorization = `Bearer ${login.json.token}`;
  const key = async () => (await fetch(`${service.url}/v1/users/api_key`, { headers: { authorization } })).json();
  expect(await key()).toMatchObject({ ok: true, payload: { api_key: service.apiKey } });
  const old = service.apiKey;
  service.people.rotateKey("first", "new-key");
  expect((await ask(service, "GET", "/v1/documents", undefined, old)).status).toBe(401);
  service.clock.advance(service.dialect.tokenLifeMs + 1);
  expect(await key()).toMatchObject({ message: expect.any(String) });
});

test("a reminder is a mail and a 204, by the method of its dialect", async () => {
  await using service = await startIndependentService({ dialect: { reminderMethod: "GET" } });
  await create(service);
  const path = `/v1/invitations/${service.ledger.documents()[0]?.invitations[0]?.id}/reminder`;
  expect((await ask(service, "POST", path)).status).toBe(405);
  expect((await ask(service, "GET", path)).status).toBe(204);
  expect(service.ledger.mailsTo("lea@clients.test", "reminder")).toHaveLength(1);
});

test("outside its base path there is a web server that knows nothing, and Date is by the skewed clock", async () => {
  await using service = await startIndependentService({ basePath: "/api", skewMs: -86_400_000 });
  const heard = await fetch(new URL("/v1/documents", service.url));
  expect(heard.status).toBe(404);
  expect(heard.headers.get("content-type")).toBe("text/html");
  const behind = Date.now() - Date.parse(heard.headers.get("date") ?? "");
  expect(Math.abs(behind - 86_400_000)).toBeLessThan(10_000);
});
