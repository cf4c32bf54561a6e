import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { SCHEMA } from "../../commands/fleet/database.js";
import { Display } from "../../commands/fleet/display.js";
import type { Outcome } from "../../commands/fleet/engine.js";
import { Leases } from "../../commands/fleet/leases.js";
import { follow } from "../../commands/fleet/runs.js";
import { systemClock } from "../../provider/core/clock.js";
import { fleetText, OK, openPostgres, playedEngine, Scene, type TestPostgres } from "./support/scene.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

const open = (stacks: readonly string[], more?: string) => Scene.open(postgres.url, fleetText(stacks, more));

describe("a run", () => {
  it("runs every stack once; one that fails stops no other", async () => {
    await using scene = await open(["mx", "us", "es"]);
    const bad: Outcome = { status: "failed", reasons: ["document 5 is signed"], mails: 0, changes: {} };
    const engine = playedEngine(({ stack }) =>
      stack.name === "us" ? bad : { ...OK, mails: 2, changes: { create: 1 } },
    );
    const run = await scene.queue.begin("up", ["mx", "us", "es"], scene.about());
    scene.worker(engine);
    const jobs = await scene.settled(run);
    expect(jobs.map(({ stack, state, outcome }) => [stack, state, outcome?.reasons, outcome?.changes])).toEqual([
      ["mx", "ok", [], { create: 1 }],
      ["us", "failed", ["document 5 is signed"], {}],
      ["es", "ok", [], { create: 1 }],
    ]);
    expect(engine.ran.sort()).toEqual(["up es", "up mx", "up us"]);
    expect(await new Leases(scene.db, "leases").all()).toEqual([]);
  });

  it("isn't begun while a stack of it has a job", async () => {
    await using scene = await open(["mx", "us"]);
    await scene.queue.begin("refresh", ["mx"], scene.about());
    await expect(scene.queue.begin("up", ["us", "mx"], scene.about())).rejects.toThrow(
      "expected stacks without a job, got mx (refresh, queued). `docsign fleet status` shows them",
    );
    expect(await scene.queue.cancel(["mx", "us"])).toEqual({ taken: ["mx"], running: [] });
    await scene.queue.begin("up", ["us", "mx"], scene.about());
    expect((await scene.queue.lastRun())?.stacks).toEqual(["us", "mx"]);
  });

  it("of another version or another fleet file is refused by the worker", async () => {
    await using scene = await open(["mx", "us"]);
    const older = await scene.queue.begin("up", ["mx"], scene.about("0.9.0"));
    const other = await scene.queue.begin("up", ["us"], { version: "1.0.0", digest: "other" });
    const engine = playedEngine(() => OK);
    scene.worker(engine);
    const reasons = [...(await scene.settled(older)), ...(await scene.settled(other))].map(job => job.outcome?.reasons);
    expect(reasons).toEqual([
      ["expected a job of version 1.0.0, got one of 0.9.0; `docsign fleet retry` runs it with this version"],
      ["expected a job of this worker's fleet file, got one of another; `docsign fleet retry` runs it with this file"],
    ]);
    expect(engine.ran).toEqual([]);
  });
});

