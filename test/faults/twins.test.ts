import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { randomFaults } from "../support/independent-service/index.js";
import { startMachine } from "../support/machine.js";
import { cell } from "./support/cells.js";
import { type State, up } from "./support/engine.js";
import { ANA, BOB, madeIn, nda, pdf, type Rig, startRig } from "./support/rig.js";

const TEN = Array.from({ length: 10 }, (_, nth) => `nda${nth}`);
const ten = (more: Values = {}) => TEN.map(name => nda(more, name));

function expectTen(rig: Rig): void {
  const made = madeIn(rig.service.ledger).map(document => document.id);
  const held = [...rig.state.values()].map(({ id }) => id);
  expect(made).toHaveLength(10);
  expect([...held].sort()).toEqual([...made].sort());
  for (const email of [ANA, BOB]) expect(rig.service.ledger.mailsTo(email)).toHaveLength(10);
}

const lost = [
  { kind: "reset", when: "after" },
  { kind: "empty", when: "after" },
  { kind: "status", when: "after", status: 502 },
] as const;

describe.each(["create", "adopt"])("ten identical documents at once, duplicatePolicy %s", duplicatePolicy => {
  test.each([1, 2, 3, 4, 5, 6])("seed %i: answers lost at random: ten documents, ten ids", async seed => {
    const only = "createDocument" as const;
    await using rig = await startRig({ config: { duplicatePolicy }, seed, dialect: { order: "shuffled" } });
    rig.service.faults.otherwise(randomFaults({ seed, share: 0.6, among: lost, only }));
    for (let runs = 0; runs < 3 && rig.state.size < 10; runs++) await rig.up(ten());
    expectTen(rig);
  });
});

test.each([
  ["duplicatePolicy adopt", { duplicatePolicy: "adopt" }],
  ["duplicatePolicy refuse", { duplicatePolicy: "refuse" }],
  ["creationMarker", { creationMarker: true }],
])(
  "ten identical documents at once, %s: ten documents, and what was there is asked once for all",
  async (_, config) => {
    await using rig = await startRig({ config });
    expect((await rig.up(ten())).errors).toEqual({});
    expectTen(rig);
    const { ledger } = rig.service;
    expect(ledger.requests("listDocuments")).toHaveLength(1);
    expect(ledger.requests("listByDateRange")).toHaveLength(3);
  },
);

test("a create is refused while the date ranges fail: nothing is created", async () => {
  await using rig = await startRig({ config: { creationMarker: true } });
  rig.service.faults.push({ kind: "status", status: 500, when: "before" }, "listByDateRange", { times: 500 });
  const { errors } = await rig.up([nda()]);
  expect(errors["nda"]).toMatch(/by_date_range.* answered 500/);
  expect(rig.saw()).toMatchObject({ posts: 0, documents: 0 });
  rig.service.faults.clear();
  expect((await rig.up([nda()])).errors).toEqual({});
  rig.expectOnce();
});

test.each([1, 2, 3])(
  "seed %i: some requests never arrive, some answers are lost: ten documents, ten ids",
  async seed => {
    const among = [...lost, { kind: "reset", when: "before" } as const];
    await using rig = await startRig({ seed, proving: true });
    rig.service.faults.otherwise(randomFaults({ seed, share: 0.7, among, only: "createDocument", atMost: 12 }));
    for (let runs = 0; runs < 4 && rig.state.size < 10; runs++) {
      await rig.up(ten());
      rig.later();
    }
    expectTen(rig);
  },
);

test("ten identical documents, the process killed with all ten under way: ten documents, ten ids", async context => {
  await using rig = await startRig({ config: { maxConcurrency: 10 } });
  cell(context, { matrix: "B", row: "ten identical, killed", column: "up" }, rig);
  const gates = TEN.map(() => rig.service.gate("processed", "createDocument"));
  const all = Promise.all(gates.map(gate => gate.reached));
  await rig.crash(frontEnd => up(frontEnd, rig.state, ten()), rig.process(), all);
  for (const gate of gates) gate.cut();
  expect(rig.saw()).toMatchObject({ posts: 10, documents: 10 });
  expect((await rig.up(ten())).errors).toEqual({});
  expectTen(rig);
  expect(rig.saw()).toMatchObject({ posts: 10, documents: 10, mails: 20 });
});

test("one identical document of somebody else's beside a lost answer: refused, naming both and the remedies", async () => {
  // Without looking first: that would refuse.
  await using rig = await startRig({ config: { duplicatePolicy: "create" } });
  rig.service.faults.push(lost[0], "createDocument");
  const twin = { name: "NDA", description: "between friends", emails: [ANA, BOB] };
  const foreign = rig.service.people.upload("first", { ...twin, pdf: Buffer.from(pdf("one"), "base64") });
  const { errors } = await rig.up([nda()]);
  expect(errors["nda"]).toMatch(/Nothing more was created\. \[docsign\/create-ambiguous\]$/m);
  for (const { id } of rig.service.ledger.documents()) expect(errors["nda"]).toContain(`document ${id}`);
  expect(errors["nda"]).toContain(`pulumi import --generate-code=false docsign:index:Document nda ${foreign}`);
  expect(rig.saw()).toMatchObject({ posts: 1 });
});

