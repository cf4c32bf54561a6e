import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { QUEUE_SCHEMA, SCHEMA } from "../../commands/fleet/database.js";
import { Leases } from "../../commands/fleet/leases.js";
import type { RunInfo } from "../../commands/fleet/queue.js";
import { toRetry } from "../../commands/fleet/runs.js";
import { systemClock } from "../../provider/core/clock.js";
import { type IndependentService, startIndependentService } from "../support/independent-service/index.js";
import { scratchFolder } from "../support/scratch.js";
import { personOf } from "./support/played-engine.js";
import { fleetText, openPostgres, Scene, type TestPostgres } from "./support/scene.js";

const WORKER = join(import.meta.dirname, "support/played-worker/main.ts");
const STACKS = Array.from({ length: 8 }, (_, nth) => `s${nth}`);
const DOCUMENTS = 6;
const WORKERS = 2;
/** After so many documents at the service a worker is killed; the data base is restarted in between. */
const KILLS = [3, 12, 21, 30];
const RESTARTS = [14, 28];

/** Workers in processes of their own; one that ends is followed by another, as whoever starts them in earnest sees to. */
class Crew {
  readonly #living = new Map<string, ChildProcess>();
  readonly #folder = scratchFolder("docsign-fleet-kill-");
  #hired = 0;
  #isOver = false;

  constructor(
    private readonly postgres: TestPostgres,
    private readonly service: IndependentService,
    private readonly fleet: string,
  ) {}

  hire(): void {
    const id = `w-${++this.#hired}`;
    const given = {
      ...{ id, fleet: this.fleet, parallel: 2, documents: DOCUMENTS, journal: this.postgres.url },
      service: { url: this.service.url, apiKey: this.service.apiKey },
      backend: join(this.#folder, "backend"),
      // Each is a machine of its own, that remembers nothing of the others.
      memory: join(this.#folder, id),
      settings: { resendAfter: "1s" },
    };
    const child = spawn(process.execPath, ["--import", "tsx", WORKER, JSON.stringify(given)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#living.set(id, child);
    // One that starts while the data base is away ends by itself.
    child.once("exit", () => {
      this.#living.delete(id);
      if (!this.#isOver) this.hire();
    });
  }

  /** Kills the one that runs most; time passes for what it held. */
  async kill(scene: Scene): Promise<void> {
    const running = await new Leases(scene.db, "leases").all();
    const id =
      running.map(({ worker }) => worker).find(worker => this.#living.has(worker)) ?? [...this.#living.keys()][0] ?? "";
    await this.#end(id);
    await scene.db.sql.unsafe(`
      update ${QUEUE_SCHEMA}.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'
        and data->>'stack' in (select stack from ${SCHEMA}.lease where worker = '${id}');
      update ${SCHEMA}.lease set renewed_at = renewed_at - interval '1 hour' where worker = '${id}'`);
  }

  /** What isn't among the living has told its end, so none is waited for in vain. */
  async #end(id: string): Promise<void> {
    const child = this.#living.get(id);
    if (!child) return;
    const gone = new Promise(resolve => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const id of this.#living.keys()) await this.#end(id);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

test("workers killed again and again, and the data base restarted: nothing is sent twice, and nothing is missing", async () => {
  await using postgres = await openPostgres();
  // Its lists are newest first and reach back: what never arrived is proven absent, and sent again.
  await using service = await startIndependentService({ dialect: { createAnswer: "whole", order: "newest" } });
  service.clock.advance(-86_400_000);
  for (let nth = 0; nth < 12; nth++)
    service.people.upload("first", {
      name: `Earlier ${nth}`,
      pdf: Buffer.from("%PDF-1.4"),
      emails: ["ana@example.org"],
    });
  service.clock.advance(86_400_000);
  const before = service.ledger.documentCount();
  const mailedBefore = service.ledger.mails().length;
  const text = fleetText(STACKS);
  await using scene = await Scene.open(postgres.url, text);
  await using crew = new Crew(postgres, service, text);
  for (let nth = 0; nth < WORKERS; nth++) crew.hire();

  const [kills, restarts] = [[...KILLS], [...RESTARTS]];
  const strike = async (): Promise<void> => {
    const count = service.ledger.documentCount() - before;
    if (count >= (restarts[0] ?? Number.POSITIVE_INFINITY)) {
      restarts.shift();
      await postgres.restart();
    }
    if (count >= (kills[0] ?? Number.POSITIVE_INFINITY)) {
      kills.shift();
      await crew.kill(scene);
    }
  };
  const settled = async (run: RunInfo) => {
    for (;;) {
      // The data base is away now and then.
      await strike().catch(() => undefined);
      const jobs = await scene.queue.jobs(run).catch(() => undefined);
      if (jobs?.every(({ state }) => state !== "queued" && state !== "running")) return jobs;
      await systemClock.wait(50);
    }
  };
  let jobs = await settled(await scene.queue.begin("up", STACKS, scene.about()));
  // What was under way at a kill may have arrived: it is sent again once that is disproved, by a later run.
  for (let rounds = 0; rounds < 5 && jobs.some(({ state }) => state !== "ok"); rounds++)
    jobs = await settled(await scene.queue.begin("up", toRetry(jobs, []), scene.about()));

  expect(jobs.map(({ stack, state, outcome }) => [stack, state, outcome?.reasons])).toEqual(
    jobs.map(({ stack }) => [stack, "ok", []]),
  );
  expect([kills, restarts]).toEqual([[], []]);
  const everybody = STACKS.flatMap(stack => Array.from({ length: DOCUMENTS }, (_, nth) => personOf(stack, nth)));
  expect(
    service.ledger
      .mails()
      .slice(mailedBefore)
      .map(({ to }) => to)
      .sort(),
  ).toEqual(everybody.sort());
  expect(service.ledger.documentCount() - before).toBe(everybody.length);
  // Who lives lets go of its stacks; what a killed one held runs out.
  const leases = new Leases(scene.db, "leases");
  while ((await leases.all()).some(({ silent }) => !silent)) await systemClock.wait(50);
});
