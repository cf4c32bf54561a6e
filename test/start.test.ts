import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { root } from "./support/engine/found.js";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "docsign-start-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the plugin loads before it says its port: the engine waits for that. */
async function loadedAtStart(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["provider/main.ts"],
    bundle: true,
    packages: "external",
    platform: "node",
    metafile: true,
    write: false,
  });
  const found = new Set(["provider/main.ts"]);
  for (const path of found)
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? [])
      if (kind !== "dynamic-import") found.add(next);
  return [...found];
}

it("loads no library, rule or declaration before the plugin says its port", async () => {
  const loaded = await loadedAtStart();
  expect(loaded.filter(path => !/^(kit|provider|node:)/.test(path))).toEqual([]);
  expect(
    loaded.filter(path => /declaration|kit.(check|define|property|schema)|provider.(client|functions)\//.test(path)),
  ).toEqual([]);
});

it("takes compiled code from the start before, though the heap is kept small", async () => {
  const program = join(folder, "program.cjs");
  const contents = 'import { keepHeapSmall } from "./provider/small-heap.ts"; keepHeapSmall();';
  const options = { bundle: true, platform: "node", outfile: program } as const;
  await build({ stdin: { contents, resolveDir: root, loader: "ts" }, ...options });
  const env = { NODE_COMPILE_CACHE: join(folder, "cache"), NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  const start = async () => (await run(process.execPath, [program], { env })).stderr;
  expect(await start()).toContain("was not initialized");
  expect(await start()).toContain("was accepted");
});
