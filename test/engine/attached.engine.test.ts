import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environment, missingEngine, root } from "../support/engine/found.js";
import { openScene } from "../support/engine/scene.js";

const pdf = Buffer.from("%PDF-1.4\none\n%%EOF\n").toString("base64");
const contract = (name: string, options: object = {}) => ({
  type: "docsign:Document",
  properties: { name, base64File: pdf, invitations: [{ email: "ana@example.com" }] },
  options,
});
const provider = (properties: object) => ({ type: "pulumi:providers:docsign", properties });

describe.skipIf(missingEngine)("a plugin that engines attach to", () => {
  it("takes back in a later deployment what it let go of, and serves one provider's settings", async () => {
    const [nda, lease] = [contract("NDA"), contract("Lease")];
    await using scene = await openScene({ yaml: { resources: { nda, lease } } });
    const { stack, service } = scene;
    const plugin = spawn(join(root, "bin", "pulumi-resource-docsign"), [], {
      env: environment({
        DOCSIGN_STATE_DIR: stack.journal,
        DOCSIGN_BASE_URL: service.url,
        DOCSIGN_API_KEY: service.apiKey,
      }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [port] = await once(plugin.stdout, "data");
      const attached = { PULUMI_DEBUG_PROVIDERS: `docsign:${String(port).trim()}` };
      const up = () => stack.run(["up", "--yes"], attached);
      await up();
      expect(scene.mailed()).toHaveLength(2);
      stack.declare({ resources: { lease } });
      await up();
      stack.declare({ resources: { nda, lease } });
      await up();
      await stack.run(["destroy", "--yes"], attached);
      await up();
      expect(scene.mailed()).toEqual([]);
      expect(stack.entries()["nda"]?.id).toBe(service.ledger.documents().find(({ name }) => name === "NDA")?.id);

      await stack.run(["destroy", "--yes"], attached);
      stack.declare({
        resources: {
          one: provider({}),
          other: provider({ duplicatePolicy: "create" }),
          nda: contract("NDA", { provider: `\${one}` }),
          lease: contract("Lease", { provider: `\${other}` }),
        },
      });
      const { text } = await stack.refused(["up", "--yes", "--skip-preview"], attached);
      expect(text).toContain("this process has the settings of another provider of this deployment");
      expect(scene.mailed().length).toBeLessThan(2);
    } finally {
      plugin.kill();
      await once(plugin, "exit");
    }
  });
});
