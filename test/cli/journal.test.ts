import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../commands/cli/command.js";
import { up } from "../faults/support/engine.js";
import { folder, nda, type Rig, startRig } from "../faults/support/rig.js";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig({ dialect: { createAnswer: "empty" } });
});
afterEach(() => rig[Symbol.asyncDispose]());

async function docsign(
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd = rig.machine.folder, user }: { cwd?: string; user?: string } = {},
) {
  const said = { out: "", err: "" };
  const code = await main(args, {
    out: text => {
      said.out += text;
    },
    err: text => {
      said.err += text;
    },
    env: { DOCSIGN_STATE_DIR: rig.machine.folder, USER: "ana", ...env },
    cwd,
    pid: 1,
    user,
    version: "1.2.3",
    interrupted: () => new AbortController().signal,
    start: command => {
      said.out += `starts ${command}`;
    },
  });
  return { code, ...said };
}

/** Changes what stands in the journal's files. */
function rewrite(change: (text: string) => string): void {
  const folder = rig.machine.folder;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".jsonl")) writeFileSync(join(folder, name), change(readFileSync(join(folder, name), "utf8")));
}

const configured = () => ({ DOCSIGN_BASE_URL: rig.service.url, DOCSIGN_API_KEY: rig.service.apiKey });

/** A machine dies once its request was carried out. Answers with the token of what it began. */
async function crashed(): Promise<string> {
  const gate = rig.service.gate("processed", "createDocument");
  await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), rig.process(), gate.reached);
  gate.open();
  return tokenIn();
}

/** A request never arrives, and nothing proves it. */
async function lost(): Promise<string> {
  rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
  const { errors } = await rig.up([nda()]);
  expect(errors["nda"]).toContain("[docsign/create-unconfirmed]");
  return tokenIn();
}

const listed = async (env = {}) => JSON.parse((await docsign(["journal", "list", "--json"], env)).out).creates;
const tokenIn = async (): Promise<string> => (await listed())[0].token;

