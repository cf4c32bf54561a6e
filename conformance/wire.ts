/** Protobuf messages as bytes: the same fields in another order, and fields that nobody knows. */

/** The fields of a message whose fields all have a length, in the opposite order, and the entries of its inputs (field 3) as well. */
export function reversed(message: Buffer): Buffer {
  const fields = [...split(message)].map(({ number, whole, inner }) => {
    if (number !== 3) return whole;
    const turned = Buffer.concat([...split(inner)].map(entry => entry.whole).reverse());
    return Buffer.concat([whole.subarray(0, whole.length - inner.length), turned]);
  });
  return Buffer.concat(fields.reverse());
}

function* split(message: Buffer): Generator<{ number: number; whole: Buffer; inner: Buffer }> {
  for (let at = 0; at < message.length; ) {
    const tag = varint(message, at);
    const length = varint(message, tag.end);
    const end = length.end + length.value;
    yield { number: tag.value >>> 3, whole: message.subarray(at, end), inner: message.subarray(length.end, end) };
    at = end;
  }
}

function varint(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: at + 1 };
  }
}

const LAST = 536_870_911;
const tag = (number: number, type: number): Buffer => {
  const bytes: number[] = [];
  for (let rest = number * 8 + type; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
};

/** A field of each form that protobuf has, under numbers that no message uses. */
const UNKNOWN_FIELDS = Buffer.concat([
  tag(LAST, 0),
  Buffer.from([1]),
  tag(LAST - 1, 1),
  Buffer.alloc(8, 7),
  tag(LAST - 2, 2),
  Buffer.from([3, 0x61, 0x62, 0x63]),
  tag(LAST - 3, 5),
  Buffer.alloc(4, 7),
]);

/** The message as a newer engine might send it. */
export const newer = (message: Uint8Array): Buffer => Buffer.concat([message, UNKNOWN_FIELDS]);

export const isNewer = (message: Buffer): boolean => message.subarray(-UNKNOWN_FIELDS.length).equals(UNKNOWN_FIELDS);
