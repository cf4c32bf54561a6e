import { status as grpcStatus, Metadata, type ServiceError } from "@grpc/grpc-js";
import { clipped, printable } from "../core/text.js";
import { type PartialFailure, UserError } from "../resources/resource.js";
import { Any, rpc, rpcStatus, type StructMessage } from "./proto.js";

export type StatusName = Exclude<keyof typeof grpcStatus, "OK">;

/** The request itself makes no sense, whatever the service holds. */
export class BadRequestError extends Error {
  override readonly name = "BadRequestError";
}

/** A type or function this provider doesn't have. */
export class UnknownTokenError extends Error {
  override readonly name = "UnknownTokenError";
  constructor(kind: "resource" | "function", token: string, known: readonly string[] = []) {
    const list = known.length > 0 ? ` It has ${known.join(", ")}.` : "";
    super(`pulumi-docsign has no ${kind} '${token}'.${list}`);
  }
}

/** A part of the protocol this provider leaves out. */
export class UnimplementedError extends Error {
  override readonly name = "UnimplementedError";
}

/**
 * Every kind of error and its gRPC code. UNKNOWN, INTERNAL and DATA_LOSS make the engine think that the state
 * of the resource is unknown (resourceStateAndError in its provider_plugin.go); all others that it is as before.
 */
const CODES = {
  user: "FAILED_PRECONDITION",
  badRequest: "INVALID_ARGUMENT",
  unknownToken: "NOT_FOUND",
  unimplemented: "UNIMPLEMENTED",
  cancelled: "CANCELLED",
  partial: "UNKNOWN",
  bug: "INTERNAL",
} as const satisfies Record<string, StatusName>;

type Kind = keyof typeof CODES;

/** How the layers below name their own errors' codes; undefined for an error they don't know. */
export type StatusOf = (error: unknown) => StatusName | undefined;

/** A `StatusOf` from a table by error name. Given a union of names, one without a code doesn't compile. */
export function statusByName<Name extends string>(table: Readonly<Record<Name, StatusName>>): StatusOf {
  const codes = new Map<string, StatusName>(Object.entries<StatusName>(table));
  return error => (error instanceof Error ? codes.get(error.name) : undefined);
}

export interface StatusOptions {
  /** Whether the call was cancelled: what then fails in an unknown way fails because of it. */
  readonly cancelled?: boolean;
  readonly statusOf?: StatusOf | undefined;
  /** Takes secrets out of a text. */
  readonly redact?: (text: string) => string;
}

/** Where the sum of an answer's headers exceeds 64 KB, HTTP/2 libraries refuse to send it: base64 makes 36 KB 48. */
const DETAILS_LIMIT = 36 * 1024;
const MESSAGE_LIMIT = 12 * 1024;

/** An error as gRPC carries it. */
export function toStatus(
  error: unknown,
  options: StatusOptions = {},
): Pick<ServiceError, "code" | "details" | "metadata"> {
  const { redact = text => text } = options;
  if (error instanceof PartialCreation) {
    const reasons = error.reasons.map(reason => printable(redact(reason)));
    const message = clipped(reasons.join("\n"), 1024);
    return { code: grpcStatus[CODES.partial], details: message, metadata: initFailed(error, reasons, message) };
  }
  const kind = options.statusOf?.(error) ?? kindOf(error, options.cancelled ?? false);
  const text = error instanceof Error ? error.message || error.name : String(error);
  const message = kind === "bug" ? `this is a bug in pulumi-docsign, please report it: ${text}` : text;
  const code = grpcStatus[isKind(kind) ? CODES[kind] : kind];
  return { code, details: clipped(printable(redact(message)), MESSAGE_LIMIT), metadata: new Metadata() };
}

const isKind = (name: Kind | StatusName): name is Kind => Object.hasOwn(CODES, name);

function kindOf(error: unknown, cancelled: boolean): Kind {
  if (error instanceof UserError) return "user";
  if (error instanceof BadRequestError) return "badRequest";
  if (error instanceof UnknownTokenError) return "unknownToken";
  if (error instanceof UnimplementedError) return "unimplemented";
  const aborted = error instanceof Error && (error.name === "AbortError" || error.name === "CancelledError");
  return aborted || cancelled ? "cancelled" : "bug";
}

/** A PartialFailure with its values as protobuf. */
export class PartialCreation extends Error {
  override readonly name = "PartialCreation";
  readonly id: string;
  readonly reasons: readonly string[];
  constructor(
    failure: PartialFailure,
    readonly properties: StructMessage,
    readonly inputs: StructMessage,
  ) {
    super(failure.message);
    this.id = failure.id;
    this.reasons = failure.reasons;
  }
}

/** The engine keeps a resource whose error carries these details, under the id and with the properties in them. */
function initFailed(failure: PartialCreation, reasons: readonly string[], message: string): Metadata {
  const detail = new rpc.ErrorResourceInitFailed()
    .setId(failure.id)
    .setProperties(failure.properties)
    .setInputs(failure.inputs)
    .setReasonsList([...reasons]);
  shrink(detail);
  const any = new Any();
  any.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new rpcStatus.Status();
  status.setCode(grpcStatus[CODES.partial]);
  status.setMessage(clipped(message, 256));
  status.addDetails(any);
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return metadata;
}

/**
 * Keeps the id whatever else has to go: first words, then the inputs (the engine has its own, it reads them
 * after a Read only), then the largest outputs, which the next refresh brings back.
 */
function shrink(detail: InstanceType<typeof rpc.ErrorResourceInitFailed>): void {
  const fits = () => detail.serializeBinary().length <= DETAILS_LIMIT;
  if (fits()) return;
  const reasons = detail.getReasonsList();
  detail.setReasonsList(reasons.slice(0, 20).map(reason => clipped(reason, Math.max(500, 8_000 / reasons.length))));
  if (fits()) return;
  detail.clearInputs();
  const fields = detail.getProperties()?.getFieldsMap();
  const sizes: { name: string; size: number }[] = [];
  fields?.forEach((value, name) => {
    sizes.push({ name, size: value.serializeBinary().length });
  });
  for (const { name } of sizes.sort((a, b) => b.size - a.size)) {
    if (fits()) return;
    fields?.del(name);
    detail.addReasons(`'${name}' is too large to be kept after a failure; \`pulumi refresh\` reads it again.`);
  }
}
