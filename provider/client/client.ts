import { hash } from "node:crypto";
import { isRecord } from "../../kit/records.js";
import { systemClock } from "../core/clock.js";
import {
  createDocument,
  createFolder,
  getDocument,
  listDocuments,
  listDocumentsByDateRange,
  Reminders,
} from "./documents.js";
import {
  type HttpResponse,
  InvalidArgumentError,
  LoginError,
  NotFoundError,
  RefusedError,
  type RequestInfo,
  RetryBudget,
  readJson,
  UnauthorizedError,
  UnreadableAnswerError,
} from "./errors.js";
import { Redactor } from "./json.js";
import { LongestLists } from "./lists.js";
import {
  type Auth,
  DEFAULT_LIMITS,
  download,
  Limiter,
  type RequestSpec,
  Requests,
  RetryAfterPause,
  ServiceClock,
  SharedLimiter,
  SharedPause,
} from "./requests.js";
import type { Credentials, Service, ServiceOptions, Turn } from "./service.js";
import { parseBaseUrl, Transport } from "./transport.js";

// ---- Authentication ----

/** The key that was configured, or the one a log-in gives. */
function authFor(credentials: Credentials, calls: Requests): Auth {
  return credentials.kind === "apiKey" ? givenKey(credentials) : new LoginKeys(credentials, calls);
}

/** Names an account without saying its key. */
export function accountOf(origin: string, credentials: Credentials): string {
  const who = credentials.kind === "apiKey" ? credentials.apiKey : credentials.email;
  return hash("sha256", `${origin}\n${who}`, "hex").slice(0, 16);
}

function givenKey({ apiKey, source }: Extract<Credentials, { kind: "apiKey" }>): Auth {
  checkHeaderText(apiKey, source);
  return { source, current: async () => apiKey, renew: () => false };
}

function checkHeaderText(secret: string, source: string): void {
  if (secret === "") throw new InvalidArgumentError(`the API key from ${source} is empty`);
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new InvalidArgumentError(
      `the API key from ${source} has a space, a line break or another character that no header can carry`,
    );
  }
}

/** Once a process, in memory only, shared by everybody who waits for it. */
class LoginKeys implements Auth {
  readonly #credentials: Extract<Credentials, { kind: "login" }>;
  readonly #calls: Requests;
  #key: Promise<string> | undefined;
  #known: string | undefined;

  constructor(credentials: Extract<Credentials, { kind: "login" }>, calls: Requests) {
    this.#credentials = credentials;
    this.#calls = calls;
  }

  get source(): string {
    return this.#credentials.source;
  }

  current(): Promise<string> {
    if (!this.#key) {
      const login = this.#login();
      this.#key = login;
      login.catch(() => {
        if (this.#key === login) this.#key = undefined;
      });
    }
    return this.#key;
  }

  renew(refused: string): boolean {
    if (this.#known === refused) {
      this.#key = undefined;
      this.#known = undefined;
    }
    return true;
  }

  async #login(): Promise<string> {
    const { email, password } = this.#credentials;
    const token = await this.#step(
      "logging in",
      { method: "POST", to: "/v1/login", body: { email, password } },
      tokenOf,
    );
    this.#calls.options.redactor.learn(token);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const key = await this.#step(
      "asking for the API key after logging in",
      { method: "GET", to: "/v1/users/api_key", headers },
      keyOf,
    );
    this.#calls.options.redactor.learn(key);
    this.#known = key;
    return key;
  }

  /** A 404 here says nothing about what the caller asked for, so it must not look as if it did. */
  async #step<T>(name: string, call: RequestSpec, parse: (response: HttpResponse, info: RequestInfo) => T): Promise<T> {
    try {
      return await this.#calls.readInSlot({ ...call, withKey: false }, this, parse);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `${name} with ${this.source} failed: ${reason}`;
      if (error instanceof UnauthorizedError) throw new UnauthorizedError(message, error.status);
      if (error instanceof RefusedError) throw new RefusedError(message, error.status);
      if (error instanceof NotFoundError || error instanceof UnreadableAnswerError) throw new LoginError(message);
      throw error;
    }
  }
}

