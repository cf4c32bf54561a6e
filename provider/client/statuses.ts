/** What is known of an answer whose status is no success. */
export interface Answered {
  /** Where the credentials came from. */
  readonly source: string;
  readonly retryAt: Date | undefined;
  /** Whether the body is JSON, as the service's are. */
  readonly json: boolean;
  /** Of a redirect: the origin that it leads to. */
  readonly target: string | undefined;
}

export interface StatusMeaning {
  readonly error: "Unauthorized" | "Forbidden" | "NotFound" | "RateLimited" | "Refused" | "ServiceFault" | "Redirect";
  readonly words: (answered: Answered) => string;
  /** Whether a write was done. `unlikely`: the service says no, but not so that a create needn't look. */
  readonly done: "no" | "unlikely" | "unknown";
  /** What may be sent again after a wait: what only reads, or a write too. `nothing`: it would be answered the same. */
  readonly repeat: "nothing" | "reads" | "writes";
  /** gRPC's name for it. */
  readonly code:
    | "UNAUTHENTICATED"
    | "PERMISSION_DENIED"
    | "NOT_FOUND"
    | "RESOURCE_EXHAUSTED"
    | "FAILED_PRECONDITION"
    | "UNAVAILABLE";
}

const refused: StatusMeaning = {
  error: "Refused",
  words: () => "the service refuses this request",
  done: "no",
  repeat: "nothing",
  code: "FAILED_PRECONDITION",
};
/** Redirects aren't followed: they would take the key along. */
const redirected: StatusMeaning = {
  ...refused,
  error: "Redirect",
  words: ({ target }) =>
    target === undefined
      ? "it answers with a redirect to nowhere; check docsign:baseUrl (DOCSIGN_BASE_URL)"
      : `it redirects to ${target}, and redirects aren't followed; if that's the service's new address, set docsign:baseUrl (DOCSIGN_BASE_URL)`,
};
const undecided: StatusMeaning = { ...refused, done: "unknown" };
const tooEarly: StatusMeaning = { ...undecided, repeat: "reads" };
const faulty: StatusMeaning = {
  error: "ServiceFault",
  words: () => "the service has a fault; try again later",
  done: "unknown",
  repeat: "reads",
  code: "UNAVAILABLE",
};
const unsupported: StatusMeaning = { ...faulty, done: "unlikely", repeat: "nothing" };

/** Refresh and destroy are given the configuration in state, not the one just set. */
const settled = (source: string): string =>
  source.startsWith("docsign:")
    ? ". Changed already? Refresh and destroy use the settings of the last `pulumi up`: run that first, or add `--run-program`"
    : "";

/** The one table of statuses. Whatever depends on one reads it here; a status without a row of its own is its class's. */
const STATUSES: Readonly<Record<string, StatusMeaning>> = {
  /** `ok: false`. */
  "2xx": { ...refused, done: "unlikely" },
  /** What stands in between asks people to log in, and passes nothing on. */
  "log-in page": {
    ...redirected,
    words: () =>
      "what stands in between wants somebody to log in; check docsign:baseUrl (DOCSIGN_BASE_URL), network and proxy",
  },
  301: redirected,
  302: redirected,
  307: redirected,
  308: redirected,
  /** 303 shows where to see what was done. */
  "3xx": { ...redirected, done: "unlikely" },
  401: {
    ...refused,
    error: "Unauthorized",
    words: ({ source }) => `the service doesn't accept the credentials from ${source}; check them${settled(source)}`,
    code: "UNAUTHENTICATED",
  },
  403: {
    ...refused,
    error: "Forbidden",
    words: ({ source }) =>
      `the credentials from ${source} aren't allowed to do this; check which account they belong to${settled(source)}`,
    code: "PERMISSION_DENIED",
  },
  404: {
    ...refused,
    error: "NotFound",
    words: ({ json }) =>
      json
        ? "the account has nothing there. Check the id, whose key it is, and docsign:baseUrl (DOCSIGN_BASE_URL), its path included"
        : "this isn't the service's own 'not found'; check docsign:baseUrl (DOCSIGN_BASE_URL)",
    code: "NOT_FOUND",
  },
  408: tooEarly,
  425: tooEarly,
  429: {
    ...refused,
    error: "RateLimited",
    words: ({ retryAt }) =>
      `too many requests${retryAt ? `; it asks to wait until ${retryAt.toISOString()}` : ""}. Lower docsign:maxConcurrency, or try again later`,
    repeat: "writes",
    code: "RESOURCE_EXHAUSTED",
  },
  ...Object.fromEntries(
    [400, 402, 405, 410, 411, 412, 413, 414, 415, 417, 421, 422, 426, 428, 431, 451].map(status => [status, refused]),
  ),
  "4xx": undecided,
  501: unsupported,
  "503 with Retry-After": { ...faulty, done: "no", repeat: "writes" },
  505: unsupported,
  "5xx": faulty,
};

export function meaningOf(status: number | "log-in page", retryAt?: Date | undefined): StatusMeaning {
  const asked = retryAt && STATUSES[`${status} with Retry-After`];
  return asked ?? STATUSES[status] ?? STATUSES[`${String(status)[0]}xx`] ?? undecided;
}
