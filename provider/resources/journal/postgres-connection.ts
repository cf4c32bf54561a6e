import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import postgres from "postgres";

type Options = postgres.Options<Record<string, postgres.PostgresType>>;

/** Connects when it is first used. */
export const connect = (url: string, options: Options): postgres.Sql =>
  postgres(plain(url), {
    ssl: encryptionOf(new URL(url).searchParams),
    connect_timeout: 5,
    onnotice: () => undefined,
    connection: { application_name: "pulumi-docsign" },
    ...options,
  }) as postgres.Sql;

/** The client would send parameters it doesn't know to the server. */
function plain(url: string): string {
  const parsed = new URL(url);
  parsed.search = "";
  return parsed.href;
}

/** `sslmode` and `sslrootcert` as libpq reads them, which is how they are written in a backend's URL. */
function encryptionOf(query: URLSearchParams): boolean | "require" | "prefer" | ConnectionOptions {
  const mode = query.get("sslmode") ?? "prefer";
  const path = query.get("sslrootcert");
  if (mode === "disable") return false;
  if (mode === "require" && path === null) return "require";
  if (!["require", "verify-ca", "verify-full"].includes(mode)) return "prefer";
  return {
    ...(path === null || path === "system" ? {} : { ca: readFileSync(path) }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}
