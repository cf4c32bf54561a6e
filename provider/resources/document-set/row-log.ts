import { type Facts, sumOf } from "../../schema/facts.js";
import { addressOf } from "../document/signatures.js";
import type { Log } from "../resource.js";
import { kindOf, MOST_NAMED, otherRows } from "./row.js";

/** In a row's warning: the journal forgets several attempts by one command. */
const TOKEN = /(?<=DOCSIGN_FORGET=)\w+/;

/** Summing takes longer than noting. */
const MOST_UNSUMMED = 1_000;

interface Warning {
  readonly lines: string[];
  readonly keys: string[];
  readonly tokens: string[];
}

/**
 * What the rows of a set say, as few lines: notices up to twenty in the rows' order and the others with `--debug`, warnings
 * once for each kind, with the rows they are about.
 */
export class RowLog {
  readonly #notices = new Map<string, string[]>();
  readonly #warnings = new Map<string, Warning>();
  #facts: Facts[] = [];
  /** Who is mailed, and how often. */
  readonly #mailed = new Map<string, number>();

  constructor(private readonly log: Log) {}

  /** What all rows say to machines. */
  get facts(): Facts {
    const sum = sumOf(this.#facts);
    this.#facts = [sum];
    const known = [...this.#mailed.values()].reduce((all, count) => all + count, 0);
    const people = this.#mailed.size + (sum.mails ?? 0) - known;
    // Who countersigns all rows is named in each set's facts, and so counted once for all sets.
    const to = [...this.#mailed].sort(([, one], [, other]) => other - one).map(([address]) => address);
    return { ...sum, ...(people < (sum.mails ?? 0) ? { people } : {}), ...(to.length > 0 ? { to } : {}) };
  }

  note(facts: Facts): void {
    if (this.#facts.push(facts) > MOST_UNSUMMED) this.#facts = [sumOf(this.#facts)];
  }

  /** `to`: whom the row mails, if it mails anybody. */
  of(key: string, to: readonly string[] = []): Log {
    const notices = this.#notices.get(key) ?? [];
    this.#notices.set(key, notices);
    // A key that is an address is in the line already.
    const line = (message: string) => (to.includes(key) && message.includes(key) ? message : `${key}: ${message}`);
    const note = (facts: Facts = {}) => {
      this.note(facts);
      if (!facts.mails) return;
      for (const address of to.map(addressOf)) this.#mailed.set(address, (this.#mailed.get(address) ?? 0) + 1);
    };
    return {
      info: (message, facts) => {
        note(facts);
        notices.push(line(message));
      },
      warn: (message, facts) => {
        note(facts);
        const kind = kindOf(message.replace(TOKEN, "…"));
        const warning = this.#warnings.get(kind) ?? { lines: [], keys: [], tokens: [] };
        this.#warnings.set(kind, warning);
        warning.lines.push(`${key}: ${message}`);
        warning.keys.push(key);
        warning.tokens.push(...(TOKEN.exec(message) ?? []));
      },
      progress: () => {},
      debug: () => {},
    };
  }

  /** Says what there is to say, and at the end what it comes to. */
  flush(summary?: string): void {
    const rows = [...this.#notices.values()].filter(notices => notices.length > 0);
    const lines = rows.slice(0, MOST_NAMED).flat();
    const others = rows.slice(MOST_NAMED).flat();
    if (others.length > 0) {
      const more = rows.length - MOST_NAMED;
      lines.push(`and for ${more} more ${more === 1 ? "row" : "rows"}; \`--debug\` shows all`);
      this.log.debug(others.join("\n"));
    }
    if (summary !== undefined) lines.push(summary);
    if (lines.length > 0) this.log.info(lines.join("\n"), this.facts);
    for (const { lines: all, keys, tokens } of this.#warnings.values()) {
      const [first = ""] = all;
      const line = first.replace(TOKEN, tokens.join(","));
      if (all.length > 1) this.log.debug(all.join("\n"));
      this.log.warn(keys.length === 1 ? line : `${line}\n${otherRows(keys.slice(1))}`);
    }
  }
}
