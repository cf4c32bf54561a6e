import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sourcesHash } from "../../scripts/setup/build.mjs";
import { scratch } from "./scratch.mjs";

function checkout() {
  const root = scratch();
  mkdirSync(join(root, "provider", "client"), { recursive: true });
  writeFileSync(join(root, "provider", "client", "http.ts"), "one");
  writeFileSync(join(root, "provider", "main.ts"), "main");
  writeFileSync(join(root, "package.json"), "{}");
  writeFileSync(join(root, "README.md"), "words");
  return root;
}

it("a clone of the same sources counts as built, whatever its times of change", async () => {
  const [one, other] = [checkout(), checkout()];
  utimesSync(join(other, "provider", "main.ts"), new Date(0), new Date(0));
  expect(await sourcesHash(other)).toBe(await sourcesHash(one));
});

it.each([
  ["a changed source", root => writeFileSync(join(root, "provider", "client", "http.ts"), "two")],
  ["a new source", root => writeFileSync(join(root, "provider", "client", "new.ts"), "")],
  ["a new version", root => writeFileSync(join(root, "package.json"), `{"version":"2.0.0"}`)],
])("%s asks for a build", async (_, change) => {
  const root = checkout();
  const before = await sourcesHash(root);
  change(root);
  expect(await sourcesHash(root)).not.toBe(before);
});

it("what isn't built from asks for none", async () => {
  const root = checkout();
  const before = await sourcesHash(root);
  writeFileSync(join(root, "README.md"), "other words");
  expect(await sourcesHash(root)).toBe(before);
});
