/** Protobuf's wire format, as much of it as the engine's messages take: https://protobuf.dev/programming-guides/encoding */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Reads a message field by field; a field that isn't read is skipped. */
export class Reader {
  #at = 0;
  /** Where the bytes that were read last begin. */
  #start = 0;
  /** Of the field whose value wasn't read yet. */
  #type: number | undefined;

  constructor(private readonly message: Buffer) {}

  /** The next field's number; 0 at the end. */
  next(): number {
    if (this.#type !== undefined) this.#skip();
    if (this.#at >= this.message.length) return 0;
    const tag = this.#number();
    this.#type = tag & 7;
    return Math.floor(tag / 8);
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  bool(): boolean {
    return this.integer() !== 0;
  }

  /** As far as a number holds it, with its sign. */
  integer(): number {
    this.#begin(VARINT);
    const end = this.#at + 10;
    let value = 0n;
    for (let shift = 0n; this.#at < end; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
    throw malformed();
  }

  double(): number {
    this.#begin(FIXED64);
    this.#move(8);
    return this.message.readDoubleLE(this.#at - 8);
  }

  /** A part of the message, which isn't copied. */
  bytes(): Buffer {
    this.#begin(BYTES);
    this.#move(this.#number());
    return this.message.subarray(this.#start, this.#at);
  }

  #move(length: number): void {
    this.#start = this.#at;
    this.#at += length;
    if (this.#at > this.message.length) throw malformed();
  }

  #begin(type: number): void {
    if (this.#type !== type) throw malformed();
    this.#type = undefined;
  }

  #skip(): void {
    if (this.#type === VARINT) this.integer();
    else if (this.#type === FIXED64) this.double();
    else if (this.#type === BYTES) this.bytes();
    else {
      this.#begin(FIXED32);
      this.#move(4);
    }
  }

  /** A tag or a length. */
  #number(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 35; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw malformed();
  }

  #byte(): number {
    const byte = this.message[this.#at++];
    if (byte === undefined) throw malformed();
    return byte;
  }
}

const malformed = (): Error => new Error("expected a protobuf message, got bytes that aren't one");

/** Writes a message. Fields that hold their type's zero may be left out. */
export class Writer {
  #bytes = Buffer.allocUnsafe(1024);
  #at = 0;

  text(field: number, text: string): this {
    const length = Buffer.byteLength(text);
    this.#prefix(field, length);
    this.#at += this.#bytes.write(text, this.#at, length);
    return this;
  }

  /** A message that was written before. */
  bytes(field: number, bytes: Uint8Array): this {
    this.#prefix(field, bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  bool(field: number, value: boolean): this {
    return this.integer(field, Number(value));
  }

  integer(field: number, value: number): this {
    this.#reserve(20);
    this.#number(field * 8 + VARINT);
    this.#number(value);
    return this;
  }

  double(field: number, value: number): this {
    this.#reserve(20);
    this.#number(field * 8 + FIXED64);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
    return this;
  }

  /** A message of its own; `end` takes what this answers. */
  begin(field: number): number {
    this.#reserve(20);
    this.#number(field * 8 + BYTES);
    // Room for a short length; `end` makes more where it takes more.
    this.#at++;
    return this.#at;
  }

  end(start: number): this {
    const length = this.#at - start;
    const more = sizeOf(length) - 1;
    this.#reserve(more);
    if (more > 0) this.#bytes.copyWithin(start + more, start, this.#at);
    this.#at = start - 1;
    this.#number(length);
    this.#at += length;
    return this;
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #prefix(field: number, length: number): void {
    this.#reserve(20 + length);
    this.#number(field * 8 + BYTES);
    this.#number(length);
  }

  #number(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function sizeOf(length: number): number {
  let size = 1;
  for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}
