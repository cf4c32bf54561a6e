import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { bringHelper } from "../../scripts/setup/engine.mjs";
import { scratch } from "./scratch.mjs";

it("the helper beside an engine starts the SDK of the program's folder, with its arguments", () => {
  const folder = scratch();
  const sdk = join(folder, "node_modules/@pulumi/pulumi/cmd/dynamic-provider");
  mkdirSync(sdk, { recursive: true });
  writeFileSync(join(sdk, "index.js"), "console.log(JSON.stringify(process.argv.slice(2)))");
  bringHelper(folder);
  const said = execFileSync(join(folder, "pulumi-resource-pulumi-nodejs"), ["127.0.0.1:1", "a b"], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
  });
  expect(JSON.parse(said)).toEqual(["127.0.0.1:1", "a b"]);
});
