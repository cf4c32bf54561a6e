import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../commands/cli/command.js";
import { team } from "../document-set/team.js";
import { sceneWith } from "../lifecycle/scene.js";
import { scratchFolder } from "../support/scratch.js";
import { png } from "../templates/images.js";
import { textsOf } from "../templates/support.js";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("docsign-render-");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(at(name), text);
const textOf = async (name: string) => (await textsOf(readFileSync(at(name)))).join("\n");

const TEMPLATE = "# NDA\n\n{{name}} from {{start}}.\n";

async function docsign(args: readonly string[], more: { stop?: AbortSignal; told?: (line: string) => void } = {}) {
  const said = { out: "", err: "" };
  const to = (stream: "out" | "err") => (text: string) => {
    said[stream] += text;
    more.told?.(text);
  };
  const code = await main(["render", ...args], {
    out: to("out"),
    err: to("err"),
    env: {},
    pid: 1,
    version: "1.2.3",
    cwd: ".",
    interrupted: () => more.stop ?? new AbortController().signal,
    start: () => {},
  });
  return { code, ...said };
}

describe("docsign render", () => {
  test("writes the bytes that a set sends for a row, and prints their hash", async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    write("nda.md", TEMPLATE);
    write("team.csv", "email,name,start\nana@example.com,Ana,1 March\nbob@example.com,Bob,1 March\n");
    const { code, out, err } = await docsign([at("nda.md"), "--table", at("team.csv"), "--all", at("pdfs")]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const sent = s.service.ledger.documents().map(({ name, uploadedSha256 }) => [name, uploadedSha256]);
    expect(sent.toSorted()).toEqual([
      ["NDA of Ana", /ana@example\.com\.pdf {2}1 page {2}sha256:(\w+)/.exec(out)?.[1]],
      ["NDA of Bob", /bob@example\.com\.pdf {2}1 page {2}sha256:(\w+)/.exec(out)?.[1]],
    ]);
    expect(readdirSync(at("pdfs")).toSorted()).toEqual(["ana@example.com.pdf", "bob@example.com.pdf"]);
    const one = await docsign([at("nda.md"), "--set", "name=Ana", "--set", "start=1 March", "-o", at("ana.pdf")]);
    expect(one.out).toContain(sent.toSorted()[0]?.[1]);
  });

  test("fills --set with the columns of one row, and takes its key in any case", async () => {
    write("nda.md", TEMPLATE);
    write("team.csv", "email;first;last;start\nana@example.com;Ana;Torres;1 March\n");
    const args = [at("nda.md"), "--table", at("team.csv"), "--row", "ANA@example.com", "-o", at("a.pdf")];
    expect(await docsign([...args, "--set", "name={{first}} {{last}}"])).toMatchObject({ code: 0, err: "" });
    expect(await textOf("a.pdf")).toContain("Ana Torres from 1 March.");
  });

  test("names every missing variable, and every row that can't be rendered, and writes the others", async () => {
    write("nda.md", TEMPLATE);
    expect(await docsign([at("nda.md"), "--set", "start=1 March", "--set", "end=never", "-o", at("a.pdf")])).toEqual({
      code: 1,
      out: "",
      err: `docsign: ${at("nda.md")}: line 3: {{name}} has no variable\ndocsign: ${at("nda.md")}: variable end isn't used by the template\n`,
    });
    write("team.csv", "email,name,start\na@example.com,漢,1 March\nb@example.com,Bob,1 March\n");
    const { code, err } = await docsign([at("nda.md"), "--table", at("team.csv"), "--all", at("pdfs")]);
    expect(code).toBe(1);
    expect(err).toMatch(/team\.csv, line 2 \(a@example\.com\): variable name: no font has U\+6F22/);
    expect(readdirSync(at("pdfs"))).toEqual(["b@example.com.pdf"]);
    expect(readdirSync(folder).toSorted()).toEqual(["nda.md", "pdfs", "team.csv"]);
  });

  test("takes clauses, images, and lists from a file, and a table's columns in them", async () => {
    mkdirSync(at("clauses"));
    write(
      "nda.md",
      "{{> clauses/a.md}}\n\n{{#each items}}\n- {{what}}\n{{/each}}\n\n{{#if old}}Old{{else}}New{{/if}}\n",
    );
    write("clauses/a.md", "For {{name}}.\n\n![Logo](../logo.png)\n");
    writeFileSync(
      at("logo.png"),
      png(4, 3, 2, () => [1, 2, 3]),
    );
    write("v.json", JSON.stringify({ items: [{ what: "{{first}}" }, { what: "{{second}}" }], old: false }));
    write("team.csv", "email,name,first,second\na@example.com,Ana,Plans,\n");
    const args = [at("nda.md"), "--variables", at("v.json"), "-o", at("a.pdf")];
    expect(await docsign([...args, "--table", at("team.csv"), "--row", "a@example.com"])).toMatchObject({ err: "" });
    expect((await textOf("a.pdf")).replace(/\s+/g, " ")).toContain("For Ana. • Plans New");
    rmSync(at("clauses/a.md"));
    expect((await docsign([...args, "--set", "name=Ana"])).err).toContain(
      `${at("nda.md")}: line 1: {{> clauses/a.md}}: can't be read (ENOENT)`,
    );
    write("v.json", '{"items": 3}');
    expect((await docsign(args)).err).toContain(
      'expected text, true, false, or a list of texts or of texts by name for "items", got',
    );
  });

  test("never reads what has no end", async () => {
    const { code, err } = await docsign(["/dev/zero", "-o", at("a.pdf")]);
    expect({ code, err }).toEqual({
      code: 1,
      err: "docsign: /dev/zero: expected at most 64 MB, got more\n",
    });
  });

  test("renders again when a clause changes, or comes to be there", async () => {
    write("nda.md", "{{> c/a.md}}\n");
    mkdirSync(at("c"));
    const stop = new AbortController();
    const lines: string[] = [];
    // In one step, as editors do: a file that is being written is seen empty, too.
    const replace = (text: string) => {
      write("draft", text);
      renameSync(at("draft"), at("c/a.md"));
    };
    const steps = [() => replace("One.\n"), () => replace("Two.\n"), () => stop.abort()];
    const expected = [/can't be read \(ENOENT\)/, /1 page/, /1 page/];
    const told = (line: string) => {
      if (!expected[lines.length]?.test(line) || line.includes(lines.at(-1) ?? "\0")) return;
      lines.push(line);
      steps[lines.length - 1]?.();
    };
    expect((await docsign([at("nda.md"), "-o", at("a.pdf"), "--watch"], { stop: stop.signal, told })).code).toBe(0);
    expect(await textOf("a.pdf")).toContain("Two.");
  });

  test("keeps keys from being paths, and two of them from being one file", async () => {
    write("nda.md", "{{key}}\n");
    write("keys.csv", `key\n../../up\n.hidden\na/b\na_b\n"a\\b"\n${"long".repeat(40)}\n`);
    const { code } = await docsign([at("nda.md"), "--table", at("keys.csv"), "--all", at("pdfs")]);
    expect(code).toBe(0);
    const files = readdirSync(at("pdfs"));
    expect(files).toHaveLength(6);
    expect(files.filter(name => /^[.-]|[/\\]/.test(name) || name.length > 70)).toEqual([]);
    expect(files).toContain("a_b.pdf");
  });

  test("says which row and which column a table lacks", async () => {
    write("nda.md", TEMPLATE);
    write("team.csv", "email,name\na@example.com,Ana\n");
    const args = [at("nda.md"), "--table", at("team.csv"), "-o", at("a.pdf")];
    expect((await docsign([...args, "--row", "b@example.com"])).err).toBe(
      `docsign: ${at("team.csv")}: expected a row with the key "b@example.com", got none among 1\n`,
    );
    expect((await docsign([...args, "--row", "a@example.com", "--set", "start={{from}}"])).err).toBe(
      `docsign: ${at("team.csv")}: --set start: the table has no column "from"; it has email, name\n`,
    );
    expect((await docsign([...args, "--row", "a@example.com"])).err).toContain("{{start}} has no variable");
  });

  test("renders again when the template or the table changes, and goes on after a mistake", async () => {
    write("nda.md", TEMPLATE);
    write("team.csv", "email,name,start\na@example.com,Ana,1 March\n");
    const stop = new AbortController();
    const lines: string[] = [];
    const steps = [
      () => write("nda.md", `${TEMPLATE}{{more}}\n`),
      () => write("nda.md", `${TEMPLATE}And so on.\n`),
      () => write("team.csv", "email,name,start\na@example.com,Ana,2 March\n"),
      () => stop.abort(),
    ];
    const expected = [/1 page/, /\{\{more\}\} has no variable/, /1 page/, /1 page/];
    const told = (line: string) => {
      // A file that is being written is seen empty, too.
      if (!expected[lines.length]?.test(line) || line.includes(lines.at(-1) ?? "\0")) return;
      lines.push(line);
      steps[lines.length - 1]?.();
    };
    const args = [at("nda.md"), "--table", at("team.csv"), "--row", "a@example.com", "-o", at("a.pdf"), "--watch"];
    expect((await docsign(args, { stop: stop.signal, told })).code).toBe(0);
    expect(lines).toHaveLength(4);
    expect(await textOf("a.pdf")).toMatch(/Ana from 2 March\.\s+And so on\./);
  });

  test.each([
    [[], "expected one template, got none"],
    [["a.md"], "expected -o FILE, got none"],
    [["a.md", "--row", "x", "-o", "b"], "expected --table beside --key, --row and --all, got none"],
    [["a.md", "--table", "t", "-o", "b"], "expected either --row KEY or --all FOLDER with --table"],
    [["a.md", "--table", "t", "--all", "d", "-o", "b"], "expected --all without -o, got both"],
    [["a.md", "--set", "name", "-o", "b"], "--set: expected NAME=TEXT, got name"],
    [["a.md", "--set", "a=1", "--set", "a=2", "-o", "b"], "expected each name once, got a twice"],
    [["a.md", "--page-size", "A5", "-o", "b"], "--page-size: expected A4 or Letter, got A5"],
  ])("refuses %j", async (args, message) => {
    const { code, err } = await docsign(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test("says what can't be read", async () => {
    const { code, err } = await docsign([at("none.md"), "-o", at("a.pdf")]);
    expect({ code, err }).toEqual({
      code: 1,
      err: `docsign: ${at("none.md")}: expected a file that can be read, got ENOENT\n`,
    });
  });
});
