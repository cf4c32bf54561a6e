import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingEngine, root } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";

const page = readFileSync(join(root, "docs", "pulumi-do.md"), "utf8");
/** The filter that makes an import file of a list, and the contract, as the page has them. */
const [, FILTER = ""] = /jq '([^']+)'/.exec(page) ?? [];
const [, CONTRACT = ""] = /```hcl\n(.*?)```/s.exec(page) ?? [];

/** Why the page's filter can't be run here; undefined when it can. */
const missingJq = spawnSync("jq", ["--version"]).status === 0 ? undefined : "jq is not on PATH";

const pdf = Buffer.from("%PDF-1.4\na lease\n%%EOF\n");
const NOTE =
  "the service doesn't show whether its list is complete: a document that isn't listed may exist all the same";

describe.skipIf(missingEngine)("pulumi do", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ yaml: { resources: {} } });
    for (const name of ["Lease 12", "Lease 13", "NDA"]) {
      scene.service.people.upload("first", { name, pdf, emails: ["ana@example.com"] });
    }
    scene.mailed();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  const plugin = () => ["--package", join(scene.stack.plugin, "pulumi-resource-docsign")];
  const inFile = (name: string, text: string) => {
    writeFileSync(join(scene.stack.program, name), text);
    return ["--input", "pcl", "--input-file", name];
  };
  const ids = () => scene.service.ledger.documents().map(({ id }) => id);

  it("lists documents as JSON, in one request, and says aside what a list doesn't prove", async () => {
    scene.asked();
    const { stdout, stderr } = await scene.stack.run(["do", "docsign:Document", "list", "--all", ...plugin()]);
    const names = ["Lease 12", "Lease 13", "NDA"];
    expect(JSON.parse(stdout)).toEqual(ids().map((id, index) => ({ id, name: names[index] })));
    expect(stderr).toContain(NOTE);
    expect(scene.asked()).toEqual(["GET /v1/documents"]);
  });

  it("stops at the count it is given", async () => {
    const { stdout } = await scene.stack.run(["do", "docsign:Document", "list", "--count", "2", ...plugin()]);
    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual(ids().slice(0, 2));
  });

  it("refuses a folder's id that is none, and asks nothing", async () => {
    scene.asked();
    const args = ["do", "docsign:Document", "list", "--folder-id", "../12", ...plugin()];
    expect((await scene.stack.refused(args)).text).toMatch(/folderId: expected .*, got "\.\.\/12"/s);
    expect(scene.asked()).toEqual([]);
  });

  it("has no list of folders", async () => {
    const { stdout } = await scene.stack.run(["do", "docsign:Folder", "--help", ...plugin()]);
    expect(stdout).not.toMatch(/^ {2}list /m);
  });

  it("refuses to patch what can't be changed, says so, and mails nobody", async () => {
    const [id = ""] = ids();
    const patch = ["do", "docsign:Document", "patch", id, "--stateless", "--yes", ...plugin()];
    const named = await scene.stack.refused([...patch, ...inFile("name.pp", 'name = "Lease 14"\n')]);
    expect(named.text).toContain(
      `Document ${id} can't be updated in place: a change of name takes a new Document. Nothing was changed, and no one was mailed.`,
    );
    scene.stack.write("other.pdf", Buffer.from("%PDF-1.4\nanother\n%%EOF\n"));
    const filed = await scene.stack.refused([...patch, ...inFile("file.pp", 'file = fileAsset("./other.pdf")\n')]);
    expect(filed.text).toContain("`pulumi do … patch` can't change a document's PDF: create a new document");
    expect(scene.mailed()).toEqual([]);
  });

  it("says who would be mailed, sends a contract once, and reads it", async () => {
    scene.stack.write("nda.pdf", pdf);
    const create = ["do", "docsign:Document", "create", "--stateless", ...plugin(), ...inFile("nda.pp", CONTRACT)];
    const dry = await scene.stack.run([...create, "--dry-run"]);
    expect(dry.text).toContain("will mail ana@example.com");
    expect(scene.mailed()).toEqual([]);
    const before = ids();
    await scene.stack.run([...create, "--yes"]);
    expect(scene.mailed()).toEqual(["ana@example.com"]);
    const [id = "", ...others] = ids().filter(each => !before.includes(each));
    expect(others).toEqual([]);
    const reading = ["do", "docsign:Document", "read", ...plugin()];
    // Older engines don't have the flag, and always write JSON.
    const { stdout: help } = await scene.stack.run([...reading, "--help"]);
    const json = help.includes("--output ") ? ["--output", "json"] : [];
    const read = await scene.stack.run([...reading, id, ...json]);
    expect(read.stdout).toContain("Mutual NDA");
    expect(scene.mailed()).toEqual([]);
  });

  it.skipIf(missingJq)(
    "imports all that it lists: the program of what was found changes nothing and mails nobody",
    async () => {
      const { stdout } = await scene.stack.run(["do", "docsign:Document", "list", "--all", ...plugin()]);
      scene.stack.write("import.json", await filtered(stdout, FILTER));
      await scene.stack.run(["import", "--file", "import.json", "--yes", "--skip-preview", "--generate-code=false"]);
      const entries = scene.stack.entries();
      expect(
        Object.values(entries)
          .map(entry => entry.id)
          .sort(),
      ).toEqual(ids().sort());
      const resources = Object.entries(entries).map(([name, { inputs }]) => [
        name,
        { type: "docsign:Document", properties: inputs, options: { protect: true } },
      ]);
      scene.stack.declare({ resources: Object.fromEntries(resources) });
      await scene.stack.preview("--expect-no-changes");
      expect(scene.mailed()).toEqual([]);
    },
  );

  it.each([
    ["takes over what a killed command created", 0],
    ["sends nothing again where the lists don't show what a killed command created", Number.POSITIVE_INFINITY],
  ])("%s", async (_, reads) => {
    const name = `Killed, ${reads}`;
    const text = `name = "${name}"\nfile = fileAsset("./nda.pdf")\ninvitations = [{ email = "ana@example.com" }]\n`;
    scene.stack.write("nda.pdf", pdf);
    const file = inFile("killed.pp", text);
    const create = ["do", "docsign:Document", "create", "--stateless", "--yes", ...plugin(), ...file];
    scene.service.lag(reads);
    const kill = new AbortController();
    const sent = scene.service.gate("processed", { operation: "createDocument" });
    const killed = scene.stack.attempt(create, {}, kill.signal);
    await sent.reached;
    kill.abort();
    await sent.abandoned;
    sent.open();
    expect((await killed).code).not.toBe(0);
    expect(scene.mailed()).toEqual(["ana@example.com"]);

    const sentBefore = ids();
    const again = await scene.stack.attempt(create);
    if (reads > 0) expect(again.text).toContain("[docsign/create-");
    expect(again.code === 0).toBe(reads === 0);
    expect([scene.mailed(), ids()]).toEqual([[], sentBefore]);
  });
});

function filtered(input: string, filter: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("jq", [filter], { stdio: ["pipe", "pipe", "inherit"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.once("error", reject);
    child.once("close", code => (code === 0 ? resolve(out) : reject(new Error(`jq ended with ${code}`))));
    child.stdin.end(input);
  });
}
