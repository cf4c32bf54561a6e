import type { Log } from "../resource.js";
import { bounded, MOST_NAMED } from "./row.js";

/** In a row's warning: the journal forgets several attempts by one command. */
const TOKEN = /(?<=DOCSIGN_FORGET=)\w+/;

interface Warning {
  readonly first: string;
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

  constructor(private readonly log: Log) {}

  of(key: string): Log {
    const notices = this.#notices.get(key) ?? [];
    this.#notices.set(key, notices);
    return {
      info: message => void notices.push(`${key}: ${message}`),
      warn: message => {
        const kind = message.replace(TOKEN, "…").replace(/\d+|"[^"]*"|\S+@\S+/g, "…");
        const warning = this.#warnings.get(kind) ?? { first: `${key}: ${message}`, keys: [], tokens: [] };
        this.#warnings.set(kind, warning);
        warning.keys.push(key);
        warning.tokens.push(...(TOKEN.exec(message) ?? []));
      },
      progress: () => {},
      debug: () => {},
    };
  }

  /** Says what there is to say. */
  flush(): void {
    const rows = [...this.#notices.values()].filter(notices => notices.length > 0);
    const lines = rows.slice(0, MOST_NAMED).flat();
    const others = rows.slice(MOST_NAMED).flat();
    if (others.length > 0) {
      const more = rows.length - MOST_NAMED;
      lines.push(`and for ${more} more ${more === 1 ? "row" : "rows"}; \`--debug\` shows all`);
      this.log.debug(others.join("\n"));
    }
    if (lines.length > 0) this.log.info(lines.join("\n"));
    for (const { first, keys, tokens } of this.#warnings.values()) {
      const more = keys.length - 1;
      const line = first.replace(TOKEN, tokens.join(","));
      const same = `and the same for ${more} more ${more === 1 ? "row" : "rows"}: ${bounded(keys).slice(1).join(", ")}`;
      this.log.warn(more === 0 ? line : `${line}\n${same}`);
    }
  }
}
