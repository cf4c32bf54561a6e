import { describe, expect, test } from "vitest";
import { ANA, BOB, nda, pdf, type Rig, startRig } from "./support/rig.js";

const SHORT = "Lease agreement 15";
const LONG = "Lease agreement 1559";

const lease = (name: string) => nda({ name }, name.replaceAll(" ", "-"));
const upload = (rig: Rig, name: string) =>
  rig.service.people.upload("first", {
    name,
    description: "between friends",
    pdf: Buffer.from(pdf("one"), "base64"),
    emails: [ANA, BOB],
  });

describe("one PDF for the same people under names of which one begins with the other", () => {
  test.each([
    ["both at once", [[SHORT, LONG]]],
    ["the short one first", [[SHORT], [SHORT, LONG]]],
    ["the long one first", [[LONG], [SHORT, LONG]]],
    ["the short one is let go of", [[SHORT], [LONG]]],
    ["the long one is let go of", [[LONG], [SHORT]]],
  ])("%s: each is sent", async (_, programs) => {
    await using rig = await startRig();
    for (const names of programs) expect((await rig.up(names.map(lease))).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("another stack has the short one: the long one is sent", async () => {
    await using rig = await startRig();
    expect((await rig.up([lease(SHORT)])).errors).toEqual({});
    rig.state = new Map();
    expect((await rig.up([lease(LONG)], { stack: "prod" })).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("a stranger's short one, beside a name that is as long: the long one is sent", async () => {
    await using rig = await startRig();
    upload(rig, SHORT);
    upload(rig, "Lease agreement 1560");
    expect((await rig.up([lease(LONG)])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1, mails: 6 });
  });

  test("a stranger's short one, where no name is as long: it may be the long one, cut", async () => {
    await using rig = await startRig();
    upload(rig, SHORT);
    upload(rig, "Lease agreement 7");
    expect((await rig.up([lease(LONG)])).errors[lease(LONG).name]).toContain("[docsign/duplicate]");
    expect(rig.saw()).toMatchObject({ posts: 0 });
  });

  test("a service that cuts names, on a machine that remembers nothing: nothing is sent again", async () => {
    await using rig = await startRig({
      dialect: { stores: wanted => ({ ...wanted, name: wanted.name.slice(0, 18) }) },
    });
    upload(rig, LONG);
    upload(rig, "Lease agreement 1560");
    expect((await rig.up([lease(LONG)])).errors[lease(LONG).name]).toContain("[docsign/duplicate]");
    expect(rig.saw()).toMatchObject({ posts: 0 });
  });
});
