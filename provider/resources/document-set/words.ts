import { StatusError } from "../../client/errors.js";
import { type Address, addressOf } from "../../core/same.js";
import {
  counted,
  firstFew,
  firstLines,
  grouped,
  MOST_NAMED,
  messageKind,
  messageOf,
  statusInWords,
} from "../../core/text.js";
import { type Facts, peopleIn, sumOf } from "../../schema/facts.js";
import { advice, causeSuffix, factsOf, type MeantRemedy, Refusal, type RefusalParts, type Remedy } from "../refusal.js";
import type { Call, Forgetting, Log } from "../resource.js";
import type { RowState, SetState } from "./declaration.js";

/*
 * What a set says of its rows, in few lines: their notices and warnings (`RowLog`), and what is wrong with several of them, as
 * one refusal (`refusalOf`).
 */

// ---- Log ----

/** Facts that are kept at a time before they are summed, and rows before their lines are sorted: either takes longer than noting. */
const MOST_KEPT = 1_000;

/**
 * What the rows of a set say, as few lines: notices up to twenty in the rows' order and the others with `--debug`, warnings
 * once for each kind, with the rows they are about.
 */
export class RowLog {
  /** By row: where its lines stand among the others', or that they are said already. */
  readonly #places = new Map<string, number | "said">();
  /** The lines of rows that may be among the first. */
  readonly #notices = new Map<string, string>();
  /** Rows whose lines `--debug` has shown. */
  #others = 0;
  readonly #warnings: { readonly key: string; readonly message: string; readonly forgets: Forgetting | undefined }[] =
    [];
  #facts: Facts[] = [];
  /** Who is mailed, and how often. */
  readonly #mailed = new Map<Address, number>();

  constructor(private readonly log: Log) {}

