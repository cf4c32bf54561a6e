import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ObjectServer, startObjectServer } from "../journal/support/object-server.js";
import { type Machine, startMachine } from "../support/machine.js";
import { CRASH_POINTS, crashed } from "./support/crash-points.js";
import { up } from "./support/engine.js";
import { madeIn, nda, type Rig, startRig, urnOf } from "./support/rig.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let store: ObjectServer;
beforeAll(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "docsign");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "docsign-secret");
  store = await startObjectServer();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await store[Symbol.asyncDispose]();
});

/** Two machines with a journal between them; the clock of the first is so far from the service's and the second's. */
async function machines(rig: Rig, ahead: number, journal: string) {
  const env = { DOCSIGN_JOURNAL: `s3://contracts/${journal}?endpoint=${store.endpoint}` };
  const [wrong, right] = [startMachine(), startMachine()];
  wrong.pass(ahead);
  // Lists prove what isn't in them to a journal that knows one of their documents.
  const { run } = rig.process({ machine: right, env });
  const { context } = run.runtime;
  const scope = { service: context.service().origin, urn: urnOf("earlier", "Document", "earlier") };
  const about = { fingerprint: undefined, supersedes: [] };
  await context.journal.claim(scope, rig.service.ledger.decoys()[0]?.id ?? "", about);
  await run.end();
  const on = (machine: Machine) => ({ machine, env });
  return {
    wrong: on(wrong),
    right: on(right),
    pass(milliseconds: number) {
      rig.service.clock.advance(milliseconds);
      for (const machine of [wrong, right]) machine.pass(milliseconds);
    },
    [Symbol.dispose]() {
      for (const machine of [wrong, right]) machine[Symbol.dispose]();
    },
  };
}

test("what a machine sent whose clock is an hour ahead is found two hours later on another", async () => {
  await using rig = await startRig({ proving: true });
  using two = await machines(rig, HOUR, "ahead");
  await crashed(rig, CRASH_POINTS["after processing"] ?? expect.unreachable(), nda(), { ...two.wrong, soon: true });
  two.pass(2 * HOUR);
  expect((await rig.up([nda()], two.right)).errors).toEqual({});
  rig.expectOnce();
});

test("what a machine has just sent whose clock is half an hour behind isn't sent again on another", async () => {
  await using rig = await startRig({ proving: true });
  using two = await machines(rig, -HOUR / 2, "behind");
  const gate = rig.service.gate("received-body", "createDocument");
  const first = rig.process(two.wrong);
  await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), first, gate.reached);
  const { errors } = await rig.up([nda()], { ...two.right, config: { reconcileTimeout: "1s" } });
  expect(errors["nda"]).toMatch(/began to send the document \d s ago.*\[docsign\/create-unconfirmed\]/);
  gate.open();
  await vi.waitFor(() => expect(madeIn(rig.service.ledger)).toHaveLength(1));
  two.pass(HOUR);
  expect((await rig.up([nda()], two.right)).errors).toEqual({});
  rig.expectOnce();
});

test.each([
  ["no Date", "none"],
  ["one that makes no sense", "garbage"],
] as const)("at a service that shows %s, another machine's clock proves nothing", async (_, date) => {
  await using rig = await startRig({ proving: true, dialect: { date } });
  // So old that lists reach back beyond the request, by any clock.
  for (const document of rig.service.ledger.decoys()) document.createdAt -= 100 * HOUR;
  using two = await machines(rig, -25 * HOUR, `date ${date}`);
  const underWay = rig.service.gate("received-body", "createDocument");
  await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), rig.process(two.wrong), underWay.reached);
  const { errors } = await rig.up([nda()], { ...two.right, config: { reconcileTimeout: "1s" } });
  expect(errors["nda"]).toContain("its answers have no Date");
  underWay.open();
  await vi.waitFor(() => expect(madeIn(rig.service.ledger)).toHaveLength(1));
  expect((await rig.up([nda()], two.right)).errors).toEqual({});
  rig.expectOnce();
});

test.each([25, 49])("without a `Date`, a clock %i hours ahead sends nothing again that lists show", async hours => {
  await using rig = await startRig({ proving: true, dialect: { date: "none" }, config: { resendAfter: "2s" } });
  rig.machine.pass(hours * 3_600_000);
  rig.service.faults.push({ kind: "status", status: 504, when: "after" }, "createDocument");
  expect((await rig.up([nda()])).errors).toEqual({});
  rig.expectOnce();
});

test.each([
  ["is set right", 0],
  ["stays", HOUR],
])(
  "without a `Date`, where lists show the last hour alone, nothing is sent twice if a clock that is ahead %s",
  async (_then, ahead) => {
    await using rig = await startRig({ dialect: { date: "none", listedMs: HOUR } });
    rig.machine.pass(HOUR);
    const gate = rig.service.gate("received-body", "createDocument");
    await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), rig.process(), gate.reached);
    gate.open();
    await vi.waitFor(() => expect(madeIn(rig.service.ledger)).toHaveLength(1));
    rig.machine.setClock(ahead - HOUR);
    rig.machine.pass(65 * MINUTE);
    rig.service.clock.advance(65 * MINUTE);
    const program = [nda(), nda({ name: "Lease" }, "lease")];
    for (const _run of [1, 2]) {
      expect(Object.keys((await rig.up(program)).errors)).toEqual(["nda"]);
      rig.later();
    }
    expect(rig.saw()).toMatchObject({ documents: 2, mails: 4 });
  },
);

test("without a `Date`, a clock that is set ahead doesn't end the wait for a request that is on its way", async () => {
  await using rig = await startRig({ proving: true, dialect: { date: "none" }, config: { reconcileTimeout: "1s" } });
  const gate = rig.service.gate("received-body", "createDocument");
  await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), rig.process(), gate.reached);
  rig.machine.setClock(HOUR);
  expect((await rig.up([nda()])).errors["nda"]).toContain("no clock tells how long ago it was sent");
  gate.open();
  await vi.waitFor(() => expect(madeIn(rig.service.ledger)).toHaveLength(1));
  expect((await rig.up([nda()])).errors).toEqual({});
  rig.expectOnce();
});

test("without a `Date`, a clock that was set back makes nothing recent that an hour's list has just lost", async () => {
  await using rig = await startRig({ dialect: { date: "none", listedMs: HOUR } });
  const gate = rig.service.gate("processed", { operation: "createDocument", name: "NDA" });
  const lease = nda({ name: "Lease" }, "lease");
  const killed = rig.process();
  const leased = gate.reached.then(() => {
    rig.service.clock.advance(9 * MINUTE);
    return up(killed.frontEnd, rig.state, [lease]);
  });
  await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), killed, leased);
  gate.cut();
  rig.machine.setClock(-HOUR);
  rig.machine.pass(64 * MINUTE);
  rig.service.clock.advance(55 * MINUTE);
  expect(Object.keys((await rig.up([nda(), lease])).errors)).toEqual(["nda"]);
  expect(rig.saw()).toMatchObject({ documents: 2, mails: 4 });
});
