interface Filter {
  q?: string;
  status?: string;
  stack?: string;
  sort?: string;
}

const SHOWN_AT_ONCE = 100;

/** All rows of the list. Only those that are shown are in the page: with ten thousand, finding stays instant. */
export class Rows {
  readonly all: readonly HTMLElement[];
  found: readonly HTMLElement[];
  #shown = 0;
  readonly #texts = new Map<HTMLElement, string>();

  readonly #shownIn: HTMLElement;

  constructor(list: HTMLElement) {
    this.all = [...list.children].filter(one => one instanceof HTMLElement);
    this.found = this.all;
    // All at once: a browser takes seconds to remove ten thousand one by one.
    this.#shownIn = list.cloneNode(false) as HTMLElement;
    this.#shownIn.classList.add("drawn");
    list.replaceWith(this.#shownIn);
    // Once, as reading a row costs more than looking through its text.
    for (const row of this.all) this.#texts.set(row, (row.textContent ?? "").toLowerCase());
  }

  get hasMore(): boolean {
    return this.#shown < this.found.length;
  }

  /** Shows the first of all, and lets a button show more. */
  static inPieces(list: HTMLElement, more: HTMLElement): Rows {
    const rows = new Rows(list);
    const show = () => {
      more.hidden = !rows.hasMore;
    };
    more.addEventListener("click", () => {
      rows.showMore();
      show();
    });
    addEventListener("beforeprint", () => rows.showAll());
    rows.find({});
    show();
    return rows;
  }

  find({ q = "", status = "", stack = "", sort = "" }: Filter): void {
    const words = q
      .toLowerCase()
      .split(/\s+/)
      .filter(word => word !== "");
    const found = this.all.filter(
      row =>
        (stack === "" || row.dataset["k"] === stack) &&
        isOf(row, status) &&
        words.every(word => this.#texts.get(row)?.includes(word)),
    );
    this.found = sorted(found, sort);
    this.#shown = Math.min(SHOWN_AT_ONCE, found.length);
    this.#shownIn.replaceChildren(...this.found.slice(0, this.#shown));
  }

  showMore(count = SHOWN_AT_ONCE): void {
    const more = this.found.slice(this.#shown, this.#shown + count);
    this.#shownIn.append(...more);
    this.#shown += more.length;
  }

  showAll(): void {
    this.showMore(this.found.length);
  }

  /** Shows the row with this id, if it is among those found. */
  reveal(id: string): HTMLElement | undefined {
    const index = this.found.findIndex(row => row.id === id);
    if (index >= this.#shown) this.showMore(index + 1 - this.#shown);
    return this.found[index];
  }
}

function isOf(row: HTMLElement, status: string): boolean {
  if (status === "") return true;
  if (status === "late") return row.querySelector(":scope > b.l") !== null;
  if (status === "drift") return row.querySelector(":scope > p.n") !== null;
  const own = row.querySelector("b")?.textContent ?? "";
  return status === "open" ? own !== "signed" : `=${own}` === status;
}

/** A moment as the row has it, in milliseconds. */
function timeOf(row: HTMLElement, name: "t" | "e"): number | undefined {
  const minutes = row.dataset[name];
  return minutes === undefined ? undefined : Number.parseInt(minutes, 36) * 60_000;
}

function sorted(rows: HTMLElement[], sort: string): HTMLElement[] {
  const time = (name: "t" | "e", missing: number) => (row: HTMLElement) => timeOf(row, name) ?? missing;
  if (sort === "name") {
    const { compare } = new Intl.Collator(undefined, { numeric: true });
    const names = new Map(rows.map(row => [row, row.querySelector("h3")?.textContent ?? ""]));
    return rows.sort((a, b) => compare(names.get(a) ?? "", names.get(b) ?? ""));
  }
  const by = { sent: time("t", Infinity), recent: time("t", -Infinity), deadline: time("e", Infinity) }[sort];
  if (!by) return rows;
  const keys = new Map(rows.map(row => [row, by(row)]));
  const direction = sort === "recent" ? -1 : 1;
  return rows.sort((a, b) => direction * ((keys.get(a) ?? 0) - (keys.get(b) ?? 0)) || 0);
}

const HEAD = ["Contract", "Document", "Status", "Late", "Sent", "Deadline", "Signed by", "To sign", "PDF", "Details"];

/** What is shown, for a spreadsheet. */
export function csvOf(rows: readonly HTMLElement[]): string {
  return [HEAD, ...rows.map(cells)].map(line => line.map(quoted).join(",")).join("\r\n");
}

function cells(row: HTMLElement): string[] {
  const iso = (name: "t" | "e") => {
    const time = timeOf(row, name);
    return time === undefined ? "" : new Date(time).toISOString();
  };
  const people = (selector: string) =>
    [...row.querySelectorAll(selector)]
      .map(one => (one.querySelector("i") ?? one.querySelector("bdi"))?.textContent ?? "")
      .join("; ");
  return [
    row.querySelector("h3")?.textContent ?? "",
    row.id.replace(/^c\d+-/, ""),
    row.querySelector("b")?.textContent ?? "",
    row.querySelector(":scope > b.l") === null ? "" : "late",
    iso("t"),
    iso("e"),
    people("li.y"),
    people("li.t"),
    row.querySelector("a")?.href ?? "",
    row.querySelector("p")?.textContent ?? "",
  ];
}

/** A spreadsheet would take a text that begins like this for a formula. */
const quoted = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
