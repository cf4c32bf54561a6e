import { describe, expect, it as test } from "vitest";
import { openProject } from "../sdk/support/project.js";
import { missingEngine } from "../support/engine/found.js";
import { openScene } from "../support/engine/scene.js";

const it = test.skipIf(missingEngine);

const TABLE = "email,name\nana@example.com,Ana\nbob@example.org,Bob\n";
const FILES = { "team.csv": TABLE, "nda.md": "# NDA\n\nWith {{name}}.\n" };

/** A stack, through either front end. */
interface Desk {
  write(path: string, text: string): void;
  pulumi(...args: string[]): Promise<unknown>;
  refused(...args: string[]): Promise<{ readonly text: string }>;
  ids(): Promise<unknown>;
  /** How many were mailed since the last look. */
  mailed(): number;
}

/** What people do to a table, one after another: who is mailed each time. */
async function changedTwice(desk: Desk): Promise<void> {
  const up = (...more: string[]) => desk.pulumi("up", "--yes", "--skip-preview", ...more);
  await up();
  const first = await desk.ids();
  expect(desk.mailed()).toBe(2);
  for (const clause of ["Second.", "Third."]) {
    desk.write("nda.md", `${FILES["nda.md"]}${clause}\n`);
    await up();
    expect(desk.mailed()).toBe(2);
  }
  desk.write("nda.md", FILES["nda.md"]);
  await up();
  desk.write("team.csv", "email,name\n");
  const { text } = await desk.refused("up", "--yes", "--skip-preview");
  expect(text).toContain("[docsign/emptied-set]");
  desk.write("team.csv", TABLE.replace(/bob.*\n/, ""));
  await up();
  desk.write("team.csv", TABLE);
  await up();
  await desk.pulumi("destroy", "--yes", "--skip-preview");
  await up();
  expect(await desk.ids()).toEqual(first);
  await up("--expect-no-changes");
  expect(desk.mailed()).toBe(0);
}

const set = (table: string) => ({
  table: { "fn::fileAsset": table },
  key: "{{email}}",
  defaults: {
    name: "NDA of {{name}}",
    folderId: `\${contracts.folderId}`,
    template: { "fn::fileAsset": "./nda.md" },
    variables: { name: "{{name}}" },
    invitations: [{ email: "{{email}}", name: "{{name}}" }],
  },
});
const contracts = { type: "docsign:Folder", properties: { name: "NDAs" } };
const ndas = { type: "docsign:DocumentSet", properties: set("./team.csv") };

describe("the second day of a set", () => {
  it("through the plugin: a template changes twice and back, a row goes and comes back, the stack as well", async () => {
    await using scene = await openScene({ yaml: { resources: { contracts, ndas } }, files: FILES });
    const { stack } = scene;
    await changedTwice({
      write: (path, text) => stack.write(path, text),
      pulumi: (...args) => stack.run(args),
      refused: (...args) => stack.refused(args),
      ids: async () => stack.entries()["ndas"]?.outputs["documentIds"],
      mailed: () => scene.mailed().length,
    });
    expect(scene.service.ledger.requests("createFolder")).toHaveLength(1);
  });

  it("through the dynamic provider: the same", async () => {
    await using project = await openProject({
      files: {
        ...FILES,
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\n",
        "index.js": `
          const { asset } = require("@pulumi/pulumi");
          const { DocumentSet } = require("pulumi-docsign/dynamic");
          new DocumentSet("ndas", {
            table: new asset.FileAsset("./team.csv"),
            key: "{{email}}",
            defaults: {
              name: "NDA of {{name}}",
              template: new asset.FileAsset("./nda.md"),
              variables: { name: "{{name}}" },
              invitations: [{ email: "{{email}}", name: "{{name}}" }],
            },
          });
        `,
      },
    });
    let looked = 0;
    await changedTwice({
      ...project,
      ids: async () => (await project.resource("ndas")).outputs["documentIds"],
      mailed: () => {
        const since = project.mails() - looked;
        looked += since;
        return since;
      },
    });
  });

  it("a row moves into another set that depends on its own, signed as it is, and the preview says so", async () => {
    await using scene = await openScene({ yaml: { resources: { contracts, ndas } }, files: FILES });
    const { stack } = scene;
    await stack.up();
    expect(scene.mailed()).toHaveLength(2);
    const bob = scene.service.ledger.documents().find(({ name }) => name === "NDA of Bob")?.id ?? "";
    scene.service.people.signAll(bob);
    stack.write("team.csv", TABLE.replace(/bob.*\n/, ""));
    stack.write("others.csv", TABLE.replace(/ana.*\n/, ""));
    const dependsOn = [`\${ndas}`];
    const others = { type: "docsign:DocumentSet", properties: set("./others.csv"), options: { dependsOn } };
    stack.declare({ resources: { others, contracts, ndas } });
    const preview = await stack.preview();
    expect(preview.text).toContain(`takes back document ${bob} (signed), mails nobody`);
    await stack.up();
    expect(stack.entries()["others"]?.outputs["documentIds"]).toEqual([bob]);
    expect(scene.mailed()).toEqual([]);
  });
});
