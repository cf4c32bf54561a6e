/** Just enough ASN.1 DER to make a constancia that parses. It is no RFC 3161 token and proves nothing. */

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const digits = size.toString(16);
  const bytes = Buffer.from(digits.length % 2 ? `0${digits}` : digits, "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

const sequence = (...parts: Buffer[]) => element(0x30, Buffer.concat(parts));
const integer = (value: number) => element(0x02, Buffer.from([value]));
const octets = (bytes: Buffer) => element(0x04, bytes);
const nothing = () => element(0x05, Buffer.alloc(0));
const text = (value: string) => element(0x0c, Buffer.from(value, "utf8"));
const generalizedTime = (time: number) =>
  element(0x18, Buffer.from(`${new Date(time).toISOString().replace(/\D/g, "").slice(0, 14)}Z`, "latin1"));

/** 2.16.840.1.101.3.4.2.1, SHA-256 */
const sha256Identifier = element(0x06, Buffer.from("608648016503040201", "hex"));

export function makeConstancia(sha256: string, time: number): string {
  const imprint = sequence(sequence(sha256Identifier, nothing()), octets(Buffer.from(sha256, "hex")));
  return sequence(integer(1), imprint, generalizedTime(time), text("docsign sandbox")).toString("base64");
}