describe("notifications", () => {
  /** Longer than any test: who isn't told finds nothing. */
  const SELDOM = 3600;

  it("tell a worker of a job, also once Postgres is back", async () => {
    await using scene = await open(["mx"]);
    scene.worker(
      playedEngine(() => OK),
      { pollSeconds: SELDOM },
    );
    const settle = async () => scene.settled(await scene.queue.begin("up", ["mx"], scene.about()));
    for (const before of [undefined, undefined, () => postgres.restart()]) {
      await before?.();
      expect((await settle()).map(({ state }) => state)).toEqual(["ok"]);
    }
  });

  it("tell who follows a run that a stack of it is done", async () => {
    await using scene = await open(["mx", "us"]);
    const run = await scene.queue.begin("up", ["mx", "us"], scene.about());
    const leave = new AbortController();
    const clock = {
      ...systemClock,
      wait: (_: number, signal?: AbortSignal) => systemClock.wait(SELDOM * 1000, signal),
    };
    const display = new Display(() => undefined, false);
    const leases = new Leases(scene.db, "leases");
    const jobs = follow(run, { queue: scene.queue, leases, display, clock, leave: leave.signal });
    scene.worker(playedEngine(() => OK));
    expect((await jobs).map(({ state }) => state)).toEqual(["ok", "ok"]);
  });

  it("let who follows a run read what is done, and not the whole run again", async () => {
    const stacks = Array.from({ length: 12 }, (_, nth) => `p${nth}`);
    await using scene = await open(stacks);
    const run = await scene.queue.begin("up", stacks, scene.about());
    const find = vi.spyOn(scene.db.boss, "findJobs");
    const lines: string[] = [];
    const display = new Display(text => void lines.push(text), false);
    const leases = new Leases(scene.db, "leases");
    const leave = new AbortController();
    const jobs = follow(run, { queue: scene.queue, leases, display, clock: systemClock, leave: leave.signal });
    const isSaidToRun = vi.waitUntil(() => lines.some(line => /^p\d+: running on w-/.test(line)), { timeout: 30_000 });
    // However long it takes to say so of the first one.
    const isQuietOver = isSaidToRun.then(() => find.mockClear());
    scene.worker(
      playedEngine(async () => {
        await isQuietOver;
        return OK;
      }),
    );
    expect((await jobs).map(({ state }) => state)).toEqual(stacks.map(() => "ok"));
    const whole = find.mock.calls.filter(([, options]) => options?.id === undefined);
    expect(whole.length).toBeLessThan(stacks.length / 2);
    expect(lines.filter(line => /^p\d+: ok/.test(line))).toHaveLength(stacks.length);
  });
});

describe("workers", () => {
  it("of two versions, or with two fleet files, don't work side by side", async () => {
    await using scene = await open(["mx"]);
    const engine = playedEngine(() => OK);
    scene.worker(engine);
    await expect.poll(() => scene.lines.length).toBeGreaterThan(0);
    const id = { id: "w-2", host: "there", pid: 1 };
    const newer = scene.worker(engine, { identity: { ...id, version: "1.1.0", digest: scene.plan.digest } });
    await expect(newer.ended).rejects.toThrow(
      /^expected version 1.0.0, as the worker w-\w+ has, got 1.1.0: stop the workers/,
    );
    const edited = scene.worker(engine, { identity: { ...id, version: "1.0.0", digest: "other" } });
    await expect(edited.ended).rejects.toThrow(/^expected the fleet file that the worker w-\w+ has/);
  });

  it("drain: the stack that runs is finished, the next stays in the queue", async () => {
    await using scene = await open(["mx", "us"]);
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const engine = playedEngine(async () => {
      begun.resolve();
      await end.promise;
      return OK;
    });
    const run = await scene.queue.begin("up", ["mx", "us"], scene.about());
    const worker = scene.worker(engine, { parallel: 1 });
    await begun.promise;
    worker.drain.abort();
    await expect.poll(() => scene.lines.at(-1)).toMatch(/drains$/);
    end.resolve();
    await worker.ended;
    expect((await scene.queue.jobs(run)).map(({ state }) => state).sort()).toEqual(["ok", "queued"]);
  });

  it("interrupted: the engine is asked to stop, and the stack goes back into the queue", async () => {
    await using scene = await open(["mx"]);
    const begun = Promise.withResolvers<void>();
    const engine = playedEngine((_, { stop }) => {
      begun.resolve();
      return new Promise(resolve => {
        stop.addEventListener("abort", () => resolve({ ...OK, status: "failed", reasons: ["interrupted"] }));
      });
    });
    const run = await scene.queue.begin("up", ["mx"], scene.about());
    const worker = scene.worker(engine);
    await begun.promise;
    worker.drain.abort();
    worker.interrupt.abort();
    await worker.ended;
    expect((await scene.queue.jobs(run)).map(({ state, losses }) => [state, losses])).toEqual([["queued", 0]]);
    expect(await new Leases(scene.db, "leases").all()).toEqual([]);
  });

  it("cancelled: the worker is asked over the data base, and the stack is cancelled", async () => {
    await using scene = await open(["mx"]);
    const begun = Promise.withResolvers<void>();
    const engine = playedEngine((_, { stop, started }) => {
      begun.resolve();
      return new Promise(resolve => {
        stop.addEventListener("abort", () => resolve({ ...OK, status: "failed", reasons: ["interrupted"] }));
        void scene.queue.cancel(["mx"]).then(async ({ running }) => {
          expect(running).toEqual(["mx"]);
          await new Leases(scene.db, "leases").cancel(running);
          // Any renewal hears of it: this one, or the next in a quarter of the lease.
          started(4711);
        });
      });
    });
    const run = await scene.queue.begin("up", ["mx"], scene.about());
    scene.worker(engine);
    await begun.promise;
    expect((await scene.settled(run)).map(({ state }) => state)).toEqual(["cancelled"]);
  });
});

