import { type FrontEnd, Stage, type StageOptions } from "../faults/support/front-ends.js";
import { nda } from "../lifecycle/scene.js";
import type { Goal, Outcome } from "../support/simulated-engine.js";
import { edited, up, went } from "./commands.js";
import { newPlace } from "./places.js";
import { causeIn, cell, type Ending, endingOf, inEngine, type Row } from "./table.js";

type Visit = (stage: Stage) => Promise<Ending>;

export const CUT: StageOptions = { taste: { order: "oldest", pageSize: 5, decoys: 5 } };
export const LATE: StageOptions = { lag: { list: Number.POSITIVE_INFINITY } };

const at =
  (options: StageOptions, visit: Visit, isShared = false) =>
  async (frontEnd: FrontEnd) => {
    const env = isShared ? { DOCSIGN_JOURNAL: await newPlace("s3") } : {};
    await using stage = await Stage.open(frontEnd, { ...options, env });
    return await visit(stage);
  };

interface Forgetful {
  readonly what: string;
  readonly visits: Readonly<Record<string, Visit>>;
  /** Where lists show the document; where they don't; where they don't, and the journal is shared. */
  readonly shown: Said;
  readonly hidden: Said;
  readonly shared: Said;
  readonly more?: Parameters<typeof cell<FrontEnd>>[1];
}

/** Words, and how each visit ends, or all of them. */
type Said = readonly [text: string, ends: Ending | Readonly<Record<string, Ending>>];

function forgetful({ what, visits, shown, hidden, shared, more }: Forgetful): Row<FrontEnd> {
  const cases = ([, ends]: Said, variants: Readonly<Record<string, StageOptions>>, isShared = false) =>
    Object.fromEntries(
      Object.entries(visits).flatMap(([name, visit]) =>
        Object.entries(variants).map(([variant, options]) => [
          `${name}${variant}`,
          [
            typeof ends === "string" ? ends : (ends[`${name}${variant}`] ?? ends[name] ?? "an error"),
            at(options, visit, isShared),
          ] as const,
        ]),
      ),
    );
  const notShown = { ", lists cut": CUT, ", lists late": LATE };
  return [
    what,
    cell(shown[0], { ...cases(shown, { "": {} }), ...more }),
    cell(hidden[0], cases(hidden, notShown)),
    cell(shared[0], cases(shared, notShown, true)),
  ];
}

const killedAndForgotten =
  (program: readonly Goal[]): Visit =>
  async stage => {
    await stage.killed([nda()]);
    stage.moveOn();
    return up(stage, program);
  };

const SENT_AGAIN: Said = ["**sent again**", "second document"];
const SENT: Said = ["**sent** as a new contract", "second document"];
const DUPLICATE: Said = ["`[docsign/duplicate]`", "[docsign/duplicate]"];
const UNCONFIRMED: Said = ["`[docsign/create-unconfirmed]`", "[docsign/create-unconfirmed]"];
const BOTH: Said = ["**both may send**: run one at a time", "second document"];

/** Both have looked before either sends, if both come so far. */
async function atTheSameMoment(stage: Stage): Promise<Ending> {
  const gates = [0, 1].map(() => stage.service.gate("received-headers", "createDocument"));
  const outcomes: Outcome[] = [];
  const ending = await endingOf(
    stage.service,
    () => stage.entries,
    async () => {
      const first = stage.up([nda()], { skipPreview: true });
      stage.moveOn();
      const second = stage.up([nda()], { skipPreview: true });
      await Promise.race([first, second, Promise.all(gates.map(({ reached }) => reached))]);
      for (const gate of gates) gate.open();
      outcomes.push(...(await Promise.all([first, second])));
      return { error: undefined };
    },
  );
  const { error } = outcomes.find(outcome => outcome.error !== undefined) ?? {};
  return ending === "created" && error !== undefined ? causeIn(error) : ending;
}

const forced =
  (isSigned: boolean): Visit =>
  async stage => {
    await went(stage, [nda()]);
    await went(stage, [nda()]);
    const { people, ledger } = stage.service;
    if (isSigned) for (const { id } of ledger.documents()) people.signAll(id);
    stage.moveOn();
    return up(stage, [nda()], { replace: ["nda"], skipPreview: true });
  };

export const forgotten: readonly Row<FrontEnd>[] = [
  forgetful({
    what: "a run was killed or cancelled after documents had arrived",
    visits: { killed: killedAndForgotten([nda()]) },
    shown: ["`[docsign/duplicate]`: import them; `duplicatePolicy: adopt` takes them over", "[docsign/duplicate]"],
    hidden: SENT_AGAIN,
    shared: UNCONFIRMED,
    more: {
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
  }),
  forgetful({
    what: "a run was killed, then the PDF or the description was edited",
    visits: {
      "the PDF": killedAndForgotten([edited]),
      "the description": killedAndForgotten([nda({ inputs: { description: "One-sided" } })]),
    },
    shown: DUPLICATE,
    hidden: SENT_AGAIN,
    shared: UNCONFIRMED,
  }),
  forgetful({
    what: "a run was killed, then the name or the people were edited",
    visits: {
      "the name": killedAndForgotten([nda({ inputs: { name: "NDA 2" } })]),
      "the people": killedAndForgotten([
        nda({ inputs: { invitations: [{ email: "cleo@example.net", name: "Cleo" }] } }),
      ]),
    },
    shown: SENT,
    hidden: SENT,
    shared: UNCONFIRMED,
  }),
  forgetful({
    what: "a replacement is forced (`--replace`, taint) without `deleteBeforeReplace`",
    visits: { unsigned: forced(false), signed: forced(true) },
    shown: DUPLICATE,
    hidden: SENT_AGAIN,
    shared: [
      "`[docsign/duplicate]` while unsigned, if they prove that no newer one is signed: else `[docsign/replace-unknown-predecessor]`; once somebody has signed: `[docsign/replace-signed]`",
      {
        "unsigned, lists cut": "[docsign/duplicate]",
        "unsigned, lists late": "[docsign/replace-unknown-predecessor]",
        signed: "[docsign/replace-signed]",
      },
    ],
  }),
  forgetful({
    what: "a second stack sends the same contract",
    visits: {
      "a second stack": async stage => {
        await went(stage, [nda()]);
        stage.entries = [];
        stage.moveOn();
        return up(stage, [nda()], { stack: "prod" });
      },
    },
    shown: DUPLICATE,
    hidden: SENT_AGAIN,
    shared: DUPLICATE,
  }),
  forgetful({
    what: "destroy, then `up`",
    visits: {
      "destroy, then up": async stage => {
        await went(stage, [nda()]);
        await went(stage, []);
        stage.moveOn();
        return up(stage, [nda()]);
      },
    },
    shown: DUPLICATE,
    hidden: SENT_AGAIN,
    shared: ["takes the document back", "taken over"],
  }),
  forgetful({
    what: "two machines create the same at the same moment",
    visits: { "both have looked": atTheSameMoment },
    shown: BOTH,
    hidden: BOTH,
    shared: ["one sends; the other fails with `[docsign/create-elsewhere]`", "[docsign/create-elsewhere]"],
  }),
];
