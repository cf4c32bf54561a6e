import { expect, test } from "vitest";
import { withParts } from "../../sdk/templates/parts.js";
import { printedText } from "../../sdk/templates/render.js";
import { markdown } from "../../sdk/templates/source.js";
import type { VariableValue } from "../../sdk/templates/variables.js";
import { png } from "./images.js";

const logo = (gray: number) => png(4, 4, 0, () => [gray]);

async function clausesOf(text: string, variables: Record<string, VariableValue> = {}, image = logo(0)) {
  const source = withParts(markdown(text), path =>
    path === "logo.png" ? { bytes: image } : { wrong: "expected a file, got none" },
  );
  const answer = await printedText({
    ...{ source, variables, fonts: [], pageSize: "A4", pageNumbers: true, title: undefined },
  });
  return "problems" in answer ? answer.problems : answer.clauses.map(({ title, lines }) => [title, ...lines]);
}

test("a contract's text is what is printed, by heading: values, numbers of lists, cells, signers, bands", async () => {
  const template = `
\`\`\`header
{{name}} | Page {page} of {pages}
\`\`\`

Before *all* else.

# 1. {{name}}

3. Three
4. Four

   More of four

- [Site](https://example.com)

> Quoted\\
> twice

| Item | Price |
| --- | --- |
| {{name}} | 7 |

## 2. End

\`\`\`signatures
{{name}} | Tenant
Bob
\`\`\`
`;
  expect(await clausesOf(template, { name: "Ana **B**" })).toEqual([
    ["", "Before all else."],
    [
      "1. Ana **B**",
      "3. Three",
      "4. Four",
      "More of four",
      "• Site (https://example.com)",
      ...["Quoted", "twice", "Item | Price", "Ana **B** | 7"],
    ],
    ["2. End", "Ana **B** | Tenant", "Bob"],
    ["Above every page", "Ana **B** | Page {page} of {pages}"],
  ]);
});

test("an image has a mark that is another one for another image", async () => {
  const template = '```letterhead\n![](logo.png "40mm")\nAcme\n```\n\n![](logo.png)\n';
  const [[, first, ...rest] = []] = (await clausesOf(template)) as string[][];
  expect(first).toMatch(/^\(image logo\.png, [0-9a-f]{8}\)$/);
  expect(rest).toEqual(["Acme", first]);
  const [[, other] = []] = (await clausesOf(template, {}, logo(9))) as string[][];
  expect(other).not.toBe(first);
});

test("what can't be rendered is a list of problems", async () => {
  expect(await clausesOf("{{name}}\n")).toEqual([expect.stringContaining("name")]);
});