function tokenOf(response: HttpResponse, info: RequestInfo): string {
  return textAt(readJson(response, info), "token") ?? unreadable(info, "token");
}

function keyOf(response: HttpResponse, info: RequestInfo): string {
  const body = readJson(response, info);
  const key = isRecord(body) ? textAt(body["payload"], "api_key") : undefined;
  return key ?? unreadable(info, "payload.api_key");
}

function textAt(body: unknown, name: string): string | undefined {
  const value = isRecord(body) ? body[name] : undefined;
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value) ? value : undefined;
}

function unreadable(info: RequestInfo, field: string): never {
  throw new UnreadableAnswerError(`${info.endpoint} answered without a usable "${field}"`);
}

// ---- The client ----

/** The service, spoken to over HTTP. Nothing is sent before the first call. */
export function createService(options: ServiceOptions): Service {
  const { credentials, maxConcurrency = 8, requestTimeoutMs = 30_000, uploadTimeoutMs = 300_000 } = options;
  const firstConcurrency = Math.min(options.firstConcurrency ?? maxConcurrency, maxConcurrency);
  const { clock = systemClock, random = Math.random, userAgent = "pulumi-docsign" } = options;
  if (!Number.isSafeInteger(maxConcurrency) || maxConcurrency < 1) {
    throw new InvalidArgumentError(`docsign:maxConcurrency must be a whole number from 1 on, got ${maxConcurrency}`);
  }
  const base = parseBaseUrl(options.baseUrl);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const redactor = new Redactor();
  redactor.learn(credentials.kind === "apiKey" ? credentials.apiKey : credentials.password);

  const serviceClock = new ServiceClock();
  const transport = new Transport({ maxConcurrency, connect: options.connect, clock, serviceClock, redactor });
  const { shared } = options;
  const pause = shared ? new SharedPause(clock, random, shared) : new RetryAfterPause(clock, random);
  const limiter = () =>
    shared
      ? new SharedLimiter(maxConcurrency, firstConcurrency, shared, pause)
      : new Limiter(maxConcurrency, firstConcurrency);
  const limiters = { write: limiter(), read: limiter() };
  const budget = new RetryBudget();
  const calls = new Requests({
    ...{ base, transport, limiters, pause, budget, clock, serviceClock, random, redactor },
    ...{ requestTimeoutMs, limits, userAgent },
  });
  const keys = authFor(credentials, calls);
  const reminders = new Reminders(calls, keys, options.reminderMethod ?? "auto");
  const { listBytes: limit } = limits;
  const longest = new LongestLists();

  const turn: Turn = {
    getDocument: async (id, { signal } = {}) => getDocument(calls, keys, id, { signal }, "readInSlot"),
    createDocument: async (document, { signal, graceMs, mayLeave } = {}) =>
      createDocument(calls, keys, document, { signal, graceMs, mayLeave, timeoutMs: uploadTimeoutMs }),
    remind: async (invitationId, { signal, mayLeave } = {}) => reminders.remind(invitationId, { signal, mayLeave }),
  };

  return {
    origin: base.origin,
    account: accountOf(base.origin, credentials),
    baseUrl: base.href,
    now: () => serviceClock.at(clock.now()),
    ticks: () => (serviceClock.standsStill ? undefined : serviceClock.at(clock.now())?.getTime()),
    turn: (work, { signal } = {}) => calls.turn({ method: "POST", to: "", signal }, keys, () => work(turn)),
    getDocument: async (id, { signal } = {}) => getDocument(calls, keys, id, { signal }),
    listDocuments: async (filter, { signal } = {}) =>
      longest.note("documents", await listDocuments(calls, keys, filter, { signal, limit })),
    listDocumentsByDateRange: async (filter, { signal } = {}) =>
      longest.note("documentsByDateRange", await listDocumentsByDateRange(calls, keys, filter, { signal, limit })),
    longestList: endpoint => longest.of(endpoint),
    createFolder: async (folder, { signal } = {}) => createFolder(calls, keys, folder, { signal }),
    download: async (url, ask = {}) => download(calls, keys, base, url, ask, limits),
    close: async () => {
      await Promise.all([transport.close(), shared?.end()]);
    },
  };
}
