import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { cell } from "./support/cells.js";
import { up } from "./support/engine.js";
import { ANA, BOB, nda, pdf, type Rig, startRig, urnOf } from "./support/rig.js";

const RESET = { kind: "reset", when: "after" } as const;
const B = { matrix: "B", row: "journal" };

function files(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}

const folders = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name));

const remembered = ({ machine }: Rig): string[] =>
  files(join(machine.folder, "journal")).filter(path => !/\/(sessions|gone)\//.test(path));

/** A create whose answer was lost, in a process that died while it looked: the journal holds an intent. */
async function interrupted(rig: Rig): Promise<void> {
  const process = rig.process();
  const gate = rig.service.gate("processed", "createDocument");
  await rig.crash(door => up(door, rig.state, [nda()]), process, gate.reached);
  gate.cut();
}

describe("what lies on the disk", () => {
  test("is its owner's alone: folders 0700, files 0600", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "modes" }, rig);
    rig.service.faults.push({ kind: "status", when: "after", status: 429, retryAfter: "86400" }, "createDocument");
    expect(Object.keys((await rig.up([nda()])).errors)).toEqual(["nda"]);
    const { folder } = rig.machine;
    expect(files(folder).length).toBeGreaterThan(1);
    for (const path of files(folder)) expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
    for (const path of folders(folder)) expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o700]);
  });

  test("doesn't grow with the number of runs: what no entry speaks of is forgotten, what one does is kept", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    const sessions = join(rig.machine.folder, "journal", "sessions");
    const [own = ""] = readdirSync(sessions);
    for (let nth = 0; nth < 100; nth++) writeFileSync(join(sessions, `old-${nth}`), "", { mode: 0o600 });
    await rig.up([nda(), nda({ name: "Lease" }, "lease")]);
    const left = readdirSync(sessions);
    expect(left).not.toContain("old-0");
    expect(left.length).toBeLessThanOrEqual(2);
    rig.state.delete(urnOf("lease"));
    const { errors } = await rig.up([nda()]);
    expect([errors, own]).toEqual([{}, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  test("keeps the sessions that entries speak of: what an ended run created is still known to be settled", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    const sessions = join(rig.machine.folder, "journal", "sessions");
    const [own = ""] = readdirSync(sessions);
    for (let nth = 0; nth < 100; nth++) writeFileSync(join(sessions, `old-${nth}`), "", { mode: 0o600 });
    const state = rig.state;
    rig.state = new Map();
    await rig.up([nda({ name: "Lease" }, "lease")]);
    expect(readdirSync(sessions)).toContain(own);
    rig.state = state;
  });

  test("what a killed process left half written is removed after a day, and not while it may be on its way", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    const [entry = ""] = remembered(rig).filter(path => path.endsWith(".json"));
    const [old, young] = [`${entry}.old.tmp`, `${entry}.young.tmp`];
    for (const path of [old, young]) writeFileSync(path, '{"version":1');
    const before = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(old, before, before);
    await rig.up([nda(), nda({ name: "Lease" }, "lease")]);
    expect([old, young].map(path => existsSync(path))).toEqual([false, true]);
  });

  test("has no content and names nobody, and is small", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "content" }, rig);
    const check = () => {
      const text = files(rig.machine.folder)
        .map(path => `${path}\n${readFileSync(path, "latin1")}`)
        .join("\n");
      for (const word of [ANA, BOB, "NDA", "between friends", "Ana", pdf("one"), "%PDF", rig.service.apiKey])
        expect(text).not.toContain(word);
      expect(Math.max(...files(rig.machine.folder).map(path => statSync(path).size))).toBeLessThan(2_000);
    };
    await interrupted(rig);
    check();
    await rig.up([nda()]);
    check();
  });

  test("is gone after destroy, but for the word that a run ended in order", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "cleaned by destroy" }, rig);
    await rig.up([nda(), nda({ name: "Lease" }, "lease")]);
    expect(remembered(rig)).toHaveLength(4);
    await rig.destroy();
    expect(remembered(rig)).toEqual([]);
  });

  test("doesn't grow with runs that create nothing", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "growth" }, rig);
    await rig.up([nda()]);
    const before = files(join(rig.machine.folder, "journal")).length;
    for (let runs = 0; runs < 20; runs++) await rig.up([nda()]);
    expect(files(join(rig.machine.folder, "journal"))).toHaveLength(before);
  });
});

