import { hash } from "node:crypto";
import { isRecord } from "../../kit/records.js";
import { systemClock } from "../core/clock.js";
import { messageOf } from "../core/text.js";
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
  readJson,
  UnauthorizedError,
  UnreadableAnswerError,
} from "./errors.js";
import { Redactor } from "./json.js";
import { LongestLists } from "./lists.js";
import { type Auth, DEFAULT_LIMITS, type RequestSpec, Requests, ServiceClock } from "./requests.js";
import type { Credentials, Service, ServiceOptions, Turn } from "./service.js";
import { parseBaseUrl, Transport } from "./transport.js";

// ---- Authentication ----

type ApiKey = Extract<Credentials, { kind: "apiKey" }>;
type Login = Extract<Credentials, { kind: "login" }>;

/** Names an account without saying its key. */
export function accountOf(origin: string, credentials: Credentials): string {
  const who = credentials.kind === "apiKey" ? credentials.apiKey : credentials.email;
  return hash("sha256", `${origin}\n${who}`, "hex").slice(0, 16);
}

const HEADER_TEXT = /^[\x21-\x7e]+$/;

function givenKey({ apiKey, source }: ApiKey): Auth {
  if (apiKey === "") throw new InvalidArgumentError(`the API key from ${source} is empty`);
  if (!HEADER_TEXT.test(apiKey)) {
    throw new InvalidArgumentError(
      `the API key from ${source} has a space, a line break or another character that no header can carry`,
    );
  }
  return { source, current: async () => apiKey, renew: () => false };
}

/** What a log-in gives: once a process, in memory only, shared by everybody who waits for it. */
class LoginKeys implements Auth {
  readonly source: string;
  #key: Promise<string> | undefined;
  #known: string | undefined;

  constructor(
    private readonly credentials: Login,
    private readonly redactor: Redactor,
    private readonly send: Requests["send"],
  ) {
    this.source = credentials.source;
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
    const { email, password } = this.credentials;
    const login: RequestSpec = { method: "POST", to: "/v1/login", body: { email, password } };
    const token = await this.#secret("logging in", login, "token");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const ask: RequestSpec = { method: "GET", to: "/v1/users/api_key", headers };
    this.#known = await this.#secret("asking for the API key after logging in", ask, "payload.api_key");
    return this.#known;
  }

  /** A 404 here says nothing about what the caller asked for, so it must not look as if it did. */
  async #secret(name: string, call: RequestSpec, path: string): Promise<string> {
    try {
      const found = await this.send({ ...call, withKey: false, inSlot: true }, response => secretAt(path, response));
      this.redactor.learn(found);
      return found;
    } catch (error) {
      const message = `${name} with ${this.source} failed: ${messageOf(error)}`;
      if (error instanceof UnauthorizedError) throw new UnauthorizedError(message, error.status);
      if (error instanceof RefusedError) throw new RefusedError(message, error.status);
      if (error instanceof NotFoundError || error instanceof UnreadableAnswerError) throw new LoginError(message);
      throw error;
    }
  }
}

function secretAt(path: string, response: HttpResponse): string {
  let value = readJson(response);
  for (const name of path.split(".")) value = isRecord(value) ? value[name] : undefined;
  if (typeof value === "string" && HEADER_TEXT.test(value)) return value;
  throw new UnreadableAnswerError(`${response.endpoint} answered without a usable "${path}"`);
}

// ---- The client ----

/** The service, spoken to over HTTP. Nothing is sent before the first call. */
export function createService(options: ServiceOptions): Service {
  const { credentials, maxConcurrency, firstConcurrency, requestTimeoutMs, userAgent, shared } = options;
  const { clock = systemClock, random = Math.random } = options;
  const base = parseBaseUrl(options.baseUrl);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const redactor = new Redactor();
  redactor.learn(credentials.kind === "apiKey" ? credentials.apiKey : credentials.password);

  const serviceClock = new ServiceClock();
  const transport = new Transport({ maxConcurrency, connect: options.connect, clock, serviceClock, redactor });
  const keys: Auth =
    credentials.kind === "apiKey"
      ? givenKey(credentials)
      : new LoginKeys(credentials, redactor, (call, parse) => calls.send(call, parse));
  const calls = new Requests({
    ...{ base, keys, transport, shared, clock, random, redactor, limits },
    ...{ maxConcurrency, firstConcurrency, requestTimeoutMs, userAgent },
  });
  const reminders = new Reminders(calls, options.reminderMethod);
  const { listBytes: limit } = limits;
  const longest = new LongestLists();

  const turn: Turn = {
    getDocument: async (id, { signal } = {}) => getDocument(calls, id, { signal, inSlot: true }),
    createDocument: async (document, { signal, graceMs, mayLeave } = {}) =>
      createDocument(calls, document, { signal, graceMs, mayLeave, timeoutMs: options.uploadTimeoutMs }),
    remind: async (invitationId, { signal, mayLeave } = {}) => reminders.remind(invitationId, { signal, mayLeave }),
  };

  return {
    origin: base.origin,
    account: accountOf(base.origin, credentials),
    baseUrl: base.href,
    now: () => serviceClock.at(clock.now()),
    ticks: () => (serviceClock.standsStill ? undefined : serviceClock.at(clock.now())?.getTime()),
    turn: (work, { signal } = {}) => calls.turn(signal, () => work(turn)),
    getDocument: async (id, { signal } = {}) => getDocument(calls, id, { signal }),
    listDocuments: async (filter, { signal } = {}) =>
      longest.note("documents", await listDocuments(calls, filter, { signal, limit })),
    listDocumentsByDateRange: async (filter, { signal } = {}) =>
      longest.note("documentsByDateRange", await listDocumentsByDateRange(calls, filter, { signal, limit })),
    longestList: endpoint => longest.of(endpoint),
    createFolder: async (folder, { signal } = {}) => createFolder(calls, folder, { signal }),
    download: async (url, ask = {}) => calls.download(url, ask),
    close: async () => {
      await Promise.all([transport.close(), shared?.end()]);
    },
  };
}
