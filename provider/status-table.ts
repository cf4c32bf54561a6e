import type * as errors from "./client/errors.js";
import { type StatusName, statusByName } from "./engine/status.js";

/** Names of the client's own errors: one without a code doesn't compile. */
type Instance<T> = T extends abstract new (...args: never[]) => infer I ? I : never;
type NameOf<T> = T extends { name: infer N extends string } ? (string extends N ? never : N) : never;
type KnownName = NameOf<Instance<(typeof errors)[keyof typeof errors]>>;

/** The client's errors as gRPC codes. None is UNKNOWN, INTERNAL or DATA_LOSS: state is as it was. */
const CODES: Readonly<Record<KnownName, StatusName>> = {
  InvalidArgumentError: "INVALID_ARGUMENT",
  UnauthorizedError: "UNAUTHENTICATED",
  ForbiddenError: "PERMISSION_DENIED",
  NotFoundError: "NOT_FOUND",
  RateLimitedError: "RESOURCE_EXHAUSTED",
  RefusedError: "FAILED_PRECONDITION",
  ServiceFaultError: "UNAVAILABLE",
  RedirectError: "FAILED_PRECONDITION",
  TransportError: "UNAVAILABLE",
  TimeoutError: "DEADLINE_EXCEEDED",
  UnreadableAnswerError: "UNAVAILABLE",
  TooLargeError: "OUT_OF_RANGE",
  TooLateError: "ABORTED",
  CancelledError: "CANCELLED",
  LoginError: "UNAUTHENTICATED",
  SourceError: "FAILED_PRECONDITION",
  AmbiguousWriteError: "ABORTED",
};

export const statusOf = statusByName(CODES);