describe("a damaged journal", () => {
  test.each([
    ["empty", ""],
    ["cut off", '{"version":1,"service":"http'],
    ["garbage", "\u0000\u0001\u0002"],
    ["of another kind", '{"version":99}'],
    ["an array", "[]"],
  ])("%s, of a document that state has: healed by the next up", async (_, content) => {
    await using rig = await startRig();
    await rig.up([nda()]);
    for (const path of remembered(rig)) writeFileSync(path, content);
    expect((await rig.up([nda()])).errors).toEqual({});
    expect((await rig.destroy()).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1 });
  });

  test.each([
    ["empty", ""],
    ["cut off", '{"version":1,"service":"http'],
    ["garbage", "\u0000\u0001\u0002"],
  ])("%s, of a create with no known outcome: nothing is sent until a person has looked", async (row, content) => {
    await using rig = await startRig();
    await interrupted(rig);
    const [entry = ""] = remembered(rig).filter(path => path.endsWith(".json"));
    writeFileSync(entry, content);
    const { errors } = await rig.up([nda()]);
    expect([row, errors["nda"]]).toEqual([row, expect.stringContaining(`rm '${entry}'`)]);
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });

  test("a claim cut off while it was written doesn't make the document nobody's", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "claim cut off" }, rig);
    await interrupted(rig);
    const [entry = ""] = remembered(rig).filter(path => path.endsWith(".json"));
    mkdirSync(join(entry, "..", "..", "ids"), { recursive: true });
    writeFileSync(join(entry, "..", "..", "ids", rig.service.ledger.documents()[0]?.id ?? ""), "");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
  });

  test("of processes that claim one document at the same moment, one has it", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "claims at once" }, rig);
    const claimer = join(import.meta.dirname, "../support/claimer/main.ts");
    const claimed = await Promise.all(
      ["a", "b", "c"].map(async name => {
        const args = [
          "--import",
          "tsx",
          claimer,
          join(rig.machine.folder, "journal"),
          rig.service.url,
          urnOf(name),
          "400",
        ];
        const { stdout } = await promisify(execFile)(process.execPath, args);
        return stdout.split("\n").filter(line => line !== "");
      }),
    );
    const all = Array.from({ length: 400 }, (_, nth) => String(nth + 1));
    expect(claimed.flat().sort()).toEqual(all.sort());
  });

  test("claims of a service that was set up anew don't make anyone send twice", async context => {
    await using rig = await startRig({ port: 0 });
    cell(context, { ...B, column: "ids come again" }, rig);
    await rig.up([nda()]);
    const ids = join(remembered(rig).find(path => path.endsWith(".json")) ?? "", "..", "..", "ids");
    const next = Array.from({ length: 40 }, (_, nth) => String(90_210_007 + 7 * nth));
    for (const id of next) writeFileSync(join(ids, id), "0".repeat(32));
    const { errors } = await rig.up([nda(), nda({ name: "Lease" }, "lease")]);
    expect(errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("an intent left behind without its entry doesn't let a foreign document pass for ours", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "orphan intent" }, rig);
    await interrupted(rig);
    const [entry = ""] = remembered(rig).filter(path => path.endsWith(".json"));
    rmSync(entry);
    rig.service.people.removeDocument(rig.service.ledger.documents()[0]?.id ?? "");
    const twin = {
      name: "NDA",
      description: "between friends",
      pdf: Buffer.from(pdf("one"), "base64"),
      emails: [ANA, BOB],
    };
    rig.service.people.upload("first", twin);
    rig.service.faults.push(RESET, "createDocument");
    const { errors } = await rig.up([nda()]);
    expect(errors["nda"]).toMatch(/several that fit/);
    expect(rig.saw()).toMatchObject({ posts: 2 });
  });
});

describe("a journal that can't be written", () => {
  test("refuses a create before anything is sent, and says where and why", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "unwritable" }, rig);
    rmSync(rig.machine.folder, { recursive: true });
    writeFileSync(rig.machine.folder, "a file where the folder should be");
    const { errors } = await rig.up([nda()]);
    expect(errors["nda"]).toMatch(/can't be (written|read)/);
    expect(errors["nda"]).toContain(rig.machine.folder);
    expect(errors["nda"]).toContain("DOCSIGN_STATE_DIR");
    expect(rig.saw()).toMatchObject({ requests: 0 });
  });

  test("doesn't keep anyone from refreshing or destroying", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    rmSync(rig.machine.folder, { recursive: true });
    writeFileSync(rig.machine.folder, "");
    expect((await rig.up([nda()])).errors).toEqual({});
    expect((await rig.refresh()).errors).toEqual({});
    expect((await rig.destroy()).errors).toEqual({});
  });

  test("after the document was made, doesn't lose its id", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "disk full after POST" }, rig);
    const { run, door } = rig.process();
    vi.spyOn(run.runtime.context.journal, "claim").mockRejectedValue(
      Object.assign(new Error("no space"), { code: "ENOSPC" }),
    );
    expect((await up(door, rig.state, [nda()])).errors).toEqual({});
    rig.expectOnce();
    await run.kill();
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
  });
});
