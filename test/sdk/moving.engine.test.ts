import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingEngine, root } from "../support/engine/found.js";
import { DOCUMENT, openProject, type Project } from "./support/project.js";

const pdf = Buffer.from("%PDF-1.4\nnda\n%%EOF\n");
const TOKEN = "docsign:index:Document";

const properties = { name: "NDA", invitations: [{ email: "ana@example.com" }, { email: "bob@example.org" }] };

/** Writes Pulumi.yaml. While state holds the plugin's resources, the engine has to find the plugin. */
function declare(project: Project, body: object, { plugin }: { plugin: boolean }): void {
  const path = join(project.folder, "plugin", "bin");
  if (!existsSync(path)) {
    mkdirSync(path, { recursive: true });
    symlinkSync(join(root, "bin", "pulumi-resource-docsign"), join(path, "pulumi-resource-docsign"));
  }
  const plugins = plugin ? { plugins: { providers: [{ name: "docsign", path }] } } : {};
  project.write("Pulumi.yaml", JSON.stringify({ name: "contracts", ...plugins, ...body }));
}

/** The program through the plugin, in YAML. */
function throughThePlugin(project: Project, importId?: string): void {
  const options = importId === undefined ? {} : { options: { import: importId } };
  const nda = { type: TOKEN, properties: { ...properties, file: { "fn::fileAsset": "./nda.pdf" } }, ...options };
  declare(project, { runtime: "yaml", resources: { nda } }, { plugin: true });
}

/** The same through the SDK. */
function throughTheSdk(project: Project, { importId, plugin }: { importId?: string; plugin: boolean }): void {
  declare(project, { runtime: { name: "nodejs", options: { typescript: false } }, main: "index.js" }, { plugin });
  project.write(
    "index.js",
    `const pulumi = require("@pulumi/pulumi");
     const docsign = require("pulumi-docsign");
     const file = new pulumi.asset.FileAsset("nda.pdf");
     new docsign.Document("nda", { ...${JSON.stringify(properties)}, file }, { import: ${JSON.stringify(importId)} });`,
  );
}

const documents = async (project: Project): Promise<[string, string | undefined][]> =>
  (await project.resources())
    .filter(({ type }) => type === TOKEN || type === DOCUMENT)
    .map(({ type, id }) => [type, id]);

describe.skipIf(missingEngine !== undefined)(`from one front end to the other ${missingEngine ?? ""}`, () => {
  test("a signed document moves from the plugin to the SDK and back, and no one is mailed again", async () => {
    const files = { "Pulumi.yaml": "name: contracts\nruntime: yaml\n", "nda.pdf": pdf, "package.json": "{}" };
    await using project = await openProject({ files });
    throughThePlugin(project);
    await project.up();
    const [[, id = ""] = []] = await documents(project);
    project.service.people.sign(id, "ana@example.com");

    throughTheSdk(project, { importId: id, plugin: true });
    const preview = await project.pulumi("preview");
    expect(preview.text).toContain(`document ${id} is taken over as it is: no one is mailed`);
    await project.up();
    expect(await documents(project)).toEqual([[DOCUMENT, id]]);
    throughTheSdk(project, { plugin: false });
    await project.pulumi("preview", "--expect-no-changes");

    throughThePlugin(project, id);
    await project.up();
    expect(await documents(project)).toEqual([[TOKEN, id]]);
    await project.pulumi("preview", "--expect-no-changes");

    expect(project.service.ledger.documentCount()).toBe(1);
    expect(project.mails()).toBe(2);
    expect(project.service.ledger.requests("createDocument")).toHaveLength(1);
  });
});
