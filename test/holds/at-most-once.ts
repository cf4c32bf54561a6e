import { expect } from "vitest";
import type { CommandOptions, FrontEnd, StageOptions } from "../faults/support/front-ends.js";
import { FRONT_ENDS, Stage } from "../faults/support/front-ends.js";
import { nda } from "../lifecycle/scene.js";
import type { IndependentService } from "../support/independent-service/index.js";
import type { Goal } from "../support/simulated-engine.js";
import { edited, up, went } from "./commands.js";
import { forgotten } from "./forgotten.js";
import { newPlace } from "./places.js";
import { causeIn, cell, type Ending, type Row, tableOf } from "./table.js";

/** `resendAfter` is two minutes by default. */
const LATER_MS = 180_000;

/** A journal that is kept: on this machine, or elsewhere for machines that aren't. */
interface Kept {
  open(options?: StageOptions): Promise<Stage>;
  /** The next command runs where the journal's runs run. */
  next(stage: Stage): void;
}

const keptBy = (frontEnd: FrontEnd): Record<string, Kept> => ({
  [`${frontEnd}, the journal on one machine`]: { open: options => Stage.open(frontEnd, options), next: () => {} },
  [`${frontEnd}, a shared journal and a new machine for each run`]: {
    open: async options => Stage.open(frontEnd, { ...options, env: { DOCSIGN_JOURNAL: await newPlace("s3") } }),
    next: stage => stage.moveOn(),
  },
});

type Story = (stage: Stage, at: Kept) => Promise<Ending>;

const told =
  (story: Story, options: StageOptions = {}) =>
  async (at: Kept): Promise<Ending> => {
    await using stage = await at.open(options);
    return await story(stage, at);
  };

const killedThen =
  (again: (stage: Stage) => Promise<Ending>, options: Parameters<Stage["killed"]>[1] = {}): Story =>
  async (stage, at) => {
    await stage.killed([nda()], options);
    at.next(stage);
    return again(stage);
  };

/** These programs ran one after the other, and state is as it was after the first of them. */
const lostAfter =
  (programs: readonly Goal[][], last: readonly Goal[], meanwhile: (stage: Stage) => void = () => {}): Story =>
  async (stage, at) => {
    const [first = [], ...more] = programs;
    if (first.length > 0) await went(stage, first);
    const backup = stage.entries;
    for (const program of more) await went(stage, program);
    meanwhile(stage);
    stage.entries = backup;
    at.next(stage);
    return up(stage, last);
  };

const signNewest = (stage: Stage): void =>
  stage.service.people.sign(stage.service.ledger.documents().at(-1)?.id ?? "", "ana@example.com");

const later =
  (program: readonly Goal[], options: CommandOptions = {}) =>
  (stage: Stage): Promise<Ending> => {
    stage.pass(LATER_MS);
    return up(stage, program, options);
  };

const backend = (url: string): CommandOptions => ({ env: { PULUMI_BACKEND_URL: url } });

const renamed = {
  "its stack": [[nda()], { stack: "prod" }],
  "the resource": [[nda({ name: "contract" })], {}],
  "its backend": [[nda()], backend("file:///b")],
} as const;

const afterRenaming = (ends: Ending, again: typeof later) =>
  Object.fromEntries(
    Object.entries(renamed).map(([what, [program, options]]) => {
      const before = what === "its backend" ? backend("file:///a") : {};
      return [`${what}, ${ends}`, [ends, told(killedThen(again(program, options), before))] as const];
    }),
  );

const atOnce =
  (program: readonly Goal[], options: CommandOptions = {}) =>
  (stage: Stage): Promise<Ending> =>
    up(stage, program, options);

const earlier = nda({ name: "earlier", inputs: { name: "Earlier" } });
const never = { kind: "status", status: 504, when: "before" } as const;

async function lateDocument(stage: Stage, at: Kept): Promise<Ending> {
  stage.service.faults.push({ kind: "status", status: 504, when: "after" }, "createDocument");
  await stage.up([nda()]);
  for (let runs = 0; runs < 4; runs++) {
    stage.pass(5_000);
    at.next(stage);
    const ending = await up(stage, [nda()]);
    if (ending !== "[docsign/create-unconfirmed]") return ending;
  }
  return "[docsign/create-unconfirmed]";
}

