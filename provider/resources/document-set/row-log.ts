import type { Log } from "../resource.js";

const MOST_NOTICES = 20;

/** What the rows of a set say, as few lines: notices up to twenty in the rows' order, warnings once for each kind. */
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
    };
  }

  /** Says what there is to say. */
  flush(): void {
    const rows = [...this.#notices.values()].filter(notices => notices.length > 0);
    const lines = rows.slice(0, MOST_NOTICES).flat();
    const more = rows.length - MOST_NOTICES;
    if (more > 0) lines.push(`and the same for ${more} more ${more === 1 ? "row" : "rows"}`);
    if (lines.length > 0) this.log.info(lines.join("\n"));
    for (const { first, count } of this.#warnings.values()) {
      const others = count - 1;
      this.log.warn(
        others === 0 ? first : `${first}\nand the same for ${others} more ${others === 1 ? "row" : "rows"}`,
      );
    }
  }
}
