import { describe, expect, it } from "vitest";
import { packageDeclaration } from "../../docgen/package-declaration.js";
import { errors } from "../../docgen/reference/errors/index.js";
import { places, wordings } from "./support/messages.js";

const rows = errors.flatMap(({ rows }) => rows);
const names = [...packageDeclaration.resources, ...packageDeclaration.functions].map(({ token }) =>
  String(token.split(":").at(-1)),
);
const said = wordings();

describe("the table of errors", () => {
  it.each(rows.map(({ id, says }) => [id, says] as const))("%s: the code says so, word for word", (_, says) => {
    expect(says.filter(text => !said.some(wording => wording.includes(text)))).toEqual([]);
  });

  it("has a row for every place in the code that makes an error or a warning", () => {
    const all = rows.flatMap(({ says }) => says);
    const without = places().filter(
      ({ wordings }) => !wordings.some(wording => all.some(text => wording.includes(text))),
    );
    expect(
      without.map(({ where, wordings }) => `${where}: ${wordings.join(" | ")}`).join("\n"),
      "give it a row in docgen/reference/errors/, and run `node scripts/schema.mjs`",
    ).toBe("");
  });

  it("has each anchor once, and names resources and functions there are", () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const at = errors.flatMap(section => [section.at, ...section.rows.map(row => row.at ?? [])]).flat();
    expect(at.filter(name => name !== "functions" && !names.includes(name))).toEqual([]);
  });

  it("quotes enough of a message to be found by it", () => {
    const words = (text: string): number => text.split(/[^\w'`:.-]+/).filter(word => /\w/.test(word)).length;
    expect(rows.flatMap(({ says }) => says).filter(text => words(text) < 2)).toEqual([]);
  });

  it("says of each what it means and what to do, in sentences", () => {
    for (const { means, todo } of rows) {
      expect(means).toMatch(/^[`\w].*[.)]$/s);
      expect(todo).toMatch(/^[`\w].*[.)]$/s);
    }
  });
});

describe("the check itself", () => {
  it("sees how many places there are", () => {
    const found = places().map(({ where }) => where.replace(/:\d+$/, ""));
    expect(found.length).toBeGreaterThan(100);
    for (const file of [
      "provider/resources/guard.ts",
      "provider/client/status-errors.ts",
      "templates/files.ts",
      "sdk/inputs.ts",
    ])
      expect(found).toContain(file);
  });
});
