/**
 * What the promises say of folders:
 *
 * - one that holds documents keeps its name: each document in it would be mailed again;
 * - one that this stack let go of is taken back under the same name, and what was in it with it;
 * - another stack's folder of the same name is another folder;
 * - a folder by itself stops nothing, and mails nobody.
 */
import type { Violation } from "./judge.js";
import { type Facts, slotOf } from "./model.js";
import { type Content, type Folder, isFolder, mapped, type Program } from "./program.js";
import type { StackName } from "./steps.js";

/** A folder at the service. */
export interface FolderFacts {
  readonly id: string;
  readonly title: string;
  /** The stack that made it. */
  readonly madeIn: StackName | undefined;
  /** The stack that has it, by state. */
  readonly heldIn: StackName | undefined;
  /** The journal that saw the last change of who holds it. */
  readonly lastSeenBy: string | undefined;
  /** The slot that each journal saw it in last. */
  readonly slots: ReadonlyMap<string, string | undefined>;
}

interface FolderVerdict {
  readonly slot: string;
  readonly resource: Folder;
  /** What state has of it. */
  readonly held: FolderFacts | undefined;
  readonly may: "keep" | "refuse" | "take back" | "make" | "make or take back";
  /** Ids that may be taken back, the latest last. */
  readonly takes: readonly string[];
  /** This journal has another one with documents under its name, which another machine let go of: it may be refused. */
  readonly isStale?: boolean;
}

export function folderVerdictsOn(program: Program, facts: Facts): FolderVerdict[] {
  const folders = program.filter(isFolder);
  return folders.map(resource => {
    const slot = slotOf(resource);
    const was = resource.alias === undefined ? undefined : slotOf({ kind: "folder", name: resource.alias });
    const id = facts.heldFolders.get(slot) ?? (was === undefined ? undefined : facts.heldFolders.get(was));
    const held = id === undefined ? undefined : facts.folders.get(id);
    const about = { slot, resource, held };
    if (held?.title === resource.title) return { ...about, may: "keep", takes: [] };
    if (held && inside(held, facts).length > 0) return { ...about, may: "refuse", takes: [] };
    const free = [...facts.folders.values()].filter(
      ({ title, madeIn, heldIn }) => title === resource.title && madeIn === facts.stack && heldIn === undefined,
    );
    const wanted = folders.filter(({ title }) => title === resource.title).length;
    const isSure = free.length >= wanted && free.every(({ lastSeenBy }) => lastSeenBy === facts.journal);
    const may = free.length === 0 ? "make" : isSure ? "take back" : "make or take back";
    const isStale = [...facts.folders.values()].some(
      each =>
        each.lastSeenBy !== facts.journal && each.slots.get(facts.journal) === slot && inside(each, facts).length > 0,
    );
    return { ...about, may, takes: free.map(each => each.id), isStale };
  });
}

const inside = ({ id }: FolderFacts, { docs }: Facts) =>
  [...docs.values()].filter(({ content }) => content.folder === id);

/** The program with each contract's folder as its id: the one that state has for it after the command, or is to have. */
export function placed(program: Program, before: Facts, after: Facts = before): Program {
  const ids = new Map(
    folderVerdictsOn(program, before).map(({ slot, resource, held, may, takes }) => {
      const id = after.heldFolders.get(slot);
      if (id !== undefined && after.folders.get(id)?.title === resource.title) return [resource.name, id];
      const kept = may === "keep" || may === "refuse" ? held?.id : undefined;
      return [resource.name, kept ?? takes.at(-1) ?? `a new ${resource.name}`];
    }),
  );
  const place = (content: Content): Content =>
    content.folder === undefined ? content : { ...content, folder: ids.get(content.folder) ?? content.folder };
  return program.map(declared => mapped(declared, place));
}

/** Where a command did another thing to its folders than they allow. */
export function folderViolationsIn(verdicts: readonly FolderVerdict[], after: Facts, error?: string): Violation[] {
  const ids = [...after.heldFolders.values()];
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [
    ...twice.map(id => ({ kind: "holds another document", of: "folder", what: `folder ${id} is held twice` }) as const),
    ...verdicts.flatMap(({ slot, resource, held, may, takes }): Violation[] => {
      const id = after.heldFolders.get(slot);
      const about = { of: "folder", rule: may } as const;
      const what = `${resource.name} (${may}${takes.length > 0 ? ` ${takes.join(", ")}` : ""}) holds ${id}`;
      if (error !== undefined && (id === held?.id || id === undefined)) return [];
      const isNew = id !== undefined && id !== held?.id && !takes.includes(id);
      const isTaken = id !== undefined && takes.includes(id);
      const isRight =
        (may === "keep" && id === held?.id) ||
        (may === "make" && isNew) ||
        (may === "take back" && isTaken) ||
        (may === "make or take back" && (isNew || isTaken));
      if (!isRight) return [{ ...about, kind: may === "refuse" ? "went on" : "holds another folder", what }];
      const { title, madeIn } = (id === undefined ? undefined : after.folders.get(id)) ?? {};
      const isOurs = title === resource.title && madeIn === after.stack;
      return isOurs ? [] : [{ ...about, kind: "holds another folder", what: `${what}, ${title} of ${madeIn}` }];
    }),
  ];
}
