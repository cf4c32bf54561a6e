import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makePdf, Refusal, startSandbox } from "../../sandbox/index.js";
import { ask, create, lease, wanted } from "./service.js";

const staged = {
  ...wanted(),
  invitations_attributes: [
    { invite_email: "ana@example.com", stage: 1 },
    { invite_email: "ben@example.org", stage: 2, allowed_signature_types: "autograph" },
  ],
};

const codeOf = (act: () => void) => {
  try {
    act();
  } catch (error) {
    return error instanceof Refusal ? error.code : error;
  }
  return "not refused";
};

describe("signing", () => {
  test("goes from unsigned over partially_signed to signed, stage by stage, mailing each as their stage opens", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox, staged);
    const read = async () => (await ask(sandbox, `GET /v1/documents/${id}`)).body.payload;
    const tos = () => sandbox.mails.map(mail => mail.to);
    expect((await read()).status).toBe("unsigned");
    expect(tos()).toEqual(["ana@example.com"]);
    expect(codeOf(() => sandbox.sign(id, "ben@example.org"))).toBe("stage_not_open");
    sandbox.sign(id, "ANA@example.com");
    expect(await read()).toMatchObject({ status: "partially_signed", signing_stage: 2 });
    expect(tos()).toEqual(["ana@example.com", "ben@example.org"]);
    expect(codeOf(() => sandbox.sign(id, "ana@example.com"))).toBe("already_signed");
    expect(codeOf(() => sandbox.sign(id, "ben@example.org", { type: "advanced" }))).toBe("signature_type_not_allowed");
    sandbox.sign(id, "ben@example.org");
    const signed = await read();
    expect(signed.status).toBe("signed");
    expect(signed.files[0].signers).toMatchObject([
      { status: "signed", signature_type: "advanced" },
      { status: "signed", signature_type: "autograph" },
    ]);
    expect(signed.invitations.map((one: { status: string }) => one.status)).toEqual(["accepted", "accepted"]);
    expect(tos()).toHaveLength(2);
  });

  test("an address invited twice signs the earlier stage first, or the invitation that is named", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox, {
      ...wanted(),
      invitations_attributes: [
        { invite_email: "ana@example.com", stage: 2 },
        { invite_email: "ana@example.com", stage: 1 },
      ],
    });
    const [late, early] = sandbox.document(id).invitations;
    sandbox.sign(id, early?.id ?? 0);
    sandbox.sign(id, "ana@example.com");
    expect(sandbox.document(id).status).toBe("signed");
    expect(late?.stage).toBe(2);
  });

  test("makes another PDF, with its sha256", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    sandbox.signAll(id);
    const [file] = (await ask(sandbox, `GET /v1/documents/${id}`)).body.payload.files;
    const bytes = Buffer.from(await (await fetch(file.signed_file_url)).arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(file.sha256_signed_file);
    expect(bytes.subarray(0, lease.length)).toEqual(lease);
    expect(bytes.length).toBeGreaterThan(lease.length);
    expect(bytes.toString("latin1")).toMatch(/startxref\n\d+\n%%EOF\n$/);
  });

  test("counts a document at its first signature, not at its creation", async () => {
    await using sandbox = await startSandbox({ quota: 1 });
    const first = await create(sandbox, wanted("ana@example.com", "ben@example.org"));
    const second = await create(sandbox);
    expect(sandbox.account.documentsLeft).toBe(1);
    sandbox.sign(first, "ana@example.com");
    sandbox.sign(first, "ben@example.org");
    expect(sandbox.account.documentsLeft).toBe(0);
    expect(codeOf(() => sandbox.sign(second, "ana@example.com"))).toBe("no_documents_left");
    const refused = await ask(sandbox, "POST /v1/documents", { body: wanted() });
    expect([refused.status, refused.body.error.code]).toEqual([409, "no_documents_left"]);
  });

  test("storage is used up by uploads", async () => {
    await using sandbox = await startSandbox({ storage: lease.length });
    await create(sandbox);
    const refused = await ask(sandbox, "POST /v1/documents", { body: wanted() });
    expect([refused.status, refused.body.error.code]).toEqual([409, "no_storage_left"]);
  });

  test("declining leaves the document unsigned", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    sandbox.decline(id, "ana@example.com");
    expect(sandbox.document(id)).toMatchObject({ status: "unsigned", invitations: [{ status: "declined" }] });
  });
});

