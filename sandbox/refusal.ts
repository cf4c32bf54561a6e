/** A request the service understood and turned down. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly FieldProblem[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export interface FieldProblem {
  field: string;
  problem: string;
}

export const notFound = (what: string) => new Refusal(404, "not_found", `${what} was not found`);
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new Refusal(405, "method_not_allowed", `${method} is not accepted here`, [], { Allow: allowed.join(", ") });
export const conflict = (code: string, message: string) => new Refusal(409, code, message);
