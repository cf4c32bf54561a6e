/**
 * The one codec between protobuf Structs and plain values. The marks are the engine's, from its
 * sdk/go/common/resource/sig/sig.go and plugin/rpc.go.
 */

import type { Struct } from "./messages.js";
import { bareRecord } from "./records.js";
import type { Bag, Path } from "./secrets.js";
import { BadRequestError } from "./status.js";
import { Archive, Asset, UNKNOWN, UNKNOWN_STRING, UNKNOWNS, type Value, type Values } from "./values.js";
import { Reader, Writer } from "./wire.js";

export const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const SECRET = "1b47061264138c4ac30d75fd1eb44270";
export const RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e";
export const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
export const ASSET = "c44067f5952c0a294b673a41bacd8c17";
export const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";

export function decode(struct: Struct | undefined): Bag {
  const secrets: Path[] = [];
  const decoder = new Decoder(secrets);
  return { values: struct ? decoder.fields(entriesOf(struct)) : {}, secrets };
}

/** A field of a struct, and its Value's message. */
type Entry = readonly [name: string, value: Buffer];

/** By name: the engine writes them in another order each time, and what is made of them must stay the same. */
function entriesOf(struct: Struct): Entry[] {
  const entries: Entry[] = [];
  const reader = new Reader(struct);
  while (reader.next() !== 0) {
    const entry = new Reader(reader.bytes());
    let name = "";
    let value: Buffer = NO_KIND;
    for (let number = entry.next(); number !== 0; number = entry.next()) {
      if (number === 1) name = entry.text();
      else if (number === 2) value = entry.bytes();
    }
    entries.push([name, value]);
  }
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
}

const NO_KIND = Buffer.alloc(0);
/** More than any program has, and far from where the stack ends. */
const MOST_DEPTH = 500;

class Decoder {
  readonly #path: (string | number)[] = [];

  /** `secrets` is undefined inside a secret: what is below one is covered by it. */
  constructor(
    private secrets: Path[] | undefined,
    private depth = 0,
  ) {}

  fields(entries: readonly Entry[]): Values {
    const values: Values = bareRecord();
    for (const [name, value] of entries) values[name] = this.#at(name, value);
    return values;
  }

  #at(key: string | number, value: Buffer): Value {
    this.#path.push(key);
    const decoded = this.#value(value);
    this.#path.pop();
    return decoded;
  }

  #value(message: Buffer): Value {
    if (this.depth > MOST_DEPTH)
      throw new BadRequestError(`expected values nested at most ${MOST_DEPTH} deep, got more`);
    this.depth++;
    const reader = new Reader(message);
    let value: Value = null;
    for (let kind = reader.next(); kind !== 0; kind = reader.next()) {
      if (kind === 2) value = reader.double();
      else if (kind === 3) value = known(reader.text());
      else if (kind === 4) value = reader.bool();
      else if (kind === 5) value = this.#struct(entriesOf(reader.bytes()));
      else if (kind === 6) value = this.#list(new Reader(reader.bytes()));
    }
    this.depth--;
    return value;
  }

  #list(reader: Reader): Value[] {
    const values: Value[] = [];
    while (reader.next() !== 0) values.push(this.#at(values.length, reader.bytes()));
    return values;
  }

  #struct(entries: readonly Entry[]): Value {
    if (!entries.some(([name]) => name === SIGNATURE)) return this.fields(entries);
    const fields = new Map(entries);
    const plain = (name: string) => {
      const value = fields.get(name);
      return value && new Decoder(undefined, this.depth).#value(value);
    };
    const text = (name: string) => {
      const value = plain(name);
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    switch (text(SIGNATURE)) {
      case SECRET:
        return this.#inner(fields.get("value"), true) ?? null;
      case OUTPUT:
        return this.#inner(fields.get("value"), plain("secret") === true) ?? UNKNOWN;
      case ASSET:
        return new Asset({ hash: text("hash"), path: text("path"), text: text("text"), uri: text("uri") });
      case ARCHIVE:
        return new Archive(text("hash"));
      case RESOURCE: {
        // As the engine does for providers that don't accept resources: the id, or a component's URN.
        const id = fields.get("id");
        if (!id) return text("urn") ?? null;
        const decoded = this.#value(id);
        return decoded === "" ? UNKNOWN : decoded;
      }
      default:
        return this.fields(entries);
    }
  }

  #inner(value: Buffer | undefined, isSecret: boolean): Value | undefined {
    if (!isSecret) return value && this.#value(value);
    this.secrets?.push([...this.#path]);
    const inside = new Decoder(undefined, this.depth);
    return value && inside.#value(value);
  }
}