describe("docsign journal list", () => {
  test("has nothing to show where every create is settled", async () => {
    await rig.up([nda()]);
    expect(await docsign(["journal", "list"])).toEqual({ code: 0, out: "every create is settled\n", err: "" });
    expect(await listed()).toEqual([]);
  });

  test("names the create, its time and service, and what settles it; nobody's name and no content", async () => {
    const token = await crashed();
    const { code, out } = await docsign(["journal", "list"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^${token}  urn:pulumi:test::.*::nda\n  begun 20\\d\\d-.*Z at ${rig.service.url}\n`),
    );
    expect(out).toContain("which documents may be it isn't known");
    expect(out).toContain(`docsign journal resolve ${token} --never-arrived\n`);
    expect(out).not.toContain("@");
  });

  test("names the documents that may be it, asked of their service, and none that a resource holds", async () => {
    const token = await crashed();
    const [free] = rig.service.ledger.documents().slice(-1);
    const { out } = await docsign(["journal", "list"], configured());
    expect(out).toContain(`document ${free?.id} may be it: unsigned, created `);
    expect(out).toContain(`docsign journal resolve ${token} --is ${free?.id}\n`);
    expect((await listed(configured()))[0].candidates).toMatchObject([{ id: free?.id, status: "unsigned" }]);
    const { run } = rig.process();
    const scope = { service: rig.service.url, urn: "urn:pulumi:prod::contracts::docsign:index:Document::held" };
    await run.runtime.context.journal.claim(scope, free?.id ?? "", { fingerprint: undefined, supersedes: [] });
    await run.end();
    expect((await listed(configured()))[0].candidates).toEqual([]);
  });

  test("of a journal that somebody else wrote to is text, and its commands are safe to run", async () => {
    const token = await lost();
    const bait = "x; touch /tmp/bait #\u001b[2J'$(id)";
    rewrite(text => text.replaceAll(token, JSON.stringify(bait).slice(1, -1)).replaceAll("::nda", "::\\u001b[2Jnda"));
    const { out } = await docsign(["journal", "list"]);
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    expect(out).toContain("docsign journal resolve 'x; touch /tmp/bait # [2J'\\''$(id)' --never-arrived\n");
  });

  test.each(["startedAt", "serviceTime", "lasts"])("a %s that is no time is refused as what it is", async field => {
    await lost();
    rewrite(text => text.replace(new RegExp(`"${field}":\\d+,`), "").replace(/"op":"begin"/, `$&,"${field}":9e15`));
    const { code, err } = await docsign(["journal", "list"]);
    expect(code).toBe(1);
    expect(err).toContain(field);
    expect(err).not.toContain("Invalid time value");
  });

  test("reads the settings of the stack that is selected in the folder's project, as its provider does", async () => {
    const token = await crashed();
    const { folder } = rig.machine;
    const config = {
      "docsign:baseUrl": { value: rig.service.url },
      "docsign:apiKey": { value: rig.service.apiKey, secret: true },
    };
    const pulumi = `#!/bin/sh\necho "$@" > ${folder}/asked\necho '${JSON.stringify(config)}'\n`;
    mkdirSync(join(folder, "bin"));
    mkdirSync(join(folder, "project", "src"), { recursive: true });
    writeFileSync(join(folder, "bin", "pulumi"), pulumi, { mode: 0o755 });
    writeFileSync(join(folder, "project", "Pulumi.yaml"), "name: contracts\n");
    const env = { PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
    const list = ["journal", "list"];
    const { out } = await docsign(list, env, { cwd: join(folder, "project", "src") });
    expect(out).toMatch(new RegExp(`^${token} .*document \\d+ may be it`, "s"));
    expect(readFileSync(join(folder, "asked"), "utf8")).toBe("config --json --show-secrets --non-interactive\n");
    expect((await docsign([...list, "--stack", "prod"], env)).out).toContain("may be it:");
    expect(readFileSync(join(folder, "asked"), "utf8")).toContain("--stack prod\n");
    expect((await docsign(list, env)).out).toContain("which documents may be it isn't known");

    writeFileSync(join(folder, "bin", "pulumi"), "#!/bin/sh\necho 'error: no stack selected' >&2\nexit 255\n");
    const unread = await docsign(list, env, { cwd: join(folder, "project") });
    expect(unread).toMatchObject({ code: 0, out: expect.stringContaining(token) });
    expect(unread.err).toContain(
      "the stack's settings can't be read: error: no stack selected. The environment's are used",
    );
    expect(await docsign([...list, "--stack", "prod"], env)).toMatchObject({ code: 1, out: "" });
  });

  test("goes by the stack's journal before the environment's, and by the flag's before both", async () => {
    const { folder } = rig.machine;
    mkdirSync(join(folder, "bin"));
    const config = { "docsign:journal": { value: "postgres://127.0.0.1:1/stack" } };
    writeFileSync(join(folder, "bin", "pulumi"), `#!/bin/sh\necho '${JSON.stringify(config)}'\n`, { mode: 0o755 });
    const env = { PATH: `${join(folder, "bin")}:${process.env["PATH"]}`, DOCSIGN_JOURNAL: "local" };
    const { err } = await docsign(["journal", "list", "-s", "prod"], env);
    expect(err).toContain("the journal in postgres://127.0.0.1:1/stack can't be used");
    expect((await docsign(["journal", "list", "-s", "prod", "--journal", "local"], env)).code).toBe(0);
  });

  test("says why a journal can't be read, without its password", async () => {
    const { code, err } = await docsign(["journal", "list", "--journal", "postgres://me:s3cret@127.0.0.1:1/x"]);
    expect(code).toBe(1);
    expect(err).toContain("the journal in postgres://127.0.0.1:1/x can't be used (ECONNREFUSED)");
    expect(err).not.toContain("s3cret");
  });
});

describe("docsign journal resolve", () => {
  test("--is: the next up verifies the document and takes it, and mails nobody", async () => {
    const token = await crashed();
    const [made] = rig.service.ledger.documents().slice(-1);
    const id = made?.id ?? "";
    const { code, out } = await docsign(["journal", "resolve", token, "--is", id]);
    expect([code, out]).toEqual([0, expect.stringContaining(`noted, as ana says: it is document ${id}.`)]);
    expect((await docsign(["journal", "list"])).out).toContain(`ana said that it is document ${id}`);
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1 });
    expect(await listed()).toEqual([]);
  });

  test("--is another document: the next up says so, and sends nothing", async () => {
    const token = await lost();
    const id = rig.service.people.upload("first", { name: "X", pdf: Buffer.from("%PDF-1.4"), emails: [] });
    await docsign(["journal", "resolve", token, "--is", id, "--by", "Bob (legal)"]);
    expect(await listed()).toMatchObject([{ token, said: id, saidBy: "Bob (legal)" }]);
    const { errors } = await rig.up([nda()]);
    expect(errors["nda"]).toContain(`Bob (legal) said that it is document ${id}, which couldn't be confirmed`);
    expect(rig.saw()).toMatchObject({ posts: 1, mails: 0 });
    const { code, err } = await docsign(["journal", "resolve", token, "--never-arrived"]);
    expect([code, err]).toEqual([1, expect.stringContaining(`Bob (legal) said that it is document ${id}.`)]);
    expect((await docsign(["journal", "list"])).out).toContain(`journal resolve ${token} --never-arrived --force\n`);
    expect((await docsign(["journal", "resolve", token, "--never-arrived", "--force"])).code).toBe(0);
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, mails: 2 });
  });

  test("--never-arrived: refused while the request may be on its way; then the next up sends it", async () => {
    const token = await lost();
    const early = await docsign(["journal", "resolve", token, "--never-arrived"]);
    expect([early.code, early.err]).toEqual([1, expect.stringContaining("its request may be on its way until 20")]);
    expect((await docsign(["journal", "resolve", token, "--never-arrived", "--force"])).code).toBe(0);
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ documents: 1 });
  });

  test("several at once, and none of them where one may still arrive: the next up sends all", async () => {
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument", { times: 2 });
    const program = [nda(), nda({ name: "Lease" }, "lease")];
    await rig.up(program);
    const tokens: string[] = (await listed()).map(({ token }: { token: string }) => token);
    const text = (await docsign(["journal", "list"])).out;
    expect(text).toContain(
      `\nall of them, where the platform shows none:\n  docsign journal resolve ${tokens.join(" ")} --never-arrived\n`,
    );
    const early = await docsign(["journal", "resolve", ...tokens, "--never-arrived"]);
    expect([early.code, early.err]).toEqual([
      1,
      expect.stringContaining(`${tokens[0]}: its request may be on its way`),
    ]);
    expect(await listed()).toHaveLength(2);
    const { code, out } = await docsign(["journal", "resolve", ...tokens, "--never-arrived", "--force"]);
    expect([code, out]).toEqual([0, expect.stringContaining("2 creates never arrived.")]);
    expect((await rig.up(program)).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 4, documents: 2, mails: 4 });
  });

  test("--is a document that another create was said to be is refused", async () => {
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument", { times: 2 });
    await rig.up([nda(), nda({ name: "Lease" }, "lease")]);
    const [one, other] = (await listed()).map(({ token }: { token: string }) => token);
    expect((await docsign(["journal", "resolve", one, "--is", "5001"])).code).toBe(0);
    const { code, err } = await docsign(["journal", "resolve", other, "--is", "5001"]);
    expect([code, err]).toEqual([1, expect.stringContaining(`got 5001, as was said of ${one}`)]);
    expect((await docsign(["journal", "resolve", one, "--is", "5001"])).code).toBe(0);
  });

  test("is printed as list was started: through npx, and with the journal that it was given", async () => {
    const token = await lost();
    const npx = { npm_command: "exec" };
    const { out } = await docsign(["journal", "list", "--journal", "local"], npx);
    expect(out).toContain(`    npx --no-install docsign journal resolve ${token} --never-arrived --journal local\n`);
  });

  test("the environment names nobody, as in a container: by the system's name of who is logged in", async () => {
    const token = await crashed();
    const nobody = { USER: "", LOGNAME: "", USERNAME: "" };
    const { code } = await docsign(["journal", "resolve", token, "--is", "1"], nobody, { user: "root" });
    expect([code, (await listed())[0].saidBy]).toEqual([0, "root"]);
  });

  test("nobody is logged in, and no flag names anybody: refused", async () => {
    const token = await crashed();
    const nobody = { USER: "", LOGNAME: "", USERNAME: "" };
    const { code, err } = await docsign(["journal", "resolve", token, "--is", "1"], nobody);
    expect([code, err]).toEqual([2, expect.stringContaining("Expected --by NAME")]);
    expect((await listed())[0].said).toBeUndefined();
  });

  test("--is a folder: the next up takes it, though a document has its id, and creates none", async () => {
    const id = rig.service.people.upload("first", { name: "X", pdf: Buffer.from("%PDF-1.4"), emails: [] });
    const { run } = rig.process();
    const held = { service: rig.service.url, urn: "urn:pulumi:prod::contracts::docsign:index:Document::held" };
    await run.runtime.context.journal.claim(held, id, { fingerprint: undefined, supersedes: [] });
    await run.end();
    rig.service.faults.push({ kind: "reset", when: "after" }, "createFolder");
    expect((await rig.up([folder()])).errors["leases"]).toContain("[docsign/folder-unconfirmed]");
    const token = await tokenIn();
    expect((await docsign(["journal", "list"], configured())).out).toContain("the service can't list folders");
    const { out } = await docsign(["journal", "resolve", token, "--is", id]);
    expect(out).toContain(`it is folder ${id}`);
    expect((await rig.up([folder()])).errors).toEqual({});
    expect(rig.idOf("leases", "Folder")).toBe(id);
    expect(rig.read.join("\n")).toContain(`folder ${id} is kept: ana said that it is this one`);
    expect(rig.saw().folders).toBe(1);
    expect(await listed()).toEqual([]);
  });

  test("the document of another resource is refused, and a token that isn't open", async () => {
    await rig.up([nda({ name: "other" })]);
    const [held] = rig.service.ledger.documents();
    const token = await crashed();
    const taken = await docsign(["journal", "resolve", token, "--is", held?.id ?? ""]);
    expect([taken.code, taken.err]).toEqual([1, expect.stringContaining(`got ${held?.id}, which urn:pulumi:test::`)]);
    const unknown = await docsign(["journal", "resolve", "0a0a0a0a", "--never-arrived"]);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("the token of an open create")]);
  });
});

