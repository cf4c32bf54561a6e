import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import type { Created } from "../../provider/resources/resource.js";
import { documentsIn } from "../support/documents.js";
import { type IndependentService, startIndependentService } from "../support/independent-service/index.js";
import { type Machine, type Run, startMachine } from "../support/machine.js";
import { CRASH_POINTS } from "./support/crash-points.js";
import { up } from "./support/engine.js";
import { nda, startRig } from "./support/rig.js";

const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");

const contract = (more: Values = {}): Values => ({
  name: "Lease",
  invitations: [{ email: "ana@example.com" }, { email: "bob@example.org" }],
  base64File: pdf("one"),
  ...more,
});

/** One run, ended in order unless it is killed. */
async function run<T>(
  machine: Machine,
  service: IndependentService,
  play: (documents: ReturnType<typeof documentsIn>, run: Run) => Promise<T>,
): Promise<T> {
  const one = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
  try {
    return await play(documentsIn(one.runtime.context), one);
  } finally {
    await one.end();
  }
}

const create = (machine: Machine, service: IndependentService, news: Values): Promise<Created> =>
  run(machine, service, async (documents, { call }) => {
    const { inputs } = await documents.check(call("lease"), { olds: undefined, news });
    return documents.create(call("lease"), { inputs });
  });

/** A replacement as the engine plays it, old one first; or, where nothing changed, the end of one that was interrupted. */
const replace = (
  machine: Machine,
  service: IndependentService,
  held: Created,
  before: Values,
  news: Values,
): Promise<Created & { said: string }> =>
  run(machine, service, async (documents, { call, lines }) => {
    const lease = call("lease");
    const olds = (await documents.check(lease, { olds: before, news: before })).inputs;
    const { inputs } = await documents.check(lease, { olds, news });
    const diff = await documents.diff(lease, { id: held.id, olds: held.outputs, oldInputs: olds, news: inputs });
    const again = await documents.check(lease, { olds: undefined, news });
    if (diff.changes === "some") await documents.delete(lease, { id: held.id, outputs: held.outputs });
    const created = await documents.create(lease, { inputs: again.inputs });
    return { ...created, said: lines.map(line => `${line.severity}: ${line.text}`).join("\n") };
  });

/** A run that changes nothing: the engine shows what state holds. */
const show = (machine: Machine, service: IndependentService, held: Created, news: Values): Promise<void> =>
  run(machine, service, async (documents, { call }) => {
    const lease = call("lease");
    const { inputs } = await documents.check(lease, { olds: news, news });
    await documents.diff(lease, { id: held.id, olds: held.outputs, oldInputs: inputs, news: inputs });
  });

/** The answer to the next create is lost, and nothing can be looked up after it in this run: as good as a crash. */
function loseTheAnswer(service: IndependentService): void {
  service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  // Before it, what is there is asked for once.
  service.faults.push({ kind: "status", status: 503, when: "before" }, "listDocuments", { times: 500, skip: 1 });
}

const UNCONFIRMED = /\[docsign\/create-unconfirmed\]/;

describe("a replacement whose answer was lost", () => {
  test("reverted and repeated takes over the document that arrived: nobody is mailed a third time", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await create(machine, service, contract());
    const changed = contract({ base64File: pdf("two") });
    loseTheAnswer(service);
    await expect(replace(machine, service, first, contract(), changed)).rejects.toThrow(UNCONFIRMED);
    service.faults.clear();

    const back = await replace(machine, service, first, contract(), contract());
    expect(back.id).toBe(first.id);
    expect(back.said).toMatch(/warn: an earlier run began to create another document in place of document \d+/);
    const redone = await replace(machine, service, back, contract(), changed);

    expect(service.ledger.documentCount()).toBe(2);
    expect(service.ledger.requests("createDocument")).toHaveLength(2);
    expect(redone.id).toBe(service.ledger.documents().at(-1)?.id);
    expect(service.ledger.mails("invitation")).toHaveLength(4);
  });
});

