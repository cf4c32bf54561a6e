import type { Violation } from "./judge.js";

type Shown = readonly [kind: Violation["kind"], of: Violation["of"], ...rules: Violation["rule"][]];

/**
 * What is known to be wrong, and how it shows. A history goes on after it, and a story says that it has it. This list gets
 * shorter: what is mended is taken off, here and in the stories.
 */
export const KNOWN_DEFECTS: Readonly<Record<string, readonly Shown[]>> = {};

export function defectOf({ kind, of, rule }: Violation): string | undefined {
  return Object.entries(KNOWN_DEFECTS).find(([, shown]) =>
    shown.some(([eachKind, eachOf, ...rules]) => eachKind === kind && eachOf === of && rules.includes(rule)),
  )?.[0];
}
