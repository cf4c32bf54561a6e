import { type FieldProblem, Refusal } from "../refusal.js";

/** Reads query parameters, refusing all that are wrong at once. */
export class QueryFields {
  readonly #query: URLSearchParams;
  readonly #problems: FieldProblem[] = [];

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  integer(name: string): number | undefined {
    const text = this.#query.get(name);
    if (text === null) return undefined;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    this.#problems.push({ field: name, problem: "must be an integer" });
    return undefined;
  }

  date(name: string): string {
    const text = this.#query.get(name) ?? "";
    const parsed = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
    const exists = parsed && !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
    if (!exists) this.#problems.push({ field: name, problem: "must be a date of the form YYYY-MM-DD" });
    return text;
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const text = this.#query.get(name);
    const value = allowed.find(one => one === text);
    if (text !== null && value === undefined) {
      this.#problems.push({ field: name, problem: `must be one of ${allowed.join(", ")}` });
    }
    return value;
  }

  refuseIfWrong(): void {
    if (this.#problems.length === 0) return;
    const said = this.#problems.map(({ field, problem }) => `${field} ${problem}`);
    throw new Refusal(422, "validation_failed", said.join("; "), this.#problems);
  }
}
