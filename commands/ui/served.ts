import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
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

/**
 * Whether a Host header names this machine. A site can make its own name lead to this machine, and read what its
 * reader's browser gets there; a bare address, localhost or a name without a dot can't be that site's.
 */
export function isOwnAddress(host: string, listensOn: string): boolean {
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return isIP(name) > 0 || !name.includes(".") || /\.localhost$/i.test(name) || name === listensOn;
}
