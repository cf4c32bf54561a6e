import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../provider/core/clock.js";
import { LocalLog } from "../../provider/resources/journal/local-log.js";
import { JournalUnavailableError, NOTHING } from "../../provider/resources/journal/log.js";
import { openJournal } from "../../provider/resources/journal/open-journal.js";
import { scratchFolder } from "../support/scratch.js";
import { about, begun, SERVICE, scopeOf } from "./conformance.js";

const WRITER = join(import.meta.dirname, "../support/journal-writer/main.ts");
const nda = scopeOf("nda");
let folder = "";
let scratch = "";
beforeEach(() => {
  folder = scratch = scratchFolder("docsign-journal-");
});
afterEach(() => rmSync(scratch, { recursive: true }));

const open = (env: Record<string, string> = {}, run = "r") =>
  openJournal({ setting: undefined, folder, env, run, clock: systemClock });
const files = () => readdirSync(folder).sort();

describe("the folder", () => {
  test("is made by the first write, for its owner alone", async () => {
    folder = join(folder, "deep", "journal");
    const journal = open();
    await journal.resource(nda);
    await journal.show(nda, "5001", { supersedes: [] });
    expect(files()).toEqual(["log-1.jsonl"]);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, "log-1.jsonl")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("that can't be made refuses creates and nothing that only reads", async () => {
    writeFileSync(join(folder, "file"), "");
    folder = join(folder, "file", "journal");
    const journal = open();
    expect(await journal.resource(nda)).toEqual({ attempt: undefined, owned: [] });
    const begin = journal.begin(nda, begun(), undefined);
    await expect(begin).rejects.toThrow(
      `the journal in ${folder} can't be used (ENOTDIR), and without it nothing is created: a crash would mail people twice. Make it a folder that this user can write to and nobody else, or set DOCSIGN_STATE_DIR to one that is.`,
    );
    await expect(begin).rejects.toBeInstanceOf(JournalUnavailableError);
    await expect(journal.release(nda, "5001")).rejects.toBeInstanceOf(JournalUnavailableError);
    expect(journal.warnings()).toHaveLength(1);
    expect(journal.warnings()).toEqual([]);
  });

  test.runIf(process.platform === "linux")("below /proc, where no folder can be made, refuses creates", () => {
    const { stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", WRITER, "local", "/proc/docsign/journal", "a", "1"],
      { encoding: "utf8", timeout: 20_000 },
    );
    expect(stderr).toContain("the journal in /proc/docsign/journal can't be used (ENOENT)");
  });

  // Windows has no such limit.
  test.skipIf(process.platform === "win32")(
    "on a full disk refuses creates, and what was answered before stays",
    async () => {
      const script = `ulimit -f 2; exec "$0" --import tsx "$@"`;
      const { stdout, stderr } = spawnSync(
        "bash",
        ["-c", script, process.execPath, WRITER, "local", folder, "a", "50"],
        {
          encoding: "utf8",
        },
      );
      expect(stderr).toContain("can't be used (E");
      const claimed = stdout.split("\n").filter(line => line.startsWith("claimed "));
      expect(claimed.length).toBeGreaterThan(0);
      const journal = open();
      for (const line of claimed) expect(await journal.owner(SERVICE, line.slice("claimed ".length))).toBeDefined();
      const next = { service: SERVICE, urn: "urn:next" };
      expect(await journal.begin(next, begun(), undefined)).toBeDefined();
      expect((await open().resource(next)).attempt).toBeDefined();
    },
  );

  test("keeps what follows a line that was cut off", async () => {
    await open().claim(nda, "5001", about());
    appendFileSync(join(folder, "log-1.jsonl"), '\n{"op":"claim","service":"https://a');
    const journal = open();
    expect(await journal.claim(nda, "5002", about())).toBe(true);
    expect((await open().resource(nda)).owned.map(({ id }) => id)).toEqual(["5001", "5002"]);
  });

  test("of a newer version is refused, by name", async () => {
    await open().claim(nda, "5001", about());
    appendFileSync(join(folder, "log-1.jsonl"), '\n{"op":"lease"}\n');
    const journal = open();
    for (const read of [() => journal.resource(nda), () => journal.refresh(), () => journal.resource(nda)])
      await expect(read()).rejects.toThrow("of a newer version: upgrade the provider");
    await expect(journal.begin(nda, begun(), undefined)).rejects.toBeInstanceOf(JournalUnavailableError);
    expect(journal.warnings()).toHaveLength(1);
  });

  test.each(['{"level":"info"}', '"op"', "[]", "5", "null"])(
    "with a line that isn't the journal's goes on without it, and says so once: %s",
    async line => {
      await open().claim(nda, "5001", about());
      appendFileSync(join(folder, "log-1.jsonl"), `${line}\n`);
      const journal = open();
      expect(await journal.claim(nda, "5002", about())).toBe(true);
      expect((await open().resource(nda)).owned.map(({ id }) => id)).toEqual(["5001", "5002"]);
      expect(journal.warnings()).toEqual([
        `the journal in ${folder} has a line that isn't the journal's, and it is left out: "${line}"`,
      ]);
      await journal.refresh();
      expect(journal.warnings()).toEqual([]);
    },
  );

  test("with a damaged line is refused, by what is wrong with it", async () => {
    await open().claim(nda, "5001", about());
    appendFileSync(join(folder, "log-1.jsonl"), '{"op":"claim","service":1}\n');
    await expect(open().resource(nda)).rejects.toThrow(
      'expected a whole "claim", got one that is damaged or of a newer version (service, urn, run, at, id, supersedes): upgrade the provider, or restore the journal from a backup',
    );
  });

  test("is compacted into a new file while another process reads", async () => {
    const [writer, reader] = [open(), open()];
    await writer.claim(nda, "5001", about());
    await reader.resource(nda);
    for (let nth = 0; nth < 4; nth++) await Promise.all(Array.from({ length: 60 }, () => writer.withdraw(nda, "0")));
    expect(files()).toEqual(["log-2.jsonl"]);
    await writer.claim(nda, "5002", about());
    await reader.refresh();
    for (const journal of [reader, open()])
      expect((await journal.resource(nda)).owned.map(({ id }) => id)).toEqual(["5001", "5002"]);
    expect(await reader.claim(scopeOf("lease"), "5002", about())).toBe(false);
  });

  test("keeps a line that another process adds while it is compacted", async () => {
    const [own, other] = [new LocalLog(folder), new LocalLog(folder)];
    const line = (token: string) => JSON.stringify({ op: "forget", tokens: [token] });
    await own.exchange([line("a")], false);
    await other.exchange([line("b")], false);
    await own.compact(NOTHING);
    expect(await own.exchange([], false)).toEqual([line("b")]);
    expect(await new LocalLog(folder).exchange([], false)).toContain(line("b"));
  });

  test("keeps what it read of others where it can't be written", async () => {
    const [own, other] = [new LocalLog(folder), new LocalLog(folder)];
    await other.exchange(["{}"], false);
    const full = () => {
      throw new Error("the disk is full");
    };
    const unwritable = { toString: full } as unknown as string;
    await expect(own.exchange([unwritable], false)).rejects.toThrow("full");
    expect(await own.exchange([], false)).toContain("{}");
  });

  test("isn't hidden by a file whose number it would never write", async () => {
    await open().claim(nda, "5001", about());
    for (const number of ["99999999999999999999", "007", "0", "1e9", "-2"])
      writeFileSync(join(folder, `log-${number}.jsonl`), "");
    expect(await open().owner(SERVICE, "5001")).toBeDefined();
    await open().claim(nda, "5002", about());
    expect(readFileSync(join(folder, "log-1.jsonl"), "utf8")).toContain('"5002"');
  });

  test("is finished by the next process where the one that compacted it was killed half-way", async () => {
    const journal = open();
    await journal.claim(nda, "5001", about());
    const path = join(folder, "log-1.jsonl");
    const at = statSync(path).size + 1;
    const before = readFileSync(path, "utf8");
    await journal.claim(nda, "5002", about());
    writeFileSync(path, before);
    const lost = `{"op":"snapshot","at":${at + 1},"version":1,"attempts":[],"owned":[],"reminders":[]}`;
    appendFileSync(path, `\n${lost}\n`);
    // It stands where it doesn't say: another line came in between.
    expect(await open().owner(SERVICE, "5001")).toBeDefined();
    writeFileSync(path, `${before}\n${lost.replace(String(at + 1), String(at))}\n{"op":"forget","tokens":[]}\n`);
    expect(await open().owner(SERVICE, "5001")).toBeUndefined();
    await open().claim(nda, "5003", about());
    expect(files()).toEqual(["log-1.jsonl", "log-2.jsonl"]);
    expect((await open().resource(nda)).owned.map(({ id }) => id)).toEqual(["5003"]);
  });
});
