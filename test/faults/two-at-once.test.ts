import { describe, expect, test, vi } from "vitest";
import type { Values } from "../../kit/values.js";
import { DocumentSetResource } from "../../provider/resources/document-set/document-set.js";
import { JournalUnavailableError } from "../../provider/resources/journal/log.js";
import { type Run, startMachine } from "../support/machine.js";
import { up } from "./support/engine.js";
import { ANA, BOB, madeIn, nda, type Process, type ProcessOptions, pdf, type Rig, startRig } from "./support/rig.js";

const HOUR = 3_600_000;

/** What a stack's program says besides name, PDF and people. */
type Way = (stack: string, folderId: string) => Values;

/** Two runs over one journal: the first has looked, and goes on once the second has come as far as it should. */
async function bothLooked(
  rig: Rig,
  [first, second]: readonly Process[],
  way: Way,
  until: (run: Promise<unknown>) => unknown,
) {
  const service = second?.run.runtime.context.service() ?? expect.unreachable();
  const mine = way("dev", (await service.createFolder({ name: "of dev" })).id);
  const theirs = way("prod", (await service.createFolder({ name: "of prod" })).id);
  const looked = rig.service.gate("processed", "listDocuments");
  const early = up(first?.frontEnd ?? expect.unreachable(), new Map(), [nda(mine)]);
  await looked.reached;
  const late = up(second?.frontEnd ?? expect.unreachable(), new Map(), [nda(theirs)]);
  await until(late);
  looked.open();
  return { early, late };
}

const PAIRS: Record<string, readonly ProcessOptions[]> = {
  "two stacks": [{ stack: "dev" }, { stack: "prod" }],
  "two back ends of one stack": [{ backend: "file:///a" }, { backend: "file:///b" }],
};

/** Name, PDF and people are the same: so is the contract, however it is sent. */
const WAYS: Record<string, Way> = {
  "in one way": () => ({}),
  "to two folders": (_, folderId) => ({ folderId }),
  "with two descriptions": stack => ({ description: `of ${stack}` }),
  "with two names of a person": stack => ({ invitations: [{ email: ANA, name: `Ana of ${stack}` }, { email: BOB }] }),
};

const AT_ONCE = Object.entries(PAIRS).flatMap(([from, pair]) =>
  Object.entries(WAYS).map(([how, way]) => ({ from, pair, how, way })),
);

describe.each(AT_ONCE)("the same contract from $from at once, $how", ({ pair, how, way }) => {
  test("while the other one's request is under way, nothing is sent", async () => {
    await using rig = await startRig();
    const processes = pair.map(options => rig.process(options));
    const underWay = rig.service.gate("received-body", "createDocument");
    const { early, late } = await bothLooked(rig, processes, way, () => underWay.reached);
    expect((await early).errors["nda"]).toContain("[docsign/create-elsewhere]");
    underWay.open();
    expect((await late).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    for (const { run } of processes) await run.end();
  });

  // Another description makes it another contract, where the service shows it.
  if (how.includes("descriptions")) return;
  test("once the other one's document is made, it is named, and nothing is sent", async () => {
    await using rig = await startRig();
    const processes = pair.map(options => rig.process(options));
    const { early, late } = await bothLooked(rig, processes, way, run => run);
    expect((await late).errors).toEqual({});
    expect((await early).errors["nda"]).toContain("[docsign/duplicate]");
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    for (const { run } of processes) await run.end();
  });
});

test("a set's row and another stack's Document at once: one is sent", async () => {
  await using rig = await startRig();
  const [stack, other] = [rig.process({ stack: "dev" }), rig.process({ stack: "prod" })];
  const set = new DocumentSetResource(stack.run.runtime.context);
  const call = stack.run.call("", { urn: "urn:pulumi:dev::contracts::docsign:index:DocumentSet::all", preview: false });
  const looked = rig.service.gate("processed", "listDocuments");
  const news: Values = { documents: { ana: nda().inputs } };
  const { inputs } = await set.check(call, { olds: undefined, news });
  const rows = set.create(call, { inputs }).then(
    () => "created",
    (error: Error) => error.message,
  );
  await looked.reached;
  expect((await up(other.frontEnd, rig.state, [nda()])).errors).toEqual({});
  looked.open();
  expect(await rows).toContain("[docsign/duplicate]");
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  await Promise.all([stack.run.end(), other.run.end()]);
});

test("with duplicatePolicy create, both are sent on purpose", async () => {
  await using rig = await startRig({ config: { duplicatePolicy: "create" } });
  const [one, two] = [rig.process({ stack: "dev" }), rig.process({ stack: "prod" })];
  const underWay = rig.service.gate("received-body", "createDocument");
  const first = up(one.frontEnd, new Map(), [nda()]);
  await underWay.reached;
  expect((await up(two.frontEnd, new Map(), [nda()])).errors).toEqual({});
  underWay.open();
  expect((await first).errors).toEqual({});
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2 });
  await Promise.all([one.run.end(), two.run.end()]);
});

