import fc from "fast-check";
import {
  type Content,
  type Contracts,
  contentsIn,
  type Declared,
  FOLDER_TITLES,
  type Folder,
  isContracts,
  isFolder,
  mapped,
  PDFS,
  PEOPLE,
  type Program,
  type Several,
} from "./program.js";

/** What somebody does to a program. Numbers choose among what there is. */
export type Edit =
  | { readonly edit: "another PDF" | "another title"; readonly of: number; readonly to: number }
  | { readonly edit: "another cell"; readonly of: number }
  | { readonly edit: "add"; readonly person: number; readonly to: number }
  | { readonly edit: "remove" | "move" | "empty"; readonly of: number }
  | { readonly edit: "restore"; readonly nth: number }
  | { readonly edit: "rename"; readonly of: number; readonly alias: boolean }
  | { readonly edit: "split"; readonly of: number; readonly newFirst: boolean }
  | { readonly edit: "as before"; readonly back: number }
  | { readonly edit: "as the other stack" }
  | { readonly edit: "from the other stack"; readonly of: number }
  | { readonly edit: "keep signed ones"; readonly of: number }
  /** All of a resource into a folder, a new one where there is none, or out of all. */
  | { readonly edit: "file"; readonly of: number; readonly to: number }
  | { readonly edit: "file one"; readonly of: number; readonly to: number }
  | { readonly edit: "rename the folder"; readonly of: number; readonly alias: boolean }
  | { readonly edit: "another title for the folder"; readonly of: number }
  /** With what is in it, or without. */
  | { readonly edit: "remove the folder"; readonly of: number; readonly alone: boolean };

export const STACKS = ["dev", "dev2"] as const;
export type StackName = (typeof STACKS)[number];
/** Two machines that keep their journals, or share one; the third forgets after each command. */
export const MACHINES = ["first", "second", "thrown away"] as const;
export type MachineName = (typeof MACHINES)[number];

export type Step =
  | {
      readonly do: "up";
      readonly stack: StackName;
      readonly machine: MachineName;
      readonly edits: readonly Edit[];
      readonly skipPreview: boolean;
      /** Somebody signs what state holds, after the preview. */
      readonly signed?: number | undefined;
      /** `--target-replace`. */
      readonly forced?: number | undefined;
    }
  | { readonly do: "refresh" | "destroy"; readonly stack: StackName; readonly machine: MachineName }
  | { readonly do: "sign"; readonly of: number; readonly all: boolean }
  | { readonly do: "upload"; readonly person: number; readonly pdf: number };

export const FRONT_ENDS = ["plugin", "dynamic provider"] as const;

export interface History {
  readonly frontEnd: (typeof FRONT_ENDS)[number];
  /** The first two machines have one journal. */
  readonly shared?: boolean;
  readonly start: Program;
  readonly steps: readonly Step[];
}

const first = { title: "NDA", pdf: "A", start: "March" } as const;
const [ana, bob, cy, dee] = PEOPLE.map(person => ({ person, ...first })) as [Content, Content, Content, Content];

const single = (content: Content): Contracts => ({ kind: "document", name: content.person, content });
const several = (rows: readonly Content[], table: boolean): Contracts => ({
  kind: "set",
  name: "ndas",
  rows,
  table,
  keeps: false,
});

const contracts: Folder = { kind: "folder", name: "contracts", title: "NDAs" };
const inContracts = (content: Content): Content => ({ ...content, folder: "contracts" });

/** What a stack starts with. */
export const STARTING: readonly Program[] = [
  [single(ana), single(bob)],
  [several([ana, bob, cy], true)],
  [several([ana, bob], false), single(cy)],
  [single(dee), several([ana, bob, cy], true)],
];

export const STARTING_WITH_FOLDERS: readonly Program[] = STARTING.map(program => [
  contracts,
  ...program.map(each => mapped(each, inContracts)),
]);

const some = fc.nat({ max: 11 });

