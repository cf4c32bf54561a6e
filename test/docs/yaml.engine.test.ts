import { describe, expect, it } from "vitest";
import { parseFleet } from "../../commands/fleet/file.js";
import { missingEngine } from "../support/engine/found.js";
import { openStack } from "../support/engine/stack.js";
import { startWithLeases } from "./support/leases.js";
import { ofKind } from "./support/pages.js";
import { assetsIn, contentOf, type Json, type Mapping, parseYaml, problemsOf } from "./support/yaml.js";

const blocks = ofKind("yaml").map(({ where, text }) => [where, text] as const);
/** Of a program without a resource of ours there is nothing to check; an example runs it. */
const isProgram = (parsed: Mapping): boolean =>
  ("resources" in parsed || "variables" in parsed) && JSON.stringify(parsed).includes("docsign:");

function programs(): Mapping[] {
  return blocks.map(([, text]) => parseYaml(text)).filter(isProgram);
}

/** A recipe of a CI system says things of its own; those in docs/ci/ are run by their own test. */
const isRecipe = (parsed: Mapping): boolean => "jobs" in parsed || "steps" in parsed || "on" in parsed;

const isFleet = (parsed: Mapping): boolean => "stacks" in parsed;
const isCompose = (parsed: Mapping): boolean => "services" in parsed;
/** An ESC environment, and the settings of a stack that names it. */
const isEnvironment = (parsed: Mapping): boolean => "values" in parsed || "environment" in parsed;
const isOfOthers = (parsed: Mapping): boolean => "resources" in parsed && !isProgram(parsed);

it.each(blocks)("%s says only what the package's schema has", (_, text) => {
  const parsed = parseYaml(text);
  if (isFleet(parsed)) parseFleet(text, "fleet.yaml");
  else {
    const isChecked = ![isRecipe, isCompose, isEnvironment, isOfOthers].some(is => is(parsed));
    expect(isChecked ? problemsOf(parsed) : []).toEqual([]);
  }
});

const of = (path: string): string => `\${${path}}`;

describe("the check itself", () => {
  it.each([
    ["a resource", { resources: { a: { type: "docsign:Drawer" } } }, "a: no resource docsign:Drawer"],
    [
      "an input",
      { resources: { a: { type: "docsign:Folder", properties: { name: "A", colour: "red" } } } },
      "a.colour isn't there",
    ],
    [
      "a value",
      { resources: { a: { type: "docsign:SignatureGate", properties: { documentId: "1", mode: "hope" } } } },
      "a.mode isn't one of its values",
    ],
    [
      "an output",
      { resources: { a: { type: "docsign:Folder", properties: { name: "A" } } }, outputs: { b: of("a.colour") } },
      `${of("a.colour")}: no output colour`,
    ],
    ["a name", { outputs: { b: of("nobody.status") } }, `${of("nobody.status")}: nothing is called nobody`],
  ])("finds %s that isn't there", (_, program, problem) => {
    expect(problemsOf(program)).toEqual([problem]);
  });
});

describe.skipIf(missingEngine)("with a real engine", () => {
  it("every program in YAML has a preview", async () => {
    const invitations = [{ email: "ana@example.com" }, { email: "bob@example.org" }];
    await using sandbox = await startWithLeases(invitations);
    const [folder, documents] = [String(sandbox.folders()[0]?.id), sandbox.documents().map(({ id }) => String(id))];
    const theirs = (text: string): string =>
      text
        .replaceAll('"12"', `"${folder}"`)
        .replaceAll("4711", documents[0] ?? "")
        .replaceAll("4712", documents[1] ?? "");
    const merged: Record<"resources" | "variables" | "outputs", Record<string, Json>> = {
      resources: {},
      variables: {},
      outputs: {},
    };
    for (const [index, program] of programs().entries())
      merge(merged, JSON.parse(theirs(JSON.stringify(program))), `p${index}`);
    const files = Object.fromEntries(
      assetsIn(merged).map(path => [path.replaceAll("/", "-"), contentOf(path, merged.resources)]),
    );
    const yaml = JSON.parse(JSON.stringify(merged), (key, value) =>
      key === "fn::fileAsset" ? String(value).replace(/^\.\//, "").replaceAll("/", "-") : value,
    );
    await using stack = await openStack({ yaml, files, service: sandbox });
    const { text } = await stack.preview();
    expect(text).toContain(`${Object.keys(merged.resources).length + 1} to create`);
    expect(sandbox.mails).toHaveLength(documents.length * invitations.length);
  });
});

/** All programs as one, each with its names to itself. */
function merge(into: Record<string, Record<string, Json>>, program: Mapping, prefix: string): void {
  const own = ["resources", "variables"].flatMap(part => Object.keys((program[part] ?? {}) as Mapping));
  const text = JSON.stringify(program).replace(/\$\{(\w[\w-]*)/g, (all, name: string) =>
    own.includes(name) ? `\${${prefix}_${name}` : all,
  );
  const renamed = JSON.parse(text) as Mapping;
  for (const part of ["resources", "variables", "outputs"])
    for (const [name, value] of Object.entries((renamed[part] ?? {}) as Mapping)) {
      if (into[part]) into[part][`${prefix}_${name}`] = value;
    }
}
