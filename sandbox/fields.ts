import { type FieldProblem, Refusal } from "./refusal.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const areTexts = (values: readonly unknown[]) => values.every(value => typeof value === "string");

/** Reads named fields out of a parsed body, noting everything that is wrong before refusing it all at once. */
export class Fields {
  readonly #source: JsonObject;
  readonly #path: string;
  readonly #problems: FieldProblem[];

  constructor(source: unknown, path = "", problems: FieldProblem[] = []) {
    this.#path = path;
    this.#problems = problems;
    this.#source = isObject(source) ? source : {};
    if (!isObject(source)) this.#note("", "must be an object");
  }

  has(name: string): boolean {
    return this.#source[name] !== undefined && this.#source[name] !== null;
  }

  raw(name: string): unknown {
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

  optionalInteger(name: string): number | undefined {
    return this.#optional(name, "an integer", (value): value is number => Number.isSafeInteger(value));
  }

  integer(name: string): number {
    if (!this.has(name)) this.#note(name, "is required");
    return this.optionalInteger(name) ?? 0;
  }

  optionalNumber(name: string): number | undefined {
    return this.#optional(name, "a number", (value): value is number => typeof value === "number");
  }

  optionalBoolean(name: string): boolean | undefined {
    return this.#optional(name, "true or false", (value): value is boolean => typeof value === "boolean");
  }

  optionalTexts(name: string): Record<string, string> | undefined {
    const fits = (value: unknown): value is Record<string, string> => isObject(value) && areTexts(Object.values(value));
    return this.#optional(name, "an object of strings", fits);
  }

  optionalTextList(name: string): string[] | undefined {
    const fits = (value: unknown): value is string[] => Array.isArray(value) && areTexts(value);
    return this.#optional(name, "an array of strings", fits);
  }

  nested(name: string): Fields {
    return new Fields(this.#source[name], this.#at(name), this.#problems);
  }

  optionalOneOfNumbers<const T extends number>(name: string, allowed: readonly T[]): T | undefined {
    return this.#optional(name, `one of ${allowed.join(", ")}`, (value): value is T =>
      allowed.some(one => one === value),
    );
  }

  optionalOneOf<const T extends string>(name: string, allowed: readonly T[]): T | undefined {
    return this.#optional(name, `one of ${allowed.join(", ")}`, (value): value is T =>
      allowed.some(one => one === value),
    );
  }

  /** Each element of an array of objects, as fields of their own. */
  each(name: string): Fields[] {
    const value = this.#optional(name, "an array", (list): list is unknown[] => Array.isArray(list)) ?? [];
    return value.map((element, index) => new Fields(element, `${this.#at(name)}[${index}]`, this.#problems));
  }

  refuseIfWrong(): void {
    if (this.#problems.length === 0) return;
    const said = this.#problems.map(({ field, problem }) => (field ? `${field} ${problem}` : `The body ${problem}`));
    throw new Refusal(422, "validation_failed", said.join("; "), this.#problems);
  }

  #optional<T>(name: string, expected: string, fits: (value: unknown) => value is T): T | undefined {
    if (!this.has(name)) return undefined;
    const value = this.#source[name];
    if (fits(value)) return value;
    this.#note(name, `must be ${expected}`);
    return undefined;
  }

  #at(name: string): string {
    return [this.#path, name].filter(Boolean).join(".");
  }

  #note(name: string, problem: string): void {
    const field = this.#at(name);
    if (!this.#problems.some(known => known.field === field)) this.#problems.push({ field, problem });
  }
}
