import { PEOPLE, type Program } from "./program.js";
import { type Edit, STARTING, STARTING_WITH_FOLDERS, type Step } from "./steps.js";

export interface Story {
  readonly shared?: boolean;
  readonly start: Program;
  readonly steps: readonly Step[];
  /** What still goes wrong in it; through the plugin, where it is about previews: a dynamic provider is asked nothing then. */
  readonly defects?: readonly string[];
  readonly pluginAlone?: readonly string[];
}

const [DOCUMENTS, TABLE, MAP_AND_DOCUMENT] = STARTING as [Program, Program, Program];
const [DOCUMENTS_IN_A_FOLDER, TABLE_IN_A_FOLDER, BOTH_IN_A_FOLDER] = STARTING_WITH_FOLDERS as [
  Program,
  Program,
  Program,
];
const FIRST = { stack: "dev", machine: "first" } as const;
const [A, B, C] = [0, 1, 2];
const up = (...edits: Edit[]): Step => ({ do: "up", ...FIRST, edits, skipPreview: false });
const pdf = (to: number, of = 0): Edit => ({ edit: "another PDF", of, to });
const cell = (of: number): Edit => ({ edit: "another cell", of });
const remove = (of: number): Edit => ({ edit: "remove", of });
const restore: Edit = { edit: "restore", nth: 0 };
const rename = (alias: boolean): Edit => ({ edit: "rename", of: 0, alias });
const sign = (of: number): Step => ({ do: "sign", of, all: true });
const destroy: Step = { do: "destroy", ...FIRST };

