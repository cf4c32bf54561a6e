import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export type Asset = "sandbox.js" | "board.js" | "style.css";

const here = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));

/** What `npm run build` made for browsers: beside the bundles, or below the sources. */
export function asset(name: Asset): string {
  const paths = [join(here, "..", "ui", name), join(here, "../..", "dist", "ui", name)];
  const path = paths.find(existsSync);
  if (path === undefined) throw new Error(`${name} is not built yet; run \`npm run build\``);
  return readFileSync(path, "utf8");
}
