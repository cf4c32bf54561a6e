import { expect, it } from "vitest";
import { textOf } from "./support/pages.js";

const MOST_WORDS = 5000;

it("what a user reads to work with one contract, a table, CI and certificates is short", () => {
  const [, list = ""] = /## Read in this order\n(.*?)\n## /s.exec(textOf("docs/README.md")) ?? [];
  const pages = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => `docs/${path}`);
  expect(pages).toEqual([
    "docs/installation-configuration.md",
    "docs/one-contract.md",
    "docs/at-most-once.md",
    "docs/document-sets.md",
    "docs/ci.md",
    "docs/certificates.md",
  ]);
  const words = pages.flatMap(page => textOf(page).split(/\s+/).filter(Boolean));
  expect(words.length).toBeLessThanOrEqual(MOST_WORDS);
});
