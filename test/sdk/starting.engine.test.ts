import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { declared, openProject, type ProjectOptions } from "./support/project.js";

const require = createRequire(import.meta.url);

const PROGRAM = `
import * as docsign from "pulumi-docsign";

interface Team { readonly name: string }
const team: Team = { name: "Contracts" };
const folder = new docsign.Folder("folder", team);
export const folderId = folder.folderId;
`;
const yaml = (options: object) =>
  `name: starts\nruntime: ${JSON.stringify({ name: "nodejs", options })}\nmain: index.ts\n`;
const typescript = { "package.json": '{"name":"starts"}', "index.ts": PROGRAM };

/** The oldest Node we promise, where this machine has one. */
function node22(): string | undefined {
  const brought = join(homedir(), ".cache", "pulumi-docsign", "node");
  const versions = existsSync(brought) ? readdirSync(brought).filter(name => name.startsWith("22.")) : [];
  const places = [
    process.env["DOCSIGN_TEST_NODE_22"] ?? "",
    ...versions.map(version => join(brought, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return places.find(place => {
    const { stdout } = spawnSync(join(place, "node"), ["--version"], { encoding: "utf8" });
    return place !== "" && /^v22\.(19|[2-9]\d)\./.test(stdout ?? "");
  });
}

const oldest = node22();
const noOldest = "no Node 22.19 or newer of 22 on PATH; DOCSIGN_TEST_NODE_22 may name its folder";

async function starts(options: ProjectOptions): Promise<void> {
  await using project = await openProject(options);
  await project.up();
  const { id } = await project.resource("folder");
  const { stdout } = await project.pulumi("stack", "output", "folderId");
  expect(stdout.trim()).toBe(id);
  expect(project.asked()).toEqual(["POST /v1/folders"]);
}

describe.skipIf(missingEngine !== undefined)(`ways to start a program ${missingEngine ?? ""}`, () => {
  beforeAll(declared, 120_000);

  test("TypeScript through Pulumi's own ts-node", async () => {
    await starts({ files: { ...typescript, "Pulumi.yaml": yaml({}) } });
  });

  test("TypeScript through tsx", async () => {
    // In a project that has it installed: `nodeargs: "--import tsx"`.
    const options = {
      typescript: false,
      nodeargs: `--import ${pathToFileURL(require.resolve("tsx"))}`,
    };
    await starts({ files: { ...typescript, "Pulumi.yaml": yaml(options) } });
  });

  test.skipIf(oldest === undefined)(
    `Node 22 ${oldest === undefined ? noOldest : ""}`,
    async () => {
      await starts({ files: { ...typescript, "Pulumi.yaml": yaml({}) }, node: oldest ?? "" });
    },
    120_000,
  );
});
