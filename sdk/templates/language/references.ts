/** What the path of an image is written as once it is known which file it stands in. */
export const IMAGE_MARK = "docsign-image:";

/**
 * An image in Markdown; a backslash before it keeps it text. No two neighbours take the same character, so that nothing is
 * read twice.
 */
const IMAGE = /(?<!\\)!\[([^[\]\n]*)\]\(([ \t]*)(<[^<>\n]+>|[^\s()<>]+)((?:[^\S\n][^()\n]*)?)\)/g;

/** Text with the path of each image as `map` gives it, with the offset that it begins at. */
export const imagesIn = (text: string, map: (path: string, offset: number) => string): string =>
  text.replace(IMAGE, (_, alt: string, space: string, path: string, rest: string, offset: number) => {
    const bare = path.startsWith("<") ? path.slice(1, -1) : path;
    return `![${alt}](${space}${map(bare, offset)}${rest})`;
  });

/** The path of a marked image. */
export function markedImage(address: string): string | undefined {
  if (!address.startsWith(IMAGE_MARK)) return undefined;
  try {
    return decodeURIComponent(address.slice(IMAGE_MARK.length));
  } catch {
    return undefined;
  }
}

/** Text in which a marked image is code or part of a comment, as it was written. */
export const withoutMarks = (text: string): string =>
  text.includes(IMAGE_MARK)
    ? text.replace(new RegExp(`${IMAGE_MARK}([\\w%.-]+)`, "g"), whole => markedImage(whole) ?? whole)
    : text;

/** The files that a file names: clauses and images, each once. It may name more than is printed. */
export function referencesIn(text: string, path: string): { readonly clauses: string[]; readonly images: string[] } {
  const clauses = new Set<string>();
  const images = new Set<string>();
  const add = (to: Set<string>, given: string) => {
    const found = pathFrom(path, given);
    if ("path" in found) to.add(found.path);
  };
  for (const [whole, given = ""] of text.matchAll(/\\?\{\{\s*>([^{}\n]*)\}\}/g))
    if (!whole.startsWith("\\")) add(clauses, given.trim().normalize("NFC"));
  imagesIn(text, given => {
    add(images, given);
    return given;
  });
  return { clauses: [...clauses].filter(isMarkdown), images: [...images] };
}

/** Whether a path is a clause's: a template from somebody else prints nothing else of the project, such as `.env`. */
export const isMarkdown = (path: string): boolean => /\.(md|markdown)$/i.test(path);

const LONGEST_PATH = 500;

/** A path that a file gives, seen from the template's folder: `a/../b.md` is `b.md`. */
export function pathFrom(file: string, given: string): { readonly path: string } | { readonly wrong: string } {
  const shown = JSON.stringify(given.slice(0, 60));
  if (given === "" || given.length > LONGEST_PATH) return { wrong: `expected the path of a file, got ${shown}` };
  if (/^[a-z][a-z\d+.-]+:/i.test(given) || /^[/~]|^[a-z]:|\\|^\/\//i.test(given))
    return { wrong: `expected the path of a file from this one's folder, with /, got ${shown}` };
  const steps: string[] = [];
  for (const step of [...file.split("/").slice(0, -1), ...given.split("/")]) {
    if (step === "" || step === ".") continue;
    if (step === ".." && steps.length > 0 && steps.at(-1) !== "..") steps.pop();
    else steps.push(step);
  }
  return { path: steps.join("/") };
}
