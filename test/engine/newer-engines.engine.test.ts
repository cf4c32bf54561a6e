import { describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";

const ANA = "ana@example.com";
const PDF = Buffer.from("%PDF-1.4\none\n%%EOF\n").toString("base64");
const UP = ["up", "--yes", "--skip-preview"];

const contract = (options: object, folderName = "Contracts") => ({
  resources: {
    folder: { type: "docsign:Folder", properties: { name: folderName } },
    nda: {
      type: "docsign:Document",
      properties: { name: "NDA", base64File: PDF, invitations: [{ email: ANA }] },
      options,
    },
  },
});

/** A stack with a signed contract that the engine has shown. */
async function signedScene(options: object): Promise<Scene> {
  const scene = await openScene({ yaml: contract(options) });
  await scene.stack.up();
  await scene.stack.up();
  scene.service.people.sign(scene.id(), ANA);
  scene.mailed();
  return scene;
}

const nothingSent = (scene: Scene): void => {
  expect(scene.mailed()).toEqual([]);
  expect(scene.service.ledger.documents()).toHaveLength(1);
  expect(scene.stack.entries()["nda"]).toMatchObject({ id: scene.id() });
};

describe.skipIf(missingEngine)("what engines have learned since 3.250 replaces nothing signed", () => {
  it.for(["create", "delete"])("--ignore-protect with --target-replace, %s first", async (order, ctx) => {
    const options = { protect: true, deleteBeforeReplace: order === "delete" };
    await using scene = await signedScene(options);
    const refused = await scene.stack.refused([...UP, "--ignore-protect", "--target-replace", scene.stack.urn("nda")]);
    if (refused.text.includes("unknown flag")) return ctx.skip("this engine has no --ignore-protect");
    expect(refused.text).toContain("[docsign/replace-signed]");
    nothingSent(scene);
  });

  it("--ignore-protect with a changed name", async ctx => {
    await using scene = await signedScene({ protect: true });
    const changed = contract({ protect: true });
    changed.resources.nda.properties.name = "Another NDA";
    scene.stack.declare(changed);
    const refused = await scene.stack.refused([...UP, "--ignore-protect"]);
    if (refused.text.includes("unknown flag")) return ctx.skip("this engine has no --ignore-protect");
    expect(refused.text).toContain("[docsign/replace-signed]");
    nothingSent(scene);
  });

  // From 3.260 on the engine replaces what is deleted with the folder, and calls neither Diff nor Delete.
  it.each([
    ["create", "forgotten"],
    ["delete", "kept"],
  ])("deletedWith a folder that is replaced, %s first, the journal %s", async (order, journal) => {
    const options = { deletedWith: `\${folder}`, deleteBeforeReplace: order === "delete" };
    await using scene = await signedScene(options);
    if (journal === "forgotten") scene.stack.forget();
    scene.stack.declare(contract(options, "Contracts 2027"));
    const { code, text } = await scene.stack.attempt(UP);
    if (code !== 0) expect(text).toMatch(/\[docsign\/(replace-signed|duplicate)\]/);
    nothingSent(scene);
  });

  it("deletedWith a folder that is forced to be replaced together with the contract", async () => {
    const options = { deletedWith: `\${folder}` };
    await using scene = await signedScene(options);
    const urns = [scene.stack.urn("nda"), scene.stack.urn("folder", "docsign:index:Folder")];
    const refused = await scene.stack.refused([...UP, ...urns.flatMap(urn => ["--target-replace", urn])]);
    expect(refused.text).toContain("[docsign/replace-signed]");
    nothingSent(scene);
  });
});
