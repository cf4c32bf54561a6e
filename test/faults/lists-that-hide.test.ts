import { describe, expect, test } from "vitest";
import { folder, nda, type Rig, startRig } from "./support/rig.js";

/** A list may be complete and still show no document of some kind: then what isn't in it may have been made. */
async function expectUnsent(rig: Rig, when: "before" | "after", program = [nda()]): Promise<void> {
  rig.service.faults.push({ kind: "reset", when }, "createDocument");
  for (let runs = 0; runs < 3; runs++) {
    const error = (await rig.up(program)).errors["nda"] ?? "";
    expect(error).toMatch(/\[docsign\/create-unconfirmed\]/);
    expect(error).toContain("they don't prove that it isn't there");
    expect(error).toMatch(/send it again: DOCSIGN_FORGET=\w{8} pulumi up$/m);
    rig.later();
  }
  const made = when === "after" ? 1 : 0;
  expect(rig.saw()).toMatchObject({ posts: 1, documents: made, mails: 2 * made });
}

describe("a create without an answer isn't sent again", () => {
  test("where lists leave out what nobody has signed", async () => {
    await using rig = await startRig({ taste: { unlisted: "unknown-status", unsignedStatus: "drafted" } });
    await expectUnsent(rig, "after");
  });

  test("where lists leave out what is in a folder", async () => {
    await using rig = await startRig({ taste: { unlisted: "in-a-folder" }, proving: true });
    await rig.up([folder()]);
    const folderId = rig.idOf("leases", "Folder") ?? "";
    await expectUnsent(rig, "after", [folder(), nda({ folderId })]);
  });

  test("where lists are empty", async () => {
    await using rig = await startRig();
    await expectUnsent(rig, "before");
  });

  test("where lists show documents of others only", async () => {
    await using rig = await startRig({ taste: { order: "newest", decoys: 9 } });
    await expectUnsent(rig, "before");
  });

  test("where what lists show of this provider's is signed", async () => {
    await using rig = await startRig({ proving: true });
    rig.service.people.signAll(rig.service.ledger.decoys()[0]?.id ?? "");
    await expectUnsent(rig, "before");
  });
});
