import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { TemplateError } from "./trouble.js";

/**
 * Exact versions: another one may write other bytes for the same contract, and a contract whose bytes change is replaced.
 */
export const LIBRARIES = {
  "@cantoo/pdf-lib": "2.11.1",
  "dejavu-fonts-ttf": "2.37.3",
  fontkit: "2.0.4",
  marked: "18.2.1",
} as const;

export const INSTALL = `npm install --save-exact ${Object.entries(LIBRARIES)
  .map(([name, version]) => `${name}@${version}`)
  .join(" ")}`;

export interface Libraries {
  readonly pdfLib: typeof import("@cantoo/pdf-lib");
  readonly fontkit: typeof import("fontkit");
  readonly marked: typeof import("marked");
  /** The folder of DejaVu's TrueType files. */
  readonly fontFolder: string;
}

type Find = (name: string) => string | undefined;

/** The four optional packages, each in the version this release writes its bytes with. */
export async function loadLibraries(find: Find = folderOf): Promise<Libraries> {
  const problems: string[] = [];
  for (const [name, wanted] of Object.entries(LIBRARIES)) {
    const folder = find(name);
    const found =
      folder === undefined ? undefined : JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
    if (found === undefined) problems.push(`the package ${name} isn't installed`);
    else if (found !== wanted)
      problems.push(`the package ${name} is there in version ${found}; the same bytes on every machine need ${wanted}`);
  }
  if (problems.length > 0) throw new TemplateError([...problems, `install what templates need with: ${INSTALL}`]);
  const [pdfLib, fontkit, marked] = await Promise.all([import("@cantoo/pdf-lib"), import("fontkit"), import("marked")]);
  return { pdfLib, fontkit, marked, fontFolder: join(find("dejavu-fonts-ttf") ?? "", "ttf") };
}

/** Of all this file's package could load, the folder of this one. */
function folderOf(name: string): string | undefined {
  const here = createRequire(typeof __filename === "string" ? __filename : import.meta.url);
  for (const path of [`${name}/package.json`, name]) {
    try {
      return packageFolder(dirname(here.resolve(path)), name);
    } catch {
      // A package that doesn't export its package.json is found through its entry.
    }
  }
  return undefined;
}

function packageFolder(folder: string, name: string): string {
  const file = join(folder, "package.json");
  if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).name === name) return folder;
  if (dirname(folder) === folder) throw new Error(`no package.json of ${name}`);
  return packageFolder(dirname(folder), name);
}
