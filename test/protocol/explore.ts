/** One thing that may happen next. */
export interface Choice {
  readonly label: string;
  /** How unusual it is: a path may be as unusual in all as the budget allows. */
  readonly cost: number;
  take(): void;
}

/** One run of what is explored, from its start. The same choices lead to the same place. */
export interface Run {
  /** What may happen next; nothing: it is over. */
  choices(): readonly Choice[];
  /** Two places with the same key have the same future. */
  key(): string;
  /** What is wrong by now. */
  wrong(): readonly string[];
}

export interface Explored {
  /** What is wrong, each with the shortest path to it that was met. */
  readonly found: ReadonlyMap<string, readonly string[]>;
  readonly paths: number;
  readonly places: number;
}

export interface Bounds {
  readonly budget: number;
  /** Paths beyond which it gives up with an error: a bound that is met silently would prove nothing. */
  readonly most?: number;
  /** Ends with the first thing that is wrong. */
  readonly first?: boolean;
}

/** What waits for a promise has gone on as far as it can. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/**
 * Takes every path within the budget, depth first, each from the start: code that waits for promises can't be put back to
 * where it was. A place that was seen at no greater expense isn't gone on from.
 */
export async function explore(start: () => Run, { budget, most = 200_000, first = false }: Bounds): Promise<Explored> {
  const found = new Map<string, readonly string[]>();
  const seen = new Map<string, number>();
  const taken: number[] = [];
  const widths: number[] = [];
  for (let paths = 1; ; paths++) {
    if (paths > most) throw new Error(`expected at most ${most} paths, and there are more`);
    const run = start();
    const trace: string[] = [];
    let spent = 0;
    for (let depth = 0; ; depth++) {
      await settled();
      for (const what of run.wrong())
        if (trace.length < (found.get(what)?.length ?? Number.POSITIVE_INFINITY)) found.set(what, [...trace]);
      const choices = run.choices().filter(({ cost }) => spent + cost <= budget);
      if (choices.length === 0 || (first && found.size > 0)) break;
      if (depth === taken.length) {
        const key = run.key();
        if ((seen.get(key) ?? Number.POSITIVE_INFINITY) <= spent) break;
        seen.set(key, spent);
        taken.push(0);
        widths[depth] = choices.length;
      }
      const choice = choices[taken[depth] ?? 0];
      if (!choice || choices.length !== widths[depth]) throw new Error(`not the same again: ${trace.join(", ")}`);
      trace.push(choice.label);
      spent += choice.cost;
      choice.take();
    }
    while (taken.length > 0 && (taken.at(-1) ?? 0) + 1 >= (widths[taken.length - 1] ?? 0)) taken.pop();
    const last = taken.pop();
    if (last === undefined || (first && found.size > 0)) return { found, paths, places: seen.size };
    taken.push(last + 1);
  }
}
