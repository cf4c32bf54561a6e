import { type ObjectServer, startObjectServer } from "../journal/support/object-server.js";
import { type PostgresServer, startPostgres } from "../journal/support/postgres-server.js";

let objects: Promise<ObjectServer> | undefined;
let database: Promise<PostgresServer> | undefined;
let nth = 0;

/** A new place for a journal, by the address that Pulumi's back ends have too. */
export async function newPlace(kind: "s3" | "postgres", { conditions = true } = {}): Promise<string> {
  if (kind === "postgres") {
    database ??= startPostgres();
    const server = await database;
    await server.run(`CREATE DATABASE place${++nth}`);
    return server.url.replace(/\/postgres\?/, `/place${nth}?`);
  }
  objects ??= startObjectServer();
  const server = await objects;
  server.keepsConditions = conditions;
  return `s3://contracts/${++nth}?endpoint=${server.endpoint}`;
}

/** What a run needs besides, to reach S3. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: "docsign", AWS_SECRET_ACCESS_KEY: "docsign-secret" };

export async function closePlaces(): Promise<void> {
  await (await objects)?.[Symbol.asyncDispose]();
  await (await database)?.[Symbol.asyncDispose]();
  objects = undefined;
  database = undefined;
}
