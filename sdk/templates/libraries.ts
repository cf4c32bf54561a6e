import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { getRawAsset, isSea } from "node:sea";
import * as pdfLib from "@cantoo/pdf-lib";
import * as fontkit from "fontkit";
import * as marked from "marked";

/**
 * The package pins these libraries to exact versions: another version may write other bytes for the same contract, and a
 * contract whose bytes change is replaced.
 */
export interface Libraries {
  readonly pdfLib: typeof pdfLib;
  readonly fontkit: typeof fontkit;
  readonly marked: typeof marked;
  /** One of DejaVu's TrueType files. */
  readonly font: (name: string) => Uint8Array;
}

const folder = isSea() ? undefined : fontFolder();

export const libraries: Libraries = {
  pdfLib,
  fontkit,
  marked,
  font: name =>
    folder === undefined
      ? new Uint8Array(getRawAsset(`dist/templates/fonts/${name}.ttf`))
      : readFileSync(join(folder, `${name}.ttf`)),
};

/** Built, the fonts lie beside the bundle, or in its executable; in a checkout they are in node_modules. */
function fontFolder(): string {
  const here = typeof __filename === "string" ? __filename : import.meta.filename;
  const shipped = join(dirname(here), "fonts");
  if (existsSync(shipped)) return shipped;
  return join(dirname(createRequire(here).resolve("dejavu-fonts-ttf/package.json")), "ttf");
}
