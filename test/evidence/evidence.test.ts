import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { downloadEvidence } from "../../evidence/index.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { failure, folder, PDF, scene, settingsOf } from "./support.js";
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
  await using world = await scene();
  const { service, id } = world;
  service.certify(id, "all");
  const manifest = await world.download();
  expect(manifest).toMatchObject({
    documentId: String(id),
    name: "Lease",
    version: "1",
    status: "signed",
    allSigned: true,
  });
  expect(manifest).toMatchObject({ service: service.url, complete: true, missing: [], constancia: { kind: "opaque" } });
  expect(world.files()).toEqual(ALL);
  expect(world.written()).toEqual(manifest);
  for (const { fileName, sha256: hash, bytes } of manifest.files) {
    expect([sha256(world.read(fileName)), world.read(fileName).length]).toEqual([hash, bytes]);
  }
  expect(manifest.files.map(({ kind, verified }) => [kind, verified])).toEqual([
    ["original", ["its SHA-256 is the service's sha256"]],
    ["signed", ["its SHA-256 is the service's sha256_signed_file"]],
    ["btc-certificate", ["it is a PDF"]],
    ["eth-certificate", ["it is a PDF"]],
    ["nom151", ["it is ASN.1"]],
  ]);
  expect(world.read("original.pdf")).toEqual(PDF);
  if (process.platform !== "win32") for (const name of ALL) expect(world.mode(name)).toBe(0o600);
});

test("the same evidence again is the same folder, byte for byte", async () => {
  await using world = await scene();
  world.service.certify(world.id, "all");
  await world.download();
  const before = ALL.map(name => world.read(name));
  await world.download();
  expect(ALL.map(name => world.read(name))).toEqual(before);
  expect(world.files()).toEqual(ALL);
});

test("what isn't there yet is missing, with the reason", async () => {
  await using world = await scene();
  world.service.certify(world.id, "requested");
  const manifest = await world.download();
  expect(manifest).toMatchObject({
    expected: ["original", "signed", "btc-certificate", "eth-certificate"],
    complete: false,
  });
  const unready = 'the blockchain certificates aren\'t ready (status "requested")';
  expect(manifest.missing).toEqual([
    { kind: "btc-certificate", why: unready },
    { kind: "eth-certificate", why: unready },
  ]);
  expect(world.files()).toEqual(["evidence.json", "original.pdf", "signed.pdf"]);
});

test("an unsigned document has an original and no more", async () => {
  await using world = await scene();
  const [id = 0] = world.service.seed({ documents: [{ name: "New", invitations: [{ email: "ana@example.com" }] }] });
  const manifest = await downloadEvidence({
    documentId: id,
    directory: world.directory,
    settings: settingsOf(world.service),
  });
  expect(manifest.allSigned).toBe(false);
  expect(manifest).toMatchObject({ expected: ["original", "signed"], complete: false });
  expect(manifest.missing).toEqual([{ kind: "signed", why: "not everybody has signed" }]);
  expect(world.files()).toEqual(["evidence.json", "original.pdf"]);
});

test("a document that gets no certificates is complete without them", async () => {
  await using world = await scene();
  const manifest = await world.download();
  expect(manifest).toMatchObject({ expected: ["original", "signed"], complete: true, missing: [] });
  expect(manifest.files.map(({ kind, proven }) => [kind, proven])).toEqual([
    ["original", true],
    ["signed", true],
  ]);
});

