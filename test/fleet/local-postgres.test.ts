import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startLocalPostgres } from "../../commands/fleet/local-postgres.js";
import { root } from "../support/engine/found.js";
import { scratchFolder } from "../support/scratch.js";

it("two that start it at once find one data base, and a third finds it running", async () => {
  const folder = scratchFolder("docsign-fleet-twice-");
  const start = () =>
    startLocalPostgres({ folder, path: process.env["PATH"], packagesFrom: [join(root, "package.json")] });
  const both = await Promise.all([start(), start()]);
  try {
    const urls = new Set([...both, await start()].map(({ url }) => url));
    expect(urls.size).toBe(1);
  } finally {
    await Promise.all(both.map(server => server.stop()));
    rmSync(folder, { recursive: true });
  }
});
