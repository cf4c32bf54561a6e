import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import postgres from "postgres";

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

/**
 * One connection after another, each with a client of its own: postgres.js never writes again over one that ended while a
 * text waited to be written (it clears the timer and still counts it as set), and with it what comes next waits for ever.
 */
export class Session {
  #client: postgres.Sql;
  #ended = false;

  constructor(
    private readonly url: string,
    private readonly options: Options,
  ) {
    this.#client = connect(url, { ...options, max: 1 });
  }

  async query<Rows extends readonly unknown[] = postgres.Row[]>(text: string, values: unknown[] = []): Promise<Rows> {
    const client = this.#client;
    try {
      return (await client.unsafe(text, values as never)) as unknown as Rows;
    } catch (error) {
      if (!isAnswer(error) && client === this.#client && !this.#ended) {
        this.#client = connect(this.url, { ...this.options, max: 1 });
        void client.end({ timeout: 0 }).catch(() => undefined);
      }
      throw error;
    }
  }

  end(timeout = 0): Promise<void> {
    this.#ended = true;
    return this.#client.end({ timeout });
  }
}

/** Whether the data base says so, and goes on listening. */
const isAnswer = (error: unknown): boolean => error instanceof postgres.PostgresError && !error.code.startsWith("57P");

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
  if (!["require", "verify-ca", "verify-full"].includes(mode))
    return mode === "prefer" || mode === "allow" ? "prefer" : usual;
  return {
    ...(path === null || path === "system" ? {} : { ca: readFileSync(path) }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}