test("what waited for its place while another machine sent it isn't sent", async () => {
  await using rig = await startRig({ proving: true, config: { maxConcurrency: 1 } });
  const slow = rig.process();
  const [first, second] = [nda({ name: "first" }, "first"), nda({ name: "second" }, "second")];
  const underWay = rig.service.gate("received-body", "createDocument");
  const waiting = up(slow.frontEnd, new Map(), [first, second]);
  await underWay.reached;
  // Longer than `resendAfter`.
  rig.later();
  expect((await rig.up([second])).errors).toEqual({});
  underWay.open();
  const { errors } = await waiting;
  expect(Object.keys(errors)).toEqual(["second"]);
  expect(errors["second"]).toContain("[docsign/create-elsewhere]");
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  await slow.run.end();
});

test("a process that is frozen after it has written its line decides again, and what another run has sent isn't sent", async () => {
  await using rig = await startRig({ proving: true });
  const frozen = rig.process();
  const { journal } = frozen.run.runtime.context;
  const begin = journal.begin.bind(journal);
  const [begun, thawed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  journal.begin = async (...about) => {
    const attempt = await begin(...about);
    begun.resolve();
    await thawed.promise;
    return attempt;
  };
  const late = up(frozen.frontEnd, new Map(), [nda()]);
  await begun.promise;
  rig.later();
  await frozen.run.runtime.context.clock.wait(180_000);
  expect((await rig.up([nda()])).errors).toEqual({});
  thawed.resolve();
  expect((await late).errors["nda"]).toContain("[docsign/create-elsewhere]");
  rig.expectOnce();
  await frozen.run.end();
});

test.each([
  ["is frozen", (_: Run) => {}],
  ["is frozen, and its clock set back,", setBack],
] as const)(
  "a process that %s after it has looked looks again: what a machine with another journal has sent isn't sent",
  async (_, then) => {
    await using rig = await startRig();
    using elsewhere = startMachine();
    const frozen = rig.process();
    const { journal, clock } = frozen.run.runtime.context;
    const begin = journal.begin.bind(journal);
    const [stands, thawed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    journal.begin = async (...about) => {
      stands.resolve();
      await thawed.promise;
      return begin(...about);
    };
    const late = up(frozen.frontEnd, new Map(), [nda()]);
    await stands.promise;
    rig.later();
    await clock.wait(90_000);
    then(frozen.run);
    expect((await rig.up([nda()], { machine: elsewhere })).errors).toEqual({});
    thawed.resolve();
    expect((await late).errors["nda"]).toContain("[docsign/duplicate]");
    rig.expectOnce();
    await frozen.run.end();
  },
);

function setBack({ runtime }: Run): void {
  const { clock } = runtime.context;
  const now = clock.now.bind(clock);
  Object.assign(clock, { now: () => now() - 2 * HOUR });
}

test("a create whose turn comes late each time asks the lists five times, and is sent", async () => {
  await using rig = await startRig();
  const { run, frontEnd } = rig.process();
  const { context } = run.runtime;
  const service = context.service.bind(context);
  context.service = () => {
    const own = service();
    const turn: typeof own.turn = async (work, options) => {
      await context.clock.wait(90_000);
      return own.turn(work, options);
    };
    return { ...own, turn };
  };
  expect((await up(frontEnd, rig.state, [nda()])).errors).toEqual({});
  expect(rig.service.ledger.requests("listDocuments")).toHaveLength(5);
  rig.expectOnce();
  await run.end();
});

test("a replacement whose document is signed while it waits for its place is refused", async () => {
  const program = (text: string) => ["first", "second"].map(name => nda({ name, base64File: pdf(text) }, name));
  await using rig = await startRig({ config: { maxConcurrency: 1 } });
  expect((await rig.up(program("one"))).errors).toEqual({});
  const { ledger, people } = rig.service;
  const before = rig.saw();
  const reads = (id: string) => ledger.requests("getDocument").filter(({ path }) => path.endsWith(`/${id}`)).length;
  const old = madeIn(ledger).map(({ id }) => ({ id, reads: reads(id) }));
  const underWay = rig.service.gate("received-body", "createDocument");
  const went = rig.up(program("two"));
  await underWay.reached;
  // Diff, Delete and Create have asked about both, and found them unsigned.
  await vi.waitFor(() => expect(old.every(each => reads(each.id) >= each.reads + 3)).toBe(true));
  for (const { id } of old) people.signAll(id);
  underWay.open();
  const { errors } = await went;
  expect(Object.keys(errors)).toHaveLength(1);
  expect(Object.values(errors)[0]).toMatch(
    /is signed, so it is not replaced\. No one was mailed\. \[docsign\/replace-signed\]/,
  );
  expect(rig.saw()).toMatchObject({ posts: before.posts + 1, mails: before.mails + 2 });
});

test.each([25, 49])(
  "a machine whose clock is %i hours ahead doesn't send again what was sent seconds ago",
  async hours => {
    await using rig = await startRig({ proving: true });
    // So old that lists reach back beyond the request, by either clock.
    for (const document of rig.service.ledger.decoys()) document.createdAt -= 100 * HOUR;
    const underWay = rig.service.gate("received-body", "createDocument");
    await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), rig.process(), underWay.reached);
    rig.machine.pass(hours * HOUR);
    const { errors } = await rig.up([nda()], { config: { reconcileTimeout: "1s" } });
    expect(errors["nda"]).toContain("[docsign/create-unconfirmed]");
    underWay.open();
    await vi.waitFor(() => expect(madeIn(rig.service.ledger)).toHaveLength(1));
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
  },
);