test("a document that is to get a constancia isn't complete before it is there", async () => {
  await using world = await scene();
  await using stranger = await startIndependentService({ taste: { form: "extended" } });
  const id = stranger.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
  stranger.faults.push(
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
  const settings = settingsOf(stranger);
  const manifest = await downloadEvidence({ documentId: id, directory: world.directory, settings });
  expect(manifest.expected).toEqual(["original", "signed", "btc-certificate", "eth-certificate", "nom151"]);
  expect(manifest.missing.at(-1)).toEqual({ kind: "nom151", why: "the NOM151 constancia isn't there yet" });
  expect(manifest.complete).toBe(false);
});

test("a constancia that isn't ASN.1 is named as invalid, and not saved", async () => {
  await using world = await scene();
  world.service.certify(world.id, "nom151", { constancia: Buffer.from("<html>").toString("base64") });
  const manifest = await world.download();
  expect(manifest).toMatchObject({ complete: false, constancia: { kind: "invalid" } });
  expect(manifest.missing).toEqual([
    { kind: "nom151", why: expect.stringMatching(/^what the service gives as the constancia is invalid: it is/) },
  ]);
  expect(world.files()).toEqual(["evidence.json", "original.pdf", "signed.pdf"]);
});

test("a hash the service doesn't state isn't called verified", async () => {
  await using world = await scene();
  world.service.configure({ nullSha256: true });
  const { files } = await world.download();
  expect(files[0]).toMatchObject({
    verified: ["it is a PDF"],
    notVerified: ["its SHA-256: the service states no sha256"],
  });
});

describe("the key", () => {
  test("goes nowhere while it isn't needed", async () => {
    await using world = await scene();
    world.service.certify(world.id, "all");
    const { files } = await world.download();
    expect(files.map(({ neededKey }) => neededKey)).toEqual([false, false, false, false, undefined]);
    const asked = world.service.history.filter(({ path }) => !path.startsWith("/v1/"));
    expect(asked).toHaveLength(4);
  });

  test("is tried second", async () => {
    await using world = await scene();
    world.service.certify(world.id, "all");
    world.service.configure({ filesNeedKey: true, certificatesNeedKey: true });
    const { files, complete } = await world.download();
    expect(complete).toBe(true);
    expect(files.map(({ neededKey }) => neededKey)).toEqual([true, true, true, true, undefined]);
  });
});

describe("a file that isn't what the service says", () => {
  test("is an error that names it, and nothing is written", async () => {
    const place = folder();
    try {
      // Its signed file is another one than the hash it states.
      await using stranger = await startIndependentService({ taste: { form: "extended" } });
      const id = stranger.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
      stranger.people.signAll(id);
      const found = sha256(Buffer.concat([PDF, Buffer.from("% signed\n")]));
      const { message, name } = await failure(
        downloadEvidence({ documentId: id, directory: place.directory, settings: settingsOf(stranger) }),
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
    await using world = await scene();
    await world.download();
    const before = world.read("original.pdf");
    world.service.faults.next({ kind: "status", status: 503, times: "always", match: { path: /signed\.pdf$/ } });
    expect((await failure(world.download())).name).toBe("ServiceFaultError");
    expect(world.read("original.pdf")).toEqual(before);
    expect(world.files()).toEqual(["evidence.json", "original.pdf", "signed.pdf"]);
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
      await using stranger = await startIndependentService({ taste: { downloads, form: "extended" } });
      const id = stranger.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
      const manifest = await downloadEvidence({
        documentId: id,
        directory: place.directory,
        settings: settingsOf(stranger),
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
  await using world = await scene();
  await world.download();
  using tsa = new Tsa();
  const constancia = tsa.stamp(world.read("signed.pdf"));
  world.service.certify(world.id, "nom151", { constancia: constancia.toString("base64") });
  const manifest = await world.download();
  expect(manifest.constancia).toMatchObject({ kind: "rfc3161", imprint: { matches: "signed" } });
  expect(world.read("constancia.asn1")).toEqual(constancia);
  expect(JSON.stringify(manifest)).not.toMatch(/"valid"/);
});

test("a constancia that isn't base64 is missing", async () => {
  await using world = await scene();
  world.service.certify(world.id, "nom151", { constancia: "«»" });
  const { missing } = await world.download();
  expect(missing.at(-1)).toEqual({ kind: "nom151", why: "what the service gives as the constancia isn't base64" });
});

describe("refused before anything is asked", () => {
  test.each([
    ["an id that walks elsewhere", { documentId: "../folders" }, /documentId must be 1 to 20 digits/],
    ["no folder", { directory: "" }, /directory: expected the path of a folder/],
  ])("%s", async (_name, args, message) => {
    await using world = await scene();
    const given = { documentId: world.id, directory: world.directory, settings: settingsOf(world.service), ...args };
    expect((await failure(downloadEvidence(given))).message).toMatch(message);
    expect(world.service.history).toEqual([]);
    expect(world.files()).toEqual([]);
  });

  test.each([
    ["another document's evidence", JSON.stringify({ documentId: "999", service: "https://x.example" })],
    ["something else", "no JSON"],
  ])("a folder with %s", async (_name, text) => {
    await using world = await scene();
    mkdirSync(world.directory, { recursive: true });
    writeFileSync(join(world.directory, "evidence.json"), text);
    expect((await failure(world.download())).message).toContain("give each document a directory of its own");
    expect(world.read("evidence.json").toString()).toBe(text);
  });

  test("missing settings, with how to set them", async () => {
    const given = { documentId: 7, directory: "nowhere", settings: { baseUrl: "https://x.example" } };
    expect((await failure(downloadEvidence(given))).message).toMatch(/docsign:apiKey is missing/);
  });
});

test("without settings of its own it takes the stack's", async () => {
  await using world = await scene();
  pulumi.runtime.setAllConfig({ "docsign:baseUrl": world.service.url, "docsign:apiKey": world.service.apiKey });
  const { service } = await downloadEvidence({ documentId: world.id, directory: world.directory });
  expect(service).toBe(world.service.url);
});

test("ended by its caller, it leaves no file behind", async () => {
  await using world = await scene();
  const aborted = AbortSignal.abort(new Error("enough"));
  const args = {
    documentId: world.id,
    directory: world.directory,
    settings: settingsOf(world.service),
    signal: aborted,
  };
  await failure(downloadEvidence(args));
  expect(world.files()).toEqual([]);
});
