import { describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { Desk } from "./support/desk.js";

/** YAML and dynamic resources are in the README of the project, which test/docs follows. */
const QUICKSTARTS = [
  ["quickstart-typescript", "nodejs"],
  ["quickstart-python", "python"],
  ["quickstart-go", "go"],
] as const;

describe.each(QUICKSTARTS)("%s, by its README's commands", (example, sdk) => {
  it.skipIf(missingEngine ?? missingFor(sdk))("a contract is sent, signed, and not replaced", async () => {
    await using desk = await Desk.open({ example, sdk });
    await desk.upTo("pulumi up");
    expect(await desk.run("pulumi up")).toContain(
      "will mail ana@example.com, then bob@example.org (in stage 2, after those before)",
    );
    expect(desk.mailed()).toEqual(["ana@example.com"]);
    await desk.rest();
    expect(desk.mailed()).toEqual(["bob@example.org"]);
    expect((await desk.outputs())["pendingSigners"]).toEqual(["bob@example.org"]);

    // What the page says in a sentence.
    desk.edit("contracts/nda.pdf", text => `${text}% one clause more\n`);
    expect(await desk.alsoRefused("pulumi preview")).toContain("[docsign/replace-signed]");
    await desk.also("pulumi destroy --skip-preview");
    expect(desk.sandbox.documents()).toHaveLength(1);
    expect(desk.mailed()).toEqual([]);
  });
});
