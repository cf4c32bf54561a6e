import { beforeEach, describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { openScene, type Scene } from "../support/engine/scene.js";
import type { Project } from "../support/engine/stack.js";

const ANA = "ana@example.com";
const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");
const contract = (more: object = {}) => ({
  type: "docsign:Document",
  properties: { name: "NDA", base64File: pdf("one"), invitations: [{ email: ANA }], ...more },
});
const posts = (scene: Scene) => scene.asked().filter(request => request.startsWith("POST"));

describe.skipIf(missingEngine)("one document, whatever becomes of its stack", () => {
  it("a renamed stack goes on with it", async () => {
    await using scene = await openScene({ yaml: { resources: { nda: contract() } } });
    await scene.stack.up();
    scene.asked();
    await scene.stack.run(["stack", "rename", "prod", "--stack", "dev"]);
    scene.stack.name = "prod";
    await scene.stack.preview("--expect-no-changes");
    await scene.stack.up("--expect-no-changes");
    expect(scene.asked()).toEqual([]);
    scene.service.people.sign(scene.id(), ANA);
    const refused = await scene.stack.refused([
      "up",
      "--yes",
      "--skip-preview",
      "--target-replace",
      scene.stack.urn("nda"),
    ]);
    expect(refused.text).toContain(`document ${scene.id()} "NDA" is signed, so it is not replaced.`);
    expect(posts(scene)).toEqual([]);
  });

  it("a resource under another name, with an alias, goes on with it", async () => {
    await using scene = await openScene({ yaml: { resources: { nda: contract() } } });
    await scene.stack.up();
    scene.asked();
    scene.stack.declare({
      resources: { agreement: { ...contract(), options: { aliases: [scene.stack.urn("nda")] } } },
    });
    expect((await scene.stack.up()).steps).toEqual([]);
    expect(Object.entries(scene.stack.entries()).map(([name, { id }]) => [name, id])).toEqual([
      ["agreement", scene.id()],
    ]);
    expect(scene.asked()).toEqual([]);
    scene.service.people.sign(scene.id(), ANA);
    const refused = await scene.stack.refused([
      "up",
      "--yes",
      "--skip-preview",
      "--target-replace",
      scene.stack.urn("agreement"),
    ]);
    expect(refused.text).toContain(`document ${scene.id()} "NDA" is signed, so it is not replaced.`);
    expect(posts(scene)).toEqual([]);
  });

  it("two stacks of one program have a document each once that is allowed, and one's signature doesn't hold up the other", async () => {
    await using scene = await openScene({ yaml: { resources: { nda: contract() } } });
    const { stack, service } = scene;
    await stack.up();
    const holder = stack.urn("nda");
    stack.choose("prod");
    const duplicate = await stack.refused(["up", "--yes", "--skip-preview"]);
    expect(duplicate.text).toContain(
      `document ${scene.id()} has the same name, PDF and people already, and \`${holder}\` holds it. Nothing was created. [docsign/duplicate]`,
    );
    expect(duplicate.text).toContain(
      `- if it leaves \`${holder}\` for this resource: take it out there first, by a \`pulumi up\` of that stack: then it is taken back here`,
    );
    expect(duplicate.text.match(/- .*pulumi import/g)).toEqual(["- if that stack is gone: keep it: pulumi import"]);
    expect(service.ledger.documentCount()).toBe(1);
    await stack.configure("docsign:duplicatePolicy", "create");
    await stack.up();
    expect(service.ledger.documentCount()).toBe(2);
    const [first, second] = [scene.id(0), scene.id(1)];
    service.people.sign(first, ANA);
    stack.declare({ resources: { nda: contract({ base64File: pdf("two") }) } });
    expect((await stack.up()).steps).toEqual(["delete-replaced nda", "replace nda", "create-replacement nda"]);
    expect(stack.entries()["nda"]).toMatchObject({ id: scene.id(2), outputs: { supersedes: [second] } });
    stack.choose("dev");
    const refused = await stack.refused(["up", "--yes", "--skip-preview"]);
    expect(refused.text).toContain(`document ${first} "NDA" is signed, so it is not replaced.`);
    expect(service.ledger.documentCount()).toBe(3);
  });
});

describe.skipIf(missingEngine)(
  "a signed document that is renamed and replaced by force before any run has shown the new name",
  () => {
    /** The contract in state, shown and signed. */
    async function signed(): Promise<Scene> {
      const scene = await openScene({ yaml: { resources: { nda: contract() } } });
      await scene.stack.up();
      await scene.stack.up();
      scene.service.people.sign(scene.id(), ANA);
      scene.asked();
      scene.mailed();
      return scene;
    }

    /** Create first and delete first, with the machine's memory and without it, in one stack: a refusal changes nothing. */
    async function refusedInAllWays(scene: Scene, name: string, options: object, ...force: string[]): Promise<void> {
      for (const remembers of [true, false])
        for (const deleteBeforeReplace of [false, true]) {
          if (!remembers) scene.stack.forget();
          const given = { ...contract(), options: { ...options, deleteBeforeReplace } };
          scene.stack.declare({ resources: { [name]: given } });
          const { text } = await scene.stack.refused(["up", "--yes", "--skip-preview", ...force]);
          expect(text).toContain(deleteBeforeReplace ? "[docsign/replace-signed]" : "[docsign/duplicate]");
        }
      expect(posts(scene)).toEqual([]);
      expect(scene.mailed()).toEqual([]);
    }

    it("by an alias", async () => {
      await using scene = await signed();
      const aliases = [scene.stack.urn("nda")];
      // Under its new name the resource isn't in state yet, so only a wildcard names it.
      await refusedInAllWays(scene, "agreement", { aliases }, "--replace", "**agreement");
      scene.stack.declare({ resources: { agreement: { ...contract(), options: { aliases } } } });
      await scene.stack.up();
      expect(scene.stack.entries()["agreement"]?.id).toBe(scene.id());
      await scene.stack.up("--expect-no-changes");
      expect(posts(scene)).toEqual([]);
    });

    it("by a renamed stack and a taint", async () => {
      await using scene = await signed();
      await scene.stack.run(["stack", "rename", "prod", "--stack", "dev"]);
      scene.stack.name = "prod";
      const state = (verb: string) =>
        scene.stack.run(["state", verb, scene.stack.urn("nda"), "--yes", "--stack", scene.stack.name]);
      await state("taint");
      await refusedInAllWays(scene, "nda", {});
      await state("untaint");
      scene.stack.declare({ resources: { nda: contract() } });
      await scene.stack.up();
      expect(scene.stack.entries()["nda"]?.id).toBe(scene.id());
      await scene.stack.up("--expect-no-changes");
      expect(posts(scene)).toEqual([]);
    });
  },
);

describe.skipIf(missingEngine)("folderId ignored by the service", () => {
  const folder = { type: "docsign:Folder", properties: { name: "Contracts" } };
  const withFolder: Project = { resources: { folder, nda: contract({ folderId: `\${folder.folderId}` }) } };
  const ignored = { service: { dialect: { folderId: "ignore" } }, yaml: withFolder } as const;

  it("is a warning and drift, and nothing to change", async () => {
    await using scene = await openScene(ignored);
    const { stack } = scene;
    const up = await stack.up();
    const folderId = scene.service.ledger.folders()[0]?.id;
    expect(up.notes).toEqual([
      `warning nda: document ${scene.id()} is in no folder, not in folder ${folderId}: the service didn't follow \`folderId\`. The output \`drift\` names it. To move it, use the platform; nobody is mailed.`,
    ]);
    expect(stack.entries()["nda"]?.outputs["drift"]).toEqual(["folderId"]);
    await stack.up("--expect-no-changes");
    expect(scene.mailed()).toEqual([ANA]);
  });

  it("with folderPlacement: require, fails until folderId is taken out; one mail in all", async () => {
    await using scene = await openScene(ignored);
    const { stack } = scene;
    await stack.configure("docsign:folderPlacement", "require");
    const created = await stack.refused(["up", "--yes", "--skip-preview"]);
    const folderId = scene.service.ledger.folders()[0]?.id;
    const words = `document ${scene.id()} is in no folder, not in folder ${folderId}: the service didn't follow \`folderId\`. [docsign/folder-placement]`;
    expect(created.text).toContain(words);
    expect(stack.entries()["nda"]).toMatchObject({
      id: scene.id(),
      initErrors: [expect.stringContaining(words), expect.any(String)],
    });

    const again = await stack.refused(["up", "--yes", "--skip-preview"]);
    expect(again.text).toContain(words);
    stack.declare({ resources: { folder, nda: contract() } });
    expect((await stack.up()).steps).toEqual(["update nda"]);
    expect(stack.entries()["nda"]?.initErrors).toBeUndefined();
    await stack.up("--expect-no-changes");
    expect(scene.service.ledger.requests("createDocument")).toHaveLength(1);
    expect(scene.mailed()).toEqual([ANA]);
  });
});

/** In TypeScript, because older YAML hosts don't know these options. */
const program = (folder: string, trigger: number): string => `
import * as docsign from "pulumi-docsign";
const folder = new docsign.Folder("folder", { name: "${folder}" });
const signed = (name: string, options: object) => new docsign.Document(
  name,
  { name: \`NDA \${name}\`, base64File: "${pdf("one")}", invitations: [{ email: "${ANA}" }] },
  options,
);
signed("bound", { replaceWith: [folder] });
signed("triggered", { replacementTrigger: ${trigger} });`;

describe.skipIf(missingEngine)("options that replace without asking Diff", () => {
  const missing = missingFor("nodejs");
  beforeEach(ctx => {
    if (missing) ctx.skip(missing);
  });
  it("replaceWith and replacementTrigger don't replace what is signed; up again, or going back, heals the stack", async () => {
    await using scene = await openScene({
      program: "examples/quickstart-typescript",
      language: "nodejs",
      files: { "index.ts": program("old", 1) },
      env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    });
    const { stack } = scene;
    await stack.up();
    // What state holds is known once the engine has shown it.
    await stack.up();
    const before = stack.entries();
    for (const name of ["bound", "triggered"]) scene.service.people.sign(before[name]?.id ?? "", ANA);
    const refused = async (name: string) => {
      const { text } = await stack.refused(["up", "--yes", "--skip-preview"]);
      expect(text).toContain(`document ${before[name]?.id} "NDA ${name}" is signed, so it is not replaced.`);
    };
    const healed = async (name: string) => {
      await stack.up();
      const { [name]: entry } = stack.entries();
      expect([entry?.id, entry?.pendingReplacement, entry?.delete]).toEqual([before[name]?.id, undefined, undefined]);
    };

    stack.write("index.ts", program("new", 1));
    await refused("bound");
    // The folder has its new name by then: going back would replace it, and the contract with it, once more.
    await healed("bound");

    stack.write("index.ts", program("new", 2));
    await refused("triggered");
    stack.write("index.ts", program("new", 1));
    await healed("triggered");
    await stack.up("--expect-no-changes");
    expect(scene.service.ledger.requests("createDocument")).toHaveLength(2);
    expect(scene.mailed()).toEqual([ANA, ANA]);
  });
});
