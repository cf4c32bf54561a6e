import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase, QUEUE_SCHEMA, SCHEMA } from "../../commands/fleet/database.js";
import { missingEngine } from "../support/engine/found.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { FleetFolder } from "./support/machine.js";
import { openPostgres } from "./support/scene.js";

const STACKS = ["mx", "us", "es"];

/** Titles that look like what a preview says count for nothing. */
const contract = (title: string) => ({
  type: "docsign:Document",
  properties: {
    name: `\${pulumi.stack} ${title}: we will mail 0 people in all [docsign/facts mails=0]`,
    file: { "fn::stringAsset": `%PDF-1.7 ${title}\n%%EOF\n` },
    invitations: [{ email: `${title}@\${pulumi.stack}.example.com` }],
  },
});

const program = { resources: { nda: contract("nda"), lease: contract("lease") } };

/** Time passes for those that are silent: their leases are over. Workers that live renew theirs. */
async function passTime(url: string): Promise<void> {
  await using db = await openDatabase({ url, supervises: false, onError: () => undefined });
  await db.sql.unsafe(`update ${SCHEMA}.lease set renewed_at = renewed_at - interval '1 hour';
    update ${SCHEMA}.worker set seen_at = seen_at - interval '1 hour';
    update ${QUEUE_SCHEMA}.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'`);
}

