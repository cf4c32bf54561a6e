import {
  type ServiceError,
  StatusError,
  TimeoutError,
  TooLargeError,
  TooLateError,
  TransportError,
  UnreadableAnswerError,
} from "./errors.js";

/** May the same request go out again by itself? A write only if not a byte of it left. */
export function mayRepeat(error: ServiceError, write: boolean): boolean {
  if (error instanceof TransportError) return error.retryable && !(write && error.sent);
  if (error instanceof TimeoutError) return !(write && error.sent);
  if (write) return false;
  if (error instanceof StatusError) return !error.isLasting;
  return error instanceof UnreadableAnswerError && error.retryable;
}

/** After this error of a write, is it certain that the service did nothing? Less counts where nobody can look for what it did. */
export function isDefinite(error: ServiceError, { isUnseen = false } = {}): boolean {
  if (error instanceof TransportError || error instanceof TimeoutError || error instanceof TooLateError)
    return !error.sent;
  if (error instanceof StatusError) return error.meaning.done === "no" && !(isUnseen && !error.isLasting);
  return !(error instanceof UnreadableAnswerError || error instanceof TooLargeError);
}
