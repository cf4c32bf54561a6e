import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAnswers, makePdf, startSandbox } from "../../sandbox/index.js";
import { ask, create, dataUri, lease, wanted } from "./service.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("POST /v1/documents", () => {
  test("stores the document, mails the invitee and records the request without the PDF", async () => {
    await using sandbox = await startSandbox({ now: "2031-03-14T15:26:53.589Z", frozen: true });
    const { status, body } = await ask(sandbox, "POST /v1/documents", {
      body: {
        ...wanted(),
        description: "Ground floor",
        invitations_attributes: [{ invite_email: "ana@example.com", invite_name: "Ana", message: "Please sign." }],
      },
    });
    expect(status).toBe(201);
    expect(body.ok).toBe(true);
    expect(body.payload).toMatchObject({ name: "Lease 12", description: "Ground floor", status: "unsigned" });
    expect(body.payload.created_at).toBe("2031-03-14T09:26:53.589-06:00");
    expect(body.payload.files[0].sha256).toBe(sha256(lease));
    expect(sandbox.mails).toEqual([
      {
        kind: "invitation",
        documentId: body.payload.id,
        invitationId: body.payload.invitations[0].id,
        to: "ana@example.com",
        message: "Please sign.",
        at: "2031-03-14T15:26:53.589Z",
      },
    ]);
    expect(sandbox.history).toHaveLength(1);
    expect(sandbox.history[0]).toMatchObject({
      method: "POST",
      path: "/v1/documents",
      route: "createDocument",
      credential: "api-key",
      processed: true,
      status: 201,
      body: { name: "Lease 12", base64_file: { sha256: sha256(lease), byteLength: lease.length } },
    });
    expect(JSON.stringify(sandbox.history)).not.toContain(sandbox.apiKey);
    expect(JSON.stringify(sandbox.history)).not.toContain(lease.toString("base64").slice(0, 40));
  });

  test.each([
    ["no name", { name: undefined }, "name"],
    ["a blank name", { name: "  " }, "name"],
    ["a name that is no string", { name: 7 }, "name"],
    ["no invitations", { invitations_attributes: undefined }, "invitations_attributes"],
    ["an empty list of invitations", { invitations_attributes: [] }, "invitations_attributes"],
    ["invitations that are no list", { invitations_attributes: {} }, "invitations_attributes"],
    ["an invitee without address", { invitations_attributes: [{}] }, "invitations_attributes[0].invite_email"],
    [
      "an unknown signature type",
      { invitations_attributes: [{ invite_email: "a@example.com", allowed_signature_types: "any" }] },
      "invitations_attributes[0].allowed_signature_types",
    ],
    ["no file", { base64_file: undefined }, "base64_file"],
    ["bare base64", { base64_file: lease.toString("base64") }, "base64_file"],
    ["another media type", { base64_file: "data:text/plain;base64,JVBERi0=" }, "base64_file"],
    ["broken base64", { base64_file: `${dataUri(lease).slice(0, -4)}*` }, "base64_file"],
    ["base64 cut short", { base64_file: "data:application/pdf;base64,JVBERi0xL" }, "base64_file"],
    ["base64 after its padding", { base64_file: "data:application/pdf;base64,JVBERi0=JVBERi0=" }, "base64_file"],
    ["an empty file", { base64_file: "data:application/pdf;base64," }, "base64_file"],
    ["a file that is no PDF", { base64_file: dataUri(Buffer.from("hello, context")) }, "base64_file"],
    ["a folder of nobody", { folder_id: 1 }, "folder_id"],
  ])("refuses %s", async (_, change, field) => {
    await using sandbox = await startSandbox();
    const { status, body } = await ask(sandbox, "POST /v1/documents", { body: { ...wanted(), ...change } });
    expect(status).toBe(422);
    expect(body.ok).toBe(false);
    expect(body.error.code).toBe("validation_failed");
    expect(body.error.details.map((one: { field: string }) => one.field)).toEqual([field]);
    expect(sandbox.documents()).toEqual([]);
    expect(sandbox.mails).toEqual([]);
  });

  test("refuses a body that isn't JSON, and one that doesn't say it is", async () => {
    await using sandbox = await startSandbox();
    expect((await ask(sandbox, "POST /v1/documents", { body: "{" })).status).toBe(400);
    const headers = { "Content-Type": "text/plain" };
    expect((await ask(sandbox, "POST /v1/documents", { body: JSON.stringify(wanted()), headers })).status).toBe(415);
    expect(sandbox.documents()).toEqual([]);
  });

  test("understands slashes and signs that a JSON writer escaped", async () => {
    await using sandbox = await startSandbox();
    const pdf = Buffer.concat([lease, Buffer.from("fb".repeat(200_000), "hex")]);
    const body = JSON.stringify({ ...wanted(), base64_file: dataUri(pdf) });
    const escaped = body.replaceAll("/", "\\/").replaceAll("+", "\\u002b");
    const { status } = await ask(sandbox, "POST /v1/documents", { body: escaped });
    expect(status).toBe(201);
    expect(sandbox.documents()[0]?.files[0]?.sha256).toBe(sha256(pdf));
  });

  test("takes a PDF of 64 MB, and forgets its bytes on request", async () => {
    await using sandbox = await startSandbox({ keepContent: false });
    const pdf = makePdf(["Large"], { byteLength: 64 * 1024 * 1024 });
    expect(pdf).toHaveLength(64 * 1024 * 1024);
    const id = await create(sandbox, { ...wanted(), base64_file: dataUri(pdf) });
    const { body } = await ask(sandbox, `GET /v1/documents/${id}`);
    expect(body.payload.files[0].sha256).toBe(sha256(pdf));
    expect(sandbox.content(id)).toBeUndefined();
    expect((await fetch(body.payload.files[0].url)).status).toBe(404);
  });

  test("acts on folder_id, or ignores it where the settings say so", async () => {
    await using sandbox = await startSandbox();
    const folder_id = sandbox.addFolder("Leases").id;
    await create(sandbox, { ...wanted(), folder_id });
    sandbox.configure({ createFolderId: "ignored" });
    await create(sandbox, { ...wanted(), folder_id });
    expect(sandbox.documents().map(document => document.folderId)).toEqual([folder_id, null]);
  });

  test("ignores parameters it doesn't know, and shows them in the history", async () => {
    await using sandbox = await startSandbox();
    await create(sandbox, { ...wanted(), remind_daily: true });
    expect(sandbox.history[0]?.body).toMatchObject({ remind_daily: true });
  });

  test.each(createAnswers)("can answer as %s", async variant => {
    await using sandbox = await startSandbox({ createAnswer: variant, createStatus: 200 });
    const { status, text, body, headers } = await ask(sandbox, "POST /v1/documents", { body: wanted() });
    const id = sandbox.documents()[0]?.id;
    expect(status).toBe(200);
    expect(sandbox.mails).toHaveLength(1);
    const seen: Record<typeof variant, unknown> = {
      document: body?.payload?.id,
      basic: body?.payload?.id,
      extended: body?.payload?.creator_id && body.payload.id,
      id: body?.payload,
      bare: body?.files && body.id,
      "bare-id": body,
      ok: body,
      empty: text,
      truncated: body,
      "list-item": body?.payload?.files === undefined && body?.payload?.id,
      "list-item-with-folder": body?.payload?.folder && body.payload.id,
      file: body?.payload?.document_id,
      invitation: body?.payload?.document_id,
      "file-and-document-id": body?.payload,
      "id-beside": body,
      array: body?.payload,
      null: body,
      word: body,
      location: headers.get("location"),
    };
    const expected: Record<typeof variant, unknown> = {
      document: id,
      basic: id,
      extended: id,
      id: { id },
      bare: id,
      "bare-id": { id },
      ok: { ok: true },
      empty: "",
      truncated: undefined,
      "list-item": id,
      "list-item-with-folder": id,
      file: id,
      invitation: id,
      "file-and-document-id": { id: 32_001, document_id: id },
      "id-beside": { ok: true, id, payload: null },
      array: [{ id }],
      null: { ok: true, payload: null },
      word: "created",
      location: `${sandbox.url}/v1/documents/${id}`,
    };
    expect(seen[variant]).toEqual(expected[variant]);
  });

  test("can answer 204", async () => {
    await using sandbox = await startSandbox({ createAnswer: "empty", createStatus: 204 });
    const { status, text } = await ask(sandbox, "POST /v1/documents", { body: wanted() });
    expect([status, text]).toEqual([204, ""]);
  });
});

