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
     const docsign = require("pulumi-docsign/dynamic");
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

  test("from dynamic resources to the plugin's a program moves by its import line alone", async () => {
    const program = (from: string) =>
      `const pulumi = require("@pulumi/pulumi");
       const docsign = require("${from}");
       const folder = new docsign.Folder("contracts", { name: "Contracts" });
       const file = new pulumi.asset.FileAsset("nda.pdf");
       const nda = new docsign.Document("nda", { ...${JSON.stringify(properties)}, file, folderId: folder.folderId });
       new docsign.SignatureGate("signed", { documentId: nda.documentId });
       new docsign.Reminder("weekly", { documentId: nda.documentId, minInterval: "0s", triggers: { week: 1 } });
       new docsign.DocumentSet("set", { documents: { lease: { name: "Lease", file: new pulumi.asset.FileAsset("lease.pdf"), invitations: [{ email: "carol@example.com" }] } } });`;
    const files = {
      "Pulumi.yaml": "name: contracts\nruntime: nodejs\n",
      "nda.pdf": pdf,
      "lease.pdf": pdf,
      "package.json": "{}",
    };
    await using project = await openProject({ files });
    const body = { runtime: { name: "nodejs", options: { typescript: false } }, main: "index.js" };
    declare(project, body, { plugin: true });
    project.write("index.js", program("pulumi-docsign/dynamic"));
    await project.up();
    const ids = async () =>
      Object.fromEntries(
        (await project.resources())
          .filter(({ type }) => /^(docsign:index:|pulumi-nodejs:dynamic\/docsign:)/.test(type))
          .map(({ urn, id }) => [urn.split("::").at(-1), id]),
      );
    const before = await ids();
    expect(Object.keys(before).sort()).toEqual(["contracts", "nda", "set", "signed", "weekly"]);
    const [count, mails] = [project.service.ledger.documentCount(), project.mails()];
    project.service.people.sign(before["nda"] ?? "", "ana@example.com");

    project.write("index.js", program("pulumi-docsign"));
    const up = await project.up();
    expect(up.text).toContain("5 unchanged");
    expect(await ids()).toEqual(before);
    expect((await project.resource("nda")).type).toBe(TOKEN);
    await project.up("--refresh");
    expect(Object.keys((await project.resource("nda")).outputs)).not.toContain("__provider");
    // What is signed is guarded as before.
    project.write("nda.pdf", "%PDF-1.4\nother\n%%EOF\n");
    const refused = await project.refused("up", "--yes", "--skip-preview");
    expect(refused.text).toContain("partially signed");
    expect([project.service.ledger.documentCount(), project.mails()]).toEqual([count, mails]);
  });
});
