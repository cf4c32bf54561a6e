import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { characters, startStranger } from "../support/stranger/index.js";
import { ask, contract, create, pdf } from "./knock.js";

describe("POST /v1/documents", () => {
  test("answers with an id and nothing else", async () => {
    await using stranger = await startStranger();
    const heard = await ask(stranger, "POST", "/v1/documents", contract());
    expect(heard.status).toBe(201);
    expect(heard.json).toEqual({ ok: true, payload: { id: Number(stranger.ledger.documents()[0]?.id) } });
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
    await using stranger = await startStranger();
    expect((await ask(stranger, "POST", "/v1/documents", contract(more))).status).toBe(422);
    expect(stranger.ledger.documentCount()).toBe(0);
    expect(stranger.ledger.mails()).toEqual([]);
  });

  test("mails each invitee once", async () => {
    await using stranger = await startStranger();
    await create(stranger);
    expect(stranger.ledger.mails().map(({ kind, to }) => [kind, to])).toEqual([
      ["invitation", "Lea@clients.test"],
      ["invitation", "tom@clients.test"],
    ]);
    expect(stranger.ledger.mailsTo("LEA@clients.test")).toHaveLength(1);
  });
});

describe.each(Object.entries(characters))("the character «%s»", (_, taste) => {
  test("keeps what the interface promises of a document's life", async () => {
    await using stranger = await startStranger({ taste, basePath: "/api" });
    const id = await create(stranger);
    const get = async () => (await ask(stranger, "GET", `/v1/documents/${id}`)).json.payload;
    expect(await get()).toMatchObject({ name: "Rental", status: "unsigned", last_version: "1", folder_id: null });
    stranger.people.sign(id, "lea@clients.test");
    expect((await get()).status).toBe("partially_signed");
    stranger.people.sign(id, "tom@clients.test");
    stranger.people.certify(id);
    const done = await get();
    expect(done).toMatchObject({
      status: "signed",
      files: [{ signers: [{ status: "signed" }, { status: "signed" }] }],
    });
    expect(done.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
    const list = await ask(stranger, "GET", "/v1/documents");
    expect(list.json).toMatchObject({ ok: true, payload: [{ name: "Rental", status: "signed", organization: null }] });
  });
});

describe("GET /v1/documents/:id", () => {
  test("tells certificates and NOM151 once certified, and serves both timestamps", async () => {
    await using stranger = await startStranger();
    const id = await create(stranger);
    stranger.people.signAll(id);
    stranger.people.certify(id, { chain: "requested" });
    const file = async () => (await ask(stranger, "GET", `/v1/documents/${id}`)).json.payload.files[0];
    expect(await file()).toMatchObject({ xml_btc_cert: null, blockchain_certs_status: "requested" });
    stranger.people.certify(id);
    const { sha256_signed_file: sha, xml_btc_cert, xml_eth_cert, adv_str_constance } = await file();
    expect([xml_btc_cert, xml_eth_cert, adv_str_constance]).not.toContain(null);
    expect((await ask(stranger, "GET", `/v3/timestamps/${sha}.pdf`)).status).toBe(200);
    expect((await ask(stranger, "GET", `/v3/timestamps/eth/${sha}.pdf`)).text).toMatch(/^%PDF-/);
  });

  test("serves the uploaded bytes at the file's address, with the hash it tells", async () => {
    await using stranger = await startStranger({ basePath: "/api" });
    const id = await create(stranger);
    const [file] = (await ask(stranger, "GET", `/v1/documents/${id}`)).json.payload.files;
    const bytes = Buffer.from(await (await fetch(file.url)).arrayBuffer());
    expect(bytes.equals(pdf)).toBe(true);
    expect(file.sha256).toBe(createHash("sha256").update(pdf).digest("hex"));
  });

  test("does not know removed documents, other accounts' documents, or strange ids", async () => {
    await using stranger = await startStranger();
    const id = await create(stranger);
    expect((await ask(stranger, "GET", `/v1/documents/${id}`, undefined, stranger.second.apiKey)).status).toBe(404);
    expect((await ask(stranger, "GET", `/v1/documents/0${id}`)).status).toBe(404);
    expect((await ask(stranger, "GET", `/v1/documents/${id}`, undefined, "wrong")).status).toBe(401);
    stranger.people.removeDocument(id);
    expect((await ask(stranger, "GET", `/v1/documents/${id}`)).json).toMatchObject({ message: expect.any(String) });
    expect((await ask(stranger, "GET", "/v1/documents")).json.payload).toEqual([]);
    expect(stranger.ledger.documentCount()).toBe(1);
  });

  test("writes ids above 2^53 with all their digits", async () => {
    await using stranger = await startStranger({ taste: characters["huge ids"] });
    const id = await create(stranger);
    expect(BigInt(id)).toBeGreaterThan(2n ** 53n);
    expect((await ask(stranger, "GET", `/v1/documents/${id}`)).text).toContain(`"id":${id}`);
  });

  test("lists signers only once they signed, under their user's address, if that is its taste", async () => {
    await using stranger = await startStranger({ taste: characters["late signers"] });
    const id = await create(stranger);
    const signers = async () => (await ask(stranger, "GET", `/v1/documents/${id}`)).json.payload.files[0].signers;
    expect(await signers()).toEqual([]);
    stranger.people.sign(id, "tom@clients.test");
    expect(await signers()).toMatchObject([{ user: { email: "TOM@CLIENTS.TEST" } }]);
    expect((await signers())[0]).not.toHaveProperty("email");
  });
});

describe("lists", () => {
  test("are filtered by folder, and a folder can be ignored at creation", async () => {
    await using stranger = await startStranger();
    await using deaf = await startStranger({ taste: characters["deaf to folders"] });
    for (const service of [stranger, deaf]) {
      await ask(service, "POST", "/v1/folders", { name: "2031" });
      await create(service, { folder_id: Number(service.ledger.folders()[0]?.id) });
    }
    const inFolder = async (service: typeof stranger) => {
      const path = `/v1/documents?folder_id=${service.ledger.folders()[0]?.id}`;
      return (await ask(service, "GET", path)).json.payload.length;
    };
    expect([await inFolder(stranger), await inFolder(deaf)]).toEqual([1, 0]);
  });

  test("by date are days in the service's own zone", async () => {
    await using stranger = await startStranger({ taste: { dayOffset: 840 } });
    const byDate = async (day: string) => {
      const path = `/v1/documents/by_date_range?from_date=${day}&to_date=${day}&status=unsigned`;
      return (await ask(stranger, "GET", path)).json.payload?.length;
    };
    stranger.clock.skew(Date.parse("2031-05-01T11:00:00Z") - Date.now());
    await create(stranger);
    expect([await byDate("2031-05-01"), await byDate("2031-05-02"), await byDate("2031-02-30")]).toEqual([
      0,
      1,
      undefined,
    ]);
  });
});

test("login, then the key, then the key is rotated", async () => {
  await using stranger = await startStranger({ first: { password: "canary-pw" } });
  const login = await ask(stranger, "POST", "/v1/login", { email: stranger.first.email, password: "canary-pw" });
  expect(login.json.token.split(".")).toHaveLength(3);
  const authorization = `Bearer ${login.json.token}`;
  const key = async () => (await fetch(`${stranger.url}/v1/users/api_key`, { headers: { authorization } })).json();
  expect(await key()).toMatchObject({ ok: true, payload: { api_key: stranger.apiKey } });
  const old = stranger.apiKey;
  stranger.people.rotateKey("first", "new-key");
  expect((await ask(stranger, "GET", "/v1/documents", undefined, old)).status).toBe(401);
  stranger.clock.advance(stranger.taste.tokenLifeMs + 1);
  expect(await key()).toMatchObject({ message: expect.any(String) });
});

test("a reminder is a mail and a 204, by the method of its taste", async () => {
  await using stranger = await startStranger({ taste: { reminderMethod: "GET" } });
  await create(stranger);
  const path = `/v1/invitations/${stranger.ledger.documents()[0]?.invitations[0]?.id}/reminder`;
  expect((await ask(stranger, "POST", path)).status).toBe(405);
  expect((await ask(stranger, "GET", path)).status).toBe(204);
  expect(stranger.ledger.mailsTo("lea@clients.test", "reminder")).toHaveLength(1);
});

test("outside its base path there is a web server that knows nothing, and Date is by the skewed clock", async () => {
  await using stranger = await startStranger({ basePath: "/api", skewMs: -86_400_000 });
  const heard = await fetch(new URL("/v1/documents", stranger.url));
  expect(heard.status).toBe(404);
  expect(heard.headers.get("content-type")).toBe("text/html");
  const behind = Date.now() - Date.parse(heard.headers.get("date") ?? "");
  expect(Math.abs(behind - 86_400_000)).toBeLessThan(10_000);
});