describe("GET /v1/documents/:id", () => {
  test.each(["999", "abc", "5001.5", "-1", "5001%2f", "%00", "99999999999999999999"])("finds no %s", async id => {
    await using sandbox = await startSandbox();
    await create(sandbox);
    const { status, body } = await ask(sandbox, `GET /v1/documents/${id}`);
    expect(status).toBe(404);
    expect(body).toEqual({ ok: false, error: { code: "not_found", message: "The document was not found" } });
  });

  test("shows a document to its owner only", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    const { apiKey: key } = sandbox.addAccount({ email: "other@example.org" });
    expect((await ask(sandbox, `GET /v1/documents/${id}`, { key })).status).toBe(404);
    expect((await ask(sandbox, "GET /v1/documents", { key })).body).toEqual({ ok: true, payload: [] });
    expect((await ask(sandbox, `GET /v1/documents/${id}`)).status).toBe(200);
  });

  test("shows a document of an organization to its members", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    const { apiKey: key } = sandbox.addAccount({ email: "other@example.org" });
    const { id: organization } = sandbox.addOrganization("Example Homes", ["other@example.org"]);
    sandbox.moveToOrganization(id, organization);
    const { body } = await ask(sandbox, `GET /v1/documents/${id}`, { key });
    expect(body.payload.organization).toEqual({ id: organization, name: "Example Homes" });
  });

  test("leaves sha256 null, lists signers late and hides their addresses where the settings say so", async () => {
    await using sandbox = await startSandbox({ nullSha256: true, signersListed: "when-signed", signerEmail: "never" });
    const id = await create(sandbox, wanted("ana@example.com", "ben@example.org"));
    const before = (await ask(sandbox, `GET /v1/documents/${id}`)).body.payload.files[0];
    expect([before.sha256, before.signers]).toEqual([null, []]);
    sandbox.sign(id, "ana@example.com");
    const { signers } = (await ask(sandbox, `GET /v1/documents/${id}`)).body.payload.files[0];
    expect(signers).toHaveLength(1);
    expect(signers[0]).not.toHaveProperty("email");
  });

  test.each(["basic", "extended"] as const)("always answers the %s form where the settings say so", async form => {
    await using sandbox = await startSandbox({ form });
    const id = await create(sandbox);
    sandbox.signAll(id);
    const { payload } = (await ask(sandbox, `GET /v1/documents/${id}`)).body;
    expect("with_nom151" in payload).toBe(form === "extended");
    expect("stage" in payload.invitations[0]).toBe(form === "extended");
    expect("hash_to_sign" in payload.files[0].signers[0]).toBe(form === "extended");
  });

  test("serves the original PDF under url, byte for byte", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    const { payload } = (await ask(sandbox, `GET /v1/documents/${id}`)).body;
    const response = await fetch(payload.files[0].url);
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(lease);
    expect((await fetch(payload.files[0].signed_file_url)).status).toBe(404);
    sandbox.configure({ filesNeedKey: true });
    expect((await fetch(payload.files[0].url)).status).toBe(401);
  });
});

describe("reads that lag behind writes", () => {
  test("find the document when enough of the service's time has passed", async () => {
    await using sandbox = await startSandbox({ lag: { ms: 3000 }, frozen: true });
    const id = await create(sandbox);
    sandbox.clock.advance(2999);
    expect((await ask(sandbox, `GET /v1/documents/${id}`)).status).toBe(404);
    expect((await ask(sandbox, "GET /v1/documents")).body.payload).toEqual([]);
    sandbox.clock.advance(1);
    expect((await ask(sandbox, `GET /v1/documents/${id}`)).status).toBe(200);
    expect((await ask(sandbox, "GET /v1/documents")).body.payload).toHaveLength(1);
  });

  test("find the document after so many reads that missed it", async () => {
    await using sandbox = await startSandbox({ lag: { requests: 2 } });
    const id = await create(sandbox);
    expect((await ask(sandbox, `GET /v1/documents/${id}`)).status).toBe(404);
    expect((await ask(sandbox, "GET /v1/documents")).body.payload).toEqual([]);
    expect((await ask(sandbox, `GET /v1/documents/${id}`)).status).toBe(200);
  });
});
