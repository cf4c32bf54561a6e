import { meaningOf, type StatusMeaning } from "./statuses.js";

/**
 * One class per kind of failure. Whoever makes one has redacted its message; no raw error is ever kept as a cause,
 * because errors of sockets and parsers may quote what was sent.
 */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
}

/** Something given to the client can't be asked for. Nothing was sent. */
export class InvalidArgumentError extends ServiceError {
  override readonly name = "InvalidArgumentError";
}

/** An answer with an error status. */
export class StatusError extends ServiceError {
  override readonly name: string = "StatusError";
  constructor(
    message: string,
    readonly status: number,
    /** By our clock. */
    readonly retryAt?: Date | undefined,
  ) {
    super(message);
  }

  get meaning(): StatusMeaning {
    return meaningOf(this.status, this.retryAt);
  }

  /** Whether the service said the very same now, however often it is asked. */
  get isLasting(): boolean {
    return this.meaning.repeat === "nothing";
  }
}

/** 401: the credentials aren't valid. */
export class UnauthorizedError extends StatusError {
  override readonly name = "UnauthorizedError";
}

/** 403: the credentials are valid for something else. */
export class ForbiddenError extends StatusError {
  override readonly name = "ForbiddenError";
}

/** 404. `json`: whether the body was JSON, as the service's are, or a page of whatever answers at that address. */
export class NotFoundError extends StatusError {
  override readonly name = "NotFoundError";
  constructor(
    message: string,
    readonly json: boolean,
  ) {
    super(message, 404);
  }
}

/** 429, or a wait longer than a call may take. */
export class RateLimitedError extends StatusError {
  override readonly name = "RateLimitedError";
  constructor(message: string, retryAt: Date | undefined) {
    super(message, 429, retryAt);
  }
}

/** The service understood and said no: 400, 422, other 4xx, or `ok: false`. */
export class RefusedError extends StatusError {
  override readonly name = "RefusedError";
}

/** 5xx. */
export class ServiceFaultError extends StatusError {
  override readonly name = "ServiceFaultError";
}

/** 3xx: redirects are not followed, they would carry the key elsewhere. */
export class RedirectError extends StatusError {
  override readonly name = "RedirectError";
}

/** 2xx, and a page with a field for a password. */
export class LogInPageError extends StatusError {
  override readonly name = "LogInPageError";

  override get meaning(): StatusMeaning {
    return meaningOf("log-in page");
  }
}

/** No answer, or half of one. `sent: false` is proof that not one byte of the request left. */
export class TransportError extends ServiceError {
  override readonly name = "TransportError";
  constructor(
    message: string,
    readonly sent: boolean,
    readonly code: string | undefined,
    readonly retryable: boolean,
  ) {
    super(message);
  }
}

export class TimeoutError extends ServiceError {
  override readonly name = "TimeoutError";
  constructor(
    message: string,
    readonly sent: boolean,
  ) {
    super(message);
  }
}

/** An answer arrived whole and makes no sense. */
export class UnreadableAnswerError extends ServiceError {
  override readonly name = "UnreadableAnswerError";
  constructor(
    message: string,
    readonly retryable = false,
  ) {
    super(message);
  }
}

export class TooLargeError extends ServiceError {
  override readonly name = "TooLargeError";
}

/** The caller gave up, or the client was closed. `sent`: whether a write may have arrived all the same. */
export class CancelledError extends ServiceError {
  override readonly name = "CancelledError";
  constructor(
    message: string,
    readonly sent: boolean,
  ) {
    super(message);
  }
}

/** The caller's time for it was over before all of it had left. `sent`: whether its beginning had. */
export class TooLateError extends ServiceError {
  override readonly name = "TooLateError";
  constructor(
    message: string,
    readonly sent: boolean,
  ) {
    super(message);
  }
}

/** Logging in failed in a way that says nothing about what the caller asked for. */
export class LoginError extends ServiceError {
  override readonly name = "LoginError";
}

/** The PDF couldn't be read to its end, or changed while it was sent. The body was never completed: nothing was made. */
export class SourceError extends ServiceError {
  override readonly name = "SourceError";
}

/** A write was sent, or may have been, and nobody knows what came of it. */
export class AmbiguousWriteError extends ServiceError {
  override readonly name = "AmbiguousWriteError";
  readonly #startedAt: () => Date;

  constructor(
    message: string,
    readonly detail: string,
    startedAt: () => Date,
    override readonly cause: ServiceError | undefined,
    readonly status: number | undefined,
  ) {
    super(message);
    this.#startedAt = startedAt;
  }

  /**
   * The earliest the service can have worked on it, by the service's clock, two seconds of margin taken off. Read it
   * after looking: an answer that came since shows how far the clocks are apart.
   */
  get startedAt(): Date {
    return this.#startedAt();
  }
}
