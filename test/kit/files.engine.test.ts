import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it as test } from "vitest";
import { run } from "../support/engine/child.js";
import { environment, missingEngine, pulumi } from "../support/engine/found.js";
import { scratchFolder } from "../support/scratch.js";
import { filesPlugin } from "./support/files.js";

const it = test.skipIf(missingEngine);

/** A stack of its own on the kit's example. */
async function openStack() {
  const folder = scratchFolder("kit-engine-");
  const files = join(folder, "files");
  for (const name of ["state", "home", "program", "files"]) mkdirSync(join(folder, name));
  const plugin = await filesPlugin(folder);
  const env = environment({
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_HOME: join(folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    FILES_FOLDER: files,
  });
  const command = async (...args: string[]) => {
    const ran = await run(pulumi(), [...args, "--non-interactive", "--color", "never"], {
      cwd: join(folder, "program"),
      env,
    });
    return { code: ran.code, text: ran.stdout + ran.stderr };
  };
  const program = (resources: object) => {
    const project = {
      name: "notes",
      runtime: "yaml",
      plugins: { providers: [{ name: "files", path: plugin.folder }] },
    };
    const outputs = { count: { "fn::invoke": { function: "files:count", arguments: {}, return: "files" } } };
    writeFileSync(join(folder, "program", "Pulumi.yaml"), JSON.stringify({ ...project, resources, outputs }));
  };
  program({});
  await command("stack", "init", "dev");
  return { files, program, command };
}

const note = (content: string) => ({ type: "files:File", properties: { name: "note.txt", content } });
// biome-ignore lint/suspicious/noTemplateCurlyInString: the program says it to the engine
const ECHO = { type: "files:File", properties: { content: "${note.sha256}" } };

it("a provider on the kit lives through previews, updates, replacements, drift and its end", async () => {
  const { files, program, command } = await openStack();
  const said = (name: string) => readFileSync(join(files, name), "utf8");

  program({ note: note("Buy milk."), echo: ECHO });
  const preview = await command("preview", "--diff");
  expect(preview).toMatchObject({ code: 0, text: expect.stringContaining("content: [unknown]") });
  expect(readdirSync(files)).toEqual([]);

  expect(await command("up", "--yes")).toMatchObject({ code: 0 });
  const [echo = ""] = readdirSync(files).filter(name => name !== "note.txt");
  expect([echo, said("note.txt"), said(echo)]).toEqual([
    expect.stringMatching(/^echo-[0-9a-f]{7}$/),
    "Buy milk.",
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);
  expect(await command("preview", "--expect-no-changes")).toMatchObject({ code: 0 });

  program({ note: note("Buy bread."), echo: ECHO });
  const before = said(echo);
  expect(await command("up", "--yes")).toMatchObject({ code: 0, text: expect.stringContaining("2 updated") });
  expect(said("note.txt")).toBe("Buy bread.");
  expect(said(echo)).not.toBe(before);

  program({ note: { ...note("Buy bread."), properties: { name: "list.txt", content: "Buy bread." } }, echo: ECHO });
  expect(await command("up", "--yes")).toMatchObject({ code: 0, text: expect.stringContaining("1 replaced") });
  expect(readdirSync(files).sort()).toEqual([echo, "list.txt"].sort());

  writeFileSync(join(files, "list.txt"), "Buy nothing.");
  rmSync(join(files, echo));
  expect(await command("refresh", "--yes")).toMatchObject({
    code: 0,
    text: expect.stringMatching(/1 updated[\s\S]*1 deleted/),
  });
  expect(await command("up", "--yes")).toMatchObject({ code: 0 });
  expect(said("list.txt")).toBe("Buy bread.");

  program({ note: { type: "files:File", properties: { name: "../up", content: "x" } } });
  const refused = await command("preview");
  expect(refused.code).not.toBe(0);
  expect(refused.text).toContain('name: expected a file\'s name, got "../up"');

  expect(await command("destroy", "--yes")).toMatchObject({ code: 0 });
  expect(readdirSync(files)).toEqual([]);
});
