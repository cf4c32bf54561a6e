import { isRecord } from "../kit/records.js";
import { nearest } from "../kit/text.js";
import { type FieldProblem, Refusal } from "./refusal.js";

type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined where a text isn't JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const notJson = () => new Refusal(400, "not_json", "The body is not valid JSON");

const areTexts = (values: readonly unknown[]) => values.every(value => typeof value === "string");

/** The least and the most that a number may be. */
type Range = readonly [least: number, most: number];

const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** More of them would help nobody. */
const MOST_PROBLEMS = 100;

/** Reads named fields out of a parsed body, noting everything that is wrong before refusing it all at once. */
export class Fields {
  readonly #source: JsonObject;
  readonly #known = new Set<string>();
  readonly #inner: Fields[] = [];

  /** `isWhole`: a field that nobody has asked for is a problem, too. */
  constructor(
    source: unknown,
    private readonly path = "",
    private readonly problems: FieldProblem[] = [],
    private readonly isWhole = false,
  ) {
    this.#source = isRecord(source) ? source : {};
    if (!isRecord(source)) this.#note("", "must be an object");
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined && this.raw(name) !== null;
  }

  raw(name: string): unknown {
    this.#known.add(name);
    return this.#source[name];
  }

  problem(name: string, problem: string): void {
    this.#note(name, problem);
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (!this.has(name)) this.#note(name, "is required");
    else if (value?.trim() === "") this.#note(name, "must not be blank");
    return value ?? "";
  }

  optionalText(name: string): string | undefined {
    return this.#optional(name, "a string", (value): value is string => typeof value === "string");
  }

  optionalInteger(name: string, range?: Range): number | undefined {
    return this.#within("an integer", name, range, Number.isSafeInteger);
  }

  integer(name: string, range?: Range): number {
    if (!this.has(name)) this.#note(name, "is required");
    return this.optionalInteger(name, range) ?? 0;
  }

  optionalNumber(name: string, range?: Range): number | undefined {
    return this.#within("a number", name, range, Number.isFinite);
  }

  /** What can be the value of a header. */
  optionalHeader(name: string): string | undefined {
    const fits = (value: unknown): value is string => typeof value === "string" && HEADER.test(value);
    return this.#optional(name, "a string that a header can hold", fits);
  }

  /** An integer that is written as a text. */
  optionalDigits(name: string): number | undefined {
    const fits = (value: unknown): value is string => typeof value === "string" && /^\d{1,15}$/.test(value);
    const text = this.#optional(name, "an integer", fits);
    return text === undefined ? undefined : Number(text);
  }

  date(name: string): string {
    const fits = (value: unknown): value is string =>
      typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && new Date(value).toJSON()?.startsWith(value);
    if (!this.has(name)) this.#note(name, "is required");
    return this.#optional(name, "a date of the form YYYY-MM-DD", fits) ?? "";
  }

  optionalBoolean(name: string): boolean | undefined {
    return this.#optional(name, "true or false", (value): value is boolean => typeof value === "boolean");
  }

  optionalTexts(name: string): Record<string, string> | undefined {
    const fits = (value: unknown): value is Record<string, string> => isRecord(value) && areTexts(Object.values(value));
    return this.#optional(name, "an object of strings", fits);
  }

  /** Headers by name. */
  optionalHeaders(name: string): Record<string, string> | undefined {
    const fits = (value: unknown): value is Record<string, string> =>
      isRecord(value) &&
      Object.entries(value).every(
        ([key, text]) => HEADER_NAME.test(key) && typeof text === "string" && HEADER.test(text),
      );
    return this.#optional(name, "an object of headers", fits);
  }

  optionalTextList(name: string): string[] | undefined {
    const fits = (value: unknown): value is string[] => Array.isArray(value) && areTexts(value);
    return this.#optional(name, "an array of strings", fits);
  }

  /** An array of strings, or that one word in its place. */
  optionalTextListOr<const T extends string>(name: string, word: T): string[] | T | undefined {
    const fits = (value: unknown): value is string[] | T => value === word || (Array.isArray(value) && areTexts(value));
    return this.#optional(name, `an array of strings or ${JSON.stringify(word)}`, fits);
  }

  nested(name: string): Fields {
    return this.#inside(this.raw(name), name);
  }

  optionalOneOf<const T extends string | number>(name: string, allowed: readonly T[]): T | undefined {
    return this.#optional(name, `one of ${allowed.join(", ")}`, (value): value is T =>
      allowed.some(one => one === value),
    );
  }

  /** Each element of an array of objects, as fields of their own. */
  each(name: string): Fields[] {
    const value = this.#optional(name, "an array", (list): list is unknown[] => Array.isArray(list)) ?? [];
    return value.map((element, index) => this.#inside(element, `${name}[${index}]`));
  }

  /** Notes every field that nobody has asked for, here and below. */
  noteUnknown(): void {
    for (const name of Object.keys(this.#source).filter(key => !this.#known.has(key))) {
      const meant = nearest(name, this.#known);
      this.#note(name, `is not known${meant === undefined ? "" : `; did you mean ${meant}?`}`);
    }
    for (const fields of this.#inner) fields.noteUnknown();
  }

  refuseIfWrong(): void {
    if (this.isWhole) this.noteUnknown();
    if (this.problems.length === 0) return;
    const sentences = this.problems.map(({ field, problem }) =>
      field ? `${field} ${problem}` : `The body ${problem}`,
    );
    throw new Refusal(422, "validation_failed", sentences.join("; "), this.problems);
  }

  #optional<T>(name: string, expected: string, fits: (value: unknown) => value is T): T | undefined {
    if (!this.has(name)) return undefined;
    const value = this.raw(name);
    if (fits(value)) return value;
    this.#note(name, `must be ${expected}`);
    return undefined;
  }

  #within(what: string, name: string, range: Range | undefined, isOne: (value: unknown) => boolean) {
    const [least, most] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const fits = (value: unknown): value is number =>
      typeof value === "number" && isOne(value) && value >= least && value <= most;
    return this.#optional(name, range ? `${what} from ${least} to ${most}` : what, fits);
  }

  #inside(source: unknown, name: string): Fields {
    const inner = new Fields(source, this.#at(name), this.problems);
    this.#inner.push(inner);
    return inner;
  }

  #at(name: string): string {
    return [this.path, name].filter(Boolean).join(".");
  }

  #note(name: string, problem: string): void {
    if (this.problems.length >= MOST_PROBLEMS) return;
    const field = this.#at(name);
    if (!this.problems.some(known => known.field === field)) this.problems.push({ field, problem });
  }
}
