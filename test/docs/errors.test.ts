import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAUSES } from "../../provider/resources/refusal.js";
import { packageDeclaration } from "../../scripts/docgen/package-schema.js";
import { errorsIn, SAID_BY } from "../../scripts/docgen/reference/errors.js";
import { root } from "../support/engine/found.js";
import { pages, textOf } from "./support/pages.js";

const DECLARED = "provider/resources/refusal.ts";
const FOLDERS = ["provider", "sdk", "kit", "commands", "bin"];
const MOST_WORDS = 4100;

const names: readonly string[] = CAUSES;
const members = [...packageDeclaration.resources, ...packageDeclaration.functions].map(({ token }) =>
  String(token.split(":").at(-1)),
);
const entries = errorsIn(textOf("docs/errors.md"));
const rows = entries.filter(({ id }) => !id.includes("/"));

const sources = FOLDERS.flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map(path => join(folder, path).replaceAll("\\", "/"))
    .filter(
      path =>
        !/\.(json|css|html|svg|md)$/.test(path) &&
        statSync(join(root, path)).isFile() &&
        !/node_modules|dist\//.test(path) &&
        path !== DECLARED,
    ),
).map(path => readFileSync(join(root, path), "utf8"));

/** Causes that a text names, as an error does: `[docsign/duplicate]`. */
const namedIn = (text: string): string[] => [...text.matchAll(/\[docsign\/([a-z-]+)\]/g)].map(([, name = ""]) => name);

describe("causes", () => {
  it("are declared, each one that a message or a page names", () => {
    const used = [...sources, ...pages.map(textOf)].flatMap(namedIn);
    expect(used.filter(name => !names.includes(name))).toEqual([]);
  });

  it("are used, each one that is declared", () => {
    const isUsed = (name: string) => sources.some(text => text.includes(`"${name}"`) || namedIn(text).includes(name));
    expect(names.filter(name => !isUsed(name))).toEqual([]);
  });

  it("have a heading each on the page of errors", () => {
    const headings = entries.filter(({ id }) => id.includes("/")).map(({ id }) => id);
    expect(headings).toEqual(names.map(name => `docsign/${name}`));
  });

  it.each(names)("%s says what it means and what to do, in sentences", name => {
    const { means, todo } = entries.find(({ id }) => id === `docsign/${name}`) ?? {};
    expect(means).toMatch(/^[A-Z].*\.$/s);
    expect(todo).toMatch(/^[A-Z].*\.$/s);
  });
});

describe("the other messages", () => {
  it("have each anchor once, and name resources and functions that exist", () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const at = Object.values(SAID_BY).flat();
    expect(at.filter(name => name !== "functions" && !members.includes(name))).toEqual([]);
    const there = entries.flatMap(({ id, section }) => [id, section]);
    expect(Object.keys(SAID_BY).filter(each => !there.includes(each))).toEqual([]);
  });

  it("are rows that can be read, each one that has an anchor", () => {
    expect(rows).toHaveLength(textOf("docs/errors.md").match(/<a id=/g)?.length ?? 0);
  });

  it("are said somewhere: the longest part that isn't filled in is in the sources", () => {
    const text = sources.join("\n").replaceAll(/\\([`'])/g, "$1");
    const partOf = (says: string) =>
      says.split("…").reduce((longest, part) => (part.length > longest.length ? part : longest));
    const byPulumi = ["missing-plugin", "package-add-unsupported"];
    const ours = rows.filter(({ id }) => !byPulumi.includes(id)).flatMap(({ says }) => says);
    expect(ours.filter(says => !text.includes(partOf(says).trim()))).toEqual([]);
  });

  it("are a page that can be read", () => {
    const words = textOf("docs/errors.md").split(/\s+/).filter(Boolean);
    expect(words.length).toBeLessThanOrEqual(MOST_WORDS);
  });

  it("say what they mean and what to do, in sentences", () => {
    for (const { means, todo } of rows) {
      expect(means).toMatch(/^[`\w].*[.)]$/s);
      expect(todo).toMatch(/^[`\w].*[.)]$/s);
    }
  });
});
