import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { declared, openProject, type ProjectOptions } from "./support/project.js";

const require = createRequire(import.meta.url);

const PROGRAM = `
import * as docsign from "pulumi-docsign/dynamic";

interface Team { readonly name: string }
const team: Team = { name: "Contracts" };
const folder = new docsign.Folder("folder", team);
export const folderId = folder.folderId;
`;
const yaml = (options: object) =>
  `name: starts\nruntime: ${JSON.stringify({ name: "nodejs", options })}\nmain: index.ts\n`;
const typescript = { "package.json": '{"name":"starts"}', "index.ts": PROGRAM };

const { DOCSIGN_TEST_OLDEST_NODE: oldest = "" } = process.env;

async function starts(options: ProjectOptions): Promise<void> {
  await using project = await openProject({ ...options, loads: "all" });
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

  // Set-up brings one on 64-bit Linux only: npm has not the same version for every platform.
  test.skipIf(oldest === "")("the oldest Node that is supported", async () => {
    await starts({ files: { ...typescript, "Pulumi.yaml": yaml({}) }, node: dirname(oldest) });
  });
});
