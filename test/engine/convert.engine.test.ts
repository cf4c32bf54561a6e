import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../support/engine/child.js";
import { environment, missingEngine, pulumi, root } from "../support/engine/found.js";

// `pulumi convert` translates every language by way of this one, and a language host writes the program: the one for
// Java is the only one that set-up can build with that part.
const { DOCSIGN_TEST_JAVA: java = "", DOCSIGN_TEST_JAVA_MISSING } = process.env;
const missing = missingEngine ?? DOCSIGN_TEST_JAVA_MISSING ?? (java === "" ? "no language host for Java" : undefined);

const PROGRAM = `
resource contracts "docsign:index:Folder" {
  name = "Contracts"
}
resource nda "docsign:index:Document" {
  name = "Mutual NDA"
  folderId = contracts.folderId
  file = fileAsset("./nda.pdf")
  invitations = [{ email = "ana@example.com", stage = 1 }]
}
resource signed "docsign:index:SignatureGate" {
  documentId = nda.documentId
  mode = "wait"
}
output status { value = nda.status }
`;

describe.skipIf(missing)(`pulumi convert ${missing ?? ""}`, () => {
  it("writes a program whose names are those of the SDK, its input types too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "docsign-convert-"));
    try {
      const plugins = `plugins: { providers: [{ name: docsign, path: ${join(root, "bin")} }] }\n`;
      writeFileSync(join(folder, "Pulumi.yaml"), `name: contracts\nruntime: pcl\n${plugins}`);
      writeFileSync(join(folder, "main.pp"), PROGRAM);
      cpSync(join(root, "examples", "quickstart", "contracts", "nda.pdf"), join(folder, "nda.pdf"));
      const args = ["convert", "--from", "pcl", "--language", "java", "--generate-only", "--out", "out"];
      const env = environment({ PULUMI_HOME: join(folder, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" }, [java]);
      const { code, stdout, stderr } = await run(pulumi(), args, { cwd: folder, env });
      expect(code, stdout + stderr).toBe(0);
      const text = readFileSync(join(folder, "out", "src", "main", "java", "generated_program", "App.java"), "utf8");
      const ours = [...text.matchAll(/^import (\S+docsign\S+);$/gm)].map(([, name]) => name);
      expect(ours.sort()).toEqual(
        [
          ...["Document", "DocumentArgs", "Folder", "FolderArgs", "SignatureGate", "SignatureGateArgs"],
          "inputs.InvitationArgs",
        ].map(name => `com.pulumidocsign.docsign.${name}`),
      );
      expect(text).toContain('new SignatureGate("signed", SignatureGateArgs.builder()');
      expect(text).toContain(".folderId(contracts.folderId())");
      expect(text).toContain('.file(new FileAsset("./nda.pdf"))');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