describe("new versions", () => {
  test("are taken while the document is unsigned, and everybody signs the latest", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    sandbox.addVersion(id, makePdf(["Lease 12, corrected"]));
    const { payload } = (await ask(sandbox, `GET /v1/documents/${id}`)).body;
    expect(payload.last_version).toBe("2");
    expect(payload.files.map((file: { version: string }) => file.version)).toEqual(["1", "2"]);
    sandbox.signAll(id);
    expect(codeOf(() => sandbox.addVersion(id, lease))).toBe("not_unsigned");
    expect(sandbox.mails).toHaveLength(1);
  });
});

describe("certificates", () => {
  test("are asked for, then sent; only then can they be downloaded", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    expect(codeOf(() => sandbox.certify(id))).toBe("not_signed");
    sandbox.signAll(id);
    sandbox.certify(id, "requested");
    const [requested] = (await ask(sandbox, `GET /v1/documents/${id}`)).body.payload.files;
    expect(requested).toMatchObject({ blockchain_certs_status: "requested", xml_btc_cert: null, xml_eth_cert: null });
    const address = `GET /v3/timestamps/${requested.sha256_signed_file}.pdf`;
    expect((await ask(sandbox, address, { key: null })).status).toBe(404);
    sandbox.certify(id, "blockchain");
    const btc = await ask(sandbox, address, { key: null });
    const eth = await ask(sandbox, address.replace("timestamps", "timestamps/eth"), { key: null });
    expect([btc.status, eth.status]).toEqual([200, 200]);
    expect(btc.headers.get("content-type")).toBe("application/pdf");
    expect(btc.text).toContain("Bitcoin timestamp certificate");
    expect(eth.text).toContain("Ethereum timestamp certificate");
    sandbox.configure({ certificatesNeedKey: true });
    expect((await ask(sandbox, address, { key: null })).status).toBe(401);
    expect((await ask(sandbox, address)).status).toBe(200);
  });

  test("the NOM151 constancia is DER, or whatever is given", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    sandbox.signAll(id);
    const constancia = async () =>
      (await ask(sandbox, `GET /v1/documents/${id}`)).body.payload.files[0].adv_str_constance;
    sandbox.certify(id, "nom151");
    const der = Buffer.from(await constancia(), "base64");
    expect(der[0]).toBe(0x30);
    expect(der[1]).toBe(der.length - 2);
    sandbox.certify(id, "nom151", { constancia: "AAEC" });
    expect(await constancia()).toBe("AAEC");
  });
});

describe("what happens behind a client's back", () => {
  test("names, folders, statuses and invitees change; documents vanish", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    const folder = sandbox.addFolder("Leases");
    sandbox.rename(id, "Lease 13");
    sandbox.moveToFolder(id, folder.id);
    sandbox.setStatus(id, "archived");
    sandbox.editInvitation(sandbox.document(id).invitations[0]?.id ?? 0, { email: "eva@example.com" });
    sandbox.addInvitation(id, { email: "ben@example.org" });
    const { payload } = (await ask(sandbox, `GET /v1/documents/${id}`)).body;
    expect(payload).toMatchObject({ name: "Lease 13", folder_id: folder.id, status: "archived" });
    expect(payload.files[0].signers.map((one: { email: string }) => one.email)).toEqual([
      "eva@example.com",
      "ben@example.org",
    ]);
    sandbox.removeInvitation(payload.invitations[1].id);
    sandbox.setStatus(id, null);
    expect(sandbox.document(id)).toMatchObject({ status: "unsigned", invitations: [{ email: "eva@example.com" }] });
    sandbox.remove(id);
    expect((await ask(sandbox, `GET /v1/documents/${id}`)).status).toBe(404);
  });

  test("only registered users comment", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    expect(codeOf(() => sandbox.addComment(id, "ana@example.com", "Page 2", "Why?"))).toBe("not_registered");
    sandbox.addComment(id, sandbox.email, "Page 2", "Why?");
    expect(sandbox.document(id).files[0]?.comments).toMatchObject([{ title: "Page 2", text: "Why?" }]);
  });
});
