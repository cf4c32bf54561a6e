import { appendFileSync } from "node:fs";
import type { TestContext } from "vitest";
import type { Rig } from "./rig.js";

export interface Cell {
  /** Letter of the matrix. */
  readonly matrix: string;
  readonly row: string;
  readonly column: string;
}

/** One cell of a matrix, for the report: where it was, how it went, what the service saw. Measured, never typed. */
export function cell(
  { onTestFinished }: TestContext,
  where: Cell,
  saw: Pick<Rig, "saw" | "people"> | Pick<Rig, "saw"> | undefined,
): void {
  const path = process.env["DOCSIGN_FAULT_CELLS"];
  if (path === undefined) return;
  onTestFinished(({ task }) => {
    const line = {
      ...where,
      passed: task.result?.state === "pass",
      saw: saw?.saw(),
      people: saw && "people" in saw ? saw.people : [],
    };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  });
}
