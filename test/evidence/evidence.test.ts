import { createHash } from "node:crypto";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { downloadEvidence } from "../../sdk/evidence/index.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { failure, folder, openScene, PDF, settingsOf } from "./support.js";
import { hasOpenssl, Tsa } from "./tsa.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const ALL = [
  "certificate-btc.pdf",
  "certificate-eth.pdf",
  "constancia.asn1",
  "evidence.json",
  "original.pdf",
  "signed.pdf",
];

test("everything there is comes into the folder, checked, for its owner only", async () => {
  await using scene = await openScene();
  const { service, id } = scene;
  service.certify(id, "all");
  const manifest = await scene.download();
  expect(manifest).toMatchObject({
    documentId: String(id),
    name: "Lease",
    version: "1",
    status: "signed",
    allSigned: true,
  });
  expect(manifest).toMatchObject({ service: service.url, complete: true, missing: [], constancia: { kind: "opaque" } });
  expect(scene.files()).toEqual(ALL);
  expect(scene.written()).toEqual(manifest);
  for (const { fileName, sha256: hash, bytes } of manifest.files) {
    expect([sha256(scene.read(fileName)), scene.read(fileName).length]).toEqual([hash, bytes]);
  }
  expect(manifest.files.map(({ kind, verified }) => [kind, verified])).toEqual([
    ["original", ["its SHA-256 is the service's sha256"]],
    ["signed", ["its SHA-256 is the service's sha256_signed_file"]],
    ["btc-certificate", ["it is a PDF"]],
    ["eth-certificate", ["it is a PDF"]],
    ["nom151", ["it is ASN.1"]],
  ]);
  expect(scene.read("original.pdf")).toEqual(PDF);
  if (process.platform !== "win32") for (const name of ALL) expect(scene.mode(name)).toBe(0o600);
});

test("the same evidence again is the same folder, byte for byte", async () => {
  await using scene = await openScene();
  scene.service.certify(scene.id, "all");
  await scene.download();
  const before = ALL.map(name => scene.read(name));
  await scene.download();
  expect(ALL.map(name => scene.read(name))).toEqual(before);
  expect(scene.files()).toEqual(ALL);
});

test("a program's preview checks the same and writes nothing", async () => {
  await using scene = await openScene();
  const mocks = { newResource: () => ({ id: "1", state: {} }), call: () => ({}) };
  await pulumi.runtime.setMocks(mocks, "project", "stack", true);
  const previewed = await scene.download();
  await pulumi.runtime.setMocks(mocks, "project", "stack", false);
  expect(scene.files()).toEqual([]);
  expect(await scene.download()).toEqual(previewed);
  expect(scene.files()).toEqual(["evidence.json", "original.pdf", "signed.pdf"]);
});

test("what isn't there yet is missing, with the reason", async () => {
  await using scene = await openScene();
  scene.service.certify(scene.id, "requested");
  const manifest = await scene.download();
  expect(manifest).toMatchObject({
    expected: ["original", "signed", "btc-certificate", "eth-certificate"],
    complete: false,
  });
  const unready = 'the blockchain certificates aren\'t ready (status "requested")';
  expect(manifest.missing).toEqual([
    { kind: "btc-certificate", why: unready },
    { kind: "eth-certificate", why: unready },
  ]);
  expect(scene.files()).toEqual(["evidence.json", "original.pdf", "signed.pdf"]);
});

test("an unsigned document has an original and no more", async () => {
  await using scene = await openScene();
  const [id = 0] = scene.service.seed({ documents: [{ name: "New", invitations: [{ email: "ana@example.com" }] }] });
  const manifest = await downloadEvidence({
    documentId: id,
    directory: scene.directory,
    settings: settingsOf(scene.service),
  });
  expect(manifest.allSigned).toBe(false);
  expect(manifest).toMatchObject({ expected: ["original", "signed"], complete: false });
  expect(manifest.missing).toEqual([{ kind: "signed", why: "not everybody has signed" }]);
  expect(scene.files()).toEqual(["evidence.json", "original.pdf"]);
});

test("a document that gets no certificates is complete without them", async () => {
  await using scene = await openScene();
  const manifest = await scene.download();
  expect(manifest).toMatchObject({ expected: ["original", "signed"], complete: true, missing: [] });
  expect(manifest.files.map(({ kind, proven }) => [kind, proven])).toEqual([
    ["original", true],
    ["signed", true],
  ]);
});

