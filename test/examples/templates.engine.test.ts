import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../support/engine/child.js";
import { environment, missingEngine, pulumi, root } from "../support/engine/found.js";
import { KEPT, thrift } from "../support/engine/fresh-stack.js";
import { startIndependentService } from "../support/independent-service/index.js";

const templates = join(root, "examples", "pulumi-new");
// The engine asks the language's host, and the one for Java isn't everywhere.
const { DOCSIGN_TEST_JAVA: java } = process.env;
const names = readdirSync(templates, { withFileTypes: true })
  .flatMap(each => (each.isDirectory() ? each.name : []))
  .filter(name => java || !name.endsWith("java"));

describe.skipIf(missingEngine)("pulumi new", () => {
  it.each(names)("%s makes a project; the one in YAML previews whom it mails", async name => {
    await using service = await startIndependentService();
    const folder = mkdtempSync(join(tmpdir(), "docsign-new-"));
    const program = join(folder, "my-contracts");
    for (const each of ["state", "home"]) mkdirSync(join(folder, each));
    const more = {
      ...(await thrift()),
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_HOME: join(folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      DOCSIGN_STATE_DIR: join(folder, "journal"),
      DOCSIGN_BASE_URL: service.url,
      DOCSIGN_API_KEY: service.apiKey,
    };
    const env = environment(more, java ? [java] : []);
    const ran = async (cwd: string, ...args: string[]) => {
      const { code, stdout, stderr } = await run(pulumi(), args, { cwd, env });
      expect(code, `${args.join(" ")}:\n${stdout}${stderr}`).toBe(0);
      return stdout + stderr;
    };
    try {
      await ran(
        folder,
        "new",
        join(templates, name),
        "--dir",
        program,
        "--name",
        "my-contracts",
        "--generate-only",
        "-y",
      );
      const project = readFileSync(join(program, "Pulumi.yaml"), "utf8");
      expect(project).toMatch(/^name: my-contracts$/m);
      expect(project).not.toMatch(/\$\{(PROJECT|DESCRIPTION)\}|^template:/m);
      // The other languages' programs need what `pulumi package add` generates.
      if (!name.endsWith("yaml")) return;
      appendFileSync(
        join(program, "Pulumi.yaml"),
        `plugins: { providers: [{ name: docsign, path: ${join(root, "bin")} }] }\n`,
      );
      await ran(program, "stack", "init", "dev", KEPT);
      expect(await ran(program, "preview")).toContain("will mail ana@example.com, then bob@example.org");
      expect(service.ledger.mails()).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
