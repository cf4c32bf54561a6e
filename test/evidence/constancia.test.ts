import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConstancia } from "../../provider/evidence/constancia.js";
import { hasOpenssl, Tsa } from "./tsa.js";

const ORIGINAL = Buffer.from("%PDF-1.7 original");
const SIGNED = Buffer.from("%PDF-1.7 signed");
const UNTRUSTED = "that its certificate belongs to an authority anybody trusts, and wasn't revoked";

let folder: string;
let subjects: { original: string; signed: string };
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "docsign-constancia-"));
  subjects = { original: join(folder, "original.pdf"), signed: join(folder, "signed.pdf") };
  writeFileSync(subjects.original, ORIGINAL);
  writeFileSync(subjects.signed, SIGNED);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const der = (tag: number, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};

test.each([
  ["nothing", Buffer.alloc(0), "it isn't ASN.1"],
  ["text", Buffer.from("constancia"), "it isn't ASN.1"],
  ["random bytes", createHash("sha512").update("x").digest(), "it isn't ASN.1"],
  [
    "a sequence of numbers",
    der(0x30, der(2, Buffer.from([1])), der(2, Buffer.from([2]))),
    "it is ASN.1, but no RFC 3161 timestamp",
  ],
  ["two of them", Buffer.concat([der(0x30), der(0x30)]), "it is ASN.1 followed by something else"],
  [
    "a refusal",
    der(0x30, der(0x30, der(2, Buffer.from([2])))),
    "it is an RFC 3161 response without a timestamp (status 2)",
  ],
])("%s is invalid, or opaque where it is ASN.1", async (_name, bytes, why) => {
  const { constancia, verified, proven } = await readConstancia(bytes, subjects);
  const isAsn1 = !/isn't ASN.1|something else/.test(why);
  expect(verified).toEqual(isAsn1 ? ["it is ASN.1"] : []);
  expect(proven).toBe(isAsn1);
  expect(constancia).toEqual({ kind: isAsn1 ? "opaque" : "invalid", why: expect.stringMatching(/^it is/) });
  if (_name !== "random bytes" && _name !== "text") expect(constancia).toMatchObject({ why });
});

describe.skipIf(!hasOpenssl())("an RFC 3161 timestamp", () => {
  let tsa: Tsa;
  beforeAll(() => {
    tsa = new Tsa();
  });
  afterAll(() => tsa[Symbol.dispose]());

  test.each([
    ["token", "TimeStampToken"],
    ["response", "TimeStampResp"],
  ] as const)("a %s has its time, its issuer and what it is about", async (form, named) => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const { constancia, verified, notVerified } = await readConstancia(tsa.stamp(SIGNED, { form }), subjects);
    const name = "C=MX, O=Sandbox TSA, CN=TSA Uno";
    expect(constancia).toMatchObject({
      ...{ kind: "rfc3161", form: named, policy: "1.2.3.4.1", tsa: name },
      ...{ signer: { subject: name, issuer: name }, signature: "fits its certificate" },
      imprint: { algorithm: "sha256", hash: createHash("sha256").update(SIGNED).digest("hex"), matches: "signed" },
    });
    if (constancia.kind !== "rfc3161") throw new Error("opaque");
    expect(Date.parse(constancia.time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(constancia.time)).toBeLessThanOrEqual(Date.now() + 1000);
    expect(verified).toEqual([
      "it is an RFC 3161 timestamp",
      "its imprint is the sha256 of signed.pdf",
      "its signature was made with the key of the certificate it carries",
    ]);
    expect(notVerified).toEqual([UNTRUSTED]);
  });

  test("of the original, with another hash", async () => {
    const { constancia } = await readConstancia(tsa.stamp(ORIGINAL, { hash: "sha512" }), subjects);
    expect(constancia).toMatchObject({
      imprint: { algorithm: "sha512", matches: "original" },
      signature: "fits its certificate",
    });
  });

  test("of something else matches neither, and its signature isn't looked at", async () => {
    const { constancia, notVerified } = await readConstancia(tsa.stamp(Buffer.from("else")), subjects);
    expect(constancia).toMatchObject({ imprint: { matches: "neither" }, signature: "not checked" });
    expect(notVerified).toEqual([
      "that it is about this document: its imprint is of none of the files",
      "its signature",
      UNTRUSTED,
    ]);
  });

  test("whose signature was tampered with says so", async () => {
    const token = tsa.stamp(SIGNED);
    // The signature is the last value of the token.
    token.writeUInt8((token.at(-1) ?? 0) ^ 1, token.length - 1);
    const { constancia, verified } = await readConstancia(token, subjects);
    expect(constancia).toMatchObject({ imprint: { matches: "signed" }, signature: "doesn't fit its certificate" });
    expect(verified.join()).not.toContain("signature");
  });

  test("whose time was tampered with says so", async () => {
    const token = tsa.stamp(SIGNED);
    const time = token.indexOf("Z", token.indexOf(createHash("sha256").update(SIGNED).digest()));
    token.write("0", time - 1, "latin1");
    token.write("1", time - 2, "latin1");
    token.write("1", time - 3, "latin1");
    const { constancia } = await readConstancia(token, subjects);
    expect(constancia).toMatchObject({ signature: "doesn't fit its certificate" });
  });

  test("cut short anywhere is invalid, never a crash", async () => {
    const token = tsa.stamp(SIGNED);
    for (let length = 0; length < token.length; length += 37) {
      const { constancia } = await readConstancia(token.subarray(0, length), subjects);
      expect(constancia.kind).toBe("invalid");
    }
  });
});