const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ edit: fc.constant("another PDF" as const), of: some, to: some }) },
  { weight: 1, arbitrary: fc.record({ edit: fc.constant("another title" as const), of: some, to: some }) },
  { weight: 4, arbitrary: fc.record({ edit: fc.constant("another cell" as const), of: some }) },
  { weight: 3, arbitrary: fc.record({ edit: fc.constant("add" as const), person: some, to: some }) },
  { weight: 4, arbitrary: fc.record({ edit: fc.constant("remove" as const), of: some }) },
  { weight: 4, arbitrary: fc.record({ edit: fc.constant("restore" as const), nth: fc.nat({ max: 2 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      edit: fc.constant("rename" as const),
      of: some,
      alias: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("move" as const), of: some }) },
  { weight: 1, arbitrary: fc.record({ edit: fc.constant("split" as const), of: some, newFirst: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ edit: fc.constant("empty" as const), of: some }) },
  { weight: 4, arbitrary: fc.record({ edit: fc.constant("as before" as const), back: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ edit: "as the other stack" as const }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("from the other stack" as const), of: some }) },
  { weight: 1, arbitrary: fc.record({ edit: fc.constant("keep signed ones" as const), of: some }) },
);

const aliased = fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.constant(false));

const editsOfFolders: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("file" as const), of: some, to: some }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("file one" as const), of: some, to: some }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("rename the folder" as const), of: some, alias: aliased }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("another title for the folder" as const), of: some }) },
  {
    weight: 2,
    arbitrary: fc.record({ edit: fc.constant("remove the folder" as const), of: some, alone: fc.boolean() }),
  },
);

const stack = fc.oneof({ weight: 9, arbitrary: fc.constant("dev" as const) }, fc.constant("dev2" as const));
const machine = fc.oneof(
  { weight: 14, arbitrary: fc.constant("first" as const) },
  { weight: 2, arbitrary: fc.constant("second" as const) },
  { weight: 1, arbitrary: fc.constant("thrown away" as const) },
);

const upAfter = (stack: fc.Arbitrary<StackName>, edits: fc.Arbitrary<Edit>): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constant("up" as const),
    stack,
    machine,
    edits: fc.oneof(
      { weight: 6, arbitrary: fc.tuple(edits) },
      { weight: 2, arbitrary: fc.tuple(edits, edits) },
      { weight: 1, arbitrary: fc.constant([]) },
    ) as fc.Arbitrary<readonly Edit[]>,
    skipPreview: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    signed: fc.option(some, { nil: undefined, freq: 12 }),
    forced: fc.option(some, { nil: undefined, freq: 12 }),
  });

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: upAfter(stack, edits) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("refresh" as const), stack, machine }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("destroy" as const), stack, machine }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("sign" as const), of: some, all: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("upload" as const), person: some, pdf: some }) },
);

/** With folders of its own, the other stack has more to do. */
const stepsWithFolders: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: steps },
  { weight: 1, arbitrary: upAfter(stack, editsOfFolders) },
  { weight: 1, arbitrary: upAfter(fc.constant("dev2" as const), fc.oneof(edits, editsOfFolders)) },
);

const histories = (length: number, hasFolders: boolean): fc.Arbitrary<History> =>
  fc.record({
    frontEnd: fc.constantFrom(...FRONT_ENDS),
    shared: fc.boolean(),
    start: fc.constantFrom(...(hasFolders ? STARTING_WITH_FOLDERS : STARTING)),
    steps: fc.array(hasFolders ? stepsWithFolders : steps, { minLength: length, maxLength: length }),
  });

/** The same seed is the same history; every other one has folders. */
export function historyOf(seed: number, length: number): History {
  const [history] = fc.sample(histories(length, seed % 2 === 0), { seed, numRuns: 1 });
  if (!history) throw new Error("no history");
  return history;
}

