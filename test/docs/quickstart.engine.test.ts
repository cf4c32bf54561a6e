import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { Shell } from "../examples/support/shell.js";
import { environment, missingEngine, root } from "../support/engine/found.js";
import { KEPT, thrift } from "../support/engine/fresh-stack.js";
import { read, textOf } from "./support/pages.js";

/** A page's snippets below a heading, in their order. */
function below(heading: string, page = "README.md") {
  const { snippets } = read(page);
  const lines = textOf(page).split("\n");
  const from = lines.findIndex(line => line.endsWith(` ${heading}`) && line.startsWith("#"));
  const until = lines.findIndex((line, at) => at > from && /^##+ /.test(line));
  return snippets.filter(({ where }) => {
    const line = Number(where.split(":").at(-1));
    return line > from && line < until;
  });
}
const commandsBelow = (heading: string, page?: string): string[] =>
  below(heading, page).flatMap(({ kind, text }) => (kind === "sh" ? text.split("\n") : []));

/** What brings the package, the service and the build, which tests have already. */
const ONCE = /^(npm (pack|install .*|run build)|bin\/docsign sandbox .*)$/;

/** A clone, and beside it what package managers would bring into a program's folder. */
function layOut(folder: string): void {
  const clone = join(folder, "pulumi-docsign");
  mkdirSync(join(clone, "bin"), { recursive: true });
  for (const path of ["examples/offline.sh", "examples/quickstart"])
    cpSync(join(root, path), join(clone, path), { recursive: true });
  symlinkSync(join(root, "bin/pulumi-resource-docsign"), join(clone, "bin/pulumi-resource-docsign"));
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["@pulumi", "@grpc", "@types", "google-protobuf", "typescript"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  symlinkSync(root, join(folder, "node_modules", "pulumi-docsign"));
}

/** Hashes and times aside. */
const lasting = (text: string): string =>
  text.replace(/sha256:[0-9a-f]{12}/g, "sha256:…").replace(/\d{4}-\d\d-\d\dT[\d:.]+-\d\d:\d\d/g, "then");

describe.skipIf(missingEngine)("the README's quick start, word by word", () => {
  it.each([
    ["Quick start, without a plugin", "docs/plugin-and-dynamic-provider.md", "my-contracts"],
    ["With YAML", "README.md", "pulumi-docsign/examples/quickstart"],
  ])("%s", async (heading, page, program) => {
    const folder = mkdtempSync(join(tmpdir(), "docsign-readme-"));
    layOut(folder);
    await using sandbox = await startSandbox({ apiKey: "my-key", control: true, port: 0, seed: 1 });
    const env = environment({
      ...(await thrift()),
      DOCSIGN_SCRATCH: join(folder, "scratch"),
      DOCSIGN_BASE_URL: sandbox.url,
      PULUMI_HOME: join(folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_SKIP_CONFIRMATIONS: "true",
      // The program is compiled by a test of its own.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      NO_COLOR: "1",
    });
    mkdirSync(join(folder, "scratch"));
    await using shell = new Shell(join(folder, "pulumi-docsign"), env);
    try {
      const run = async (command: string): Promise<string> => {
        const { code, text } = await shell.run(command);
        expect(code, `${command}:\n${text}`).toBe(0);
        return text;
      };
      const commands = [...commandsBelow("Quick start"), ...commandsBelow(heading, page)].filter(
        line => !ONCE.test(line),
      );
      for (const command of commands) await run(command);
      const files = below(heading, page).filter(({ kind }) => kind !== "sh");
      for (const { kind, text } of files)
        writeFileSync(join(folder, program, kind === "yaml" ? "Pulumi.yaml" : "index.ts"), text);

      const [init = "", up = "", sign = "", refresh = "", ...more] = commandsBelow("Then, in any language");
      expect(more).toEqual([]);
      await run(`${init} ${KEPT}`);
      expect(await run(up)).toContain(
        "will mail ana@example.com, then bob@example.org (in stage 2, after those before)",
      );
      // Bob is of the second stage: the service mails him when Ana has signed.
      expect(sandbox.mails.map(({ to }) => to)).toEqual(["ana@example.com"]);
      // The rest reads the same with both front ends, and is quicker with this one.
      if (page !== "README.md") return;
      await run(sign);
      await run(refresh);
      expect(JSON.parse(await run("pulumi stack output pendingSigners --json"))).toEqual(["bob@example.org"]);

      appendFileSync(join(folder, program, "contracts/nda.pdf"), "changed\n");
      const refused = await shell.run("pulumi preview");
      expect(refused.code).not.toBe(0);
      const [shown] = below("When a contract changes");
      for (const line of shown?.text.split("\n") ?? []) expect(lasting(refused.text)).toContain(lasting(line).trim());
      await run("pulumi destroy --skip-preview");
      expect(sandbox.documents()).toHaveLength(1);
      expect(sandbox.mails).toHaveLength(2);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});