  /** What all rows say to machines. */
  get facts(): Facts {
    const sum = sumOf(this.#facts);
    this.#facts = [sum];
    // Who countersigns all rows is named in each set's facts, and so counted once for all sets.
    const mailed = [...this.#mailed].sort(([, one], [, other]) => other - one);
    const to = mailed.map(([address]) => address);
    const people = mailed.reduce((rest, [, times]) => rest + 1 - times, sum.mails ?? 0);
    return { ...sum, ...(people < (sum.mails ?? 0) ? { people } : {}), ...(to.length > 0 ? { to } : {}) };
  }

  note(facts: Facts): void {
    if (this.#facts.push(facts) > MOST_KEPT) this.#facts = [sumOf(this.#facts)];
  }

  /** What these say is in this order. */
  expect(keys: readonly string[]): void {
    for (const key of keys) if (!this.#places.has(key)) this.#places.set(key, this.#places.size);
  }

  /** `to`: whom the row mails, if it mails anybody. */
  of(key: string, to: readonly string[] = []): Log {
    this.expect([key]);
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
        this.#notice(key, line(message));
      },
      warn: (message, facts, forgets) => {
        note(facts);
        this.#warnings.push({ key, message, forgets });
      },
      progress: () => {},
      debug: () => {},
    };
  }

  #notice(key: string, line: string): void {
    if (this.#places.get(key) === "said") {
      this.log.debug(line);
      return;
    }
    const before = this.#notices.get(key);
    this.#notices.set(key, before === undefined ? line : `${before}\n${line}`);
    if (this.#notices.size > MOST_KEPT) this.#sayOthers();
  }

  /** Answers with the lines of the first rows, and says those of the others: of thousands they aren't kept to the end. */
  #sayOthers(): string[] {
    const noted = Array.from(this.#notices, ([key, line]) => ({ key, line, place: Number(this.#places.get(key)) }));
    noted.sort((one, other) => one.place - other.place);
    const others = noted.splice(MOST_NAMED);
    for (const { key } of others) {
      this.#notices.delete(key);
      this.#places.set(key, "said");
    }
    this.#others += others.length;
    if (others.length > 0) this.log.debug(others.map(({ line }) => line).join("\n"));
    return noted.map(({ line }) => line);
  }

  /** Says what there is to say, and at the end what it comes to. */
  flush(summary?: (facts: Facts) => string): void {
    const lines = this.#sayOthers();
    const more = this.#others;
    if (more > 0) lines.push(`and for ${more} more ${more === 1 ? "row" : "rows"}; \`--debug\` shows all`);
    const { facts } = this;
    if (summary !== undefined) lines.push(summary(facts));
    if (lines.length > 0) this.log.info(lines.join("\n"), facts);
    const byKind = Map.groupBy(this.#warnings, ({ message, forgets }) => messageKind(forgets?.words("") ?? message));
    for (const alike of byKind.values()) {
      const [first, ...more] = alike;
      if (!first) continue;
      const tokens = alike.map(({ forgets }) => forgets?.token).join();
      const line = `${first.key}: ${first.forgets?.words(tokens) ?? first.message}`;
      if (more.length > 0) this.log.debug(alike.map(({ key, message }) => `${key}: ${message}`).join("\n"));
      this.log.warn(more.length === 0 ? line : `${line}\n${otherRows(more.map(({ key }) => key))}`);
    }
  }
}

// ---- What is kept ----

/** Says of which rows the documents aren't what the program says, once nothing keeps signed ones any more. */
export function warnOfKept({ log }: Call, kept: readonly { readonly key: string; readonly row: RowState }[]): void {
  const rows = new RowLog(log);
  for (const { key, row } of kept) {
    const about = `document ${row.documentId} was signed when its row changed`;
    rows.of(key).warn(`${about}. It stays as it is without \`whenSigned: "keep"\`, too, and isn't what the row says`);
  }
  rows.flush();
}

// ---- Summary ----

/** What a preview says a set does, of the facts that machines are told. */
export function summaryOf(facts: Facts): string {
  const { mails = 0, sends = 0, replaces = 0, takesBack = 0, keeps = 0, letsGo = 0 } = facts;
  const { keptUnlessForced = 0, undecided = 0, unclear = 0, refused = 0 } = facts;
  const documents = [
    sends > 0 && counted(sends, "new document"),
    replaces > 0 && `${counted(replaces, "document")} in place of others`,
  ];
  const besides = joined(documents);
  const people = peopleIn(facts);
  const whom = mails > 0 ? counted(people, "person", "people") : undecided > 0 ? "people not known yet" : "nobody";
  const parts = [
    `${whom} will be mailed${people < mails ? `, ${grouped(mails)} mails` : ""}${besides === "" ? "" : ` (${besides})`}`,
    takesBack > 0 && `${counted(takesBack, "document")} taken back`,
    keeps > 0 && `${counted(keeps, "document")} kept${keptUnlessForced > 0 ? " unless a replacement is forced" : ""}`,
    letsGo > 0 && `${counted(letsGo, "document")} let go of`,
    undecided > 0 && `${counted(undecided, "row")} not known yet`,
    unclear > 0 && `${counted(unclear, "row")} unclear`,
    refused > 0 && `${counted(refused, "row")} refused`,
  ];
  return `in all: ${joined(parts)}`;
}

const joined = (parts: readonly (string | false)[]): string => parts.filter(part => part !== false).join(", ");

// ---- Problems ----

export const isSigned = (error: unknown): boolean => error instanceof Refusal && error.parts.cause === "replace-signed";

/** A refusal that keeps something from being replaced: it stops all rows before anything is sent. */
export const protectsSigned = (error: unknown): boolean =>
  error instanceof Refusal && error.parts.cause?.startsWith("replace-") === true;

/** The keys of rows that a message isn't about in particular. */
export function otherRows(keys: readonly string[]): string {
  return `and the same for ${keys.length} more ${keys.length === 1 ? "row" : "rows"}: ${firstFew(keys)}`;
}

/** What is wrong with a row. */
export interface RowProblem {
  readonly key: string;
  readonly error: unknown;
}

/**
 * The same for rows of one cause, for all of which the same can be done. A service writes something else in each answer:
 * an id of the request, or when it was.
 */
function causeOf(error: unknown): string {
  if (error instanceof Refusal) {
    const { cause, why, remedies = [] } = error.parts;
    const said = remedies.map(remedy => {
      if (remedy.kind === "forget") return remedy.effect;
      return remedy.kind === "advice" ? messageKind(remedy.text) : remedy.kind;
    });
    return JSON.stringify([cause, why, said]);
  }
  return error instanceof StatusError ? `${error.status} ${error.complaint}` : messageKind(messageOf(error));
}

/** Rows whose documents are protected, each for its own reason. Otherwise the first of a cause stands for all: the engine prints an error three times. */
const MOST_EXPLAINED = 3;

/**
 * The rows' problems as one refusal: what is wrong by cause, and what can be done once for all rows. `--debug` shows every row.
 * `canKeep`: whether `whenSigned: "keep"` would let the other rows go on. `said`: whether machines were told already.
 */
export function refusalOf(
  call: Call,
  headline: string,
  problems: readonly RowProblem[],
  { canKeep, said = false }: { readonly canKeep: boolean; readonly said?: boolean },
): Refusal {
  const causes = new Set(problems.map(({ error }) => (error instanceof Refusal ? error.parts.cause : undefined)));
  const [cause] = causes.size === 1 ? causes : [];
  const lines = problems.map(({ key, error }) => ({
    ...{ key, error },
    line: `${key}: ${problemLine(error, cause === undefined)}`,
  }));
  const alike = [...Map.groupBy(lines, ({ error }) => causeOf(error)).values()];
  const details = alike.flatMap(rows => {
    const shown = rows.length <= MOST_EXPLAINED && rows.every(({ error }) => protectsSigned(error)) ? rows.length : 1;
    const lines = rows.slice(0, shown).map(({ line }) => line);
    return shown === rows.length ? lines : [...lines, otherRows(rows.slice(shown).map(({ key }) => key))];
  });
  const all = alike.flat();
  if (details.length < all.length) call.log.debug(all.map(({ line }) => line).join("\n"));
  const remedies = remediesForEach(alike, canKeep);
  return new Refusal(
    {
      ...{ cause, headline, details: firstLines(details), remedies, facts: said ? {} : factsOfRows(problems) },
      rows: problems.map(({ key }) => key),
    },
    call.urn,
  );
}

/** All rows are gone from the program at once: more often a file that came out empty than a wish. */
export function emptiedSet({ rows }: SetState, property: string): RefusalParts {
  const signed = [...rows.values()].filter(({ status }) => status !== "unsigned").length;
  return {
    cause: "emptied-set",
    headline: `\`${property}\` has no rows, and the set holds ${counted(rows.size, "document")}, ${signed > 0 ? `${signed} of them signed, in part at least,` : "none of them signed"} when last read. Nothing was changed.`,
    details: firstLines(
      [...rows].map(([key, row]) => `${key}: document ${row.documentId}, ${statusInWords(row.status)}`),
    ),
    remedies: [
      advice("put the rows back"),
      advice(
        "let go of all of them on purpose: set allowEmpty: true, or take the set out of the program. The documents stay at the service",
      ),
    ],
  };
}

/** What machines are told of rows that may not be sent. */
export const factsOfRows = (problems: readonly RowProblem[]): Facts =>
  sumOf(problems.map(({ error }) => factsOf(error) ?? { refused: 1 }));

function problemLine(error: unknown, withCause: boolean): string {
  if (!(error instanceof Refusal)) return onOneLine(messageOf(error).split("\n"));
  const { cause, headline, details = [] } = error.parts;
  return `${onOneLine([headline.replace(/\.$/, ""), ...details])}${withCause ? causeSuffix(cause) : ""}`;
}

const onOneLine = (lines: readonly string[]): string =>
  lines
    .map(line => line.trim())
    .filter(line => line !== "")
    .join("; ");

/** What can be done for all rows is said once, anything else with the rows that it is for. */
function remediesForEach(kinds: readonly (readonly RowProblem[])[], canKeep: boolean): MeantRemedy[] {
  const said = kinds.flatMap(rows => remediesOf(rows, canKeep).map(remedy => ({ remedy, rows })));
  const all = [...new Set(said.map(({ rows }) => rows))].flat().length;
  return [...Map.groupBy(said, ({ remedy }) => sayingOf(remedy)).values()].flatMap(same => {
    const keys = same.flatMap(({ rows }) => rows.map(({ key }) => key));
    return same
      .slice(-1)
      .map(({ remedy }) =>
        keys.length === all || remedy.kind === "import" ? remedy : { ...remedy, when: firstFew(keys) },
      );
  });
}

/** What tells it from others. An import names one document as an example. */
const sayingOf = (remedy: Remedy): string => (remedy.kind === "import" ? "" : JSON.stringify(remedy));

function remediesOf(problems: readonly RowProblem[], canKeep: boolean): Remedy[] {
  const all = problems.flatMap(({ key, error }) =>
    error instanceof Refusal ? (error.parts.remedies ?? []).map(remedy => ({ key, remedy })) : [],
  );
  const forgets = all.flatMap(({ remedy }) => (remedy.kind === "forget" ? [remedy] : []));
  const [first, ...others] = forgets;
  const forgotten = first?.one && others.every(({ one }) => one) ? [first] : forgets;
  const isOneCreate = new Set(all.flatMap(({ remedy }) => (remedy.kind === "resolve" ? [remedy.token] : []))).size < 2;
  const adopts = all.flatMap(({ remedy }) => (remedy.kind === "adopt" ? [remedy] : []));
  const forSet = ({ key, remedy }: (typeof all)[number]): readonly Remedy[] => {
    switch (remedy.kind) {
      case "take-back":
        return canKeep ? [PUT_BACK, KEEP] : [PUT_BACK];
      case "send-as-well":
        return [ANOTHER_KEY];
      case "remove-first":
        return [];
      case "state-delete":
        return [TAKE_OUT];
      case "import":
        return [{ ...remedy, row: key }];
      case "resolve":
        return isOneCreate ? [remedy] : [RESOLVE_EACH];
      case "adopt":
        return [{ ...remedy, id: each(adopts, "id").join(",") }];
      case "forget":
        return [
          { ...remedy, token: each(forgotten, "token").join(","), effect: each(forgotten, "effect").join("; or ") },
        ];
      default:
        return [remedy];
    }
  };
  // Anything is the same for all rows, or it is said as often as it differs.
  const said = all.flatMap(forSet).map(remedy => [sayingOf(remedy), remedy] as const);
  return [...new Map(said.toReversed())].map(([, remedy]) => remedy).toReversed();
}

const each = <T, K extends keyof T>(items: readonly T[], name: K): T[K][] => [
  ...new Set(items.map(item => item[name])),
];

const PUT_BACK = advice(
  "keep these documents: put their rows, and the `defaults` and the template they use, back as they were",
);
const KEEP = advice('keep them and replace the others: set whenSigned: "keep"');
const ANOTHER_KEY = advice(
  "send a changed contract as well: give its row another key, which makes it a new row. Its people are mailed and sign a second contract; the first leaves the set and stays at the service",
);
const RESOLVE_EACH = advice(
  "one is there: docsign journal list shows its row's TOKEN; docsign journal resolve TOKEN --is ID, then `pulumi up` takes it",
);
const TAKE_OUT = advice("let go of a document: take its row out of the set");
