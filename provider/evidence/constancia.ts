import { createHash, getHashes } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import * as asn1js from "asn1js";
import * as pkijs from "pkijs";
import { own } from "../../kit/records.js";
import type { Constancia, TimestampConstancia } from "./types.js";

/** Hash algorithms by object identifier. */
const HASHES: Readonly<Record<string, string>> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.4": "sha224",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
  "2.16.840.1.101.3.4.2.8": "sha3-256",
  "2.16.840.1.101.3.4.2.9": "sha3-384",
  "2.16.840.1.101.3.4.2.10": "sha3-512",
};

const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";

const NAMES: Readonly<Record<string, string>> = {
  ...{ "2.5.4.3": "CN", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST" },
  ...{ "2.5.4.5": "serialNumber", "1.2.840.113549.1.9.1": "emailAddress" },
};

/** The files that the constancia may be about: the path of each, or its bytes. */
export interface Subjects {
  readonly original: string | Uint8Array | undefined;
  readonly signed: string | Uint8Array | undefined;
}

export interface ConstanciaReading {
  readonly constancia: Constancia;
  /** Whether nothing in it speaks against its being about this document. */
  readonly proven: boolean;
  readonly verified: string[];
  readonly notVerified: string[];
}

/** What a constancia says, if it is an RFC 3161 timestamp. Its issuer is nobody this machine knows to trust. */
export async function readConstancia(bytes: Uint8Array, subjects: Subjects): Promise<ConstanciaReading> {
  const found = tokenIn(bytes);
  if ("invalid" in found) return invalid(found.invalid);
  if ("why" in found) return opaque(found.why);
  const { token, info, form } = found;
  const oid = info.messageImprint.hashAlgorithm.algorithmId;
  const algorithm = own(HASHES, oid) ?? oid;
  const hash = hex(info.messageImprint.hashedMessage.valueBlock.valueHexView);
  const matches = await matching(algorithm, hash, subjects);
  const subject = matches === "original" || matches === "signed" ? subjects[matches] : undefined;
  const signature = subject === undefined ? "not checked" : await signatureOf(token, subject);
  const signer = signerOf(token);
  const tsa = info.tsa?.type === 4 ? nameOf(info.tsa.value) : undefined;
  const constancia: TimestampConstancia = {
    ...{ kind: "rfc3161", form, time: info.genTime.toISOString() },
    ...{ serialNumber: hex(info.serialNumber.valueBlock.valueHexView), policy: info.policy },
    ...(tsa === undefined ? {} : { tsa }),
    ...(signer === undefined ? {} : { signer }),
    ...{ imprint: { algorithm, hash, matches }, signature },
  };
  const verified = ["it is an RFC 3161 timestamp"];
  if (subject !== undefined) verified.push(`its imprint is the ${algorithm} of ${matches}.pdf`);
  if (signature === "fits its certificate")
    verified.push("its signature was made with the key of the certificate it carries");
  const notVerified = ["that its certificate belongs to an authority anybody trusts, and wasn't revoked"];
  if (signature !== "fits its certificate") notVerified.unshift("its signature");
  if (subject === undefined)
    notVerified.unshift(
      `that it is about this document: its imprint is ${matches === "unknown" ? "of an unknown algorithm" : "of none of the files"}`,
    );
  return { constancia, proven: subject !== undefined && signature === "fits its certificate", verified, notVerified };
}

const invalid = (why: string): ConstanciaReading => ({
  ...{ constancia: { kind: "invalid", why }, proven: false, verified: [] },
  notVerified: [`anything: ${why}`],
});

const opaque = (why: string): ConstanciaReading => ({
  constancia: { kind: "opaque", why },
  // The interface promises ASN.1 and no more.
  proven: true,
  verified: ["it is ASN.1"],
  notVerified: [`what it says: ${why}`],
});

interface Token {
  readonly token: pkijs.SignedData;
  readonly info: pkijs.TSTInfo;
  readonly form: TimestampConstancia["form"];
}

function tokenIn(bytes: Uint8Array): Token | { why: string } | { invalid: string } {
  const { TimeStampResp, ContentInfo, SignedData, TSTInfo } = pkijs;
  const parsed = attempt(() => asn1js.fromBER(bytes));
  if (!parsed || parsed.offset === -1) return { invalid: "it isn't ASN.1" };
  if (parsed.offset !== bytes.length) return { invalid: "it is ASN.1 followed by something else" };
  const response = attempt(() => new TimeStampResp({ schema: parsed.result }));
  const content = response ? response.timeStampToken : attempt(() => new ContentInfo({ schema: parsed.result }));
  if (response && !content)
    return { why: `it is an RFC 3161 response without a timestamp (status ${response.status.status})` };
  if (content?.contentType !== pkijs.id_ContentType_SignedData)
    return { why: "it is ASN.1, but no RFC 3161 timestamp" };
  const token = attempt(() => new SignedData({ schema: content.content }));
  if (token?.encapContentInfo.eContentType !== pkijs.id_eContentType_TSTInfo)
    return { why: "it is signed data, but no RFC 3161 timestamp" };
  const info = attempt(() => TSTInfo.fromBER(token.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0)));
  if (!info || Number.isNaN(info.genTime.getTime()))
    return { why: "it looks like an RFC 3161 timestamp, and its content can't be read" };
  return { token, info, form: response ? "TimeStampResp" : "TimeStampToken" };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

async function matching(
  algorithm: string,
  hash: string,
  subjects: Subjects,
): Promise<TimestampConstancia["imprint"]["matches"]> {
  if (!getHashes().some(known => known.toLowerCase() === algorithm)) return "unknown";
  for (const name of ["signed", "original"] as const) {
    const subject = subjects[name];
    if (subject === undefined) continue;
    const digest = createHash(algorithm);
    for await (const chunk of typeof subject === "string" ? createReadStream(subject) : [subject])
      digest.update(chunk as Uint8Array);
    if (digest.digest("hex") === hash) return name;
  }
  return "neither";
}

/** Whether the signature, and all that it signs, fit the certificate that comes with it. */
async function signatureOf(
  token: pkijs.SignedData,
  subject: string | Uint8Array,
): Promise<TimestampConstancia["signature"]> {
  if (token.signerInfos.length !== 1 || !token.certificates?.length) return "not checked";
  if (!digestFits(token)) return "doesn't fit its certificate";
  const bytes = typeof subject === "string" ? await readFile(subject) : subject;
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  try {
    const fits = await token.verify({ signer: 0, data, checkChain: false });
    return fits ? "fits its certificate" : "doesn't fit its certificate";
  } catch (error) {
    const refuted = (error as { signatureVerified?: unknown }).signatureVerified === false;
    return refuted ? "doesn't fit its certificate" : "not checked";
  }
}

/** Whether the token's content is what its signature covers: the attribute `messageDigest`, where there is one. */
function digestFits({ signerInfos, encapContentInfo }: pkijs.SignedData): boolean {
  const [signer] = signerInfos;
  const value = signer?.signedAttrs?.attributes.find(({ type }) => type === MESSAGE_DIGEST)?.values[0];
  const algorithm = own(HASHES, signer?.digestAlgorithm.algorithmId ?? "");
  if (value === undefined || algorithm === undefined) return true;
  const content = new Uint8Array(encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0));
  return createHash(algorithm).update(content).digest("hex") === hex(value.valueBlock.valueHexView);
}

function signerOf(token: pkijs.SignedData): TimestampConstancia["signer"] {
  const sid = token.signerInfos[0]?.sid;
  if (!(sid instanceof pkijs.IssuerAndSerialNumber)) return undefined;
  const certificate = token.certificates?.find(
    each => each instanceof pkijs.Certificate && each.serialNumber.isEqual(sid.serialNumber),
  );
  if (!(certificate instanceof pkijs.Certificate)) return undefined;
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    serialNumber: hex(certificate.serialNumber.valueBlock.valueHexView),
    notBefore: certificate.notBefore.value.toISOString(),
    notAfter: certificate.notAfter.value.toISOString(),
  };
}

const nameOf = (name: pkijs.RelativeDistinguishedNames): string =>
  name.typesAndValues
    .map(({ type, value }) => `${own(NAMES, type) ?? type}=${String(value.valueBlock.value)}`)
    .join(", ");

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