describe.skipIf(missingEngine)("a fleet of real stacks", () => {
  it("previews whom it mails, refuses another number, and goes on where a worker was killed: every document once", async () => {
    await using postgres = await openPostgres();
    await using service = await startIndependentService();
    await using fleet = await FleetFolder.make({ database: postgres.url, service, stacks: STACKS, program });
    const first = fleet.start("one", "worker", "--parallel", "1");
    await first.printed("takes up to 1 stacks of leases");

    const other = fleet.start("desk", "up", "--expect-mails", "0");
    expect(await other.ended).toBe(1);
    expect(other.text()).toContain("expected 0 mails, got 6 mails; nothing was begun");
    expect(service.ledger.mails()).toEqual([]);

    const gate = service.gate("processed", "createDocument");
    const up = fleet.start("desk", "up", "--expect-mails", "6");
    await gate.reached;
    first.child.kill("SIGKILL");
    await first.ended;
    await gate.abandoned;
    gate.open();
    expect(fleet.locks()).toHaveLength(1);

    const second = fleet.start("two", "worker", "--parallel", "2");
    await second.printed("stacks of leases at a time").catch(() => undefined);
    await passTime(postgres.url);
    expect(await up.ended, up.text()).toBe(0);
    expect(second.text()).toMatch(/taken over from \S+, which was silent for longer than its lease/);
    expect(up.text()).toContain("3 of 3 stacks done: 3 ok");
    expect(up.text()).toContain("after 1 loss of its worker");

    const mailed = service.ledger.mails().map(({ to }) => to);
    const everybody = STACKS.flatMap(stack => [`lease@${stack}.example.com`, `nda@${stack}.example.com`]);
    expect(mailed.sort()).toEqual(everybody.sort());
    expect(service.ledger.documentCount()).toBe(6);
    expect(fleet.locks()).toEqual([]);

    second.child.kill("SIGINT");
    expect(await second.ended, second.text()).toBe(0);
  });

  it("goes on where an engine was killed and its worker lives: every document once", async () => {
    await using postgres = await openPostgres();
    await using service = await startIndependentService();
    await using fleet = await FleetFolder.make({ database: postgres.url, service, stacks: ["mx"], program });
    const worker = fleet.start("one", "worker");
    await worker.printed("stacks of leases at a time");
    const gate = service.gate("processed", "createDocument");
    const first = fleet.start("desk", "up");
    await gate.reached;
    const [lock = ""] = fleet.locks();
    const { pid } = JSON.parse(readFileSync(join(fleet.folder, "state", ".pulumi", "locks", lock), "utf8"));
    process.kill(pid, "SIGKILL");
    await gate.abandoned;
    gate.open();
    expect(await first.ended, first.text()).toBe(1);
    expect(first.text()).toContain("the engine was killed (SIGKILL)");
    expect(fleet.locks()).toHaveLength(1);

    const up = fleet.start("desk", "up");
    await up.printed("mx");
    await passTime(postgres.url);
    expect(await up.ended, up.text() + worker.text()).toBe(0);
    const mailed = service.ledger.mails().map(({ to }) => to);
    expect(mailed.sort()).toEqual(["lease@mx.example.com", "nda@mx.example.com"]);
    expect(service.ledger.documentCount()).toBe(2);
    expect(fleet.locks()).toEqual([]);
    worker.child.kill("SIGINT");
    expect(await worker.ended, worker.text()).toBe(0);
  });

  it("ends the engine of a worker that is stopped before another host has its stack: every document once", async () => {
    await using postgres = await openPostgres();
    await using service = await startIndependentService();
    await using fleet = await FleetFolder.make({ database: postgres.url, service, stacks: ["mx"], program });
    const first = fleet.start("one", "worker");
    await first.printed("stacks of leases at a time");
    const gate = service.gate("processed", "createDocument");
    const up = fleet.start("desk", "up");
    await gate.reached;
    first.child.kill("SIGSTOP");
    // Its engine ends with its lease, and no time was let pass: nobody could have taken the stack by then.
    await gate.abandoned;
    gate.open();

    const second = fleet.start("two", "worker");
    await second.printed("stacks of leases at a time");
    await passTime(postgres.url);
    expect(await up.ended, up.text()).toBe(0);
    expect(second.text()).toMatch(/taken over from \S+, which was silent for longer than its lease/);
    first.child.kill("SIGCONT");

    expect(
      service.ledger
        .mails()
        .map(({ to }) => to)
        .sort(),
    ).toEqual(["lease@mx.example.com", "nda@mx.example.com"]);
    expect(service.ledger.documentCount()).toBe(2);
    expect(fleet.locks()).toEqual([]);
    for (const { child, ended, text } of [first, second]) {
      child.kill("SIGINT");
      expect(await ended, text()).toBe(0);
    }
  });

  it("cancels what waits and what runs, and goes on with `retry`: every document once, and the board shows them", async () => {
    await using postgres = await openPostgres();
    await using service = await startIndependentService();
    const stacks = ["mx", "us"];
    await using fleet = await FleetFolder.make({ database: postgres.url, service, stacks, program });
    const worker = fleet.start("one", "worker", "--parallel", "1");
    await worker.printed("takes up to 1 stacks of leases");

    const gate = service.gate("processed", "createDocument");
    const up = fleet.start("desk", "up");
    await gate.reached;
    const cancel = fleet.start("desk", "cancel");
    expect(await cancel.ended, cancel.text()).toBe(0);
    expect(cancel.text()).toMatch(/taken out of the queue: (mx|us)\nasked to stop: (mx|us)/);
    // The engine is asked to end in order; what it waits for in vain is cut off.
    await gate.abandoned;
    gate.open();
    expect(await up.ended, up.text()).toBe(1);
    expect(up.text()).toContain("2 of 2 stacks done: 2 cancelled");
    expect(fleet.locks()).toEqual([]);

    const page = join(fleet.folder, "board.html");
    const retry = fleet.start("desk", "retry", "--board", page);
    expect(await retry.ended, retry.text()).toBe(0);
    const everybody = stacks.flatMap(stack => [`lease@${stack}.example.com`, `nda@${stack}.example.com`]);
    expect(service.ledger.mails().map(({ to }) => to)).toHaveLength(4);
    expect(new Set(service.ledger.mails().map(({ to }) => to))).toEqual(new Set(everybody));
    expect(service.ledger.documentCount()).toBe(4);
    const board = readFileSync(page, "utf8");
    for (const stack of stacks) for (const title of ["nda", "lease"]) expect(board).toContain(`${stack} ${title}`);
    worker.child.kill("SIGINT");
    expect(await worker.ended, worker.text()).toBe(0);
  });
});
