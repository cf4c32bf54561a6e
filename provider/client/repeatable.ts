import {
  RedirectError,
  RefusedError,
  type ServiceError,
  ServiceFaultError,
  StatusError,
  TimeoutError,
  TooLargeError,
  TooLateError,
  TransportError,
  UnreadableAnswerError,
} from "./errors.js";

/** Not implemented, and HTTP version not supported: they say the same again. */
const LASTING_FAULTS = new Set([501, 505]);
/** Request timeout, conflict, too early, too many requests: the write may have been worked on. */
const UNDECIDED = new Set([408, 409, 425, 429]);

/** May the same request go out again? A write only if not a byte of it left. */
export function mayRepeat(error: ServiceError, write: boolean): boolean {
  if (error instanceof TransportError) return error.retryable && !(write && error.sent);
  if (error instanceof TimeoutError) return !(write && error.sent);
  if (write) return false;
  if (error instanceof ServiceFaultError) return !LASTING_FAULTS.has(error.status);
  if (error instanceof RefusedError) return error.status === 408 || error.status === 425;
  return error instanceof UnreadableAnswerError && error.retryable;
}

/** After this error of a write, is it certain that the service did nothing? */
export function isDefinite(error: ServiceError): boolean {
  if (error instanceof TransportError || error instanceof TimeoutError || error instanceof TooLateError)
    return !error.sent;
  if (error instanceof RedirectError || error instanceof ServiceFaultError) return false;
  if (error instanceof StatusError) return error.status >= 400 && !UNDECIDED.has(error.status);
  return !(error instanceof UnreadableAnswerError || error instanceof TooLargeError);
}
