import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import postgres from "postgres";
import { quote } from "../../core/text.js";

type Options = postgres.Options<Record<string, postgres.PostgresType>>;

/** Connects when it is first used. */
export const connect = (url: string, options: Options): postgres.Sql =>
  postgres(plain(url), {
    ssl: encryptionOf(new URL(url)),
    connect_timeout: 5,
    onnotice: () => undefined,
    connection: { application_name: "pulumi-docsign" },
    ...options,
  }) as postgres.Sql;

/** So long may texts on other connections of a client still be answered that has lost one. */
const LAST_ANSWERS_SECONDS = 5;

/**
 * One client after another, each until it loses a connection: postgres.js never writes again over one that ended while a
 * text waited to be written (it clears the timer and still counts it as set), and with it what comes next waits for ever.
 */
export class Clients {
  /** Asked for at each use. */
  sql: postgres.Sql;
  #ended = false;

  constructor(
    private readonly url: string,
    private readonly options: Options,
  ) {
    this.sql = this.#open();
  }

  #open(): postgres.Sql {
    const client = connect(this.url, {
      ...this.options,
      onclose: () => {
        if (this.#ended || client !== this.sql) return;
        this.sql = this.#open();
        void client.end({ timeout: LAST_ANSWERS_SECONDS }).catch(() => undefined);
      },
    });
    return client;
  }

  end(timeout = 0): Promise<void> {
    this.#ended = true;
    return this.sql.end({ timeout });
  }
}

/** The client would send parameters it doesn't know to the server. */
function plain(url: string): string {
  const parsed = new URL(url);
  parsed.search = "";
  return parsed.href;
}

/** `prefer` falls back to plain text, and anybody in between can bring that about. Without a host, PGHOST may name any. */
const isHere = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\]|\/.*)$/i.test(host);

/**
 * `sslmode` and `sslrootcert` as libpq reads them, which is how they are written in a backend's URL; but without one, a
 * connection that leaves this machine is encrypted or isn't made.
 */
export function encryptionOf({
  hostname,
  searchParams: query,
}: URL): boolean | "require" | "prefer" | ConnectionOptions {
  const usual = isHere(hostname) ? "prefer" : "require";
  const mode = query.get("sslmode") || usual;
  const path = query.get("sslrootcert");
  if (mode === "disable") return false;
  if (mode === "require" && path === null) return "require";
  if (mode === "prefer" || mode === "allow") return "prefer";
  // Whoever misspells `verify-full` would be sent to a server that nobody verified.
  if (!["require", "verify-ca", "verify-full"].includes(mode))
    throw new Error(`expected sslmode disable, allow, prefer, require, verify-ca or verify-full, got ${quote(mode)}`);
  return {
    ...(path === null || path === "system" ? {} : { ca: readFileSync(path) }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}
