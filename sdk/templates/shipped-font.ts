import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { getRawAsset, isSea } from "node:sea";

const folder = isSea() ? undefined : fontFolder();

/** One of DejaVu's TrueType files. */
export const shippedFont = (name: string): Uint8Array =>
  folder === undefined
    ? new Uint8Array(getRawAsset(`dist/templates/fonts/${name}.ttf`))
    : readFileSync(join(folder, `${name}.ttf`));

/** Built, the fonts lie beside the bundle, or in its executable; in a checkout they are in node_modules. */
function fontFolder(): string {
  const here = typeof __filename === "string" ? __filename : import.meta.filename;
  const shipped = join(dirname(here), "fonts");
  if (existsSync(shipped)) return shipped;
  return join(dirname(createRequire(here).resolve("dejavu-fonts-ttf/package.json")), "ttf");
}