const PROVING = { taste: { order: "newest", decoys: 9 } } as const;

const neverMade =
  (wait: number): Story =>
  async (stage, at) => {
    for (const document of stage.service.ledger.decoys()) document.createdAt -= 3_600_000;
    await went(stage, [earlier]);
    stage.service.faults.push(never, "createDocument");
    await stage.up([earlier, nda()]);
    stage.pass(wait);
    at.next(stage);
    return up(stage, [earlier, nda()]);
  };

type Gate = Parameters<IndependentService["gate"]>;

/** The second run runs while the first one stands at this gate. */
const twoRuns =
  (gate: Gate, [own, other]: readonly CommandOptions[] = []): Story =>
  async (stage, at) => {
    const stands = stage.service.gate(...gate);
    const first = stage.up([nda()], { skipPreview: true, ...own });
    await stands.reached;
    at.next(stage);
    const second = await up(stage, [nda()], { skipPreview: true, ...other });
    stands.open();
    const { error } = await first;
    expect(stage.saw()).toMatchObject({ posts: 1, mails: 2 });
    // Of two that have both looked, the one that comes to the journal later is the second.
    return error === undefined ? second : causeIn(error);
  };

/** These programs, one after the other. */
const lived =
  (...programs: readonly Goal[][]): Story =>
  async (stage, at) => {
    for (const program of programs.slice(0, -1)) {
      await went(stage, program);
      at.next(stage);
    }
    return up(stage, programs.at(-1) ?? []);
  };

const signedAndLetGo: Story = async (stage, at) => {
  await went(stage, [nda()]);
  signNewest(stage);
  return lived([], [nda()])(stage, at);
};

const signedAfterAChange: Story = async (stage, at) => {
  await went(stage, [nda()]);
  await went(stage, [edited]);
  signNewest(stage);
  return lived([], [nda()])(stage, at);
};