test("a document that is to get a constancia isn't complete before it is there", async () => {
  await using scene = await openScene();
  await using independent = await startIndependentService({ dialect: { form: "extended" } });
  const id = independent.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
  independent.faults.push(
    {
      kind: "edit",
      edit: json => {
        const { payload } = json as { payload: { with_nom151: boolean; blockchain_certs_enabled: boolean } };
        Object.assign(payload, { with_nom151: true, blockchain_certs_enabled: true });
        return json;
      },
    },
    "getDocument",
  );
  const settings = settingsOf(independent);
  const manifest = await downloadEvidence({ documentId: id, directory: scene.directory, settings });
  expect(manifest.expected).toEqual(["original", "signed", "btc-certificate", "eth-certificate", "nom151"]);
  expect(manifest.missing.at(-1)).toEqual({ kind: "nom151", why: "the NOM151 constancia isn't there yet" });
  expect(manifest.complete).toBe(false);
});

test("a constancia that isn't ASN.1 is named as invalid, and not saved", async () => {
  await using scene = await openScene();
  scene.service.certify(scene.id, "nom151", { constancia: Buffer.from("<html>").toString("base64") });
  const manifest = await scene.download();
  expect(manifest).toMatchObject({ complete: false, constancia: { kind: "invalid" } });
  expect(manifest.missing).toEqual([
    { kind: "nom151", why: expect.stringMatching(/^what the service gives as the constancia is invalid: it is/) },
  ]);
  expect(scene.files()).toEqual(["evidence.json", "original.pdf", "signed.pdf"]);
});

test("a hash the service doesn't state isn't called verified", async () => {
  await using scene = await openScene();
  scene.service.configure({ nullSha256: true });
  const { files } = await scene.download();
  expect(files[0]).toMatchObject({
    verified: ["it is a PDF"],
    notVerified: ["its SHA-256: the service states no sha256"],
  });
});

describe("the key", () => {
  test("isn't sent while it isn't needed", async () => {
    await using scene = await openScene();
    scene.service.certify(scene.id, "all");
    const { files } = await scene.download();
    expect(files.map(({ neededKey }) => neededKey)).toEqual([false, false, false, false, undefined]);
    const asked = scene.service.history.filter(({ path }) => !path.startsWith("/v1/"));
    expect(asked).toHaveLength(4);
  });

  test("is sent once a request without it was refused", async () => {
    await using scene = await openScene();
    scene.service.certify(scene.id, "all");
    scene.service.configure({ filesNeedKey: true, certificatesNeedKey: true });
    const { files, complete } = await scene.download();
    expect(complete).toBe(true);
    expect(files.map(({ neededKey }) => neededKey)).toEqual([true, true, true, true, undefined]);
  });
});

describe("a file that isn't what the service says", () => {
  test("is an error that names it, and nothing is written", async () => {
    const place = folder();
    try {
      // Its signed file is another one than the hash it states.
      await using independent = await startIndependentService({ dialect: { form: "extended" } });
      const id = independent.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
      independent.people.signAll(id);
      const found = sha256(Buffer.concat([PDF, Buffer.from("% signed\n")]));
      const { message, name } = await failure(
        downloadEvidence({ documentId: id, directory: place.directory, settings: settingsOf(independent) }),
      );
      expect(name).toBe("EvidenceError");
      expect(message).toMatch(
        /^signed\.pdf isn't what the service says it is: expected SHA-256 [0-9a-f]{64} \(sha256_signed_file\)/,
      );
      expect(message).toContain(`found ${found}. Nothing was written.`);
      expect(place.files()).toEqual([]);
    } finally {
      place.remove();
    }
  });

  test("leaves what an earlier download wrote", async () => {
    await using scene = await openScene();
    await scene.download();
    const before = scene.read("original.pdf");
    scene.service.faults.next({ kind: "status", status: 503, times: "always", match: { path: /signed\.pdf$/ } });
    expect((await failure(scene.download())).name).toBe("ServiceFaultError");
    expect(scene.read("original.pdf")).toEqual(before);
    expect(scene.files()).toEqual(["evidence.json", "original.pdf", "signed.pdf"]);
  });
});