describe("docsign", () => {
  test.each(["board", "fleet", "gate-status", "sandbox", "watch"])("goes on as %s", async command => {
    expect(await docsign([command, "--help"])).toEqual({ code: undefined, out: `starts ${command}`, err: "" });
  });

  test.each([
    [
      [],
      "expected one of render, journal, evidence, verify, board, fleet, gate-status, watch, sandbox, completion, got none",
    ],
    [["journals"], "got journals"],
    [["journal"], "expected list or resolve, got none"],
    [["journal", "list", "--is", "5"], "--is: expected it with another command than list"],
    [["journal", "list", "--by", "ana"], "--by: expected it with another command than list"],
    [["journal", "resolve", "0a0a0a0a", "--is", "5", "--by", "a\nb"], "--by: expected a name of at most 100"],
    [["journal", "list", "--isn't"], "there is no flag --isn't"],
    [["journal", "resolve", "0a0a0a0a"], "expected either --is ID or --never-arrived"],
    [["journal", "resolve", "0a0a0a0a", "--is", "5", "--never-arrived"], "expected either --is ID or --never-arrived"],
    [["journal", "resolve", "0a0a0a0a", "--is", "05"], "--is: expected a document's id, got 05"],
    [["journal", "resolve", "nda", "--never-arrived"], "expected tokens of eight digits, as list shows them, got nda"],
    [["journal", "resolve", "0a0a0a0a", "0b0b0b0b", "--is", "5"], "--is: expected one token beside it, got 2"],
  ])("%j is refused with 2", async (args, why) => {
    expect(await docsign(args)).toEqual({ code: 2, out: "", err: expect.stringContaining(why) });
  });

  test.each([["--help"], ["journal", "--help"], ["--version"]])("%s %s is answered", async (...args) => {
    expect(await docsign(args.filter(Boolean))).toMatchObject({
      code: 0,
      out: expect.stringContaining("docsign"),
      err: "",
    });
  });
});
