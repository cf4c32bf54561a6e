import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { thisProcess, tryLock } from "../../scripts/setup/lock.mjs";
import { MINUTE, openDesk } from "./desk.js";

const NDA = { name: "NDA", invitations: [{ email: "ana@example.com" }, { email: "bob@example.org" }] };
const refresh = ["pulumi", "refresh", "--run-program", "--yes", "--stack", "dev"];
const stack = { name: "sign", run: refresh, cwd: "sign" };
const hook = { name: "chat", webhook: "https://hooks.example.com/signed" };

describe("docsign watch", () => {
  it("doesn't run for the state at its first look, and runs for each later signature", async () => {
    await using desk = await openDesk({ wake: [stack] });
    const [old, open] = desk.sandbox.seed({ documents: [{ ...NDA, signed: "all" }, NDA] });
    await desk.turns(2);
    expect(desk.woken().ran).toEqual([]);
    desk.sandbox.sign(open ?? 0, "ana@example.com");
    await desk.turns(3);
    const woken = { command: refresh, cwd: join(desk.folder, "sign"), changed: String(open) };
    expect(desk.woken().ran).toEqual([woken]);
    desk.sandbox.sign(open ?? 0, "bob@example.org");
    await desk.turns(3);
    expect(desk.woken().ran).toEqual([woken]);
    await desk.turns(6);
    expect(desk.woken().ran).toEqual([]);
    expect(old).toBe(5001);
  });

  it("sees a document that was sent and signed between two looks", async () => {
    await using desk = await openDesk({ wake: [stack], certificates: false });
    await desk.turns(2);
    const [fresh] = desk.sandbox.seed({ documents: [{ ...NDA, signed: "all" }] });
    await desk.turns(2);
    expect(desk.woken().ran.map(({ changed }) => changed)).toEqual([String(fresh)]);
  });

  it.each(["__proto__", "constructor", "toString"])("wakes one that is named %s, like any other", async name => {
    await using desk = await openDesk({ wake: [{ ...stack, name }], certificates: false });
    await desk.turns(2);
    const [fresh] = desk.sandbox.seed({ documents: [{ ...NDA, signed: "all" }] });
    await desk.turns(2);
    expect(desk.woken().ran.map(({ changed }) => changed)).toEqual([String(fresh)]);
    // Killed and started again, and nobody is woken twice.
    await desk.turns(2);
    expect(desk.woken().ran).toEqual([]);
  });

  it("asks by date, in turns with the documents whose certificates are open, and wakes when those come", async () => {
    await using desk = await openDesk({ wake: [hook] });
    const [id] = desk.sandbox.seed({ documents: [{ ...NDA, signed: "all" }] });
    await desk.turns(3);
    expect(desk.asked()).toEqual(["by_date_range partially_signed", "by_date_range signed", `document ${id}`]);
    desk.sandbox.certify(id ?? 0);
    await desk.turns(3);
    expect(desk.woken().posted).toEqual([
      {
        url: hook.webhook,
        body: { changes: [{ documentId: String(id), name: "NDA", what: "certificates", status: "signed" }] },
      },
    ]);
    // Nothing is open any more: the lists have the turn.
    await desk.turns(3);
    expect(
      desk
        .asked()
        .slice(-3)
        .filter(each => each.startsWith("document")),
    ).toEqual([]);
  });

  it("sends one request a minute at most, in one run and across restarts, also while the service has a fault", async () => {
    await using desk = await openDesk({ wake: [stack] });
    desk.sandbox.faults.next({ kind: "status", status: 503, times: 2 });
    await desk.turns(5);
    expect(desk.sandbox.history.length).toBe(5);
    const gaps = desk.askedAt.slice(1).map((at, index) => at - (desk.askedAt[index] ?? 0));
    expect(gaps.every(gap => gap >= MINUTE)).toBe(true);
    expect(desk.said().out).toContain("asked in vain, and asking again later");
    // One process: it waits before each of its questions but those that are due.
    await desk.command(["watch.json"], { turns: 4 });
    expect(desk.sandbox.history.length).toBe(9);
  });

  it("after a crash, runs what wasn't run before, and nothing twice", async () => {
    await using desk = await openDesk({ wake: [stack, hook], certificates: false });
    const [id] = desk.sandbox.seed({ documents: [NDA] });
    await desk.turns(2);
    desk.answers.run = 255;
    desk.sandbox.sign(id ?? 0, "ana@example.com");
    await desk.turns(1);
    expect(desk.woken()).toMatchObject({ ran: [{ changed: String(id) }], posted: [{}] });
    expect(desk.said().out).toContain("sign couldn't be woken, and is tried again: expected `pulumi refresh");
    desk.answers.run = 0;
    await desk.turns(1);
    expect(desk.woken()).toMatchObject({ ran: [{ changed: String(id) }], posted: [] });
    await desk.turns(2);
    expect(desk.woken()).toEqual({ ran: [], posted: [] });
  });

  it("wakes for the given documents, or for those in a stack's state", async () => {
    const publish = { name: "publish", documents: [5001], run: ["pulumi", "up"] };
    const sign = { ...stack, documentsOf: { cwd: "sign", stack: "dev" } };
    await using desk = await openDesk({ wake: [publish, sign], certificates: false });
    const ids = desk.sandbox.seed({ documents: [NDA, NDA, NDA] });
    const inState = { type: "docsign:index:Document", id: String(ids[1]) };
    desk.answers.output = JSON.stringify({ deployment: { resources: [{ type: "a:b:C", id: "5003" }, inState] } });
    await desk.turns(2);
    for (const id of ids) desk.sandbox.sign(id, "ana@example.com");
    await desk.turns(2);
    expect(desk.woken().ran).toEqual([
      { command: ["pulumi", "up"], cwd: desk.folder, changed: "5001" },
      {
        command: ["pulumi", "stack", "export", "--stack", "dev", "--non-interactive"],
        cwd: join(desk.folder, "sign"),
        changed: undefined,
      },
      { command: refresh, cwd: join(desk.folder, "sign"), changed: String(ids[1]) },
    ]);
  });

  it("is the only watcher of its memory, and takes over from one that was killed", async () => {
    await using desk = await openDesk({ wake: [stack] });
    const memory = join(desk.folder, "docsign-watch.state.json.watcher");
    const other = { ...thisProcess(), pid: 4711, host: "other" };
    tryLock(memory, { self: other });
    const isAlive = (alive: boolean) => ({ lock: { isAlive: () => alive } });
    expect(await desk.command(["--once", "watch.json"], isAlive(true))).toBe(1);
    expect(desk.said().err).toContain("expected to be the only watcher of its memory, got process 4711 on other");
    expect(desk.sandbox.history).toEqual([]);
    expect(await desk.command(["--once", "watch.json"], isAlive(false))).toBe(0);
    expect(desk.sandbox.history.length).toBe(1);
  });

  it("writes no more than one line about a document, whatever its title is", async () => {
    await using desk = await openDesk({ wake: [hook], certificates: false });
    await desk.turns(2);
    desk.sandbox.seed({ documents: [{ ...NDA, name: "NDA\n2026-01-01 forged", signed: "all" }] });
    await desk.turns(2);
    expect(
      desk
        .said()
        .out.split("\n")
        .filter(line => line.includes("forged")),
    ).toEqual([expect.stringMatching(/document 5001 "NDA 2026-01-01 forged": signed$/)]);
  });
});

