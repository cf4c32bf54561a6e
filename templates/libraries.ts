import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
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
  /** The folder of DejaVu's TrueType files. */
  readonly fontFolder: string;
}

export const libraries: Libraries = { pdfLib, fontkit, marked, fontFolder: fontFolder() };

/** Built, the fonts lie beside the bundle; in a checkout they are in node_modules. */
function fontFolder(): string {
  const here = typeof __filename === "string" ? __filename : import.meta.filename;
  const shipped = join(dirname(here), "fonts");
  if (existsSync(shipped)) return shipped;
  return join(dirname(createRequire(here).resolve("dejavu-fonts-ttf/package.json")), "ttf");
}
