import { expect } from "vitest";
import type { CommandOptions, FrontEnd, StageOptions } from "../faults/support/front-ends.js";
import { FRONT_ENDS, Stage } from "../faults/support/front-ends.js";
import { nda } from "../lifecycle/scene.js";
import type { IndependentService } from "../support/independent-service/index.js";
import type { Goal } from "../support/simulated-engine.js";
import { edited, up, went } from "./commands.js";
import { at, atTheSameMoment, forgetful, killedAndForgotten, SENT_AGAIN } from "./forgotten.js";
import { newPlace } from "./places.js";
import { type Cases, causeIn, type Ending, inEngine, type Row, tableOf } from "./table.js";

/** `resendAfter` is two minutes by default. */
const LATER_MS = 180_000;

/** A journal that is kept: on this machine, or elsewhere for machines that aren't. */
interface JournalSetup {
  open(options?: StageOptions): Promise<Stage>;
  /** The next command runs where the journal's runs run. */
  next(stage: Stage): void;
}

const KEEPERS: Readonly<Record<string, (frontEnd: FrontEnd) => JournalSetup>> = {
  "the journal on one machine": frontEnd => ({
    open: options => Stage.open(frontEnd, options),
    next: () => {},
  }),
  "a shared journal and a new machine for each run": frontEnd => ({
    open: async options => Stage.open(frontEnd, { ...options, env: { DOCSIGN_JOURNAL: await newPlace("s3") } }),
    next: stage => stage.moveOn(),
  }),
};

/** Each case with either journal. */
const kept = (cases: Cases<JournalSetup>): Cases<FrontEnd> =>
  Object.fromEntries(
    Object.entries(cases).flatMap(([name, [ends, play]]) =>
      Object.entries(KEEPERS).map(([keeper, by]) => [
        `${name}, ${keeper}`,
        [ends, (frontEnd: FrontEnd) => play(by(frontEnd))] as const,
      ]),
    ),
  );

type Story = (stage: Stage, at: JournalSetup) => Promise<Ending>;

