import { describe, expect, test } from "vitest";
import { type Dialect, type Fault, mixedDialects } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { CRASH_POINTS, crashed } from "./support/crash-points.js";
import { up } from "./support/engine.js";
import { ANA, BOB, nda, pdf, startRig, urnOf } from "./support/rig.js";

const ANSWERS: readonly Dialect["createAnswer"][] = [
  ...(["whole", "bare", "id", "nested", "array", "id-text", "location", "ok", "null-payload", "empty"] as const),
];
const LOST: Record<string, Fault | undefined> = {
  answered: undefined,
  "lost by a reset": { kind: "reset", when: "after" },
  "lost half-way": { kind: "close-mid-body" },
  "lost behind a 502": { kind: "status", when: "after", status: 502, body: "html" },
};
const NAMES_NO_ID = new Set<string>(["ok", "null-payload", "empty"]);

describe.each(ANSWERS)("create answers with: %s", createAnswer => {
  test.for(Object.entries(LOST))("%s: one document, its id in state", async ([row, fault], context) => {
    await using rig = await startRig({ dialect: { createAnswer } });
    cell(context, { matrix: "A", row: `unshown answer ${createAnswer}, ${row}`, column: "POST document" }, rig);
    if (fault) rig.service.faults.push(fault, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    // Once before the create, and after it where the answer left something open.
    const looked = rig.service.ledger.requests("listDocuments").length > 1;
    expect({ row, looked }).toEqual({ row, looked: fault !== undefined || NAMES_NO_ID.has(createAnswer) });
  });

  test("state holds what GET answers, and a refresh changes nothing", async context => {
    await using rig = await startRig({ dialect: { createAnswer } });
    cell(context, { matrix: "A", row: `unshown answer: ${createAnswer}`, column: "POST document" }, rig);
    await rig.up([nda()]);
    const before = [...rig.state.values()];
    expect((await rig.refresh()).errors).toEqual({});
    expect([...rig.state.values()]).toEqual(before);
    rig.expectOnce();
  });
});

const DAY = 86_400_000;
describe.each([-DAY, -3_600_000, 0, 3_600_000, DAY])("the service's clock %i ms from ours", skewMs => {
  test.each(["clock", "none", "garbage"] as const)("Date header: %s: a lost answer is found", async date => {
    await using rig = await startRig({ skewMs, dialect: { date } });
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });

  test("a document of the same content, made before, isn't taken for it", async context => {
    await using rig = await startRig({ skewMs, proving: true });
    cell(context, { matrix: "A", row: `clock skew ${skewMs} ms, older twin`, column: "POST document" }, rig);
    await rig.up([nda({}, "first")]);
    rig.service.clock.skew(skewMs + 3_600_000);
    rig.later();
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
    const both = [nda({}, "first"), nda({}, "second")];
    expect((await rig.up(both)).errors["second"]).toContain("[docsign/create-unconfirmed]");
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 1, mails: 2 });
    rig.later();
    expect((await rig.up(both)).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 3, documents: 2, mails: 4 });
    expect(rig.idOf("second")).not.toBe(rig.idOf("first"));
  });
});

test("lists that take 20 s to come don't hide the document: the clock's error is on the safe side", async context => {
  await using rig = await startRig();
  cell(context, { matrix: "A", row: "lists answer after 20 s", column: "POST document" }, rig);
  const { run, frontEnd } = rig.process();
  rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  const list = [rig.service.gate("received-body", "listDocuments")];
  const byDate = [1, 2, 3].map(() => rig.service.gate("received-body", "listByDateRange"));
  const went = up(frontEnd, rig.state, [nda()]);
  for (const gates of [list, byDate]) {
    await Promise.all(gates.map(gate => gate.reached));
    rig.service.clock.advance(20_000);
    await run.runtime.context.clock.wait(20_000);
    for (const gate of gates) gate.open();
  }
  expect((await went).errors).toEqual({});
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 1 });
  await run.end();
});

describe("read-after-write lag", () => {
  test.each([1, 2, 3, 5])("%i reads of each kind miss the new document: it is still one", async lag => {
    await using rig = await startRig({ lag });
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });

  test("GET misses it for longer than reconcileTimeout: it is taken by its row, and a refresh shows the rest", async () => {
    await using rig = await startRig({ lag: { get: 100 } });
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.state.get(urnOf("nda"))?.outputs["status"]).toBe("unknown");
    rig.service.people.reveal(rig.idOf("nda") ?? "");
    await rig.refresh();
    expect(rig.state.get(urnOf("nda"))?.outputs["status"]).toBe("unsigned");
    rig.later();
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });

  const lost = { kind: "reset", when: "after" } as const;

  test("lists miss it for longer than reconcileTimeout: nothing is sent again, and a later run finds it", async () => {
    await using rig = await startRig({ lag: { list: 40 } });
    rig.service.faults.push(lost, "createDocument");
    expect((await rig.up([nda()])).errors["nda"]).toContain("[docsign/create-unconfirmed]");
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    rig.service.people.reveal(rig.service.ledger.documents()[0]?.id ?? "");
    rig.later();
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
  });

  test("the same with a longer reconcileTimeout: the run itself finds it", async () => {
    await using rig = await startRig({ lag: { list: 40 }, config: { reconcileTimeout: "2m" } });
    rig.service.faults.push(lost, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1 });
  });
});

