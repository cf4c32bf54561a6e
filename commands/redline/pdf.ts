import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { clausesOfLines, type PdfLine } from "./pdf-clauses.js";
import type { Clause } from "./redline.js";

export interface PdfText {
  readonly pages: number;
  readonly clauses: readonly Clause[];
  /** Pages on which there is no text: empty ones, and those that are an image. */
  readonly silent: readonly number[];
}

export type PdfRead = PdfText | { readonly wrong: string; readonly pages?: number | undefined };

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PAGES = 500;
const MOST_CHARACTERS = 2_000_000;
/** What a thread may take: of objects, and of everything, looked at every so often. */
const MOST_HEAP_MB = 512;
const MOST_MEMORY = 1024 * 1024 * 1024;
const LOOK_EVERY = 50;
const LONGEST = 60_000;
/** More letters than these that no font names, and what is left is no text. */
const MOST_NAMELESS = 0.1;

interface Found {
  readonly pages?: number;
  readonly wrong?: string;
  readonly lines?: readonly PdfLine[];
}

/** The text of a PDF, in clauses. It is read in a thread of its own, which is ended when it takes too much. */
export async function readPdf(bytes: Uint8Array, signal = AbortSignal.timeout(LONGEST)): Promise<PdfRead> {
  if (bytes.length > MOST_BYTES) return { wrong: `expected at most ${MOST_BYTES} bytes, got ${bytes.length}` };
  const { pages, wrong, lines = [] } = await inThread(bytes, signal);
  if (wrong !== undefined || pages === undefined) return { wrong: wrong ?? "it is damaged", pages };
  const text = lines.map(line => line.text).join("");
  if (text === "") return { wrong: "there is none in it, as in a scan", pages };
  const nameless = text.match(/[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu)?.length ?? 0;
  if (nameless > text.length * MOST_NAMELESS) return { wrong: "its fonts don't say which letters they show", pages };
  const spoken = new Set(lines.map(({ page }) => page));
  const silent = Array.from({ length: pages }, (_, index) => index + 1).filter(page => !spoken.has(page));
  return { pages, clauses: clausesOfLines(lines, pages), silent };
}

function inThread(bytes: Uint8Array, signal: AbortSignal): Promise<Found> {
  const { promise, resolve } = Promise.withResolvers<Found>();
  const worker = new Worker(threadFile(), {
    // A copy: the thread takes it over.
    workerData: { bytes: new Uint8Array(bytes), mostPages: MOST_PAGES, mostCharacters: MOST_CHARACTERS },
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    stdout: true,
    stderr: true,
  });
  const end = (found: Found) => {
    clearInterval(watch);
    signal.removeEventListener("abort", late);
    void worker.terminate();
    resolve(found);
  };
  const late = () => end({ wrong: "reading it takes too long" });
  const before = process.memoryUsage.rss();
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - before > MOST_MEMORY) end({ wrong: "reading it takes too much memory" });
  }, LOOK_EVERY);
  worker.once("message", end);
  worker.once("error", () => end({ wrong: "reading it takes too much memory, or it is damaged" }));
  worker.once("exit", () => end({ wrong: "it is damaged" }));
  signal.addEventListener("abort", late);
  if (signal.aborted) late();
  return promise;
}

/** Built, a bundle in a folder of its own; in a checkout, a module beside this one. */
function threadFile(): string {
  const here = dirname(typeof __filename === "string" ? __filename : import.meta.filename);
  const built = join(here, "..", "redline", "pdf-worker.cjs");
  return existsSync(built) ? built : join(here, "pdf-worker.mts");
}
