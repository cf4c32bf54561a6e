import { type FrontEnd, Stage, type StageOptions } from "../faults/support/front-ends.js";
import { nda } from "../lifecycle/scene.js";
import type { Goal, Outcome } from "../support/simulated-engine.js";
import { up } from "./commands.js";
import { newPlace } from "./places.js";
import { type Cases, causeIn, cell, type Ending, endingOf, type Row } from "./table.js";

type Visit = (stage: Stage) => Promise<Ending>;

export const CUT: StageOptions = { dialect: { order: "oldest", pageSize: 5, decoys: 5 } };
export const LATE: StageOptions = { lag: { list: Number.POSITIVE_INFINITY } };

export const at =
  (options: StageOptions, visit: Visit, isShared = false) =>
  async (frontEnd: FrontEnd) => {
    const env = isShared ? { DOCSIGN_JOURNAL: await newPlace("s3") } : {};
    await using stage = await Stage.open(frontEnd, { ...options, env });
    return await visit(stage);
  };

interface Forgetful {
  readonly what: string;
  /** On a machine that remembers nothing. */
  readonly visits: Readonly<Record<string, Visit>>;
  /** With a shared journal, where lists don't show the document; without one, where they show it and where they don't. */
  readonly kept: Proven;
  readonly shown: Proven;
  readonly hidden: Proven;
}

/** Words, how each visit ends, or all of them, and other cases that prove them; undefined: these alone. */
type Proven = readonly [
  text: string,
  ends: Ending | Readonly<Record<string, Ending>> | undefined,
  more?: Cases<FrontEnd>,
];

export function forgetful({ what, visits, kept, shown, hidden }: Forgetful): Row<FrontEnd> {
  const said = ([text, ends, more]: Proven, variants: Readonly<Record<string, StageOptions>>, isShared = false) =>
    cell(text, {
      ...Object.fromEntries(
        Object.entries(ends === undefined ? {} : visits).flatMap(([name, visit]) =>
          Object.entries(variants).map(([variant, options]) => [
            `${name}${variant}`,
            [
              typeof ends === "string" ? ends : (ends?.[`${name}${variant}`] ?? ends?.[name] ?? "an error"),
              at(options, visit, isShared),
            ] as const,
          ]),
        ),
      ),
      ...more,
    });
  const notShown = { ", lists cut": CUT, ", lists late": LATE };
  return [what, said(kept, notShown, true), said(shown, { "": {} }), said(hidden, notShown)];
}

export const killedAndForgotten =
  (program: readonly Goal[]): Visit =>
  async stage => {
    await stage.killed([nda()]);
    stage.moveOn();
    return up(stage, program);
  };

export const SENT_AGAIN: Proven = ["**sent again**", "second document"];

/** Both have looked before either sends, if both come so far. */
export async function atTheSameMoment(stage: Stage): Promise<Ending> {
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