const kept: readonly Row<Kept>[] = [
  [
    "the plugin or the engine was killed after the request was sent",
    cell("looks, and takes the document over; if the service shows none: `[docsign/create-unconfirmed]`", {
      "the document is there": ["taken over", told(killedThen(atOnce([nda()])))],
      "the request never got through": [
        "[docsign/create-unconfirmed]",
        told(killedThen(atOnce([nda()]), { at: "received-body" })),
      ],
    }),
  ],
  [
    "the state backend couldn't be written, the engine was frozen and killed, or state was restored from a backup, and no run has shown the document since",
    cell("takes the document over; with other content: `[docsign/created-with-other-content]`", {
      "state lost": ["taken over", told(lostAfter([[], [nda()]], [nda()]))],
      "state lost, signed": ["taken over", told(lostAfter([[], [nda()]], [nda()], signNewest))],
      "a replacement lost": ["taken over", told(lostAfter([[nda()], [edited]], [edited]))],
      "a replacement lost, signed": ["taken over", told(lostAfter([[nda()], [edited]], [edited], signNewest))],
      "other content": ["[docsign/created-with-other-content]", told(lostAfter([[], [nda()]], [edited]))],
    }),
  ],
  [
    "the same, and a run has shown the document",
    cell("`[docsign/duplicate]`; once somebody has signed: `[docsign/replace-signed]`", {
      "state lost": ["[docsign/duplicate]", told(lostAfter([[], [nda()], [nda()]], [nda()]))],
      "a replacement lost": ["[docsign/duplicate]", told(lostAfter([[nda()], [edited], [edited]], [edited]))],
      "state lost, signed": ["[docsign/replace-signed]", told(lostAfter([[], [nda()], [nda()]], [nda()], signNewest))],
      "a replacement lost, signed": [
        "[docsign/replace-signed]",
        told(lostAfter([[nda()], [edited], [edited]], [edited], signNewest)),
      ],
    }),
  ],
  [
    "the answer failed, and the service created the document long after it, or never",
    cell(
      "looks again and takes it over; sends only with proof and after `resendAfter`, before that: `[docsign/create-unconfirmed]`",
      {
        "20 s later": ["taken over", told(lateDocument, { taste: { lateMs: 20_000 } })],
        "never, soon": ["[docsign/create-unconfirmed]", told(neverMade(0), PROVING)],
        "never, later": ["created", told(neverMade(LATER_MS), PROVING)],
        "never, later, without proof": ["[docsign/create-unconfirmed]", told(neverMade(LATER_MS))],
      },
    ),
  ],
  [
    "a run was killed, then the resource, its stack or its backend was renamed",
    cell("`[docsign/create-elsewhere]`; after `resendAfter`, `[docsign/duplicate]`, which names the document", {
      ...afterRenaming("[docsign/create-elsewhere]", atOnce),
      ...afterRenaming("[docsign/duplicate]", later),
    }),
  ],
  [
    "a run was killed, then the backend's URL written with a slash at its end, or with a parameter",
    cell(
      "takes the document over",
      Object.fromEntries(
        ["file:///a/", "file:///a?no_tmp_dir=true"].map(url => [
          url,
          ["taken over", told(killedThen(atOnce([nda()], backend(url)), backend("file:///a")))] as const,
        ]),
      ),
    ),
  ],
  [
    "a document was let go of (taken out of the program, destroyed, replaced), and the program wants it again, exactly alike",
    cell(
      "takes the document back, also under another name and where it is signed; `[docsign/duplicate]` where it is unsigned and a signed one has its name and people",
      {
        "taken out and put back": ["taken over", told(lived([nda()], [], [nda()]))],
        twice: ["taken over", told(lived([nda()], [], [nda()], [], [nda()]))],
        "under another name": ["taken over", told(lived([nda()], [], [nda({ name: "contract" })]))],
        "changed, and changed back": ["taken over", told(lived([nda()], [edited], [nda()]))],
        signed: ["taken over", told(signedAndLetGo)],
        "a signed one in its place": ["[docsign/duplicate]", told(signedAfterAChange)],
      },
    ),
  ],
  [
    "two runs at once, on one journal",
    cell(
      "the second sends nothing: it takes the document over, or fails with `[docsign/create-unconfirmed]` or `[docsign/create-elsewhere]`",
      {
        "the first one's document is made": ["taken over", told(twoRuns(["processed", "createDocument"]))],
        "it isn't made yet": ["[docsign/create-unconfirmed]", told(twoRuns(["received-body", "createDocument"]))],
        "both have looked": ["[docsign/create-elsewhere]", told(twoRuns(["processed", "listDocuments"]))],
      },
    ),
  ],
  [
    "two runs of two stacks, or of two backends of one stack, at once, on one journal",
    cell(
      "the second sends nothing: `[docsign/create-elsewhere]`, or `[docsign/duplicate]` once the first one's document is made",
      Object.fromEntries(
        Object.entries({
          "two stacks": [{ stack: "dev" }, { stack: "prod" }],
          "two backends": [backend("file:///a"), backend("file:///b")],
        }).flatMap(([what, runs]) => [
          [
            `${what}, its request is under way`,
            ["[docsign/create-elsewhere]", told(twoRuns(["received-body", "createDocument"], runs))] as const,
          ],
          [
            `${what}, both have looked`,
            ["[docsign/duplicate]", told(twoRuns(["processed", "listDocuments"], runs))] as const,
          ],
        ]),
      ),
    ),
  ],
];

export const atMostOnce = [
  tableOf({
    page: "at-most-once",
    name: "journal-kept",
    head: ["what happened", "the next `pulumi up`"],
    rows: kept,
    settings: Object.assign({}, ...FRONT_ENDS.map(keptBy)) as Record<string, Kept>,
  }),
  tableOf({
    page: "at-most-once",
    name: "nothing-kept",
    head: [
      "what happened",
      "the service's lists show the document",
      "they don't (cut, late)",
      "they don't, and the journal is shared",
    ],
    rows: forgotten,
    settings: Object.fromEntries(FRONT_ENDS.map(frontEnd => [frontEnd, frontEnd])),
  }),
];