/** The second ordinary thing that people do, each as short as it gets. */
export const STORIES: Readonly<Record<string, Story>> = {
  "a set's template changes twice": {
    start: TABLE,
    steps: [up(pdf(B)), up(pdf(C))],
  },
  "a cell of a set changes twice, and another one": {
    start: TABLE,
    steps: [up(cell(0)), up(pdf(B)), up(cell(1))],
  },
  "a set's template changes and goes back": {
    start: TABLE,
    steps: [up(pdf(B)), up(pdf(A))],
  },
  "a document changes and goes back": {
    start: DOCUMENTS,
    steps: [up(pdf(B)), up(pdf(A))],
  },
  "a document's description changes and goes back": { start: DOCUMENTS, steps: [up(cell(0)), up(cell(0))] },
  "a cell of a set changes and goes back": { start: TABLE, steps: [up(cell(0)), up(cell(0))] },
  "a contract that was taken back changes and goes back": {
    start: TABLE,
    steps: [destroy, up(), destroy, up(cell(0)), up(cell(0))],
  },
  "contracts change on one machine, and back on one that knows nothing": {
    start: MAP_AND_DOCUMENT,
    steps: [up(cell(0), cell(2)), { ...up(cell(0), cell(2)), machine: "second" } as Step],
  },
  "contracts change on another machine, and back on the first one under another name": {
    start: DOCUMENTS,
    steps: [{ ...up(cell(0)), machine: "second" } as Step, up(cell(0), rename(true))],
  },
  "a stack is destroyed and comes back on a machine that saw nothing before": {
    start: MAP_AND_DOCUMENT,
    steps: [sign(0), { ...destroy, machine: "second" } as Step, { ...up(), machine: "second" } as Step],
  },
  "what another machine replaced is taken back, and changes on a machine that knows nothing": {
    start: TABLE,
    steps: [
      up(),
      { ...up(cell(1)), machine: "second" } as Step,
      up(),
      up(remove(1)),
      up(restore),
      { ...up(pdf(B)), machine: "thrown away" } as Step,
    ],
  },
  "signed ones are kept, and somebody signs after the preview": {
    start: TABLE,
    steps: [sign(1), up({ edit: "keep signed ones", of: 0 }, pdf(B)), { ...up(pdf(C)), signed: 0 } as Step, up(pdf(A))],
  },
  "what one stack let go of, another one of the team takes back": {
    start: TABLE,
    steps: [
      sign(1),
      up(remove(1)),
      { ...up({ edit: "from the other stack", of: 0 }), stack: "dev2" } as Step,
      up(restore),
    ],
  },
  "destroyed on one machine, and what was replaced comes back on another one": {
    start: DOCUMENTS,
    steps: [
      up(pdf(B)),
      { ...up(), machine: "second" } as Step,
      up(),
      destroy,
      { ...up({ edit: "as before", back: 2 }), machine: "second" } as Step,
    ],
  },
  "back on another machine, and forth on the first one": {
    start: TABLE,
    steps: [up(cell(0)), up(), { ...up({ edit: "as before", back: 1 }), machine: "second" } as Step, up(cell(0))],
  },
  "a row is taken out and put back": {
    start: TABLE,
    steps: [up(remove(1)), up(restore)],
  },
  "a signed row is taken out and put back": {
    start: TABLE,
    steps: [sign(1), up(remove(1)), up(restore)],
  },
  "a document is taken out and put back": {
    start: DOCUMENTS,
    steps: [sign(0), up(remove(0)), up(restore)],
  },
  "a row of a set that was renamed by aliases goes and comes back": {
    start: TABLE,
    steps: [up(rename(true)), up(remove(1)), up(restore)],
  },
  "a stack is destroyed and comes back": {
    start: MAP_AND_DOCUMENT,
    steps: [sign(0), sign(2), destroy, up()],
  },
  "some rows of a set can't be sent": {
    start: TABLE,
    steps: [
      { do: "upload", person: PEOPLE.indexOf("dee"), pdf: A ?? 0 },
      up({ edit: "add", person: 0, to: 1 }, { edit: "add", person: 0, to: 1 }),
    ],
  },
  "a table becomes empty by accident": {
    start: TABLE,
    steps: [sign(1), up({ edit: "empty", of: 0 })],
  },
  "a set is split in two": {
    start: TABLE,
    steps: [up({ edit: "split", of: 0, newFirst: false })],
  },
  "a resource is renamed without aliases, and then with": {
    start: TABLE,
    steps: [sign(0), up(rename(false)), up(rename(true))],
  },
  "a document is replaced by force, changes, and goes back": {
    start: DOCUMENTS,
    steps: [{ ...up(), forced: 0 } as Step, up(pdf(B)), up(pdf(A)), sign(0), { ...up(), forced: 0 } as Step],
  },
  "a document is replaced by force again, after the first one was signed": {
    start: DOCUMENTS,
    steps: [{ ...up(), forced: 0 } as Step, sign(3), { ...up(), forced: 0 } as Step, { ...up(), forced: 0 } as Step],
  },
  "a set is replaced by force, a first contract is signed, and another machine sees what took its place": {
    start: TABLE,
    steps: [
      { ...up(), forced: 0 } as Step,
      sign(7),
      { do: "refresh", stack: "dev", machine: "thrown away" },
      { ...up(), forced: 0 } as Step,
      { do: "refresh", ...FIRST },
      { ...up(), forced: 0 } as Step,
    ],
  },
  "a set that another machine took back is replaced by force, with a change that the first one refuses": {
    start: TABLE_IN_A_FOLDER,
    steps: [
      { ...up({ edit: "file", of: 0, to: 1 }), machine: "second" } as Step,
      up(rename(true)),
      { ...up(remove(0)), forced: 0 } as Step,
      { ...up(), machine: "second" } as Step,
      { ...up({ edit: "as before", back: 2 }), machine: "second" } as Step,
      up(rename(true)),
      { ...up({ edit: "another title", of: 0, to: 0 }), forced: 0 } as Step,
    ],
  },
  "a set is replaced by force, loses a row, and gets it back": {
    start: TABLE,
    steps: [{ ...up(), forced: 0 } as Step, up(remove(1)), up(restore)],
  },
  "contracts change on one machine, and back on another one with the same journal": {
    shared: true,
    start: MAP_AND_DOCUMENT,
    steps: [
      up(cell(0), cell(2)),
      { ...up(cell(0), cell(2)), machine: "second" } as Step,
      { ...up(remove(1)), machine: "second" } as Step,
      up(restore),
    ],
  },
  "what another machine replaced and a person signed is let go of, and the first one is wanted again": {
    start: TABLE,
    steps: [
      { ...up(pdf(B)), machine: "thrown away" } as Step,
      sign(2),
      up({ edit: "as the other stack" }),
      up({ edit: "as before", back: 1 }),
    ],
  },
  "renamed on another machine, and taken back under its first name in a run that fails": {
    start: DOCUMENTS,
    steps: [
      { ...up(), forced: 1 } as Step,
      { ...up(remove(0)), machine: "thrown away" } as Step,
      { ...up(rename(true)), machine: "second" } as Step,
      up({ edit: "as before", back: 0 }, { edit: "add", person: 0, to: 0 }),
      up({ edit: "as before", back: 0 }),
    ],
  },
  "a folder with contracts gets another title, and its first one back": {
    start: DOCUMENTS_IN_A_FOLDER,
    steps: [up({ edit: "another title for the folder", of: 0 }), up()],
  },
  "a folder's resource is renamed by aliases, and a contract in it goes and comes back": {
    start: BOTH_IN_A_FOLDER,
    steps: [up({ edit: "rename the folder", of: 0, alias: true }), up(remove(1)), up(restore)],
  },
  "contracts move to another folder and back": {
    start: TABLE_IN_A_FOLDER,
    steps: [up({ edit: "file", of: 0, to: 1 }), up({ edit: "file", of: 0, to: 2 })],
  },
  "contracts move to another folder, and back on a machine that knows nothing": {
    start: BOTH_IN_A_FOLDER,
    steps: [
      up({ edit: "file one", of: 1, to: 1 }, { edit: "file one", of: 2, to: 1 }),
      { ...up({ edit: "as before", back: 0 }), machine: "second" } as Step,
    ],
  },
  "a stack with a folder is destroyed and comes back on a machine that saw nothing before": {
    start: BOTH_IN_A_FOLDER,
    steps: [sign(0), { ...destroy, machine: "second" } as Step, { ...up(), machine: "second" } as Step],
  },
  "a folder goes with what is in it, signed ones too, and comes back": {
    start: BOTH_IN_A_FOLDER,
    steps: [
      sign(0),
      up({ edit: "remove the folder", of: 0, alone: false }),
      up({ edit: "as before", back: 0 }),
      destroy,
      up(),
    ],
  },
  "a stack with a folder of its own wants a contract that another stack has in its folder": {
    start: DOCUMENTS_IN_A_FOLDER,
    steps: [
      { ...up({ edit: "add", person: 2, to: 0 }, { edit: "file", of: 0, to: 2 }), stack: "dev2" } as Step,
      { ...up({ edit: "from the other stack", of: 0 }), stack: "dev2" } as Step,
    ],
  },
  "a contract that was replaced by force leaves its folder on a machine that knows nothing": {
    start: DOCUMENTS_IN_A_FOLDER,
    steps: [
      { ...up(), forced: 0 } as Step,
      { ...up({ edit: "remove the folder", of: 0, alone: true }), machine: "second" } as Step,
    ],
  },
  "a set that was replaced by force leaves its folder on a machine that forgets, and somebody signs": {
    start: TABLE_IN_A_FOLDER,
    steps: [
      { ...up(), forced: 0 } as Step,
      { ...up({ edit: "remove the folder", of: 0, alone: true }), machine: "thrown away" } as Step,
      { do: "sign", of: 1, all: false },
      up(),
    ],
  },
  "what a program without the folder took back is wanted in the folder by another stack": {
    start: BOTH_IN_A_FOLDER,
    steps: [
      { ...up({ edit: "another title", of: 0, to: 0 }), machine: "second" } as Step,
      destroy,
      up({ edit: "remove the folder", of: 0, alone: true }),
      up({ edit: "as the other stack" }),
      { ...up({ edit: "from the other stack", of: 4 }), stack: "dev2" } as Step,
    ],
  },
  "a folder that another machine renamed without aliases gets its first name back": {
    start: BOTH_IN_A_FOLDER,
    steps: [
      up({ edit: "file one", of: 2, to: 1 }),
      up({ edit: "rename", of: 1, alias: false }),
      {
        ...up({ edit: "rename the folder", of: 0, alias: false }, { edit: "file one", of: 1, to: 1 }),
        machine: "second",
      } as Step,
      up({ edit: "as the other stack" }),
      up({ edit: "as before", back: 0 }),
      up({ edit: "another title for the folder", of: 0 }, { edit: "rename the folder", of: 0, alias: false }),
    ],
  },
  "two sets are wanted on a machine that knows nothing, and one of them has a new row": {
    start: TABLE,
    steps: [
      { ...up(), forced: 0 } as Step,
      { ...up(rename(false)), signed: 0 } as Step,
      { ...up(), machine: "second" } as Step,
      up({ edit: "as the other stack" }),
      {
        ...up({ edit: "as before", back: 1 }, { edit: "add", person: 0, to: 2 }),
        machine: "thrown away",
      } as Step,
    ],
  },
  "what a signed one replaced is wanted again": {
    start: TABLE,
    steps: [up(cell(1)), sign(1), up(remove(1)), up({ edit: "as before", back: 1 })],
  },
};

/** What is worth two commands of the real engine a step. */
export const ON_THE_ENGINE: Story = {
  start: BOTH_IN_A_FOLDER,
  steps: [
    up(pdf(B), cell(2)),
    up(pdf(A), cell(2), { edit: "rename the folder", of: 0, alias: true }),
    sign(1),
    up({ edit: "rename", of: 0, alias: true }, remove(1)),
    up(restore),
    up({ edit: "empty", of: 0 }),
    destroy,
    up(),
  ],
};
