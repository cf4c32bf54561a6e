import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../provider/core/clock.js";
import { stackOf } from "../../provider/resources/journal/contract.js";
import { NOTHING, type PartialLog, RemoteLog } from "../../provider/resources/journal/log.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { conformance, scopeOf } from "./conformance.js";
import { postgresLines } from "./support/postgres-lines.js";
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
        const log = new RemoteLog("the journal in Postgres", "", async () => postgresLines(server.url), systemClock);
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
      save: async () => {
        await server.run(`create schema if not exists docsign; drop table if exists docsign.saved`);
        const there = await server.run("select to_regclass('docsign.journal') as there");
        if (there.includes("null")) return async () => void (await server.run("delete from docsign.journal"));
        await server.run("create table docsign.saved as table docsign.journal");
        return async () =>
          void (await server.run("delete from docsign.journal; insert into docsign.journal table docsign.saved"));
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(opened.map(journal => journal.close()));
      },
    };
  });

  describe("its lines", () => {
    const logs: PartialLog[] = [];
    const open = () => {
      const log = postgresLines(server.url);
      logs.push(log);
      return log;
    };
    const nda = scopeOf("nda");
    const line = (token: string) => JSON.stringify({ op: "withdraw", ...nda, token });
    const [a, b, c] = ["a", "b", "c"].map(line) as [string, string, string];
    const snapshot = JSON.stringify({ ...JSON.parse(NOTHING), stacks: [stackOf(nda.urn)] });
    const exchange = (log: PartialLog, lines: readonly string[]) => log.exchange(lines, true, [stackOf(nda.urn)]);
    beforeEach(() => server.run("drop schema if exists docsign cascade"));
    afterEach(() => Promise.all(logs.splice(0).map(log => log.close())));

    test("are there once, though their answer was lost and others wrote before they were added again", async () => {
      await exchange(open(), [a]);
      await exchange(open(), [b]);
      expect(await exchange(open(), [a])).toEqual([NOTHING, a, b]);
      expect(await exchange(open(), [])).toEqual([NOTHING, a, b]);
    });

    test("come after a snapshot that their writer hadn't read", async () => {
      const [slow, fast] = [open(), open()];
      await exchange(slow, [a]);
      await exchange(fast, [b]);
      await fast.compact(NOTHING);
      const added = await exchange(slow, [c]);
      expect(added.map(text => JSON.parse(text))).toEqual([NOTHING, snapshot, c].map(text => JSON.parse(text)));
      expect(await exchange(open(), [])).toEqual(added);
    });
  });
});
