import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../core/private-folder.js";

export interface Draft {
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Its first bytes. */
  readonly head: string;
  /** The path it is at, or its bytes; undefined where neither was kept. */
  readonly content: string | Uint8Array | undefined;
}

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** What becomes of a document's files while they are checked. */
export interface Sink extends AsyncDisposable {
  write(fileName: string, content: Content): Promise<Draft>;
  drop(draft: Draft): Promise<void>;
  /** All of them are right. */
  finish(): Promise<void>;
}

/** Takes files for their hashes, and writes nothing. What a time stamp may be about is kept in memory meanwhile. */
export class Hashes implements Sink {
  constructor(private readonly keeps: boolean) {}

  async write(fileName: string, content: Content): Promise<Draft> {
    const chunks: Uint8Array[] = [];
    const facts = await read(content, chunk => {
      if (this.keeps) chunks.push(chunk);
    });
    return { fileName, ...facts, content: this.keeps ? Buffer.concat(chunks) : undefined };
  }

  async drop(): Promise<void> {}
  async finish(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Files on their way into a folder: readable by nobody else, and under their names only when all of them are right. */
export class Drafts implements Sink {
  /** By path; undefined for one that isn't whole yet. */
  readonly #drafts = new Map<string, Draft | undefined>();

  constructor(private readonly directory: string) {
    makeFolder(directory);
  }

  async write(fileName: string, content: Content): Promise<Draft> {
    const path = join(this.directory, `.${fileName}.${randomUUID()}.part`);
    this.#drafts.set(path, undefined);
    const handle = await open(path, "wx", 0o600);
    try {
      const facts = await read(content, chunk => handle.writeFile(chunk));
      await handle.sync();
      const draft = { fileName, ...facts, content: path };
      this.#drafts.set(path, draft);
      return draft;
    } finally {
      await handle.close();
    }
  }

  async drop({ content }: Draft): Promise<void> {
    if (typeof content === "string" && this.#drafts.delete(content)) await rm(content, { force: true });
  }

  /** Gives every file its name. */
  async finish(): Promise<void> {
    for (const [path, draft] of this.#drafts) {
      if (!draft) continue;
      await rename(path, join(this.directory, draft.fileName));
      this.#drafts.delete(path);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#drafts.keys()) await rm(path, { force: true });
  }
}

async function read(
  content: Content,
  take: (chunk: Uint8Array) => Promise<void> | void,
): Promise<{ bytes: number; sha256: string; head: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  let head = "";
  for await (const chunk of content) {
    if (head.length < 8) head += Buffer.from(chunk.subarray(0, 8)).toString("latin1");
    bytes += chunk.byteLength;
    hash.update(chunk);
    await take(chunk);
  }
  return { bytes, sha256: hash.digest("hex"), head };
}