describe("a forced replacement, new one first, that was killed", () => {
  /** Removed from the program: what the run says. */
  const remove = (machine: Machine, service: IndependentService, held: Created): Promise<string[]> =>
    run(machine, service, async (documents, { call, lines }) => {
      await documents.delete(call("lease"), { id: held.id, outputs: held.outputs });
      return lines.filter(({ severity }) => severity === "warn").map(({ text }) => text);
    });

  /** The engine never sees the id that Create answers: it was killed. */
  async function killed(machine: Machine, service: IndependentService): Promise<Created> {
    await using one = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
    const documents = documentsIn(one.runtime.context);
    const { inputs } = await documents.check(one.call("lease"), { olds: undefined, news: changed });
    return await documents.create(one.call("lease"), { inputs });
  }

  const changed = contract({ base64File: pdf("two") });

  async function shown(machine: Machine, service: IndependentService): Promise<Created> {
    const first = await create(machine, service, contract());
    await show(machine, service, first, contract());
    return first;
  }

  test("before the reply: reported when the resource leaves the program", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await shown(machine, service);
    loseTheAnswer(service);
    await expect(create(machine, service, changed)).rejects.toThrow(UNCONFIRMED);
    service.faults.clear();
    expect(service.ledger.documentCount()).toBe(2);
    const [forgotten, begun, ...more] = await remove(machine, service, first);
    expect(forgotten).toMatch(/^document \d+ is removed from state, not deleted/);
    expect(begun).toMatch(
      new RegExp(
        `^an earlier run began to create another document in place of document ${first.id} and was interrupted\\. It may be at the service: look on the platform\\.`,
      ),
    );
    expect(more).toEqual([]);
  });

  test("after the reply: the document is named when the resource leaves the program", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await shown(machine, service);
    const second = await killed(machine, service);
    const said = await remove(machine, service, first);
    expect(service.ledger.documentCount()).toBe(2);
    expect(said.at(-1)).toContain(
      `an earlier run began to create another document in place of document ${first.id} and was interrupted: document ${second.id}. It may be at the service: look on the platform.`,
    );
  });

  test("a successful one logs nothing when the old one is forgotten", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await shown(machine, service);
    const said = await run(machine, service, async (documents, { call, lines }) => {
      const lease = call("lease");
      const { inputs } = await documents.check(lease, { olds: undefined, news: changed });
      await documents.create(lease, { inputs });
      await documents.delete(lease, { id: first.id, outputs: first.outputs });
      return lines.map(({ text }) => text).join("\n");
    });
    expect(service.ledger.documentCount()).toBe(2);
    expect(said).not.toMatch(/began to create another document/);
  });
});

test("an import in place of what replaced it names no replacement: that one is over", async () => {
  await using service = await startIndependentService();
  using machine = startMachine();
  const first = await create(machine, service, contract());
  const second = await replace(machine, service, first, contract(), contract({ base64File: pdf("two") }));
  await show(machine, service, second, contract({ base64File: pdf("two") }));
  const imports = (isInState: boolean): Promise<string> =>
    run(machine, service, async (documents, { call, lines }) => {
      const lease = call("lease");
      if (isInState) await documents.check(lease, { olds: contract({ base64File: pdf("two") }), news: contract() });
      const { inputs } = await documents.check(lease, { olds: undefined, news: contract() });
      const read = await documents.read(lease, { id: first.id, inputs: undefined, outputs: undefined });
      const olds = read.inputs ?? {};
      await documents.diff(lease, { id: first.id, olds: read.outputs, oldInputs: olds, news: inputs });
      return lines.map(({ text }) => text).join("\n");
    });
  expect(await imports(true)).not.toContain("an earlier run began");
  // State has lost it: it may be the one that is wanted.
  expect(await imports(false)).toContain(
    `an earlier run began to create another document in place of document ${first.id}`,
  );
});

test("what is imported in place of what replaced it stays this resource's, once that one is let go of", async () => {
  await using service = await startIndependentService();
  using machine = startMachine();
  const two = contract({ base64File: pdf("two") });
  const first = await create(machine, service, contract());
  const second = await replace(machine, service, first, contract(), two);
  await show(machine, service, second, two);
  await run(machine, service, async (documents, { call }) => {
    const lease = call("lease");
    const { inputs } = await documents.check(lease, { olds: two, news: contract() });
    const read = await documents.read(lease, { id: first.id, inputs: undefined, outputs: undefined });
    const oldInputs = read.inputs ?? {};
    await documents.diff(lease, { id: first.id, olds: read.outputs, oldInputs, news: inputs });
    await documents.delete(lease, { id: second.id, outputs: second.outputs });
  });
  const other = run(machine, service, async (documents, { call }) => {
    const { inputs } = await documents.check(call("other"), { olds: undefined, news: contract() });
    return documents.create(call("other"), { inputs });
  });
  await expect(other).rejects.toThrow("[docsign/duplicate]");
});

const changed = nda({ base64File: pdf("two") });

test("a replacement that was killed isn't finished once the old document is signed: both are named, and nobody is mailed", async () => {
  await using rig = await startRig();
  await rig.up([nda()]);
  await rig.up([nda()]);
  const first = rig.idOf("nda") ?? "";
  const process = rig.process();
  const reached = CRASH_POINTS["before the reply"]?.arm(rig, process);
  await rig.crash(
    frontEnd => up(frontEnd, rig.state, [changed], { taint: ["nda"] }),
    process,
    reached ?? Promise.resolve(),
  );
  expect(rig.idOf("nda")).toBe(first);
  const second = rig.service.ledger.documents().at(-1)?.id;
  rig.service.people.signAll(first);
  const { errors } = await rig.up([changed], { taint: ["nda"] });
  expect(errors["nda"]).toContain(`document ${first} "NDA" is signed, so it is not replaced.`);
  expect(errors["nda"]).toContain(`an earlier run created document ${second} in its place, and state may not hold it`);
  expect(errors["nda"]).toContain(`pulumi import --generate-code=false docsign:index:Document nda ${second}`);
  expect(rig.idOf("nda")).toBe(first);
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
});