describe("settings of docsign watch", () => {
  it.each([
    [{ wake: [] }, "the file: expected `wake` or `notify` with one entry at least"],
    [{ wake: [{ name: "a" }] }, "wake.0: expected either `run` or `webhook`"],
    [{ wake: [{ ...hook, run: ["x"] }] }, "wake.0: expected either `run` or `webhook`"],
    [{ wake: [stack], every: 10 }, "every: "],
    [{ wake: [stack, stack] }, "wake: expected a name of its own for each"],
    [{ wake: [{ ...stack, documents: ["../1"] }] }, "wake.0.documents"],
    [{ wake: [{ ...hook, webhook: "file:///etc/passwd" }] }, "wake.0.webhook"],
    [{ wake: [stack], evry: 60 }, "evry"],
  ])("%j are refused, and nothing is asked", async (settings, words) => {
    await using desk = await openDesk(settings);
    expect(await desk.command(["watch.json"])).toBe(1);
    expect(desk.said().err).toContain(words);
    expect(desk.sandbox.history).toEqual([]);
  });

  it.each([[[]], [["a", "b"]], [["--twice", "a"]]])("arguments %j are refused with the page of help", async argv => {
    await using desk = await openDesk({ wake: [stack] });
    expect(await desk.command(argv)).toBe(2);
    expect(desk.said().err).toContain("Usage: docsign watch");
  });

  it("a memory that is something else is left alone", async () => {
    await using desk = await openDesk({ wake: [stack] });
    writeFileSync(join(desk.folder, "docsign-watch.state.json"), '{"tasks": []}');
    expect(await desk.command(["--once", "watch.json"])).toBe(1);
    expect(desk.said().err).toContain("to be this watcher's memory, got something else");
    expect(desk.memory()).toEqual({ tasks: [] });
  });
});
