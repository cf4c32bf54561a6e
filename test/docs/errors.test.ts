import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAUSES } from "../../provider/resources/refusal.js";
import { packageDeclaration } from "../../scripts/docgen/package-declaration.js";
import { errors } from "../../scripts/docgen/reference/errors/index.js";
import { root } from "../support/engine/found.js";
import { pages, textOf } from "./support/pages.js";

const DECLARED = "provider/resources/refusal.ts";
const FOLDERS = ["provider", "sdk", "commands/watch", "commands/gate-status"];

const names = Object.keys(CAUSES);
const members = [...packageDeclaration.resources, ...packageDeclaration.functions].map(({ token }) =>
  String(token.split(":").at(-1)),
);
const rows = errors.flatMap(section => section.rows);

const sources = FOLDERS.flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map(path => join(folder, path).replaceAll("\\", "/"))
    .filter(path => path.endsWith(".ts") && path !== DECLARED),
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
    const page = readFileSync(join(root, "docs/errors.md"), "utf8");
    const headings = [...page.matchAll(/^### docsign\/(.+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(names);
  });

  it.each(Object.entries(CAUSES))("%s says what it means and what to do, in sentences", (_, { means, todo }) => {
    expect(means).toMatch(/^[A-Z].*\.$/s);
    expect(todo).toMatch(/^[A-Z].*\.$/s);
  });
});

describe("the other messages", () => {
  it("have each anchor once, and name resources and functions that exist", () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const at = errors.flatMap(section => [section.at, ...section.rows.map(row => row.at ?? [])]).flat();
    expect(at.filter(name => name !== "functions" && !members.includes(name))).toEqual([]);
  });

  it("say what they mean and what to do, in sentences", () => {
    for (const { means, todo } of rows) {
      expect(means).toMatch(/^[`\w].*[.)]$/s);
      expect(todo).toMatch(/^[`\w].*[.)]$/s);
    }
  });
});
