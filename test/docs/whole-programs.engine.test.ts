import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { archived, openProject } from "../sdk/support/project.js";
import { missingEngine, root } from "../support/engine/found.js";
import { startWithLeases } from "./support/leases.js";
import { ofKind, textOf } from "./support/pages.js";
import { assetsIn, contentOf, type Mapping, parseYaml } from "./support/yaml.js";

/** A program with its first lines is there to be copied. */
const wholePrograms = ofKind("yaml").filter(({ text }) => /^runtime: yaml$/m.test(text) && text.includes("docsign:"));

it("each page with a whole program says how the plugin is installed", () => {
  const silent = wholePrograms.filter(
    ({ page }) => !/(from-a-clone|installation-configuration)\.md/.test(textOf(page)),
  );
  expect(silent.map(({ where }) => where)).toEqual([]);
});

it.skipIf(missingEngine)(
  "every whole program runs as copied, with the plugin installed as the page on installation says",
  async () => {
    expect(wholePrograms.length).toBeGreaterThan(10);
    await using sandbox = await startWithLeases([{ email: "ana@example.com" }]);
    const [folder = "", documents] = [
      String(sandbox.folders()[0]?.id),
      sandbox.documents().map(({ id }) => String(id)),
    ];
    await using project = await openProject({ files: { "Pulumi.yaml": "name: contracts\nruntime: yaml\n" } });
    project.set("DOCSIGN_BASE_URL", sandbox.url);
    project.set("DOCSIGN_API_KEY", sandbox.apiKey);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    const file = await archived(project.folder);
    await project.pulumi("plugin", "install", "resource", "docsign", version, "--file", file);
    for (const { where, text } of wholePrograms) {
      // The ids are those of the reader's own documents.
      const copied = text
        .replaceAll('"12"', `"${folder}"`)
        .replaceAll("4711", documents[0] ?? "")
        .replaceAll("4712", documents[1] ?? "");
      const program = parseYaml(copied);
      for (const path of assetsIn(program))
        project.write(path, contentOf(path, (program["resources"] ?? {}) as Mapping));
      project.write("Pulumi.yaml", `${copied}\n`);
      await project.pulumi("stack", "select", "copied", "--create");
      await project
        .pulumi("preview", "--stack", "copied")
        .catch((error: unknown) => expect.fail(`${where}: ${String(error)}`));
    }
  },
);