describe("an answer that names the document, and a journal that is out of reach from then on", () => {
  const away = async (): Promise<never> => {
    throw new JournalUnavailableError("the journal in postgres://example", new Error("connection refused"), "");
  };

  async function withoutJournal(rig: Rig) {
    const { run, frontEnd } = rig.process();
    const { journal } = run.runtime.context;
    const made = rig.service.gate("processed", "createDocument");
    const went = up(frontEnd, rig.state, [nda()]);
    await made.reached;
    Object.assign(journal, { hint: away, claim: away, owner: away, refresh: away, resource: away, content: away });
    return { made, went, run };
  }

  test("gives it to the engine, with a warning", async () => {
    await using rig = await startRig();
    const { made, went, run } = await withoutJournal(rig);
    made.open();
    expect((await went).errors).toEqual({});
    const [document] = madeIn(rig.service.ledger);
    expect(run.lines.map(({ text }) => text).join("\n")).toContain(
      `the service answered the create with id ${document?.id}, and the journal can't be written`,
    );
    rig.expectOnce();
    await run.end();
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw().posts).toBe(1);
  });

  test("names it in the error, where it can't be read either", async () => {
    await using rig = await startRig();
    const { made, went, run } = await withoutJournal(rig);
    rig.service.faults.push({ kind: "status", status: 500, when: "before" }, "getDocument", { times: 500 });
    made.open();
    const [document] = madeIn(rig.service.ledger);
    const { errors } = await went;
    expect(errors["nda"]).toContain(`the service answered with id ${document?.id}`);
    expect(errors["nda"]).toContain(`confirming document ${document?.id} failed: `);
    await run.end();
    rig.service.faults.clear();
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
  });
});