test("a forced replacement that was killed is reported at every up until it is repeated, which mails nobody", async () => {
  await using rig = await startRig();
  await rig.up([nda()]);
  await rig.up([nda()]);
  const first = rig.idOf("nda") ?? "";
  const killed = rig.process();
  const reached = CRASH_POINTS["after processing"]?.arm(rig, killed);
  await rig.crash(
    frontEnd => up(frontEnd, rig.state, [changed], { taint: ["nda"] }),
    killed,
    reached ?? Promise.resolve(),
  );
  await CRASH_POINTS["after processing"]?.after?.(rig);
  const begun = `an earlier run began to create another document in place of document ${first} and was interrupted`;
  for (let nth = 0; nth < 2; nth++) {
    rig.read.length = 0;
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.read.filter(line => line.startsWith(begun))).toHaveLength(1);
  }
  expect((await rig.up([changed], { taint: ["nda"] })).errors).toEqual({});
  expect(rig.idOf("nda")).toBe(rig.service.ledger.documents().at(-1)?.id);
  rig.read.length = 0;
  expect((await rig.up([changed])).errors).toEqual({});
  expect(rig.read).toEqual([]);
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
});

test.each(["after the journal entry", "after processing", "after the body"])(
  "a create that was killed %s is over once state shows its document, which a machine with another journal took over",
  async where => {
    await using rig = await startRig();
    using other = startMachine();
    const killed = rig.process();
    const point = CRASH_POINTS[where];
    const reached = point?.arm(rig, killed);
    await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), killed, reached ?? Promise.resolve());
    await point?.after?.(rig);
    const config = { duplicatePolicy: "adopt" };
    expect((await rig.up([nda()], { machine: other, config })).errors).toEqual({});
    rig.expectOnce();
    rig.read.length = 0;
    expect((await rig.up([nda()])).errors).toEqual({});
    expect((await rig.up([changed])).errors).toEqual({});
    expect(rig.read).toEqual([]);
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  },
);

test("a forced replacement that was killed isn't over while state shows what it replaces, which is exactly alike", async () => {
  await using rig = await startRig({ config: { duplicatePolicy: "create" } });
  await rig.up([nda()]);
  await rig.up([nda()]);
  const killed = rig.process();
  const point = CRASH_POINTS["after the body"];
  const reached = point?.arm(rig, killed);
  await rig.crash(
    frontEnd => up(frontEnd, rig.state, [nda()], { taint: ["nda"] }),
    killed,
    reached ?? Promise.resolve(),
  );
  rig.read.length = 0;
  expect((await rig.up([nda()])).errors).toEqual({});
  expect(rig.read.join("\n")).toContain("an earlier run began to create another document in place of document");
  expect((await rig.up([nda()], { taint: ["nda"] })).errors).toEqual({});
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
});

describe("a create whose answer was lost", () => {
  test("isn't sent again while the date ranges can't be asked: the list alone may be a page", async () => {
    await using rig = await startRig({ dialect: { decoys: 5, pageSize: 5 } });
    // Older than the days that the lists by date are asked for.
    for (const document of rig.service.ledger.decoys()) document.createdAt -= 60 * 86_400_000;
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    const fails = { kind: "status", status: 500, when: "before" } as const;
    rig.service.faults.push(fails, "listByDateRange", { times: 500, skip: 3 });
    expect((await rig.up([nda()])).errors["nda"]).toMatch(UNCONFIRMED);
    rig.later();
    expect((await rig.up([nda()])).errors["nda"]).toBeDefined();
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
    rig.service.faults.clear();
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
  });

  test.each([
    [
      "another stage",
      {
        invitations: [
          { email: "ana@example.com", stage: 1 },
          { email: "bob@example.org", stage: 2 },
        ],
      },
    ],
    ["other parameters", { extraParameters: { watermark: true } }],
  ])("is refused, not taken over, once the program wants %s", async (_, more) => {
    await using service = await startIndependentService();
    using machine = startMachine();
    loseTheAnswer(service);
    await expect(create(machine, service, contract())).rejects.toThrow(UNCONFIRMED);
    service.faults.clear();
    await expect(create(machine, service, contract(more as Values))).rejects.toThrow(/with other content/);
    expect(service.ledger.documentCount()).toBe(1);
  });

  test("is found again by a machine whose clock was an hour ahead then", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    loseTheAnswer(service);
    const lost = run(machine, service, async (documents, { call, runtime }) => {
      await runtime.context.clock.wait(3_600_000);
      const { inputs } = await documents.check(call("lease"), { olds: undefined, news: contract() });
      return documents.create(call("lease"), { inputs });
    });
    await expect(lost).rejects.toThrow(UNCONFIRMED);
    service.faults.clear();
    const found = await create(machine, service, contract());
    expect(found.id).toBe(service.ledger.documents()[0]?.id);
    expect(service.ledger.documentCount()).toBe(1);
  });
});
