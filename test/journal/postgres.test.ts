import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../provider/core/clock.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { PostgresLog } from "../../provider/resources/journal/postgres-log.js";
import { RemoteLog } from "../../provider/resources/journal/remote-log.js";
import { conformance } from "./conformance.js";
import { hasPostgres, type PostgresServer, startPostgres } from "./support/postgres-server.js";

// Needs a Postgres of this machine, as Debian installs it.
describe.skipIf(!hasPostgres)("Postgres", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  conformance("Postgres", async () => {
    await server.run("drop schema if exists docsign cascade");
    const opened: LoggedJournal[] = [];
    return {
      journal: ({ run = "r", ...options } = {}) => {
        const log = new RemoteLog("the journal in Postgres", "", async () => new PostgresLog(server.url), systemClock);
        const journal = new LoggedJournal(log, { run, ...options });
        opened.push(journal);
        return journal;
      },
      content: async () => {
        const there = await server.run("select to_regclass('docsign.journal') as there");
        if (there.includes("null")) return "";
        const rows = JSON.parse(await server.run("select lines from docsign.journal order by position")) as {
          lines: string;
        }[];
        return rows.map(({ lines }) => `${lines}\n`).join("");
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(opened.map(journal => journal.close()));
      },
    };
  });

  describe("its lines", () => {
    const logs: PostgresLog[] = [];
    const open = () => {
      const log = new PostgresLog(server.url);
      logs.push(log);
      return log;
    };
    beforeEach(() => server.run("drop schema if exists docsign cascade"));
    afterEach(() => Promise.all(logs.splice(0).map(log => log.close())));

    test("are there once, though their answer was lost and others wrote before they were added again", async () => {
      await open().exchange(["a"]);
      await open().exchange(["b"]);
      expect(await open().exchange(["a"])).toEqual(["a", "b"]);
      expect(await open().exchange([])).toEqual(["a", "b"]);
    });

    test("come after a snapshot that their writer hadn't read", async () => {
      const [slow, fast] = [open(), open()];
      await slow.exchange(["a"]);
      await fast.exchange(["b"]);
      await fast.compact('{"op":"snapshot"}');
      expect(await slow.exchange(["c"])).toEqual(['{"op":"snapshot"}', "c"]);
      expect(await open().exchange([])).toEqual(['{"op":"snapshot"}', "c"]);
    });
  });
});
