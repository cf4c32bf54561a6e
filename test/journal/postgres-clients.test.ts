import { Socket } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Clients, connect } from "../../provider/resources/journal/postgres-connection.js";
import { openPostgres, type TestPostgres } from "../fleet/support/scene.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

it.each([1, 4])(
  "over %i connections, answers again after one that ended while a query waited to be written",
  async max => {
    const clients = new Clients(postgres.url, { max });
    const other = connect(postgres.url, { max: 1 });
    const several = Array.from({ length: 2 * max }, (_, nth) => nth);
    const [own] = await clients.sql`select pg_backend_pid() as pid`;
    const emit = Socket.prototype.emit as (this: Socket, name: string | symbol, ...values: unknown[]) => boolean;
    const lost = new Promise<string>(resolve => {
      vi.spyOn(Socket.prototype, "emit").mockImplementation(function (
        this: Socket,
        name: string | symbol,
        ...values: unknown[]
      ) {
        if (name === "end") {
          vi.restoreAllMocks();
          setImmediate(() =>
            Promise.all(several.map(() => clients.sql`select 1`)).catch(error => resolve(String(error.code))),
          );
        }
        return emit.call(this, name, ...values);
      });
    });
    await other`select pg_terminate_backend(${own?.["pid"]})`;
    expect(await lost).toBe("CONNECTION_CLOSED");
    const answers = await Promise.all(several.map(nth => clients.sql`select ${nth}::int as n`));
    expect(answers.map(([row]) => row?.["n"])).toEqual(several);
    await Promise.all([clients.end(), other.end()]);
  },
);
