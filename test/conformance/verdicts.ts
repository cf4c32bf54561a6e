import { expect } from "vitest";
import { LAWS } from "../../conformance/laws/index.js";
import type { Report } from "../../conformance/run.js";

/** No law failed, and each was tried but those that are about other providers. */
export const expectKept = (results: Report["results"], aboutOthers: readonly string[]): void => {
  expect(
    results.filter(({ outcome }) => outcome === "failed").map(({ law, subject, message }) => [law, subject, message]),
  ).toEqual([]);
  const passed = new Set(results.filter(({ outcome }) => outcome === "passed").map(({ law }) => law));
  expect(LAWS.map(({ name }) => name).filter(name => !passed.has(name))).toEqual(aboutOthers);
};