test("another create's document, not answered yet, isn't taken for one that was refused", async () => {
  await using rig = await startRig({ proving: true });
  const states: Record<"first" | "second", State> = { first: new Map(), second: new Map() };
  const waits = Promise.withResolvers<void>();
  const progress = (text: string) => text.startsWith("documents like this one") && waits.resolve();
  const log = { info() {}, warn() {}, debug() {}, progress };
  const { run, frontEnd } = rig.process({ call: { log } });
  const answer = rig.service.gate("processed", "createDocument");
  const first = up(frontEnd, states.first, [nda({ name: "NDA of the first" }, "first")]);
  await answer.reached;
  rig.service.faults.push({ kind: "status", when: "before", status: 429, retryAfter: "0" }, "createDocument");
  const second = up(frontEnd, states.second, [nda({ name: "NDA of the second" }, "second")]);
  await Promise.race([second, waits.promise]);
  answer.open();
  expect(await first).toEqual({ errors: {} });
  expect(await second).toEqual({ errors: {} });
  expect(rig.saw()).toMatchObject({ posts: 3, documents: 2 });
  const ids = Object.values(states).flatMap(state => [...state.values()].map(({ id }) => id));
  expect(new Set(ids).size).toBe(2);
  await run.end();
});

test("a run that looked before another run created the same resource sends nothing", async () => {
  await using rig = await startRig();
  const [slow, fast] = [rig.process({ pid: 7 }), rig.process({ pid: 8 })];
  const { journal } = slow.run.runtime.context;
  const begin = journal.begin.bind(journal);
  const [looked, created] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  journal.begin = async (...about) => {
    looked.resolve();
    await created.promise;
    return begin(...about);
  };
  const late = up(slow.frontEnd, new Map(), [nda()]);
  await looked.promise;
  expect(await up(fast.frontEnd, rig.state, [nda()])).toEqual({ errors: {} });
  created.resolve();
  expect((await late).errors["nda"]).toContain("[docsign/create-elsewhere]");
  rig.expectOnce();
  await Promise.all([slow.run.end(), fast.run.end()]);
});

test("destroy, then up at once: the document that stayed is taken back, and nothing is created", async () => {
  await using rig = await startRig();
  await rig.up([nda()]);
  const first = rig.idOf("nda");
  await rig.destroy();
  expect((await rig.up([nda()])).errors).toEqual({});
  expect(rig.idOf("nda")).toBe(first);
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
});

test("a document that was let go a moment ago isn't taken for what a new create led to", async context => {
  const config = { duplicatePolicy: "create" };
  await using rig = await startRig({ config, dialect: { createAnswer: "ok" }, lag: { list: 1 } });
  cell(context, { matrix: "B", row: "destroy, up at once", column: "up" }, rig);
  await rig.up([nda()]);
  const first = rig.idOf("nda");
  await rig.destroy();
  expect((await rig.up([nda()])).errors).toEqual({});
  expect(rig.idOf("nda")).not.toBe(first);
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
});

test("two containers that share a folder and can't see each other's processes: one of two stacks sends", async () => {
  await using rig = await startRig();
  const [dev, prod] = [new Map(), new Map()];
  const [one, two] = [rig.process({ stack: "dev" }), rig.process({ stack: "prod" })];
  const went = await Promise.all([up(one.frontEnd, dev, [nda()]), up(two.frontEnd, prod, [nda()])]);
  const refused = went.flatMap(({ errors }) => Object.values(errors));
  expect(refused).toEqual([expect.stringMatching(/\[docsign\/(create-elsewhere|duplicate)\]/)]);
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  await Promise.all([one.run.end(), two.run.end()]);
});

test("two machines with identical documents and creationMarker, one answer lost: neither takes the other's", async () => {
  await using rig = await startRig({ config: { creationMarker: true, duplicatePolicy: "create" }, proving: true });
  using other = startMachine();
  await rig.rememberEarlier(other);
  const dev = new Map();
  const one = rig.process({ stack: "dev" });
  await up(one.frontEnd, dev, [nda()]);
  await one.run.end();
  rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
  const prod = new Map();
  for (let nth = 0; nth < 2; nth++) {
    const two = rig.process({ stack: "prod", machine: other });
    const { errors } = await up(two.frontEnd, prod, [nda()]);
    await two.run.end();
    if (nth === 0) expect(errors["nda"]).toContain("[docsign/create-unconfirmed]");
    else expect(errors).toEqual({});
    other.pass(180_000);
    rig.service.clock.advance(180_000);
  }
  expect([...prod.values()][0]?.id).not.toBe([...dev.values()][0]?.id);
  expect(rig.saw()).toMatchObject({ posts: 3, documents: 2, mails: 4 });
});

test("an onError hook that calls create ten times, a reset after processing: one document", async () => {
  await using rig = await startRig();
  rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  expect((await rig.up([nda()], { onErrorRetries: 10 })).errors).toEqual({});
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 1 });
});

test("an onError hook that calls create again, a reset before processing: sent again once resendAfter is over", async () => {
  await using rig = await startRig({ proving: true });
  rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
  // Each look takes ten seconds, so ten of them don't last as long.
  const { errors } = await rig.up([nda()], { onErrorRetries: 5 });
  expect(errors["nda"]).toContain("[docsign/create-unconfirmed]");
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 0, mails: 0 });
  expect((await rig.up([nda()], { onErrorRetries: 3 })).errors["nda"]).toContain("[docsign/create-unconfirmed]");
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 0, mails: 0 });
  rig.later();
  expect((await rig.up([nda()], { onErrorRetries: 10 })).errors).toEqual({});
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 2 });
});

test("an onError hook after a create whose document couldn't be read back: the same document", async () => {
  await using rig = await startRig({ lag: { get: 12 } });
  await rig.up([nda()], { onErrorRetries: 5 });
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 1 });
});