describe.each(mixedDialects)("a service of the dialect $name:", ({ settings }) => {
  test("the answer is lost: one document, and nothing to change afterwards", async () => {
    await using rig = await startRig(settings);
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });
});

describe("a service that gives documents new bytes", () => {
  const lost = { kind: "reset", when: "after" } as const;

  test("and only adds to what was sent: a lost answer is found, and nobody is asked", async () => {
    await using rig = await startRig({ dialect: { sha256: "stamped" } });
    const lease = nda({ name: "Lease" }, "lease");
    expect((await rig.up([lease])).errors).toEqual({});
    rig.service.faults.push(lost, "createDocument");
    for (let count = 0; count < 2; count++) expect((await rig.up([lease, nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("that can't be downloaded: a lost answer is left to a person, also where the service is known to change them", async () => {
    await using rig = await startRig({ dialect: { sha256: "stamped", downloads: "missing" } });
    const lease = nda({ name: "Lease" }, "lease");
    expect((await rig.up([lease])).errors).toEqual({});
    rig.service.faults.push(lost, "createDocument");
    for (let count = 0; count < 2; count++) {
      const { errors } = await rig.up([lease, nda()]);
      expect(errors["nda"]).toContain(rig.service.ledger.documents()[1]?.id);
      rig.later();
    }
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("two creates of one name for the same people, with another PDF each, both lost: neither takes either", async () => {
    await using rig = await startRig({ dialect: { sha256: "stamped" } });
    rig.service.faults.push(lost, "createDocument", { times: 2 });
    const longer = nda({ base64File: pdf("one\n%%EOF\nand more") }, "longer");
    const { errors } = await rig.up([nda(), longer]);
    expect(Object.values(errors)).toEqual([
      expect.stringContaining("[docsign/create-ambiguous]"),
      expect.stringContaining("[docsign/create-ambiguous]"),
    ]);
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("another document of the same name and people, with another PDF, made meanwhile: it isn't taken for it", async () => {
    await using rig = await startRig({ dialect: { sha256: "stamped" } });
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
    const gate = rig.service.gate("received-headers", "createDocument");
    const went = rig.up([nda()]);
    await gate.reached;
    const theirs = {
      name: "NDA",
      description: "between friends",
      pdf: Buffer.from("%PDF-1.4 theirs"),
      emails: [ANA, BOB],
    };
    const other = rig.service.people.upload("first", theirs);
    gate.open();
    expect((await went).errors["nda"]).toContain(other);
    expect(rig.idOf("nda")).toBeUndefined();
  });

  test("what was let go of is taken back, and mails nobody", async () => {
    await using rig = await startRig({ dialect: { sha256: "stamped", downloads: "missing" } });
    for (const program of [[nda()], [], [nda()]]) expect((await rig.up(program)).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });
});

test.each(["missing", "redirect"] as const)(
  "a service without hashes whose downloads are %s: a lost answer is never answered with a second POST",
  async downloads => {
    await using rig = await startRig({ dialect: { sha256: "null", downloads } });
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    const { errors } = await rig.up([nda()]);
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    expect(errors["nda"]).toContain(rig.service.ledger.documents()[0]?.id);
  },
);

test.each(["unused", "huge"] as const)(
  "an answer with the id of %s: state never takes another's document for ours",
  async as => {
    await using rig = await startRig();
    const other = rig.service.people.upload("first", {
      name: "Other",
      pdf: Buffer.from("%PDF-1 x"),
      emails: ["x@example.com"],
    });
    rig.service.faults.push({ kind: "wrong-ids", as }, "createDocument");
    await rig.up([nda()]);
    expect(rig.idOf("nda")).not.toBe(other);
    await rig.up([nda()]);
    const ours = rig.service.ledger.documents().filter(document => document.madeBy > 0);
    expect(ours).toHaveLength(1);
  },
);

describe("a new one beside what an earlier run made with other content: the commands that are printed are enough", () => {
  const edited = [nda({ base64File: pdf("two") })];
  test.each(["its answer was lost", "the run was killed before its reply"])("%s", async how => {
    await using rig = await startRig();
    if (how === "its answer was lost") {
      rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
      rig.service.faults.otherwise(({ operation }) =>
        operation.startsWith("list") && rig.service.ledger.documentCount() > 0
          ? { kind: "status", when: "before", status: 500 }
          : undefined,
      );
      await rig.up([nda()]);
      rig.service.faults.otherwise(undefined);
    } else await crashed(rig, CRASH_POINTS["before the reply"] ?? expect.fail(), nda());
    const error = (await rig.up(edited)).errors["nda"] ?? "";
    const [, name = "", value = "", token = ""] =
      /mails people again: pulumi config set docsign:(\w+) (\w+) \(.*\), and then: DOCSIGN_FORGET=(\w{8}) pulumi up$/m.exec(
        error,
      ) ?? [];
    expect(error).toContain("[docsign/created-with-other-content]");
    const options = { env: { DOCSIGN_FORGET: token }, config: { [name]: value } };
    expect((await rig.up(edited, options)).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });
});
