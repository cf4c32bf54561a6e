import { CODE, type Status } from "./grpc.js";
import { type PartialFailure, UserError } from "./resource.js";
import { clipped, printable } from "./text.js";
import { Reader, Writer } from "./wire.js";

export type StatusName = keyof typeof CODE;

/** The request itself makes no sense, whatever the service holds. */
export class BadRequestError extends Error {
  override readonly name = "BadRequestError";
}

export class UnknownTokenError extends Error {
  override readonly name = "UnknownTokenError";
  constructor(provider: string, kind: "resource" | "function", token: string, known: readonly string[] = []) {
    const list = known.length > 0 ? ` It has ${known.join(", ")}.` : "";
    super(`pulumi-${provider} has no ${kind} '${token}'.${list}`);
  }
}

export class UnimplementedError extends Error {
  override readonly name = "UnimplementedError";
}

/**
 * The kit's own errors and their gRPC codes. UNKNOWN, INTERNAL and DATA_LOSS make the engine think that the state
 * of the resource is unknown (resourceStateAndError in its provider_plugin.go); all others that it is as before.
 */
const CODES: readonly (readonly [abstract new (...args: never) => Error, StatusName])[] = [
  [UserError, "FAILED_PRECONDITION"],
  [BadRequestError, "INVALID_ARGUMENT"],
  [UnknownTokenError, "NOT_FOUND"],
  [UnimplementedError, "UNIMPLEMENTED"],
];

/** How the layers below name their own errors' codes; undefined for an error they don't know. */
export type StatusOf = (error: unknown) => StatusName | undefined;

/** A `StatusOf` from a table by error name. Given a union of names, one without a code doesn't compile. */
export function statusByName<Name extends string>(table: Readonly<Record<Name, StatusName>>): StatusOf {
  const codes = new Map<string, StatusName>(Object.entries<StatusName>(table));
  return error => (error instanceof Error ? codes.get(error.name) : undefined);
}

export interface StatusOptions {
  /** Name of the package, for what is a bug in it. */
  readonly provider: string;
  /** Whether the call was cancelled: what then fails in an unknown way fails because of it. */
  readonly cancelled?: boolean;
  readonly statusOf?: StatusOf | undefined;
  /** Outputs that no refresh brings back. */
  readonly keptWhole?: ReadonlySet<string> | undefined;
  /** Takes secrets out of a text. */
  readonly redact?: (text: string) => string;
}

/** The engine reads up to 16 MB of headers in an answer (`defaultClientMaxHeaderListSize` of grpc-go): base64 makes 8 MB 11. */
const DETAILS_LIMIT = 8 * 1024 * 1024;
const MESSAGE_LIMIT = 12 * 1024;
const REASONS_LIMIT = 36 * 1024;

export function toStatus(error: unknown, options: StatusOptions): Status {
  const { redact = text => text } = options;
  if (error instanceof PartialCreation) {
    const reasons = error.reasons.map(reason => printable(redact(reason)));
    const details = shrunk(error, reasons, options.keptWhole);
    // State stays as it was.
    if (!details) return toStatus(new UserError(error.reasons.join("\n")), options);
    const message = clipped(reasons.join("\n"), 1024);
    return { code: CODE.UNKNOWN, message, details: initFailed(details, message) };
  }
  const known = options.statusOf?.(error) ?? CODES.find(([kind]) => error instanceof kind)?.[1];
  const isBug = known === undefined && !options.cancelled && !isAbort(error);
  const text = error instanceof Error ? error.message || error.name : String(error);
  const words = isBug ? `this is a bug in pulumi-${options.provider}, please report it: ${text}` : text;
  const code = CODE[known ?? (isBug ? "INTERNAL" : "CANCELLED")];
  return { code, message: clipped(printable(redact(words)), MESSAGE_LIMIT) };
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === "AbortError" || error.name === "CancelledError");

/** A PartialFailure with its values as written Structs. */
export class PartialCreation extends Error {
  override readonly name = "PartialCreation";
  readonly id: string;
  readonly reasons: readonly string[];
  constructor(
    failure: PartialFailure,
    readonly properties: Buffer,
    readonly inputs: Buffer,
  ) {
    super(failure.message, { cause: failure.cause });
    this.id = failure.id;
    this.reasons = failure.reasons;
  }
}

/** The engine keeps a resource whose error carries these details, under the id and with the properties in them. */
function initFailed(details: Buffer, message: string): Buffer {
  const status = new Writer().integer(1, CODE.UNKNOWN).text(2, clipped(message, 256));
  const any = status.begin(3);
  status.text(1, "type.googleapis.com/pulumirpc.ErrorResourceInitFailed").bytes(2, details).end(any);
  return status.finish();
}

function errorResourceInitFailed(id: string, properties: Buffer, reasons: readonly string[], inputs?: Buffer): Buffer {
  const writer = new Writer().text(1, id).bytes(2, properties);
  for (const reason of reasons) writer.text(3, reason);
  if (inputs) writer.bytes(4, inputs);
  return writer.finish();
}

/**
 * Keeps the id whatever else has to go: words that nobody reads to their end, then the inputs (the engine has its own, it
 * reads them after a Read only), then the largest outputs, which the next refresh brings back. Undefined where one would
 * have to go that nothing brings back.
 */
function shrunk(
  { id, properties, inputs }: PartialCreation,
  reasons: readonly string[],
  keptWhole: ReadonlySet<string> = new Set(),
): Buffer | undefined {
  const isLong = Buffer.byteLength(reasons.join("")) > REASONS_LIMIT;
  const words = isLong
    ? reasons.slice(0, 20).map(reason => clipped(reason, Math.max(500, 8_000 / reasons.length)))
    : [...reasons];
  let detail = errorResourceInitFailed(id, properties, words, inputs);
  if (detail.length <= DETAILS_LIMIT) return detail;
  const kept = new Set(outputsIn(properties));
  const written = () => {
    const struct = new Writer();
    for (const { entry } of kept) struct.bytes(1, entry);
    return errorResourceInitFailed(id, struct.finish(), words);
  };
  detail = written();
  const bySize = [...kept].sort((a, b) => b.entry.length - a.entry.length);
  for (const output of bySize.filter(({ name }) => !keptWhole.has(name))) {
    if (detail.length <= DETAILS_LIMIT) break;
    kept.delete(output);
    words.push(`'${output.name}' is too large to be kept after a failure; \`pulumi refresh\` reads it again.`);
    detail = written();
  }
  return detail.length > DETAILS_LIMIT && bySize.some(({ name }) => keptWhole.has(name)) ? undefined : detail;
}

/** A Struct's fields, each as it is written. */
function outputsIn(struct: Buffer): { name: string; entry: Buffer }[] {
  const outputs: { name: string; entry: Buffer }[] = [];
  const reader = new Reader(struct);
  while (reader.next() !== 0) {
    const entry = reader.bytes();
    const key = new Reader(entry);
    outputs.push({ name: key.next() === 1 ? key.text() : "", entry });
  }
  return outputs;
}
