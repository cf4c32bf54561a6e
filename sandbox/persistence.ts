import { existsSync, readFileSync } from "node:fs";
import { writeWhole } from "../commands/cli/flags/files.js";
import type { ContentStore } from "./context.js";
import { isObject } from "./fields.js";
import { emptyStore, type Store, type Stored } from "./store.js";

const FORMAT = 1;

/** Keeps the store in one JSON file, replaced as a whole so that a crash leaves the old or the new one. */
export class Persistence {
  readonly #file: string;
  readonly #store: Store;
  readonly #content: ContentStore;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(file: string, store: Store, content: ContentStore) {
    this.#file = file;
    this.#store = store;
    this.#content = content;
  }

  /** Whether there was something to load. */
  load(): boolean {
    if (!existsSync(this.#file)) return false;
    const saved: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
    if (!isSaved(saved)) throw new Error(`${this.#file} was not written by this version of the sandbox`);
    this.#store.data = saved.stored;
    for (const [hash, text] of Object.entries(saved.content)) this.#content.put(hash, Buffer.from(text, "base64"));
    return true;
  }

  /** Resolves once everything stored so far is on disk. Calls that come while a write is under way share the next one. */
  save(): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      this.#writing = this.#write();
      return this.#writing;
    });
    return this.#next;
  }

  async #write(): Promise<void> {
    const state = JSON.stringify({ format: FORMAT, stored: this.#store.data, content: this.#content });
    await writeWhole(this.#file, state, { mode: 0o600 });
  }
}

function isSaved(value: unknown): value is { stored: Stored; content: Record<string, string> } {
  if (!isObject(value) || value["format"] !== FORMAT) return false;
  const stored = value["stored"];
  return (
    isObject(value["content"]) && isObject(stored) && Object.keys(emptyStore()).every(key => Object.hasOwn(stored, key))
  );
}
