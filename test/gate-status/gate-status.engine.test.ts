import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { main } from "../../commands/gate-status/command.js";
import { missingEngine } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";

const DOCUMENT_ID = "nda.documentId";

const yaml = (name: string) => ({
  resources: {
    nda: {
      type: "docsign:Document",
      properties: {
        name,
        base64File: Buffer.from("%PDF-1.4\none\n%%EOF\n").toString("base64"),
        invitations: [{ email: "ana@example.com" }],
      },
    },
    agreed: {
      type: "docsign:SignatureGate",
      properties: { documentId: `\${${DOCUMENT_ID}}`, mode: "require" },
    },
  },
});

/** `docsign gate-status -- pulumi up` on the scene's stack; the tests' own runner keeps the event log. */
const up = ({ stack }: Scene) =>
  main(["--", "pulumi", "up", "--yes", "--skip-preview"], {
    run: async (_, args) => {
      const { code, stderr } = await stack.attempt(args.slice(0, -2));
      const logs = readdirSync(stack.folder).filter(name => /^events-\d+\.json$/.test(name));
      const last = logs.sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b))).at(-1) ?? "";
      copyFileSync(join(stack.folder, last), args.at(-1) ?? "");
      return { code, output: stderr };
    },
    out() {},
    err() {},
  });

it.skipIf(missingEngine)(
  "a real engine's run ends with 10 while people are missing, with 1 for a refusal, with 0 at last",
  async () => {
    await using scene = await openScene({ yaml: yaml("NDA") });
    expect(await up(scene)).toBe(10);
    scene.service.people.sign(scene.id(), "ana@example.com");
    expect(await up(scene)).toBe(0);
    scene.stack.declare(yaml("Another NDA"));
    expect(await up(scene)).toBe(1);
    expect(scene.mailed()).toEqual(["ana@example.com"]);
  },
);