const known = (text: string): Value => (UNKNOWNS.has(text) ? UNKNOWN : text);

/** Where to wrap: a tree of the secret paths. */
interface Marks {
  secret: boolean;
  readonly below: Map<string, Marks>;
}

export interface EncodeOptions {
  /** Each is wrapped where it points to, or else at its nearest ancestor that exists. */
  readonly secrets?: readonly Path[];
  /** Outside a preview the engine refuses an answer that holds an unknown, and with it the resource's id. */
  readonly unknowns?: "keep" | "omit";
}

/**
 * Never throws, whatever a resource hands over: by the time of encoding what was asked for may
 * exist, and its id must reach the state. What JSON can't hold is left out or written as text.
 */
export function encode(values: Values, { secrets = [], unknowns = "keep" }: EncodeOptions = {}): Struct {
  const encoder = new Encoder(unknowns === "keep");
  encoder.fields(values, marksOf(secrets));
  return encoder.writer.finish();
}

function marksOf(paths: readonly Path[]): Marks {
  const root: Marks = { secret: false, below: new Map() };
  for (const path of paths) {
    if (path.length === 0) continue;
    let marks = root;
    for (const key of path) {
      const next = marks.below.get(String(key)) ?? { secret: false, below: new Map() };
      marks.below.set(String(key), next);
      marks = next;
    }
    marks.secret = true;
  }
  return root;
}

class Encoder {
  readonly writer = new Writer();

  constructor(private readonly keepsUnknowns: boolean) {}

  fields(values: object, marks: Marks | undefined): void {
    for (const [name, value] of Object.entries(values)) {
      if (this.#isSent(value)) this.#field(name, value, marks?.below.get(name));
    }
  }

  #isSent(value: unknown): boolean {
    if (value === UNKNOWN) return this.keepsUnknowns;
    return !["undefined", "function", "symbol"].includes(typeof value);
  }

  #field(name: string, value: unknown, marks?: Marks): void {
    const { writer } = this;
    const entry = writer.begin(1);
    writer.text(1, wellFormed(name));
    const start = writer.begin(2);
    this.#value(value, marks);
    writer.end(start).end(entry);
  }

  #value(value: unknown, marks: Marks | undefined): void {
    const { writer } = this;
    if (marks && (marks.secret || !reaches(value, marks))) this.#signed(SECRET, { value });
    else if (value === UNKNOWN) writer.text(3, UNKNOWN_STRING);
    else if (value instanceof Asset) this.#signed(ASSET, value);
    else if (value instanceof Archive) this.#signed(ARCHIVE, value);
    else if (value instanceof Date) writer.text(3, Number.isNaN(value.getTime()) ? "" : value.toISOString());
    else if (Array.isArray(value)) this.#list(value, marks);
    else if (typeof value === "object" && value !== null) {
      const start = writer.begin(5);
      this.fields(value, marks);
      writer.end(start);
    } else if (typeof value === "boolean") writer.bool(4, value);
    // The engine's state is JSON, which has no NaN and no infinity: writing it would fail.
    else if (typeof value === "number" && Number.isFinite(value)) writer.double(2, value);
    else if (typeof value === "bigint") writer.text(3, String(value));
    else if (typeof value === "string") writer.text(3, wellFormed(value));
    else writer.integer(1, 0);
  }

  #list(values: readonly unknown[], marks: Marks | undefined): void {
    const { writer } = this;
    const list = writer.begin(6);
    for (const [i, value] of values.entries()) {
      const start = writer.begin(1);
      this.#value(this.#isSent(value) ? value : null, marks?.below.get(String(i)));
      writer.end(start);
    }
    writer.end(list);
  }

  #signed(signature: string, content: object): void {
    const start = this.writer.begin(5);
    this.#field(SIGNATURE, signature);
    this.fields(content, undefined);
    this.writer.end(start);
  }
}

/** Whether everything marked below a value exists in it. */
function reaches(value: unknown, marks: Marks): boolean {
  if (marks.below.size === 0) return true;
  if (typeof value !== "object" || value === null || value instanceof Asset || value instanceof Archive) return false;
  return [...marks.below.keys()].every(
    key => Object.hasOwn(value, key) && (value as Record<string, unknown>)[key] !== undefined,
  );
}

/** UTF-8 has no lone surrogates, and Go refuses a message whose text isn't UTF-8. */
const wellFormed = (text: string): string => text.toWellFormed();
