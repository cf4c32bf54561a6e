import type { Log } from "../resource.js";

const MOST_NOTICES = 20;

/**
 * What the rows of a set say, as few lines: notices up to twenty in the rows' order and the others with `--debug`, warnings
 * once for each kind.
 */
export class RowLog {
  readonly #notices = new Map<string, string[]>();
  readonly #warnings = new Map<string, { first: string; count: number }>();

  constructor(private readonly log: Log) {}

  of(key: string): Log {
    const notices = this.#notices.get(key) ?? [];
    this.#notices.set(key, notices);
    return {
      info: message => void notices.push(`${key}: ${message}`),
      warn: message => {
        const kind = message.replace(/\d+|"[^"]*"|\S+@\S+/g, "…");
        const known = this.#warnings.get(kind);
        this.#warnings.set(kind, { first: known?.first ?? `${key}: ${message}`, count: (known?.count ?? 0) + 1 });
      },
      progress: () => {},
      debug: () => {},
    };
  }

  /** Says what there is to say. */
  flush(): void {
    const rows = [...this.#notices.values()].filter(notices => notices.length > 0);
    const lines = rows.slice(0, MOST_NOTICES).flat();
    const others = rows.slice(MOST_NOTICES).flat();
    if (others.length > 0) {
      const more = rows.length - MOST_NOTICES;
      lines.push(`and for ${more} more ${more === 1 ? "row" : "rows"}; \`--debug\` shows all`);
      this.log.debug(others.join("\n"));
    }
    if (lines.length > 0) this.log.info(lines.join("\n"));
    for (const { first, count } of this.#warnings.values()) {
      const others = count - 1;
      this.log.warn(
        others === 0 ? first : `${first}\nand the same for ${others} more ${others === 1 ? "row" : "rows"}`,
      );
    }
  }
}
