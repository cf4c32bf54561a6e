import { expect, it as test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";
import { PROTOTYPE_NAMES } from "./values.js";

const it = test.skipIf(missingEngine);

const addressOf = (key: string) => `${key.replaceAll("_", "")}@example.com`;
const defaults = {
  name: "NDA of {{toString}}",
  template: { "fn::fileAsset": "./nda.md" },
  variables: { constructor: "{{toString}}" },
  invitations: [{ email: "{{email}}" }],
};
const project = (properties: object) => ({ resources: { ndas: { type: "docsign:DocumentSet", properties } } });
/** Columns may have such names, too. */
const table = (name: string) =>
  `__proto__,email,toString\n${PROTOTYPE_NAMES.map(key => `${key},${addressOf(key)},${name}\n`).join("")}`;
const outputsOf = (scene: Scene) => scene.stack.entries()["ndas"]?.outputs ?? {};
const keysIn = (outputs: Record<string, unknown>) => Object.keys(outputs["documents"] as object).toSorted();

it("rows named like an object's members go through create, refresh, change and destroy, each mailed once", async () => {
  const files = { "team.csv": table("Ana"), "nda.md": "# NDA\n\nWith {{constructor}}.\n" };
  const yaml = project({ table: { "fn::fileAsset": "./team.csv" }, key: "{{__proto__}}", defaults });
  await using scene = await openScene({ yaml, files });
  const everybody = PROTOTYPE_NAMES.map(addressOf).toSorted();

  await scene.stack.up();
  expect(scene.mailed().toSorted()).toEqual(everybody);
  const outputs = outputsOf(scene);
  expect(keysIn(outputs)).toEqual(PROTOTYPE_NAMES.toSorted());
  expect(outputs["summary"]).toMatchObject({ total: PROTOTYPE_NAMES.length });

  await scene.stack.refresh();
  await scene.stack.preview("--expect-no-changes");
  scene.stack.write("team.csv", table("Bob"));
  await scene.stack.up();
  expect(scene.mailed().toSorted()).toEqual(everybody);
  expect(keysIn(outputsOf(scene))).toEqual(PROTOTYPE_NAMES.toSorted());
  await scene.stack.preview("--expect-no-changes");
  await scene.stack.destroy();
  expect(scene.mailed()).toEqual([]);
});

it("so do rows of `documents`, and a row that is removed is forgotten", async () => {
  const row = (key: string) => ({
    name: `NDA of ${key}`,
    template: { "fn::fileAsset": "./nda.md" },
    invitations: [{ email: addressOf(key) }],
  });
  const documents = (keys: readonly string[]) =>
    project({ documents: Object.fromEntries(keys.map(key => [key, row(key)])) });
  await using scene = await openScene({ yaml: documents(PROTOTYPE_NAMES), files: { "nda.md": "# NDA\n" } });
  await scene.stack.up();
  expect(scene.mailed().toSorted()).toEqual(PROTOTYPE_NAMES.map(addressOf).toSorted());
  await scene.stack.refresh();
  await scene.stack.preview("--expect-no-changes");
  scene.stack.declare(documents(PROTOTYPE_NAMES.filter(key => key !== "__proto__")));
  await scene.stack.up();
  expect(keysIn(outputsOf(scene))).not.toContain("__proto__");
  expect(outputsOf(scene)["summary"]).toMatchObject({ total: PROTOTYPE_NAMES.length - 1, forgotten: 1 });
  expect(scene.mailed()).toEqual([]);
});
