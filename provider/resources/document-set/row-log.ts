import type { Log } from "../resource.js";

const MOST_NOTICES = 20;

/** What the rows of a set say, as few lines: notices up to twenty, warnings once for each kind. */
export class RowLog {
  readonly #notices: string[] = [];
  readonly #warnings = new Map<string, { first: string; count: number }>();

  constructor(private readonly log: Log) {}

  of(key: string): Log {
    return {
      info: message => void this.#notices.push(`${key}: ${message}`),
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
    const more = this.#notices.length - MOST_NOTICES;
    const notices = this.#notices.slice(0, MOST_NOTICES);
    if (more > 0) notices.push(`and ${more} more rows`);
    if (notices.length > 0) this.log.info(notices.join("\n"));
    for (const { first, count } of this.#warnings.values()) {
      this.log.warn(count === 1 ? first : `${first}\nand the same of ${count - 1} more rows`);
    }
  }
}
