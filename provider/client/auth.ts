import { isRecord } from "../core/records.js";
import {
  InvalidArgumentError,
  LoginError,
  NotFoundError,
  RefusedError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "./errors.js";
import type { Credentials } from "./options.js";
import type { Auth, RequestSpec, Requests } from "./requests.js";
import { type RequestInfo, readJson } from "./status-errors.js";
import type { Answer } from "./transport.js";

/** The key that was configured, or the one a log-in gives. */
export function authFor(credentials: Credentials, calls: Requests): Auth {
  return credentials.kind === "apiKey" ? givenKey(credentials) : new LoginKeys(credentials, calls);
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
  async #step<T>(name: string, call: RequestSpec, understand: (answer: Answer, asking: RequestInfo) => T): Promise<T> {
    try {
      return await this.#calls.readInPlace({ ...call, withKey: false }, this, understand);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      const message = `${name} with ${this.source} failed: ${said}`;
      if (error instanceof UnauthorizedError) throw new UnauthorizedError(message, error.status);
      if (error instanceof RefusedError) throw new RefusedError(message, error.status);
      if (error instanceof NotFoundError || error instanceof UnreadableAnswerError) throw new LoginError(message);
      throw error;
    }
  }
}

function tokenOf(answer: Answer, asking: RequestInfo): string {
  return textAt(readJson(answer, asking), "token") ?? unreadable(asking, "token");
}

function keyOf(answer: Answer, asking: RequestInfo): string {
  const body = readJson(answer, asking);
  const key = isRecord(body) ? textAt(body["payload"], "api_key") : undefined;
  return key ?? unreadable(asking, "payload.api_key");
}

function textAt(body: unknown, name: string): string | undefined {
  const value = isRecord(body) ? body[name] : undefined;
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value) ? value : undefined;
}

function unreadable(asking: RequestInfo, field: string): never {
  throw new UnreadableAnswerError(`${asking.asked} answered without a usable "${field}"`);
}
