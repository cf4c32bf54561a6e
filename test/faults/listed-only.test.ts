import { describe, expect, test } from "vitest";
import type { Dialect } from "../support/independent-service/index.js";
import { startMachine } from "../support/machine.js";
import { CRASH_POINTS, crashed } from "./support/crash-points.js";
import { ANA, BOB, madeIn, nda, pdf, type Rig, startRig, urnOf } from "./support/rig.js";

const LOST = { kind: "reset", when: "after" } as const;
const READS: Dialect["reads"][] = ["404-always", "403-always", "another-document"];

const start = (reads: Dialect["reads"], config = {}, dialect: Partial<Dialect> = {}) =>
  startRig({ config: { resendAfter: "8s", ...config }, dialect: { reads, decoys: 2, ...dialect } });

/** Often enough for whatever would be sent again. */
async function often(rig: Rig, program = [nda()]): Promise<Record<string, string>> {
  let errors: Record<string, string> = {};
  for (let count = 0; count < 3; count++) {
    ({ errors } = await rig.up(program));
    rig.later();
  }
  return errors;
}

const expectUnsent = (rig: Rig, documents = 1) => expect(rig.saw()).toMatchObject({ posts: documents, documents });

const other = (name: string, more = {}) =>
  nda({ base64File: pdf(name), invitations: [{ email: `${name}@example.com`, name }], ...more }, name);

/** As `docsign journal resolve` does. */
async function say(rig: Rig, id: string | undefined): Promise<void> {
  const { run } = rig.process();
  const { journal } = run.runtime.context;
  const scope = { service: rig.service.url, urn: urnOf("nda") };
  const { attempt } = await journal.resource(scope);
  await journal.hint(scope, attempt?.token ?? expect.fail(), id);
  await run.end();
}

describe.each(READS)("a service that lists documents and shows none: %s", reads => {
  test("one whose id the answer names is taken, with a warning, and stays", async () => {
    await using rig = await start(reads);
    expect((await rig.up([nda()])).errors).toEqual({});
    const id = rig.idOf("nda");
    expect(rig.read.join("\n")).toContain(`document ${id} is listed under its name, and the service doesn't show it`);
    expect(await often(rig)).toEqual({});
    rig.expectOnce();
    expectUnsent(rig);
  });

  test("one whose answer was lost isn't taken by its name, and isn't sent again", async () => {
    await using rig = await start(reads);
    rig.service.faults.push(LOST, "createDocument");
    expect((await often(rig))["nda"]).toContain("[docsign/create-unconfirmed]");
    expectUnsent(rig);
  });

  test("one whose answer was lost is taken once a person says which it is", async () => {
    await using rig = await start(reads);
    rig.service.faults.push(LOST, "createDocument");
    const error = (await rig.up([nda()])).errors["nda"];
    expect(error).toContain("[docsign/create-unconfirmed]");
    expect(error).toMatch(
      /^ {2}- it is one of these: docsign journal resolve \w{8} --is \w+, then `pulumi up` takes it$/m,
    );
    const [made] = madeIn(rig.service.ledger);
    await say(rig, made?.id);
    expect(await often(rig)).toEqual({});
    rig.expectOnce();
  });

  test("one whose answer was lost is taken by its creation marker", async () => {
    await using rig = await start(reads, { creationMarker: true });
    rig.service.faults.push(LOST, "createDocument");
    expect(await often(rig)).toEqual({});
    rig.expectOnce();
    expectUnsent(rig);
  });

  test("with the journal lost, it is taken by its creation marker", async () => {
    await using rig = await start(reads, { creationMarker: true });
    await rig.up([nda()]);
    rig.state = new Map();
    using machine = startMachine();
    expect((await rig.up([nda()], { machine })).errors).toEqual({});
    rig.expectOnce();
    expectUnsent(rig);
  });

  test("killed before the engine has it: the next run keeps it", async () => {
    await using rig = await start(reads);
    await crashed(rig, CRASH_POINTS["before the reply"] ?? expect.fail(), nda());
    expect(await often(rig)).toEqual({});
    rig.expectOnce();
    expectUnsent(rig);
  });

  test("an answer that names another's document of the same name takes none of them", async () => {
    await using rig = await start(reads);
    const first = other("cy");
    expect((await rig.up([first])).errors).toEqual({});
    rig.service.faults.push({ kind: "wrong-ids", as: "neighbour" }, "createDocument");
    const errors = await often(rig, [first, other("dee")]);
    expect(errors["dee"]).toContain("[docsign/create-unconfirmed]");
    expect(rig.idOf("cy")).toBe(madeIn(rig.service.ledger)[0]?.id);
    expectUnsent(rig, 2);
  });

  test("others of the same name under way: an answer's id alone doesn't tell whose a row is", async () => {
    await using rig = await start(reads);
    rig.service.faults.push(LOST, "createDocument");
    await often(rig, [other("cy"), other("dee")]);
    for (const name of ["cy", "dee"]) {
      const id = rig.idOf(name);
      const held = rig.service.ledger.documents().find(document => document.id === id);
      if (held) expect(held.invitations[0]?.email).toBe(`${name}@example.com`);
    }
    expectUnsent(rig, 2);
  });

  test("a change is refused: nothing tells who has signed", async () => {
    await using rig = await start(reads);
    expect((await rig.up([nda()])).errors).toEqual({});
    expect((await rig.up([nda({ base64File: pdf("two") })])).errors["nda"]).toContain("[docsign/replace-unconfirmed]");
    expect(await often(rig)).toEqual({});
    rig.expectOnce();
    expectUnsent(rig);
  });
});

test("what is listed with another description, or older than the create, isn't taken", async () => {
  await using rig = await start("404-always");
  const theirs = { name: "NDA", description: "mine", pdf: Buffer.from(pdf("one"), "base64"), emails: [ANA, BOB] };
  rig.service.faults.push(LOST, "createDocument");
  const gate = rig.service.gate("processed", "createDocument");
  const went = rig.up([nda()]);
  await gate.reached;
  const id = rig.service.people.upload("first", theirs);
  gate.open();
  await went;
  await say(rig, id);
  expect((await often(rig))["nda"]).toContain("[docsign/create-unconfirmed]");
  expect(rig.saw().posts).toBe(1);
});