describe("at another service", () => {
  test.each([
    ["open", [false], []],
    ["key", [true], []],
    ["missing", [], ["original", "evidence"]],
    ["redirect", [], ["original"]],
  ] as const)("downloads that are %s", async (downloads, needed, missing) => {
    const place = folder();
    try {
      await using independent = await startIndependentService({ dialect: { downloads, form: "extended" } });
      const id = independent.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
      const manifest = await downloadEvidence({
        documentId: id,
        directory: place.directory,
        settings: settingsOf(independent),
      });
      expect(manifest.files.filter(({ kind }) => kind === "original").map(({ neededKey }) => neededKey)).toEqual(
        needed,
      );
      expect(manifest.missing.some(({ kind }) => kind === "original")).toBe(missing.length > 0);
      expect(place.files()).toEqual(missing.length > 0 ? ["evidence.json"] : ["evidence.json", "original.pdf"]);
    } finally {
      place.remove();
    }
  });
});

test.skipIf(!hasOpenssl())("a constancia that is a timestamp of the signed file is known for one", async () => {
  await using scene = await openScene();
  await scene.download();
  using tsa = new Tsa();
  const constancia = tsa.stamp(scene.read("signed.pdf"));
  scene.service.certify(scene.id, "nom151", { constancia: constancia.toString("base64") });
  const manifest = await scene.download();
  expect(manifest.constancia).toMatchObject({ kind: "rfc3161", imprint: { matches: "signed" } });
  expect(scene.read("constancia.asn1")).toEqual(constancia);
  expect(JSON.stringify(manifest)).not.toMatch(/"valid"/);
});

test("a constancia that isn't base64 is missing", async () => {
  await using scene = await openScene();
  scene.service.certify(scene.id, "nom151", { constancia: "«»" });
  const { missing } = await scene.download();
  expect(missing.at(-1)).toEqual({ kind: "nom151", why: "what the service gives as the constancia isn't base64" });
});

describe("refused before anything is asked", () => {
  test.each([
    ["an id that walks elsewhere", { documentId: "../folders" }, /documentId must be 1 to 20 digits/],
    ["no folder", { directory: "" }, /directory: expected the path of a folder/],
  ])("%s", async (_name, args, message) => {
    await using scene = await openScene();
    const given = { documentId: scene.id, directory: scene.directory, settings: settingsOf(scene.service), ...args };
    expect((await failure(downloadEvidence(given))).message).toMatch(message);
    expect(scene.service.history).toEqual([]);
    expect(scene.files()).toEqual([]);
  });

  test.each([
    ["another document's evidence", JSON.stringify({ documentId: "999", service: "https://x.example" })],
    ["something else", "no JSON"],
  ])("a folder with %s", async (_name, text) => {
    await using scene = await openScene();
    mkdirSync(scene.directory, { recursive: true });
    writeFileSync(join(scene.directory, "evidence.json"), text);
    expect((await failure(scene.download())).message).toContain("give each document a directory of its own");
    expect(scene.read("evidence.json").toString()).toBe(text);
  });

  test("a folder whose evidence.json is a link", async () => {
    await using scene = await openScene();
    scene.service.certify(scene.id, "all");
    await scene.download();
    const [named, moved] = [join(scene.directory, "evidence.json"), join(scene.directory, "moved.json")];
    renameSync(named, moved);
    symlinkSync(moved, named);
    expect((await failure(scene.download())).message).toBe(`${named}: expected a file, got something else`);
  });

  test("missing settings, with how to set them", async () => {
    const given = { documentId: 7, directory: "nowhere", settings: { baseUrl: "https://x.example" } };
    expect((await failure(downloadEvidence(given))).message).toMatch(/docsign:apiKey is missing/);
  });
});

test("without settings of its own it takes the stack's", async () => {
  await using scene = await openScene();
  pulumi.runtime.setAllConfig({ "docsign:baseUrl": scene.service.url, "docsign:apiKey": scene.service.apiKey });
  const { service } = await downloadEvidence({ documentId: scene.id, directory: scene.directory });
  expect(service).toBe(scene.service.url);
});

test("ended by its caller, it leaves no file behind", async () => {
  await using scene = await openScene();
  const aborted = AbortSignal.abort(new Error("enough"));
  const args = {
    documentId: scene.id,
    directory: scene.directory,
    settings: settingsOf(scene.service),
    signal: aborted,
  };
  await failure(downloadEvidence(args));
  expect(scene.files()).toEqual([]);
});