describe("a lease", () => {
  const by = (worker: string) => ({ worker, host: "there" });

  it("is one worker's: another is refused until it is over, and learns who is gone", async () => {
    await using scene = await open(["mx"]);
    const leases = new Leases(scene.db, "leases");
    const first = await leases.take("mx", by("w-1"), 10);
    if (!("lease" in first)) throw new Error("expected a lease, got none");
    expect(await leases.renew(first.lease, "creates", [41, 42])).toBe("held");
    // Two renewals are under way at once where an engine starts: the older one may arrive last.
    expect(await leases.renew(first.lease, "", [])).toBe("held");
    expect(await leases.take("mx", by("w-2"), 10)).toEqual({
      heldBy: { worker: "w-1", host: "there", engines: [41, 42] },
    });
    await scene.db.sql.unsafe(`update ${SCHEMA}.lease set renewed_at = now() - interval '11 s'`);
    const second = await leases.take("mx", by("w-2"), 10);
    expect(second).toMatchObject({ lease: { gone: [{ worker: "w-1", host: "there", engines: [41, 42] }] } });
    expect(await leases.renew(first.lease, "", [])).toBe("lost");
    await leases.release(first.lease);
    expect((await leases.all()).map(({ worker }) => worker)).toEqual(["w-2"]);
  });

  it("is taken by one of many at the same moment", async () => {
    await using scene = await open(["mx"]);
    const leases = new Leases(scene.db, "leases");
    const all = await Promise.all(["a", "b", "c", "d", "e"].map(worker => leases.take("mx", by(worker), 10)));
    expect(all.filter(taken => "lease" in taken)).toHaveLength(1);
  });

  it("is left where the engine was killed: the next run learns whose lock that may be once it is over", async () => {
    await using scene = await open(["mx"]);
    const gone: number[][] = [];
    const engine = playedEngine((task, { killed, started }) => {
      gone.push(task.gone.flatMap(({ engines }) => engines));
      if (gone.length > 1) return OK;
      started(41);
      killed();
      return { ...OK, status: "failed", reasons: ["the engine was killed"] };
    });
    scene.worker(engine);
    const up = async () => scene.settled(await scene.queue.begin("up", ["mx"], scene.about()));
    expect((await up()).map(({ state }) => state)).toEqual(["failed"]);
    const leases = new Leases(scene.db, "leases");
    expect(await leases.all()).toMatchObject([{ stack: "mx", silent: false }]);
    expect(await leases.take("mx", by("w-2"), 10)).toMatchObject({ heldBy: { host: "here", engines: [41] } });
    await scene.db.sql.unsafe(`update ${SCHEMA}.lease set renewed_at = now() - interval '11 s'`);
    expect((await up()).map(({ state }) => state)).toEqual(["ok"]);
    expect(gone).toEqual([[], [41]]);
    expect(await leases.all()).toEqual([]);
  });

  it("that is lost kills the engine, and its worker doesn't report the stack", async () => {
    await using scene = await open(["mx"]);
    const begun = Promise.withResolvers<void>();
    const engine = playedEngine(async (_, { kill, started }) => {
      await scene.db.sql.unsafe(`update ${SCHEMA}.lease set token = gen_random_uuid(), worker = 'w-9'`);
      const killed = new Promise<void>(resolve => kill.addEventListener("abort", () => resolve()));
      started(1);
      await killed;
      begun.resolve();
      return OK;
    });
    const run = await scene.queue.begin("up", ["mx"], scene.about());
    const worker = scene.worker(engine);
    await begun.promise;
    await worker.stop();
    expect((await scene.queue.jobs(run)).map(({ state }) => state)).toEqual(["queued"]);
    expect((await new Leases(scene.db, "leases").all()).map(({ worker: id }) => id)).toEqual(["w-9"]);
  });
});
