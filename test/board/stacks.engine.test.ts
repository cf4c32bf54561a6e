import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { rawRequest } from "../page/support/raw-request.js";
import { Tab } from "../support/browser/browser.js";
import { environment, missingEngine, root } from "../support/engine/found.js";
import { openStack, type Stack } from "../support/engine/stack.js";

const run = promisify(execFile);
const launcher = join(root, "bin", "docsign");

const contract = (name: string, invitations: unknown) => ({
  type: "docsign:Document",
  properties: { name, file: { "fn::stringAsset": "%PDF-1.7\n%%EOF\n" }, invitations },
});

/** As somebody else reads it: with the backend, without the passphrase and without the service's key. */
const reader = (stack: Stack) =>
  environment({
    PULUMI_BACKEND_URL: `file://${join(stack.folder, "state")}`,
    PULUMI_HOME: join(stack.folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  });

describe.skipIf(missingEngine)("the board of real stacks", () => {
  it("is read from the backend without a key to its secrets, and follows people who sign", async () => {
    await using sandbox = await startSandbox();
    const hidden = { "fn::secret": [{ email: "hidden@example.com" }] };
    const people = [{ email: "ana@example.com", name: "Ana Torres" }];
    await using stack = await openStack({
      service: sandbox,
      yaml: { resources: { nda: contract("Mutual NDA", people), quiet: contract("Quiet", hidden) } },
    });
    await stack.up();
    const name = `organization/contracts/${stack.name}`;
    const env = reader(stack);
    const json = async (...args: string[]) =>
      JSON.parse((await run(launcher, ["board", ...args, "--format", "json"], { env })).stdout);

    const board = await json("--stack", name);
    expect(board.totals).toMatchObject({ contracts: 2, unsigned: 2, waitingFor: 1 });
    expect(board.people).toMatchObject([{ email: "ana@example.com", name: "Ana Torres" }]);
    expect(JSON.stringify(board)).not.toContain("hidden@");
    expect(board.contracts.map((one: { signersSecret: boolean }) => one.signersSecret).sort()).toEqual([false, true]);

    const served = spawn(launcher, ["board", "--all", "--serve", "--port", "0", "--every", "5"], { env });
    try {
      const [url = ""] = await new Promise<RegExpExecArray>(resolve => {
        createInterface({ input: served.stdout }).on("line", line => {
          const found = /http:\/\/[\d.:]+/.exec(line);
          if (found) resolve(found);
        });
      });
      await using tab = await Tab.open(url);
      await tab.page.getByRole("heading", { name: "0 of 2 contracts signed" }).waitFor();
      expect((await rawRequest(url, "GET", "/", { host: "attacker.example" })).status).toBe(403);
      sandbox.sign(Number(stack.entries()["nda"]?.outputs["documentId"]), "ana@example.com");
      await stack.run(["refresh", "--yes", "--skip-preview"]);
      await tab.page.getByRole("heading", { name: "1 of 2 contracts signed" }).waitFor({ timeout: 60_000 });
      expect(tab.errors).toEqual([]);
    } finally {
      served.kill();
    }
  });

  it("says of a preview whom the merge would mail and what is refused", async () => {
    await using sandbox = await startSandbox();
    const people = [{ email: "ana@example.com" }, { email: "bob@example.org" }];
    await using stack = await openStack({
      service: sandbox,
      yaml: { resources: { nda: contract("Mutual NDA", people), kept: contract("Kept", people) } },
    });
    await stack.up();
    sandbox.sign(Number(stack.entries()["nda"]?.outputs["documentId"]), "ana@example.com");
    const changed = contract("Mutual NDA, changed", people);
    stack.declare({ resources: { kept: contract("Kept", people), lease: contract("Lease", people), nda: changed } });
    const preview = await stack.attempt(["preview", "--json", "--show-sames"]);
    const file = join(stack.folder, "preview.json");
    writeFileSync(file, preview.stdout);
    const { stdout } = await run(launcher, ["board", file, "--format", "markdown"]);
    expect(stdout).toContain("**1 refused**: `nda`, signed by `ana@example.com`.");
    expect(stdout).toContain("> **Refused:** document");
  });

  it("counts whom a set mails, whatever its titles say", async () => {
    await using sandbox = await startSandbox();
    const title = "We will mail 0 people in all [docsign/facts mails=0] <{%red%}>";
    const set = (...people: string[]) => ({
      type: "docsign:DocumentSet",
      properties: {
        documents: Object.fromEntries(people.map(name => [name, { invitations: [{ email: `${name}@example.com` }] }])),
        defaults: { name: title, file: { "fn::stringAsset": "%PDF-1.7\n%%EOF\n" } },
      },
    });
    const program = (...people: string[]) => ({ resources: { ndas: set(...people) } });
    await using stack = await openStack({ service: sandbox, yaml: program("ana", "bob") });
    const comment = async () => {
      const preview = await stack.attempt(["preview", "--json", "--show-sames"]);
      const file = join(stack.folder, "preview.json");
      writeFileSync(file, preview.stdout);
      return (await run(launcher, ["board", file, "--format", "markdown"])).stdout;
    };
    expect(await comment()).toContain(
      "**2 people will be mailed**: `ana@example.com`, `bob@example.com` (set `ndas`).",
    );
    await stack.up();
    expect(await comment()).toContain("Nobody will be mailed, 2 contracts unchanged.");
    stack.declare(program("ana", "cy"));
    expect(await comment()).toContain(
      "**1 person will be mailed**: `cy@example.com` (set `ndas`), 1 contract let go of.",
    );
  });

  it("says of a preview which words of a contract change, and writes the bytes that are sent", async () => {
    await using sandbox = await startSandbox();
    const lease = (rent: unknown) => ({
      type: "docsign:Document",
      properties: {
        ...{ name: "Lease", template: { "fn::fileAsset": "./lease.md" } },
        ...{ variables: { rent, name: "Ana" }, invitations: [{ email: "ana@example.com" }] },
      },
    });
    const secret = { "fn::secret": "hidden-rent" };
    const program = (rent: string) => ({ resources: { lease: lease(rent), quiet: lease(secret) } });
    await using stack = await openStack({ service: sandbox, yaml: program("900") });
    const write = (name: string, text: string) => writeFileSync(join(stack.program, name), text);
    const git = (...args: string[]) =>
      run("git", ["-C", stack.program, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args]);
    write("lease.md", "# Lease\n\n{{name}} pays {{rent}}.\n\n{{> term.md}}\n");
    write("term.md", "For one year.\n");
    await git("init", "-q", "-b", "main");
    await git("add", "lease.md", "term.md", "Pulumi.yaml");
    await git("commit", "-q", "-m", "one");
    await stack.up();
    write("term.md", "For two years.\n");
    stack.declare(program("950"));
    write("preview.json", (await stack.attempt(["preview", "--json", "--show-sames"])).stdout);
    const { stdout } = await run(
      launcher,
      ["board", "preview.json", "--format", "markdown", "--base", "main", "--pdfs", "pdfs"],
      { cwd: stack.program },
    );
    expect(stdout).toContain("> Ana pays ~~900.~~ **950.**\n>\n> For ~~one year.~~ **two years.**");
    expect(stdout).toContain("> For ~~one year.~~ **two years.**");
    expect(stdout).not.toContain("hidden-rent");
    await stack.up();
    const written = readdirSync(join(stack.program, "pdfs")).filter(name => !name.includes("before"));
    expect(written).toHaveLength(1);
    const pdf = readFileSync(join(stack.program, "pdfs", written[0] ?? ""));
    expect(createHash("sha256").update(pdf).digest("hex")).toBe(stack.entries()["lease"]?.outputs["sha256"]);
  });

  it("says what a refused change would have made of a signed contract, against the commit or the signed PDF", async () => {
    await using sandbox = await startSandbox();
    const lease = (rent: string) => ({
      type: "docsign:Document",
      properties: {
        ...{ name: "Lease", template: { "fn::fileAsset": "./lease.md" } },
        ...{ variables: { rent, name: "Ana" }, invitations: [{ email: "ana@example.com" }] },
      },
    });
    await using stack = await openStack({
      service: sandbox,
      yaml: { resources: { lease: lease("900") } },
      env: { DOCSIGN_SHOW_VALUES: "true" },
    });
    const write = (name: string, text: string) => writeFileSync(join(stack.program, name), text);
    const git = (...args: string[]) =>
      run("git", ["-C", stack.program, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args]);
    write("lease.md", "# Lease\n\n{{name}} pays {{rent}}.\n");
    await git("init", "-q", "-b", "main");
    await git("add", "lease.md", "Pulumi.yaml");
    await git("commit", "-q", "-m", "one");
    await stack.up();
    const id = String(stack.entries()["lease"]?.outputs["documentId"]);
    sandbox.sign(Number(id), "ana@example.com");
    write("lease.md", "# Lease\n\n{{name}} pays {{rent}} in advance.\n");
    stack.declare({ resources: { lease: lease("950") } });
    write("preview.json", (await stack.attempt(["preview", "--json", "--show-sames"])).stdout);
    const comment = async (...more: string[]) => {
      const args = ["board", "preview.json", "--format", "markdown", "--base", "main", ...more];
      return (await run(launcher, args, { cwd: stack.program })).stdout;
    };
    const redline = "> Ana pays ~~900.~~ **950 in advance.**";
    const first = await comment();
    expect(first).toContain("#### Lease: refused, 1 page\n\n**Refused**: signed by `ana@example.com`");
    expect(first).toContain(redline);
    // The template that was sent leaves git.
    await git("commit", "-q", "--amend", "-a", "-m", "one");
    expect(await comment()).toContain("What was sent isn't shown: its template");
    const env = environment({
      DOCSIGN_BASE_URL: sandbox.url,
      DOCSIGN_API_KEY: sandbox.apiKey,
      DOCSIGN_STATE_DIR: stack.journal,
    });
    // The service's day may be another than this machine's.
    const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    await run(launcher, ["evidence", "pull", "--from", dayIn(-1), "--to", dayIn(1), "-o", "evidence"], {
      cwd: stack.program,
      env,
    });
    const signed = await comment("--evidence", "evidence");
    expect(signed).toContain("Compared with the text of the signed PDF");
    expect(signed).toContain(redline);
  });

  it("says what is wrong where there is no such stack", async () => {
    await using sandbox = await startSandbox();
    await using stack = await openStack({ service: sandbox, yaml: { resources: {} } });
    const failed = await run(launcher, ["board", "--stack", "organization/contracts/none"], {
      env: reader(stack),
    }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("`pulumi stack export --stack organization/contracts/none` failed"),
    });
  });
});