const told =
  (story: Story, options: StageOptions = {}) =>
  async (at: JournalSetup): Promise<Ending> => {
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

async function lateDocument(stage: Stage, at: JournalSetup): Promise<Ending> {
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

/** As many rows as a page may have, and others behind them. */
const CUT = { dialect: { pageSize: 5, decoys: 15 } } as const;
const PROVING = { dialect: { order: "newest", decoys: 9 } } as const;

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

const rows: readonly Row<FrontEnd>[] = [
  forgetful({
    what: "a run was killed or cancelled after the request had left, or its answer was lost",
    visits: { killed: killedAndForgotten([nda()]) },
    kept: [
      "takes the document over; while lists don't show it, `[docsign/create-unconfirmed]`; sends only with proof and after `resendAfter`",
      "[docsign/create-unconfirmed]",
      kept({
        "the document is there": ["taken over", told(killedThen(atOnce([nda()])))],
        "the request never got through": [
          "[docsign/create-unconfirmed]",
          told(killedThen(atOnce([nda()]), { at: "received-body" })),
        ],
        "the backend's URL with a slash at its end": [
          "taken over",
          told(killedThen(atOnce([nda()], backend("file:///a/")), backend("file:///a"))),
        ],
        "the backend's URL with a parameter": [
          "taken over",
          told(killedThen(atOnce([nda()], backend("file:///a?no_tmp_dir=true")), backend("file:///a"))),
        ],
        "made 20 s later": ["taken over", told(lateDocument, { dialect: { lateMs: 20_000 } })],
        "never made, soon": ["[docsign/create-unconfirmed]", told(neverMade(0), PROVING)],
        "never made, later": ["created", told(neverMade(LATER_MS), PROVING)],
        "never made, later, without proof": ["[docsign/create-unconfirmed]", told(neverMade(LATER_MS), CUT)],
      }),
    ],
    shown: [
      "`[docsign/duplicate]`; with `duplicatePolicy: adopt`, taken over",
      "[docsign/duplicate]",
      {
        cancelled: inEngine(
          "[docsign/duplicate]",
          "faults/next-run",
          "a machine that remembers nothing refuses to send any of them again",
        ),
        "with duplicatePolicy adopt": [
          "taken over",
          at({ config: { duplicatePolicy: "adopt" } }, killedAndForgotten([nda()])),
        ],
      },
    ],
    hidden: SENT_AGAIN,
  }),
  forgetful({
    what: "the same, and then the program was edited",
    visits: {
      "the PDF": killedAndForgotten([edited]),
      "the description": killedAndForgotten([nda({ inputs: { description: "One-sided" } })]),
      "the name": killedAndForgotten([nda({ inputs: { name: "NDA 2" } })]),
      "the people": killedAndForgotten([
        nda({ inputs: { invitations: [{ email: "cleo@example.net", name: "Cleo" }] } }),
      ]),
    },
    kept: [
      "`[docsign/created-with-other-content]`; while lists don't show it, `[docsign/create-unconfirmed]`",
      "[docsign/create-unconfirmed]",
      kept({ "the PDF": ["[docsign/created-with-other-content]", told(killedThen(atOnce([edited])))] }),
    ],
    shown: [
      "`[docsign/duplicate]`; with another name or other people, **sent** as a new contract",
      {
        "the PDF": "[docsign/duplicate]",
        "the description": "[docsign/duplicate]",
        "the name": "second document",
        "the people": "second document",
      },
    ],
    hidden: SENT_AGAIN,
  }),
  forgetful({
    what: "another resource, stack or backend wants the same, or one of them was renamed",
    visits: {
      "a second stack": async stage => {
        await went(stage, [nda()]);
        stage.entries = [];
        stage.moveOn();
        return up(stage, [nda()], { stack: "prod" });
      },
    },
    kept: [
      "`[docsign/duplicate]`, which names the document; while the outcome of the first isn't known, `[docsign/create-elsewhere]`",
      "[docsign/duplicate]",
      kept({
        ...afterRenaming("[docsign/create-elsewhere]", atOnce),
        ...afterRenaming("[docsign/duplicate]", later),
      }),
    ],
    shown: ["`[docsign/duplicate]`", "[docsign/duplicate]"],
    hidden: SENT_AGAIN,
  }),
  forgetful({
    what: "state doesn't know what was sent: it was restored, or its backend couldn't be written",
    visits: {
      "state lost": async stage => {
        await went(stage, [nda()]);
        stage.entries = [];
        stage.moveOn();
        return up(stage, [nda()]);
      },
    },
    kept: [
      "takes the document over; with other content, `[docsign/created-with-other-content]`. If a run has shown the document since, and somebody has signed it, `[docsign/replace-signed]`",
      { "state lost, lists cut": "taken over", "state lost, lists late": "taken over" },
      kept({
        "state lost": ["taken over", told(lostAfter([[], [nda()]], [nda()]))],
        "state lost, signed": ["taken over", told(lostAfter([[], [nda()]], [nda()], signNewest))],
        "a replacement lost": ["taken over", told(lostAfter([[nda()], [edited]], [edited]))],
        "a replacement lost, signed": ["taken over", told(lostAfter([[nda()], [edited]], [edited], signNewest))],
        "other content": ["[docsign/created-with-other-content]", told(lostAfter([[], [nda()]], [edited]))],
        "shown, state lost": ["taken over", told(lostAfter([[], [nda()], [nda()]], [nda()]))],
        "shown, a replacement lost": ["taken over", told(lostAfter([[nda()], [edited], [edited]], [edited]))],
        "shown, state lost, signed": [
          "[docsign/replace-signed]",
          told(lostAfter([[], [nda()], [nda()]], [nda()], signNewest)),
        ],
        "shown, a replacement lost, signed": [
          "[docsign/replace-signed]",
          told(lostAfter([[nda()], [edited], [edited]], [edited], signNewest)),
        ],
      }),
    ],
    shown: ["`[docsign/duplicate]`", "[docsign/duplicate]"],
    hidden: SENT_AGAIN,
  }),
  forgetful({
    what: "a document was let go of (taken out of the program, destroyed, replaced) and is wanted again",
    visits: {
      "destroy, then up": async stage => {
        await went(stage, [nda()]);
        await went(stage, []);
        stage.moveOn();
        return up(stage, [nda()]);
      },
    },
    kept: [
      "takes the document back, signed or not; `[docsign/duplicate]` where it is unsigned and a signed one has its name and people",
      "taken over",
      kept({
        "taken out and put back": ["taken over", told(lived([nda()], [], [nda()]))],
        twice: ["taken over", told(lived([nda()], [], [nda()], [], [nda()]))],
        "under another name": ["taken over", told(lived([nda()], [], [nda({ name: "contract" })]))],
        "changed, and changed back": ["taken over", told(lived([nda()], [edited], [nda()]))],
        signed: ["taken over", told(signedAndLetGo)],
        "a signed one in its place": ["[docsign/duplicate]", told(signedAfterAChange)],
      }),
    ],
    shown: ["`[docsign/duplicate]`", "[docsign/duplicate]"],
    hidden: SENT_AGAIN,
  }),
  forgetful({
    what: "two runs at once, of one stack or of two",
    visits: { "both have looked": atTheSameMoment },
    kept: [
      "one sends; the other takes the document over, or fails with `[docsign/create-unconfirmed]`, `[docsign/create-elsewhere]` or `[docsign/duplicate]`",
      undefined,
      kept({
        "the first one's document is made": ["taken over", told(twoRuns(["processed", "createDocument"]))],
        "it isn't made yet": ["[docsign/create-unconfirmed]", told(twoRuns(["received-body", "createDocument"]))],
        "both have looked, one after the other": [
          "[docsign/create-elsewhere]",
          told(twoRuns(["processed", "listDocuments"])),
        ],
        ...Object.fromEntries(
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
      }),
    ],
    shown: ["**both may send**", "second document"],
    hidden: ["**both may send**", "second document"],
  }),
];

export const atMostOnce = [
  tableOf({
    page: "explained/at-most-once",
    name: "what-holds",
    head: [
      "what happened before this `pulumi up`",
      "the journal is kept, or [shared](../journal.md)",
      "no journal, and lists show the document",
      "no journal, and they don't (cut, late)",
    ],
    rows,
    settings: Object.fromEntries(FRONT_ENDS.map(frontEnd => [frontEnd, frontEnd])),
  }),
];
