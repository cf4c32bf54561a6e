import { describe, expect, it } from "vitest";
import { run } from "../support/engine/child.js";
import { environment, missingEngine, pulumi, root } from "../support/engine/found.js";
import { ofKind, pages, read, type Snippet } from "./support/pages.js";
import { CHECKS, type Command, commandsIn, programOf } from "./support/shell.js";

/** Commands in a sentence stand in backticks. */
const inProse = (page: string): Snippet[] =>
  [
    ...read(page).prose.matchAll(
      /`(pulumi (?!up-)[a-z][^`]*|npm (?:run|test|install|pack)\b[^`]*|node scripts\/[^`]*|docsign sandbox -[^`]*)`/g,
    ),
  ].map(([, text = ""]) => ({ page, where: page, kind: "sh", text }));
const commands: Command[] = [...ofKind("sh"), ...pages.flatMap(inProse)].flatMap(commandsIn);
const started = commands.map(programOf);

it("every command line starts a program a test knows, and says what it takes", () => {
  expect(started.length).toBeGreaterThan(150);
  const wrong = started.flatMap(({ name, command }) => {
    if (name === "pulumi") return [];
    const check = CHECKS[name];
    const problem = check ? check(command) : `no test knows ${name}`;
    return problem === undefined ? [] : [`${command.where}: \`${command.words.join(" ")}\`: ${problem}`];
  });
  expect(wrong.join("\n")).toBe("");
});

/** Commands below a command, which have a help of their own. */
const GROUPS = ["stack", "config", "state", "package", "plugin", "policy", "schema"];

describe.skipIf(missingEngine)("Pulumi", () => {
  const ours = started.filter(({ name }) => name === "pulumi").map(({ command }) => command);
  const parts = ({ words }: Command) => {
    const [verb = "", next = ""] = words.slice(1);
    const isSub = GROUPS.includes(verb) && /^[a-z-]+$/.test(next) && !next.startsWith("-");
    return {
      sub: isSub ? `${verb} ${next}` : verb,
      // Flags of `do` are made of the package's schema; test/engine/do.engine.test.ts runs them.
      flags: verb === "do" ? [] : words.filter(word => /^--\w/.test(word)).map(word => word.split("=")[0] ?? ""),
    };
  };

  it("every documented command exists, with its flags", async () => {
    const subs = [...new Set(ours.map(command => parts(command).sub))];
    const above = (sub: string): string => sub.replace(/ ?\S+$/, "");
    const asked = [...new Set([...subs, ...subs.map(above)])];
    const env = environment({ PULUMI_SKIP_UPDATE_CHECK: "true" });
    const pages = await Promise.all(
      asked.map(async sub => {
        const { stdout } = await run(pulumi(), [...sub.split(" ").filter(Boolean), "--help"], { cwd: root, env });
        return [sub, stdout] as const;
      }),
    );
    const help = new Map(pages);
    // Of a command that isn't there, the help is the one above it.
    const helps = new Map(subs.map(sub => [sub, help.get(sub) === help.get(above(sub)) ? "" : (help.get(sub) ?? "")]));
    const wrong = ours.flatMap(command => {
      const { sub, flags } = parts(command);
      const page = helps.get(sub) ?? "";
      const unknown = page === "" ? [sub] : flags.filter(flag => !new RegExp(`${flag}\\b`).test(page));
      return unknown.map(each => `${command.where}: \`${command.words.join(" ")}\`: no ${each}`);
    });
    expect(wrong.join("\n")).toBe("");
  });
});

describe("the check itself", () => {
  const found = (text: string) =>
    commandsIn({ page: "README.md", where: "README.md:1", kind: "sh", text })
      .map(programOf)
      .map(({ name, command }) => CHECKS[name]?.(command) ?? "fine");

  it.each([
    ["a script", "npm run lunch", "there is no script lunch"],
    ["a file", "node scripts/lunch.mjs", "there is no scripts/lunch.mjs"],
    ["a package's version", "npm install marked@1.0.0", "marked@1.0.0 isn't in package.json"],
    ["a flag", "bin/docsign sandbox --lunch", "docsign sandbox: there is no flag --lunch"],
    ["a variable", "export DOCSIGN_LUNCH=1", "DOCSIGN_LUNCH is no variable of ours"],
    ["an action", "curl -s $DOCSIGN_BASE_URL/_sandbox/lunch", "the sandbox has no lunch"],
  ])("finds %s that isn't there, also behind another command", (_, text, problem) => {
    expect(found(`npm test && ${text}`)).toEqual(["fine", problem]);
  });

  it("leaves quoted text whole", () => {
    expect(
      commandsIn({ page: "a", where: "a", kind: "sh", text: `curl -d '{"a": "b; c | d"}' x # why` })[0]?.words,
    ).toEqual(["curl", "-d", '{"a": "b; c | d"}', "x"]);
  });
});
