import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { environment, missingEngine, root } from "../support/engine/found.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { scratchFolder } from "../support/scratch.js";

const { DOCSIGN_TEST_PROVIDERTEST: harness } = process.env;

it.skipIf(missingEngine !== undefined || !harness)("Pulumi's harness finds nothing in any resource", async () => {
  await using service = await startIndependentService();
  const folder = scratchFolder("providertest-");
  const [program, launcher] = [join(folder, "program"), join(folder, "plugin", "bin")];
  mkdirSync(program);
  cpSync(join(root, "test/conformance/providertest/Pulumi.yaml"), join(program, "Pulumi.yaml"));
  cpSync(join(root, "examples/quickstart/contracts/nda.pdf"), join(program, "nda.pdf"));
  mkdirSync(launcher, { recursive: true });
  // An older YAML host keeps a copy of the schema beside it.
  symlinkSync(join(root, "bin", "pulumi-resource-docsign"), join(launcher, "pulumi-resource-docsign"));
  const env = environment({
    PROGRAM: program,
    LAUNCHER: launcher,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DOCSIGN_STATE_DIR: join(folder, "journal"),
    DOCSIGN_BASE_URL: service.url,
    DOCSIGN_API_KEY: service.apiKey,
    TMPDIR: folder,
  });
  const ran = await promisify(execFile)(harness ?? "", ["-test.v"], { cwd: folder, env, maxBuffer: 1 << 26 }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  expect(ran.stdout, ran.stdout + ran.stderr).toMatch(/^PASS$/m);
  expect(
    service.ledger
      .mails()
      .map(({ to, kind }) => [to, kind])
      .sort(),
  ).toEqual([
    ["ana@example.com", "invitation"],
    ["ana@example.com", "reminder"],
    ["ben@example.com", "invitation"],
  ]);
});
