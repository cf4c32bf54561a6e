import type { Provider } from "../kit/provider.js";
import { type StatusName, statusByName } from "../kit/status.js";
import type * as errors from "./client/errors.js";
import { noteOf } from "./resources/refusal.js";
import { withFacts } from "./schema/facts.js";

/** Names of the client's own errors: one without a code doesn't compile. */
type Instance<T> = T extends abstract new (...args: never[]) => infer I ? I : never;
type NameOf<T> = T extends { name: infer N extends string } ? (string extends N ? never : N) : never;
type KnownName = NameOf<Instance<(typeof errors)[keyof typeof errors]>>;

/** The client's errors as gRPC codes. None is UNKNOWN, INTERNAL or DATA_LOSS: state is as it was. */
const CODES: Readonly<Record<KnownName, StatusName>> = {
  InvalidArgumentError: "INVALID_ARGUMENT",
  TransportError: "UNAVAILABLE",
  TimeoutError: "DEADLINE_EXCEEDED",
  UnreadableAnswerError: "UNAVAILABLE",
  TooLargeError: "OUT_OF_RANGE",
  TooLateError: "ABORTED",
  CancelledError: "CANCELLED",
  LoginError: "UNAUTHENTICATED",
  SourceError: "FAILED_PRECONDITION",
  AmbiguousWriteError: "ABORTED",
  UnauthorizedError: "UNAUTHENTICATED",
  ForbiddenError: "PERMISSION_DENIED",
  NotFoundError: "NOT_FOUND",
  RateLimitedError: "RESOURCE_EXHAUSTED",
  RefusedError: "FAILED_PRECONDITION",
  ServiceFaultError: "UNAVAILABLE",
  RedirectError: "FAILED_PRECONDITION",
  LogInPageError: "FAILED_PRECONDITION",
};

/** By name: the client's classes aren't loaded before the plugin says its port. */
export const statusOf = statusByName(CODES);

/** A set's rows: the next `up` takes over from the journal what was made. */
export const keptWhole: ReadonlySet<string> = new Set(["documents"]);

/** How every call of ours fails and speaks. There before the provider itself is loaded. */
export const manner = {
  name: "docsign",
  statusOf,
  keptWhole,
  facts: { write: withFacts, noteOf },
} satisfies Partial<Provider>;
