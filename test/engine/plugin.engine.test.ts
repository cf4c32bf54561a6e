import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it as test } from "vitest";
import { fakeEngine } from "../grpc/support/fake-engine.js";
import { run } from "../support/engine/child.js";
import { environment, hasCurrentHosts, missingEngine, pulumi, root } from "../support/engine/found.js";
import { dial } from "../support/engine-client.js";

const it = test.skipIf(missingEngine);
const schemaFile = join(root, "schema.json");
const ours = JSON.parse(readFileSync(schemaFile, "utf8"));

/** A directory that has nothing to do with the plugin, as a user's project hasn't. */
function elsewhere(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "docsign-elsewhere-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The engine's settings for a command without a stack. */
const settings = (home: string) =>
  environment({
    PULUMI_HOME: join(home, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DOCSIGN_STATE_DIR: join(home, "j"),
  });

/** The engine leaves out lists that are empty. */
const withoutEmpty = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_, value) => (Array.isArray(value) && value.length === 0 ? undefined : value));

it("`pulumi schema check` finds nothing wrong with the schema", async () => {
  using folder = elsewhere();
  const ran = await run(pulumi(), ["schema", "check", schemaFile], { cwd: folder.path, env: settings(folder.path) });
  expect(ran).toEqual({ code: 0, stdout: "", stderr: "" });
});

it("`pulumi package get-schema` gets the schema from the launcher, in a directory without a project", async () => {
  using folder = elsewhere();
  const args = ["package", "get-schema", join(root, "bin", "pulumi-resource-docsign")];
  const ran = await run(pulumi(), args, { cwd: folder.path, env: settings(folder.path) });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  const schema = JSON.parse(ran.stdout);
  expect(withoutEmpty(schema)).toMatchObject(withoutEmpty(ours));
});

it("started from its source, as a current Node host does, it prints its port and nothing else, and returns its schema", async () => {
  using folder = elsewhere();
  const engine = await fakeEngine();
  const runPlugin = join(root, "node_modules", "@pulumi", "pulumi", "cmd", "run-plugin");
  const child = spawn(process.execPath, [runPlugin, root, engine.address], {
    cwd: folder.path,
    env: settings(folder.path),
  });
  try {
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const client = await dial(Number(line), engine.address);
    expect(JSON.parse(await client.schema())).toEqual(ours);
    await client.cancel();
    client.close();
    await once(child, "exit");
    expect([await stdout, await stderr]).toEqual([`${line}\n`, ""]);
  } finally {
    child.kill("SIGKILL");
    await engine.close();
  }
});

it("started from its source by a Node that is too old, it says which one it wants", async () => {
  using folder = elsewhere();
  const older = join(folder.path, "older.cjs");
  writeFileSync(older, `Object.defineProperty(process.versions, "node", { value: "20.20.2" });`);
  const runPlugin = join(root, "node_modules", "@pulumi", "pulumi", "cmd", "run-plugin");
  const args = ["--require", older, runPlugin, root, "127.0.0.1:1"];
  const ran = await run(process.execPath, args, { cwd: folder.path, env: settings(folder.path) });
  expect(ran).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^pulumi-resource-docsign: Node 22\.19 or newer is needed; 'node' on PATH is v\d/),
  });
});

it.for([
  ["its source", root],
  ["its launcher", join(root, "bin", "pulumi-resource-docsign")],
])("`pulumi package add` adds it from %s, where the hosts are current", async ([, path = ""], ctx) => {
  if (!hasCurrentHosts())
    return ctx.skip("the hosts of the engine built from source can't run a plugin from its source");
  using folder = elsewhere();
  const env = { ...settings(folder.path), PULUMI_BACKEND_URL: `file://${folder.path}`, PULUMI_CONFIG_PASSPHRASE: "" };
  writeFileSync(join(folder.path, "Pulumi.yaml"), "name: contracts\nruntime: yaml\n");
  const added = await run(pulumi(), ["package", "add", path], { cwd: folder.path, env });
  expect(added).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder.path, "Pulumi.yaml"), "utf8")).toContain(path);
});
