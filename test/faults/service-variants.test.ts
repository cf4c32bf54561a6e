import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import type { Dialect } from "../support/independent-service/dialect.js";
import { startMachine } from "../support/machine.js";
import { cell } from "./support/cells.js";
import { CRASH_POINTS, crashed } from "./support/crash-points.js";
import { ANA, BOB, nda, startRig, urnOf } from "./support/rig.js";

type Row = readonly [inputs: Values, stores: Dialect["stores"]];

const described = (description: string, change: (text: string) => string): Row => [
  { description },
  wanted => ({ ...wanted, description: wanted.description === null ? null : change(wanted.description) }),
];
const named = (name: string, change: (text: string) => string): Row => [
  { name },
  wanted => ({ ...wanted, name: change(wanted.name) }),
];
const invited = (people: readonly string[], change: (email: string) => string[]): Row => [
  { invitations: people.map(email => ({ email })) },
  wanted => ({
    ...wanted,
    invitations: wanted.invitations.flatMap(one => change(one.email).map(email => ({ ...one, email }))),
  }),
];

// Legal by the interface: it never says that texts come back as they were given.
/** Still known for what was sent. */
const RECOGNIZED: Record<string, Row> = {
  "description: other line ends": described("one\ntwo", text => text.replace(/\n/g, "\r\n")),
  "description: blanks collapsed": described("between  friends", text => text.replace(/\s+/g, " ")),
  "description: escaped": described("A & B", text => text.replace(/&/g, "&amp;")),
  "description: cut": described("x".repeat(300), text => text.slice(0, 255)),
  "name: blanks collapsed": named("NDA  2026", text => text.replace(/\s+/g, " ")),
  "name: escaped": named("A & B", text => text.replace(/&/g, "&amp;")),
  "name: cut": named("x".repeat(300), text => text.slice(0, 255)),
};

/** No longer known for certain. */
const UNCERTAIN: Record<string, Row> = {
  "the PDF: written anew": [{}, wanted => ({ ...wanted, pdf: Buffer.concat([Buffer.from("%PDF-1.7\n"), wanted.pdf]) })],
  "description: stored empty": described("between friends", () => ""),
  "name: in capitals": named("nda", text => text.toUpperCase()),
  "name: an ending added": named("nda", text => `${text}.pdf`),
  "people: the owner added": invited([ANA], email => [email, "owner@example.org"]),
  "people: a tag taken off": invited(["ana+leases@example.com", BOB], email => [email.replace(/\+\w+/, "")]),
};

describe.each(Object.entries(RECOGNIZED))("a service that stores it differently, %s", (row, [inputs, stores]) => {
  const wanted = nda(inputs);

  test("a lost answer: the document is found, and nothing is sent again", async context => {
    await using rig = await startRig({ dialect: { stores } });
    cell(context, { matrix: "A", row: `stored differently, ${row}`, column: "POST document" }, rig);
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1 });
  });

  test("a crash after processing: the next up takes it over, and sends nothing", async context => {
    await using rig = await startRig({ dialect: { stores } });
    cell(context, { matrix: "B", row: `stored differently, ${row}`, column: "up" }, rig);
    await crashed(rig, CRASH_POINTS["after processing"] ?? raise(), wanted);
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1 });
  });
});

