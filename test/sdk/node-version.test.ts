import { afterEach, expect, test, vi } from "vitest";

const { versions } = process;
afterEach(() => Object.defineProperty(process, "versions", { value: versions }));

function loadedUnder(node: string): Promise<unknown> {
  vi.resetModules();
  Object.defineProperty(process, "versions", { value: { ...versions, node } });
  return import("../../sdk/node-version.js");
}

test.each(["20.20.2", "22.18.9"])("Node %s is refused by name, before what it can't load", async node => {
  await expect(loadedUnder(node)).rejects.toThrow(
    `expected Node 22.19 or newer as the first \`node\` on PATH, got Node ${node}.`,
  );
});

test.each(["22.19.0", "24.0.0"])("Node %s is accepted", async node => {
  await expect(loadedUnder(node)).resolves.toBeDefined();
});