/** Histories with less in them: halves and quarters first, then step by step and edit by edit. */
export function* simpler(history: History): Generator<History> {
  const { steps } = history;
  if (history.shared) yield { ...history, shared: false };
  for (let size = Math.ceil(steps.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = steps.length - size; from > -size; from -= size)
      yield { ...history, steps: [...steps.slice(0, Math.max(from, 0)), ...steps.slice(from + size)] };
  for (const [at, step] of steps.entries()) {
    if (step.do !== "up") continue;
    for (let nth = 0; nth < step.edits.length; nth++)
      yield { ...history, steps: steps.with(at, { ...step, edits: step.edits.toSpliced(nth, 1) }) };
    if (step.machine !== "first") yield { ...history, steps: steps.with(at, { ...step, machine: "first" }) };
    if (step.forced !== undefined) yield { ...history, steps: steps.with(at, { ...step, forced: undefined }) };
    if (step.skipPreview) yield { ...history, steps: steps.with(at, { ...step, skipPreview: false }) };
  }
}

/** What edits may look back at. */
export interface Past {
  /** Programs of this stack, the latest last. */
  readonly programs: readonly Program[];
  /** Contents that were taken out, the latest last, with the resource they were in. */
  readonly removed: readonly { readonly from: Contracts; readonly content: Content }[];
  readonly other: Program;
  readonly removedByOther: Past["removed"];
}

const SET_NAMES = ["ndas", "staff", "leads"] as const;

/** The program after the edit; the same where there is nothing to do it to. */
export function edited(program: Program, edit: Edit, past: Past): Program {
  const { edit: what } = edit;
  if (what === "as the other stack") return past.other;
  if (what === "as before") return past.programs.at(-1 - (edit.back + 1)) ?? program;
  if (what === "add") {
    const person = at(
      PEOPLE.filter(each => !contentsIn(program).some(content => content.person === each)),
      edit.person,
    );
    return person === undefined ? program : withContent(program, { person, ...first }, edit.to);
  }
  if (what === "restore") {
    const lost = past.removed.at(-1 - edit.nth);
    if (!lost || contentsIn(program).some(({ person }) => person === lost.content.person)) return program;
    return withItsFolder(backIn(program, lost), past);
  }
  if (what === "from the other stack") {
    const theirs = [...past.removedByOther.map(({ content }) => content), ...contentsIn(past.other)];
    const content = at(theirs, edit.of);
    if (!content || contentsIn(program).some(({ person }) => person === content.person)) return program;
    return isTaken(program, content.person) ? program : withItsFolder([...program, single(content)], past);
  }
  if (isOfFolders(edit)) return withFolders(program, edit, past);
  const whole = at(program.filter(isContracts), edit.of);
  if (!whole) return program;
  switch (edit.edit) {
    case "another PDF":
      return changed(program, whole, content => ({ ...content, pdf: at(PDFS, edit.to) ?? content.pdf }));
    case "another title":
      return changed(program, whole, content => ({ ...content, title: content.title === "NDA" ? "Lease" : "NDA" }));
    case "another cell": {
      const { person } = at(contentsIn(program), edit.of) ?? {};
      return program.map(each =>
        mapped(each, content =>
          content.person === person ? { ...content, start: content.start === "March" ? "May" : "March" } : content,
        ),
      );
    }
    case "remove":
      return without(program, at(contentsIn(program), edit.of)?.person);
    case "move": {
      const content = at(contentsIn(program), edit.of);
      if (!content) return program;
      const wasSingle = program.some(each => each.kind === "document" && each.content.person === content.person);
      const rest = without(program, content.person);
      const set = rest.find(each => each.kind === "set");
      return wasSingle && set?.kind === "set" ? withRow(rest, set, content) : [...rest, single(content)];
    }
    case "keep signed ones":
      return program.map(each => (each.kind === "set" && each === whole ? { ...each, keeps: !each.keeps } : each));
    case "empty":
      return program.map(each => (each.kind === "set" && each === whole ? { ...each, rows: [] } : each));
    case "rename": {
      const { alias: _before, ...rest } = whole;
      const name = whole.name.endsWith("-2") ? whole.name.slice(0, -2) : `${whole.name}-2`;
      if (isTaken(program, name)) return program;
      return program.map(each =>
        each === whole ? { ...rest, name, ...(edit.alias ? { alias: whole.name } : {}) } : each,
      );
    }
    case "split": {
      const name = SET_NAMES.find(each => !isTaken(program, each) && !isTaken(program, `${each}-2`));
      if (whole.kind !== "set" || whole.rows.length < 2 || name === undefined) return program;
      const half = Math.ceil(whole.rows.length / 2);
      const stays: Several = { ...whole, rows: whole.rows.slice(0, half) };
      const leaves: Several = {
        kind: "set",
        name,
        rows: whole.rows.slice(half),
        table: whole.table,
        keeps: whole.keeps,
      };
      return program.flatMap(each => (each !== whole ? [each] : edit.newFirst ? [leaves, stays] : [stays, leaves]));
    }
  }
}

const at = <T>(items: readonly T[], index: number): T | undefined => items[index % Math.max(items.length, 1)];

const isTaken = (program: Program, name: string): boolean =>
  program.some(each => each.name === name || each.alias === name);

const changed = (program: Program, whole: Declared, change: (content: Content) => Content): Program =>
  program.map(each => (each === whole ? mapped(each, change) : each));

/** A set that loses its last row leaves the program. */
const without = (program: Program, person: string | undefined): Program =>
  program.flatMap((each): Declared[] => {
    if (each.kind === "folder") return [each];
    if (each.kind === "document") return each.content.person === person ? [] : [each];
    const rows = each.rows.filter(row => row.person !== person);
    return rows.length === 0 && each.rows.length > 0 ? [] : [{ ...each, rows }];
  });

const withRow = (program: Program, set: Declared, content: Content): Program =>
  program.map(each => (each === set && each.kind === "set" ? { ...each, rows: [...each.rows, content] } : each));

/** A new row of a set says what its other rows say. */
function withContent(program: Program, content: Content, to: number): Program {
  const sets = program.filter(each => each.kind === "set");
  const set = to % 3 === 0 ? undefined : at(sets, to);
  if (!set) return isTaken(program, content.person) ? program : [...program, single(content)];
  const [other] = set.rows;
  const { title, pdf, folder } = other ?? content;
  return withRow(program, set, { ...content, title, pdf, folder });
}

function backIn(program: Program, { from, content }: Past["removed"][number]): Program {
  const there = program.find(each => each.name === from.name);
  if (there?.kind === "set") return withRow(program, there, content);
  if (isTaken(program, from.name)) return program;
  const { alias: _alias, ...rest } = from;
  return [...program, rest.kind === "set" ? { ...rest, rows: [content] } : { ...rest, content }];
}

// ---- Folders ----

const FOLDERS = ["contracts", "drafts"] as const;

type OfFolders = Extract<
  Edit,
  { edit: "file" | "file one" | "rename the folder" | "another title for the folder" | "remove the folder" }
>;

const isOfFolders = (edit: Edit): edit is OfFolders => edit.edit.startsWith("file") || edit.edit.endsWith("the folder");

function withFolders(program: Program, edit: OfFolders, past: Past): Program {
  if (edit.edit === "file" || edit.edit === "file one") {
    const whole = edit.edit === "file" ? at(program.filter(isContracts), edit.of) : undefined;
    const { person } = at(contentsIn(program), edit.of) ?? {};
    const folder = edit.to % 4 === 0 ? undefined : FOLDERS[edit.to % FOLDERS.length];
    const filed = program.map(each =>
      mapped(each, content =>
        each === whole || (!whole && content.person === person) ? { ...content, folder } : content,
      ),
    );
    return withItsFolder(filed, past);
  }
  const whole = at(program.filter(isFolder), edit.of);
  if (!whole) return program;
  const { alias: _before, ...rest } = whole;
  switch (edit.edit) {
    case "another title for the folder": {
      const title = FOLDER_TITLES[(FOLDER_TITLES.indexOf(whole.title) + 1) % FOLDER_TITLES.length] ?? whole.title;
      return program.map(each => (each === whole ? { ...rest, title } : each));
    }
    case "rename the folder": {
      const name = whole.name.endsWith("-2") ? whole.name.slice(0, -2) : `${whole.name}-2`;
      if (isTaken(program, name)) return program;
      const follow = (content: Content): Content =>
        content.folder === whole.name ? { ...content, folder: name } : content;
      return program.map(each =>
        each === whole ? { ...rest, name, ...(edit.alias ? { alias: whole.name } : {}) } : mapped(each, follow),
      );
    }
    case "remove the folder": {
      const inside = contentsIn(program).filter(({ folder }) => folder === whole.name);
      const others = program.filter(each => each !== whole);
      if (edit.alone)
        return others.map(each =>
          mapped(each, content => (inside.includes(content) ? { ...content, folder: undefined } : content)),
        );
      return inside.reduce<Program>((left, { person }) => without(left, person), others);
    }
  }
}

/** With the folders that its contracts name, as they were declared before. */
function withItsFolder(program: Program, { programs, other }: Past): Program {
  const known = [...programs.flat(), ...other].filter(isFolder);
  const there = program.filter(isFolder);
  const nameNow = (folder: string | undefined) =>
    folder && (there.find(({ alias }) => alias === folder)?.name ?? folder);
  const named = program.map(each => mapped(each, content => ({ ...content, folder: nameNow(content.folder) })));
  const missing = new Set(
    contentsIn(named).flatMap(({ folder }) =>
      folder === undefined || /^\d+$/.test(folder) || isTaken(program, folder) ? [] : [folder],
    ),
  );
  const folders = [...missing].map((name): Folder => {
    const { title = name === "drafts" ? "Contracts" : "NDAs" } = known.findLast(each => each.name === name) ?? {};
    return { kind: "folder", name, title };
  });
  return [...folders, ...named];
}