describe.each(Object.entries(UNCERTAIN))("a service that stores it differently, %s", (row, [inputs, stores]) => {
  const wanted = nda(inputs);

  test("a lost answer: nothing is sent again, the error names the document, an import heals", async context => {
    await using rig = await startRig({ dialect: { stores } });
    cell(context, { matrix: "A", row: `stored differently, ${row}`, column: "POST document" }, rig);
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    const errors = [(await rig.up([wanted])).errors["nda"], (await rig.up([wanted])).errors["nda"]];
    rig.later();
    errors.push((await rig.up([wanted])).errors["nda"]);
    const id = rig.service.ledger.documents()[0]?.id ?? "";
    for (const error of errors) {
      expect(error).toMatch(/^.*Nothing more was created\. \[docsign\/create-ambiguous\]$/m);
      expect(error).toContain(`pulumi import --generate-code=false docsign:index:Document nda ${id}`);
    }
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
    await rig.import({ name: "nda", type: "Document" }, id);
    for (let runs = 0; runs < 2; runs++) expect((await rig.up([wanted])).errors).toEqual({});
    expect(rig.idOf("nda")).toBe(id);
    expect(rig.state.get(urnOf("nda"))?.inputs).toMatchObject({ name: wanted.inputs["name"] });
    expect((await rig.refresh()).errors).toEqual({});
    expect((await rig.up([wanted])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
  });

  test("a crash after processing, then up: nothing is sent again, and the error names the document", async context => {
    await using rig = await startRig({ dialect: { stores } });
    cell(context, { matrix: "B", row: `stored differently, ${row}`, column: "up" }, rig);
    await crashed(rig, CRASH_POINTS["after processing"] ?? raise(), wanted);
    const error = (await rig.up([wanted])).errors["nda"];
    expect(error).toMatch(/\[docsign\/create-ambiguous\]$/m);
    expect(error).toContain(`document ${rig.service.ledger.documents()[0]?.id}, unsigned`);
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
  });
});

test.each(Object.entries({ ...RECOGNIZED, ...UNCERTAIN }))(
  "a service that stores it differently, %s: an answered create is in state, and up again changes nothing",
  async (_, [inputs, stores]) => {
    await using rig = await startRig({ dialect: { stores } });
    expect((await rig.up([nda(inputs)])).errors).toEqual({});
    expect((await rig.up([nda(inputs)])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
  },
);

describe("creationMarker", () => {
  test.each(["name: in capitals", "name: cut", "people: the owner added"])(
    "finds it where the service stores it differently, %s: taken over after a crash, journal or not",
    async row => {
      const [inputs, stores] = { ...RECOGNIZED, ...UNCERTAIN }[row] ?? raise();
      await using rig = await startRig({ dialect: { stores }, config: { creationMarker: true } });
      await crashed(rig, CRASH_POINTS["after processing"] ?? raise(), nda(inputs));
      using elsewhere = startMachine();
      expect((await rig.up([nda(inputs)], { machine: elsewhere })).errors).toEqual({});
      expect(rig.idOf("nda")).toBe(rig.service.ledger.documents()[0]?.id);
      expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
    },
  );

  test("isn't believed of a document for other people with another PDF: a copy keeps its description", async () => {
    await using rig = await startRig({ config: { creationMarker: true } });
    await rig.up([nda()]);
    const [made] = rig.service.ledger.documents();
    const copy = {
      name: "NDA for Mallory",
      description: made?.description ?? "",
      pdf: Buffer.from("%PDF-1.4 x"),
      emails: ["m@example.com"],
    };
    const id = rig.service.people.upload("first", copy);
    rig.service.people.removeDocument(made?.id ?? "");
    rig.state.clear();
    using elsewhere = startMachine();
    const { errors } = await rig.up([nda()], { machine: elsewhere });
    expect(errors["nda"]).toContain(`document ${id} carries this resource's creation marker, but is for other people`);
    expect(rig.saw()).toMatchObject({ posts: 1 });
  });

  test("isn't accepted at the end of a program's own description", async () => {
    await using rig = await startRig();
    const { errors } = await rig.up([nda({ description: "a copy [docsign:0123456789ab]" })]);
    expect(errors["nda"]).toMatch(/^description: expected one that doesn't end in \[docsign:0123456789ab\]/);
    expect(rig.saw()).toMatchObject({ requests: 0 });
  });
});

test("servers that don't agree on the time: a document stamped half a minute early is not sent again", async () => {
  await using rig = await startRig({ dialect: { date: { aheadMs: 30_000 } }, config: { reconcileTimeout: "1s" } });
  rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  await rig.up([nda()]);
  await rig.up([nda()]);
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
});

describe("a long run", () => {
  test.each([
    ["creationMarker", { creationMarker: true }],
    ["duplicatePolicy adopt", { duplicatePolicy: "adopt" }],
    ["duplicatePolicy refuse", { duplicatePolicy: "refuse" }],
  ])("with %s sees what another machine created meanwhile, and sends nothing", async (_, config) => {
    await using rig = await startRig({ config });
    using elsewhere = startMachine();
    const here = rig.process();
    const there = rig.process({ machine: elsewhere });
    const create = async ({ frontEnd }: typeof here, wanted: ReturnType<typeof nda>) => {
      const urn = frontEnd.urn(wanted);
      return frontEnd.create(urn, (await frontEnd.check(urn, undefined, wanted.inputs)).inputs);
    };
    await create(here, nda({ name: "Other" }, "first"));
    await here.run.runtime.context.clock.wait(6_000);
    const { id } = await create(there, nda());
    rig.service.people.sign(id, ANA);
    await expect(create(here, nda())).rejects.toThrow(
      new RegExp(`^document ${id} .*Nothing was created.*docsign/duplicate[^]*document ${id}, partially signed`),
    );
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2 });
    await Promise.all([here.run.end(), there.run.end()]);
  });

  test.each([
    ["creationMarker", { creationMarker: true }],
    ["duplicatePolicy adopt", { duplicatePolicy: "adopt" }],
  ])("with %s: a no from a service that made it, and an onError hook: one document", async (_, config) => {
    await using rig = await startRig({ config });
    rig.service.faults.push({ kind: "status", status: 422, when: "after" }, "createDocument");
    expect((await rig.up([nda()], { onErrorRetries: 1 })).errors).toEqual({});
    rig.expectOnce();
  });

  test("with refuse the same is refused: one document", async () => {
    await using rig = await startRig({ config: { duplicatePolicy: "refuse" } });
    rig.service.faults.push({ kind: "status", status: 422, when: "after" }, "createDocument");
    const { errors } = await rig.up([nda()], { onErrorRetries: 1 });
    expect(errors["nda"]).toContain("[docsign/duplicate]");
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });
});

describe.each([
  ["creationMarker", { creationMarker: true }],
  ["adopt", { duplicatePolicy: "adopt" }],
  ["creationMarker and refuse", { creationMarker: true, duplicatePolicy: "refuse" }],
])("journal lost, %s", (_, config: Values) => {
  test("a signed document never gives way to the one it replaced", async () => {
    await using rig = await startRig({ config: { creationMarker: config["creationMarker"] ?? false } });
    await rig.up([nda()]);
    const first = { taint: ["nda"], deleteBeforeReplace: ["nda"] };
    expect((await rig.up([nda()], first)).errors).toEqual({});
    const signed = rig.idOf("nda") ?? "";
    rig.service.people.signAll(signed);
    await rig.refresh();
    using elsewhere = startMachine();
    const { errors } = await rig.up([nda()], { taint: ["nda"], machine: elsewhere, config });
    expect(errors["nda"]).toMatch(/^(document \d+ |several documents ).*Nothing was created/);
    expect(rig.idOf("nda")).toBe(signed);
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2 });
  });
});

describe.each([
  ["refuse", { duplicatePolicy: "refuse" }],
  ["adopt", { duplicatePolicy: "adopt" }],
  ["creationMarker", { creationMarker: true }],
])("killed after processing, then a preview, with %s", (_, config) => {
  test("the preview says what up will do, and up does it, though somebody has signed", async () => {
    await using rig = await startRig({ config });
    await crashed(rig, CRASH_POINTS["after processing"] ?? raise(), nda());
    rig.service.people.sign(rig.service.ledger.documents()[0]?.id ?? "", ANA);
    const { frontEnd, run } = rig.process();
    const urn = frontEnd.urn({ name: "nda", type: "Document" });
    const previewed = await frontEnd.create(urn, (await frontEnd.check(urn, undefined, nda().inputs)).inputs, true);
    const [made] = rig.service.ledger.documents();
    expect(previewed.id).toBe(made?.id);
    expect(run.lines.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(new RegExp(`^will take over document ${made?.id}, and mails no one`)),
    );
    await run.end();
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.idOf("nda")).toBe(made?.id);
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
  });
});

test("an adopt preview promises one document to one resource", async () => {
  await using rig = await startRig({ config: { duplicatePolicy: "adopt" } });
  await rig.up([nda()]);
  using elsewhere = startMachine();
  const { frontEnd, run } = rig.process({ machine: elsewhere });
  const previews = ["one", "two"].map(async name => {
    const urn = frontEnd.urn({ name, type: "Document" });
    return (await frontEnd.create(urn, (await frontEnd.check(urn, undefined, nda().inputs)).inputs, true)).id;
  });
  expect((await Promise.all(previews)).filter(id => id !== "")).toHaveLength(1);
  expect(run.lines.filter(({ text }) => text.startsWith("will take over"))).toHaveLength(1);
  await run.end();
});

test("a description of 100,000 blanks in the account slows nothing down", async () => {
  await using rig = await startRig({ config: { creationMarker: true } });
  const other = {
    name: "Other",
    description: " ".repeat(100_000),
    pdf: Buffer.from("%PDF-1.4 y"),
    emails: ["z@example.com"],
  };
  rig.service.people.upload("first", other);
  expect((await rig.up([nda()])).errors).toEqual({});
  expect(rig.saw()).toMatchObject({ posts: 1 });
});

const raise = (): never => {
  throw new Error("no such row");
};
