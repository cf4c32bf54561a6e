import { type Event, Lost, type Process } from "./world.js";

/**
 * The protocol before there was one critical section, as a description: what is decided is decided first, the line is
 * written next, and the request leaves when its turn comes. The rules are those of that time, and nothing else uses this.
 */

export const RESEND_AFTER = 120_000;
const DAY = 24 * 3_600_000;

interface Line {
  readonly op: "begin" | "hint" | "claim" | "remind";
  readonly urn: string;
  readonly content: string;
  readonly token: string;
  readonly after?: string | undefined;
  /** Ids that its resource was known to hold. */
  readonly owned?: readonly (string | undefined)[];
  readonly startedAt?: number;
  readonly serviceTime?: number | undefined;
  readonly id?: string;
}

/** The lines of the journal that all share. Who has read so many reads on from there, unless there are fewer by now. */
export class EarlierJournal {
  lines: Line[] = Array.from({ length: 3 }, (_, nth) => {
    return { op: "claim", urn: `other-${nth}`, content: `other ${nth}`, token: "", id: `${nth}` };
  });
  readonly #read = new Map<Process, readonly Line[]>();

  constructor(private readonly outages = false) {}

  exchange(process: Process, ...lines: readonly Line[]): Promise<readonly Line[]> {
    const exchanged = {
      label: "",
      act: () => {
        const before = this.#read.get(process) ?? [];
        const known = before.length > this.lines.length ? [] : before;
        this.lines = [...this.lines, ...lines];
        const all = [...known, ...this.lines.slice(known.length)];
        this.#read.set(process, all);
        return all;
      },
    };
    const out = {
      label: "it can't be reached",
      cost: 1,
      act: (): readonly Line[] => {
        throw new Error("the journal can't be reached");
      },
    };
    const [line] = lines;
    const label = line === undefined ? "reads the journal" : `writes ${line.op}`;
    return process.effect(label, this.outages && line?.op === "hint" ? [exchanged, out] : [exchanged]);
  }
}

/** The open attempt of a resource: the latest begin that named the one before. */
function attemptOf(lines: readonly Line[], urn: string): (Line & { answered: boolean }) | undefined {
  let open: (Line & { answered: boolean }) | undefined;
  const held: (string | undefined)[] = [];
  for (const line of lines.filter(each => each.urn === urn)) {
    if (line.op === "claim") held.push(line.id);
    const isNext = line.after === open?.token && held.every(id => line.owned?.includes(id));
    if (line.op === "begin" && isNext) open = { ...line, answered: false };
    if (line.op === "hint" && open?.token === line.token) open = { ...open, answered: true };
    if (line.op === "claim") open = undefined;
  }
  return open;
}

const claimed = (lines: readonly Line[]): Line[] => lines.filter(({ op }) => op === "claim");

export interface Create {
  readonly urn: string;
  readonly content: string;
  readonly replaces?: readonly string[];
  /** Whether its service tells the time. */
  readonly hasDate?: boolean;
}

export async function createEarlier(
  process: Process,
  journal: EarlierJournal,
  { urn, content, replaces = [], hasDate = false }: Create,
): Promise<string> {
  const { world } = process;
  const date = (): number | undefined => (hasDate ? world.now : undefined);
  let lines = await journal.exchange(process);
  for (const id of replaces) if (await isSigned(process, id)) return "refused: signed";
  const attempt = attemptOf(lines, urn);
  const held = claimed(lines).find(line => line.urn === urn && line.content === content);
  if (held) return `kept ${held.id}`;
  const free = await listed(process, lines, content);
  const now = process.now();
  const waited = (line: Line): number => {
    const here = now - (line.startedAt ?? 0);
    const there = date();
    if (line.serviceTime === undefined || there === undefined) return here;
    return Math.max(Math.min(here, there - line.serviceTime), here - DAY);
  };
  if (attempt && free[0] !== undefined) {
    await journal.exchange(process, { op: "claim", urn, content, token: "", id: free[0] });
    return `took over ${free[0]}`;
  }
  if (attempt && (attempt.answered || waited(attempt) < RESEND_AFTER)) return "refused: unconfirmed";
  const others = lines.filter(({ op }) => op === "begin").flatMap(line => attemptOf(lines, line.urn) ?? []);
  if (others.some(line => line.urn !== urn && line.content === content && waited(line) < RESEND_AFTER))
    return "refused: elsewhere";
  if (!attempt && (free.length > 0 || claimed(lines).some(line => line.content === content)))
    return "refused: duplicate";

  const token = `${process.name}-${process.now()}`;
  const owned = claimed(lines).flatMap(line => (line.urn === urn ? [line.id] : []));
  const begin = { op: "begin", urn, content, token, owned, after: attempt?.token, startedAt: process.now() } as const;
  lines = await journal.exchange(process, { ...begin, serviceTime: date() });
  if (attemptOf(lines, urn)?.token !== token) return "refused: under way";
  await process.takeTurn();
  const id = await process
    .send("sends the document", () => world.arrive(process, content, replaces).id)
    .catch((error: unknown) => {
      if (error instanceof Lost) return undefined;
      throw error;
    });
  if (id !== undefined) await journal.exchange(process, { op: "hint", urn, content, token, id });
  lines = await journal.exchange(process);
  const made = id ?? (await listed(process, lines, content))[0];
  if (made === undefined) return "refused: unconfirmed";
  await journal.exchange(process, { op: "claim", urn, content, token, id: made });
  return `created ${made}`;
}

export async function remindEarlier(
  process: Process,
  journal: EarlierJournal,
  { urn, invitation }: { readonly urn: string; readonly invitation: string },
): Promise<string> {
  const line = { op: "remind", urn, content: invitation, token: "" } as const;
  const lines = await journal.exchange(process);
  if (lines.some(each => each.op === "remind" && each.urn === urn && each.content === invitation)) return "known";
  await journal.exchange(process, line);
  await process.takeTurn();
  await process.send("reminds", () => process.world.remind(invitation)).catch(() => undefined);
  return "reminded";
}

const isSigned = (process: Process, id: string): Promise<boolean> =>
  process.effect(`asks for document ${id}`, [
    { label: "", act: () => process.world.document(id)?.signed !== undefined },
  ]);

/** Whose content is the same, and who aren't anybody's. */
async function listed(process: Process, lines: readonly Line[], content: string): Promise<string[]> {
  const taken = claimed(lines).map(({ id }) => id);
  const shown = await process.effect("lists documents", [
    { label: "", act: () => process.world.listed().map(({ id, content: each }) => [id, each] as const) },
  ]);
  return shown.flatMap(([id, each]) => (each === content && !taken.includes(id) ? [id] : []));
}

/** An older backup of the journal is put in its place, before anything is under way. */
export const restore = (journal: EarlierJournal) => (): Event[] => {
  const act = () => {
    journal.lines = [];
  };
  return journal.lines.some(({ op }) => op === "begin") ? [] : [{ label: "the journal is restored", act }];
};
