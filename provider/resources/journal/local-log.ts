import { randomUUID } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { assertPrivate, makePrivateFolder, openPlain } from "../../core/private-folder.js";
import { codeOf } from "../../core/text.js";
import { isIn, LOST, type Log, SNAPSHOT } from "./log.js";

// These files are small and as a rule local: a call that blocks takes microseconds. Waiting for the disk takes longer.
const flushData = promisify(fdatasync);
const flush = promisify(fsync);

/**
 * A file that only grows. The system adds a piece at its end in one step, whoever writes at the same time, so all
 * processes read the same order.
 *
 * It is compacted by a last line, the snapshot, that says where in the file it stands: where another line came in
 * between, it stands elsewhere and doesn't count. What follows a snapshot doesn't count either: the log goes on in the
 * next file, `log-2.jsonl`, which begins with the same snapshot and is made by whoever needs it first.
 */
export class LocalLog implements Log {
  readonly isWhole = true;
  readonly name: string;
  readonly advice =
    "Make it a folder that this user can write to and nobody else, or set DOCSIGN_STATE_DIR to one that is.";
  readonly isShared = false;
  /** Its number; 0 before any was looked for. */
  #file = 0;
  #offset = 0;
  /** The last line that was read, and where: no two lines are the same, so another in its place is another file's. */
  #last = { at: 0, line: Buffer.alloc(0) };
  /** How the file looked when it was read to its end; empty before it was. */
  #seen = "";
  /** What the file begins with, should it have to be made. */
  #beginning = "";
  /** Read, and not answered yet: an exchange that fails, or a compaction, loses none of them. */
  #unanswered: string[] = [];

  constructor(private readonly folder: string) {
    this.name = `the journal in ${folder}`;
  }

  async exchange(lines: readonly string[], durable: boolean): Promise<readonly string[]> {
    this.#readOn();
    // Where a snapshot or an older copy came in between, they are written again, behind it.
    while (lines.length > 0 && !isIn(this.#unanswered, lines)) {
      await this.#append(lines.join("\n"), durable);
      this.#readOn();
    }
    return this.#unanswered.splice(0);
  }

  async compact(snapshot: string): Promise<void> {
    const written = await this.#append(placed(snapshot, this.#offset + 1), true);
    this.#readOn();
    if (this.#file === written) return;
    await this.#make();
    unlinkSync(this.#path(written));
  }

  async close(): Promise<void> {}

  #readOn(): void {
    for (;;) {
      const text = this.#rest();
      const sealed = wholeLines(text).some(line => {
        const start = this.#offset;
        this.#offset += Buffer.byteLength(line) + 1;
        const isInPlace = line.startsWith(placed(SNAPSHOT, start));
        if (line !== "") this.#last = { at: start, line: Buffer.from(`${line}\n`) };
        if (line !== "" && (isInPlace || !line.startsWith(SNAPSHOT))) this.#unanswered.push(line);
        return isInPlace && start > 0;
      });
      if (!sealed) return;
      this.#moveTo(this.#file + 1, placed(this.#unanswered.at(-1) ?? "", 0));
    }
  }

  /** What was added to the file since it was read last; of one that isn't there, what it will begin with. */
  #rest(): string {
    if (this.#file === 0) this.#findLatest();
    try {
      // Most calls find nothing new: a thousand creates ask several times each.
      if (this.#seen === markOf(lstatSync(this.#path(this.#file), { bigint: true }))) return "";
      const file = openPlain(this.#path(this.#file), constants.O_RDONLY);
      try {
        const stat = fstatSync(file, { bigint: true });
        const { at, line } = this.#last;
        const rest = Buffer.alloc(Math.max(0, Number(stat.size) - at));
        const read = rest.subarray(0, readSync(file, rest, 0, rest.length, at));
        // An older copy was put in its place.
        if (!read.subarray(0, line.length).equals(line)) return this.#restAnew();
        this.#seen = markOf(stat);
        return read.toString("utf8", this.#offset - at);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (this.#findLatest()) return this.#rest();
      if (this.#seen !== "") return this.#restAnew();
      return this.#offset === 0 ? this.#beginning : "";
    }
  }

  /** All that is there now, in the place of all that was read. */
  #restAnew(): string {
    this.#file = 0;
    this.#unanswered = [LOST];
    this.#findLatest();
    return this.#rest();
  }

  /** Answers with the number of the file it wrote to. */
  async #append(text: string, durable: boolean): Promise<number> {
    const open = () => openPlain(this.#path(this.#file), constants.O_WRONLY | constants.O_APPEND);
    let file: number;
    try {
      file = open();
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (!this.#findLatest()) await this.#make();
      file = open();
    }
    const written = this.#file;
    try {
      // A piece begins on a line of its own, as the one before may have been cut off.
      const piece = Buffer.from(`\n${text}\n`);
      if (writeSync(file, piece) < piece.length) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
      if (durable) await flushData(file);
    } finally {
      closeSync(file);
    }
    return written;
  }

  /** Moves to the latest file; false where that is the current one. */
  #findLatest(): boolean {
    assertPrivate(this.folder);
    const numbers = namesIn(this.folder).map(name => Number(/^log-([1-9]\d{0,14})\.jsonl$/.exec(name)?.[1] ?? 0));
    const latest = Math.max(0, ...numbers);
    if (latest > this.#file) this.#moveTo(latest, "");
    else if (this.#file === 0) this.#moveTo(1, "");
    else return false;
    return true;
  }

  #moveTo(file: number, beginning: string): void {
    this.#file = file;
    this.#offset = 0;
    this.#last = { at: 0, line: Buffer.alloc(0) };
    this.#seen = "";
    this.#beginning = beginning === "" ? "" : `${beginning}\n`;
  }

  /** The whole beginning, or nothing, and the disk has it when this is done. Another process may have been faster. */
  async #make(): Promise<void> {
    const path = this.#path(this.#file);
    const draft = `${path}.${randomUUID()}.tmp`;
    makePrivateFolder(this.folder);
    const file = openSync(draft, "wx", 0o600);
    try {
      writeFileSync(file, this.#beginning);
      await flush(file);
      publish(draft, path);
      this.#seen = "made";
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      this.#moveTo(this.#file, "");
    } finally {
      closeSync(file);
      unlinkSync(draft);
    }
    await flushFolder(this.folder);
  }

  #path(file: number): string {
    return join(this.folder, `log-${file}.jsonl`);
  }
}

/** A snapshot's line, or the beginning of one, with its place in the file. */
const placed = (line: string, at: number): string =>
  line.replace(/^\{"op":"snapshot"(,"at":\d+)?/, `${SNAPSHOT},"at":${at}`);

const markOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`;

/** A line is whole once its end is there. */
const wholeLines = (text: string): string[] => text.split("\n").slice(0, -1);

/** A link appears with the whole file behind it, or fails because something is there. Some file systems have no links. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(codeOf(error))) throw error;
    writeFileSync(path, readFileSync(draft), { flag: "wx", mode: 0o600 });
  }
}

/** A new name lasts through a power cut only once its folder is on disk, too. Not every system lets a folder be opened. */
async function flushFolder(path: string): Promise<void> {
  try {
    const folder = openSync(path, "r");
    await flush(folder).finally(() => closeSync(folder));
  } catch (error) {
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(codeOf(error))) throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error));
