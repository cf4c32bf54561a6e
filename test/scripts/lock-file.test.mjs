import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

it("names no registry: each machine asks its own", () => {
  expect(Object.keys(packages).filter(path => "resolved" in packages[path] && !packages[path].link)).toEqual([]);
});

// npm leaves out what the registry in use doesn't have, and `npm ci` then refuses the lock file on machines where it
// has it. Such an entry can be written by hand: version, os, cpu, optional.
it("has the binaries of every platform, not only of the one it was written on", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      name => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});
