import { describe, expect, test } from "vitest";
import { DocumentResource } from "../../provider/resources/document/document.js";
import type { Created } from "../../provider/resources/resource.js";
import type { Values } from "../../provider/schema/values.js";
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
  play: (documents: DocumentResource, run: Run) => Promise<T>,
): Promise<T> {
  const one = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
  try {
    return await play(new DocumentResource(one.runtime.context), one);
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

/** The answer to the next create is lost, and nothing can be looked up in this run: as good as a crash. */
function loseTheAnswer(service: IndependentService): void {
  service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  service.faults.push({ kind: "status", status: 503, when: "before" }, "listDocuments", { times: 30 });
}

describe("a replacement whose answer was lost", () => {
  test("taken back and asked for again is the document that arrived: nobody is mailed a third time", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await create(machine, service, contract());
    const changed = contract({ base64File: pdf("two") });
    loseTheAnswer(service);
    await expect(replace(machine, service, first, contract(), changed)).rejects.toThrow(/isn't known/);
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
    const documents = new DocumentResource(one.runtime.context);
    const { inputs } = await documents.check(one.call("lease"), { olds: undefined, news: contract() });
    return await documents.create(one.call("lease"), { inputs });
  }

  test("before the reply says so when the resource leaves the program", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await create(machine, service, contract());
    loseTheAnswer(service);
    await expect(create(machine, service, contract())).rejects.toThrow(/isn't known/);
    service.faults.clear();
    const [forgotten, begun, ...more] = await remove(machine, service, first);
    expect(forgotten).toMatch(/^document \d+ is forgotten, not deleted/);
    expect(begun).toBe(
      `an earlier run began to create another document in place of document ${first.id} and was interrupted. Unless this stack shows it, it may be alive at the service and in no state: look on the platform.`,
    );
    expect(more).toEqual([]);
  });

  test("after the reply names the document when the resource leaves the program", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await create(machine, service, contract());
    const second = await killed(machine, service);
    const said = await remove(machine, service, first);
    expect(service.ledger.documentCount()).toBe(2);
    expect(said.at(-1)).toBe(
      `an earlier run began to create another document in place of document ${first.id} and was interrupted: document ${second.id}. Unless this stack shows it, it may be alive at the service and in no state: look on the platform.`,
    );
  });

  test("that went well says nothing when the old one is let go of", async () => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const first = await create(machine, service, contract());
    const said = await run(machine, service, async (documents, { call, lines }) => {
      const lease = call("lease");
      const { inputs } = await documents.check(lease, { olds: undefined, news: contract() });
      await documents.create(lease, { inputs });
      await documents.delete(lease, { id: first.id, outputs: first.outputs });
      return lines.map(({ text }) => text).join("\n");
    });
    expect(service.ledger.documentCount()).toBe(2);
    expect(said).not.toMatch(/began to create another document/);
  });
});

test("a replacement that was killed isn't finished once the old document is signed: both are named, and nobody is mailed", async () => {
  await using rig = await startRig();
  await rig.up([nda()]);
  const first = rig.idOf("nda") ?? "";
  const process = rig.process();
  const reached = CRASH_POINTS["before the reply"]?.arm(rig, process);
  await rig.crash(door => up(door, rig.state, [nda()], { taint: ["nda"] }), process, reached ?? Promise.resolve());
  expect(rig.idOf("nda")).toBe(first);
  const second = rig.service.ledger.documents().at(-1)?.id;
  rig.service.people.signAll(first);
  const { errors } = await rig.up([nda()], { taint: ["nda"] });
  expect(errors["nda"]).toContain(`document ${first} "NDA" is signed, so it is not replaced.`);
  expect(errors["nda"]).toContain(`an earlier run created document ${second} in its place and was interrupted`);
  expect(errors["nda"]).toContain(`then pulumi import docsign:index:Document nda ${second}`);
  expect(rig.idOf("nda")).toBe(first);
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
});

test("a forced replacement that was killed is spoken of at every up, until it is asked for again: then nobody is mailed", async () => {
  await using rig = await startRig();
  await rig.up([nda()]);
  const first = rig.idOf("nda") ?? "";
  const killed = rig.process();
  const reached = CRASH_POINTS["after processing"]?.arm(rig, killed);
  await rig.crash(door => up(door, rig.state, [nda()], { taint: ["nda"] }), killed, reached ?? Promise.resolve());
  await CRASH_POINTS["after processing"]?.after?.(rig);
  const begun = `an earlier run began to create another document in place of document ${first} and was interrupted`;
  for (let nth = 0; nth < 2; nth++) {
    rig.read.length = 0;
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.read.filter(line => line.startsWith(begun))).toHaveLength(1);
  }
  expect((await rig.up([nda()], { taint: ["nda"] })).errors).toEqual({});
  expect(rig.idOf("nda")).toBe(rig.service.ledger.documents().at(-1)?.id);
  rig.read.length = 0;
  expect((await rig.up([nda()])).errors).toEqual({});
  expect(rig.read).toEqual([]);
  expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
});

describe("a create whose answer was lost", () => {
  test("isn't sent again while the date ranges can't be asked: the list alone may be a page", async () => {
    await using service = await startIndependentService({ lag: { get: 0, list: Number.POSITIVE_INFINITY } });
    using machine = startMachine();
    service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    service.faults.push({ kind: "status", status: 500, when: "before" }, "listByDateRange", { times: 500 });
    await expect(create(machine, service, contract())).rejects.toThrow(/isn't known/);
    expect(service.ledger.documentCount()).toBe(1);
    expect(service.ledger.requests("createDocument")).toHaveLength(1);
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
    await expect(create(machine, service, contract())).rejects.toThrow(/isn't known/);
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
    await expect(lost).rejects.toThrow(/isn't known/);
    service.faults.clear();
    const found = await create(machine, service, contract());
    expect(found.id).toBe(service.ledger.documents()[0]?.id);
    expect(service.ledger.documentCount()).toBe(1);
  });
});
