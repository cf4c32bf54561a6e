import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { Desk } from "./support/desk.js";

describe.skipIf(missingEngine)("the examples of waiting for people", () => {
  it("reminders: once a week, and only who hasn't signed", async () => {
    await using desk = await Desk.open({ example: "reminders" });
    await desk.upTo("pulumi up --expect-no-changes");
    expect(desk.mailed()).toEqual(["ana@example.com", "bob@example.org"]);
    await desk.run("pulumi up --expect-no-changes");

    await desk.upTo("pulumi preview");
    const preview = await desk.run("pulumi preview");
    expect(preview).toContain("will mail bob@example.org: a reminder of document 5001 (`every` says so)");
    expect(preview).toContain("not ana@example.com: has signed");
    expect(desk.mailed()).toEqual([]);
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["bob@example.org"]);
    expect(desk.sandbox.mails.map(({ kind }) => kind)).toEqual(["invitation", "invitation", "reminder"]);
    expect(await desk.outputs()).toEqual({ documentId: "5001", reminded: ["bob@example.org"] });

    await desk.rest();
    expect(desk.mailed()).toEqual([]);
  });

  it("gate-a-deployment: nothing goes live before everyone has signed", async () => {
    await using desk = await Desk.open({ example: "gate-a-deployment" });
    await desk.upTo("pulumi up");
    const refused = await desk.refused("pulumi up");
    expect(refused).toMatch(/agreed.* error: .*operations@example\.com, security@example\.com/s);
    expect(desk.mailed()).toEqual(["operations@example.com", "security@example.com"]);

    await desk.upTo("cat live.txt");
    expect(await desk.run("cat live.txt")).toBe("2.0");
    await desk.rest();
    expect(existsSync(desk.path("live.txt"))).toBe(false);
    expect(desk.mailed()).toEqual([]);
  });
});

describe.skipIf(missingEngine)("the examples of what is at the service", () => {
  it("adopt-existing: everything in a folder is imported at once, and nobody is mailed", async () => {
    await using desk = await Desk.open({ example: "adopt-existing" });
    await desk.upTo("cd ../contracts");
    expect(JSON.parse(readFileSync(desk.path("contracts/import.json"), "utf8"))).toEqual({
      resources: [
        { type: "docsign:index:Document", name: "lease-12-5001", id: "5001" },
        { type: "docsign:index:Document", name: "lease-13-5002", id: "5002" },
      ],
    });
    const documents = () => desk.sandbox.documents().map(({ reads: _, ...document }) => document);
    const before = documents();
    expect(desk.mailed()).toHaveLength(2);
    await desk.upTo("pulumi preview --expect-no-changes");
    expect(await desk.run("pulumi preview --expect-no-changes")).toContain("3 unchanged");
    await desk.rest();
    expect(documents()).toEqual(before);
    expect(desk.mailed()).toEqual([]);
  });

  it("audit: what no program manages, and what was signed", async () => {
    await using desk = await Desk.open({ example: "audit" });
    await desk.upTo("pulumi stack output --json");
    expect(JSON.parse(await desk.run("pulumi stack output --json"))).toEqual({
      unmanaged: ["5001 By hand"],
      signedThisYear: [
        {
          documentId: "5001",
          name: "By hand",
          certified: true,
          evidence: true,
          comments: ["Ask legal about clause 4."],
        },
      ],
    });
    await desk.rest();
  });

  it("two-accounts: each document belongs to the account of its provider", async () => {
    await using desk = await Desk.open({ example: "two-accounts" });
    await desk.upTo("env -u DOCSIGN_API_KEY pulumi destroy");
    const documents = desk.sandbox.documents();
    const ownerOf = (name: string) => String(documents.find(document => document.name === name)?.ownerId);
    expect(await desk.outputs()).toEqual({ offer: ownerOf("Offer"), lease: ownerOf("Lease") });
    expect(ownerOf("Offer")).not.toBe(ownerOf("Lease"));
    // The marker, which only legal's provider sets.
    expect(documents.map(({ name, description }) => [name, description !== ""]).sort()).toEqual([
      ["Lease", true],
      ["Offer", false],
    ]);
    expect(desk.mailed()).toEqual(["ana@example.com", "bob@example.org"]);
    await desk.rest();
  });
});
