import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase, QUEUE_SCHEMA, SCHEMA } from "../../commands/fleet/database.js";
import { openPostgres, type TestPostgres } from "./support/scene.js";

let server: TestPostgres;
beforeAll(async () => {
  server = await openPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

const open = (): Promise<Database> => openDatabase({ url: server.url, supervises: false, onError: () => undefined });

test("processes that start at once on an empty data base all start", async () => {
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  for (let round = 0; round < 3; round++) {
    await sql.unsafe(`drop schema if exists ${SCHEMA} cascade; drop schema if exists ${QUEUE_SCHEMA} cascade`);
    const started = await Promise.all(Array.from({ length: 6 }, open));
    for (const db of started) {
      expect(await db.boss.getQueues()).toEqual([]);
      await db[Symbol.asyncDispose]();
    }
  }
  await sql.end();
});

test("a transaction of the job engine's that fails in the middle spoils none that come after it", async () => {
  await using db = await open();
  const { executeSql } = db.boss.getDb();
  const failing = executeSql("begin; select 1 / 0; commit");
  const next = executeSql("select 1 as one");
  await expect(failing).rejects.toThrow("division by zero");
  expect((await next).rows).toEqual([{ one: 1 }]);
});
