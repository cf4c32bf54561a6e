import { Socket } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Session } from "../../provider/resources/journal/postgres-connection.js";
import { openPostgres, type TestPostgres } from "../fleet/support/scene.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

it("answers again after a connection that ended while a query waited to be written", async () => {
  const [session, other] = [new Session(postgres.url, {}), new Session(postgres.url, {})];
  const [own] = await session.query("select pg_backend_pid() as pid");
  const emit = Socket.prototype.emit as (this: Socket, name: string | symbol, ...values: unknown[]) => boolean;
  const lost = new Promise<string>(resolve => {
    vi.spyOn(Socket.prototype, "emit").mockImplementation(function (
      this: Socket,
      name: string | symbol,
      ...values: unknown[]
    ) {
      if (name === "end") {
        vi.restoreAllMocks();
        setImmediate(() => session.query("select 1").catch(error => resolve(String(error.code))));
      }
      return emit.call(this, name, ...values);
    });
  });
  await other.query(`select pg_terminate_backend(${own?.["pid"]})`);
  expect(await lost).toBe("CONNECTION_CLOSED");
  expect(await session.query("select 2 as n")).toMatchObject([{ n: 2 }]);
  await Promise.all([session.end(), other.end()]);
});
