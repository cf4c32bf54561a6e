import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment, missingEngine, root } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";

const invitations = [
  { email: "ana@example.com", stage: 1, allowedSignatureTypes: "advanced" },
  { email: "bob@example.org", stage: 2, allowedSignatureTypes: "advanced" },
];
const CONFIG = {
  "docsign-signer-domains": { domains: ["example.com", "example.org"] },
  "docsign-no-autograph": { names: ["^Employment"] },
  "docsign-mail-limit": { people: 2 },
};

const base64File = Buffer.from("%PDF-1.4\none\n%%EOF\n").toString("base64");
const nda = (properties: object = {}, options: object = { deleteBeforeReplace: true }) => ({
  type: "docsign:Document",
  properties: { name: "NDA", base64File, invitations, ...properties },
  options,
});

/** The policies that a program breaks. */
const BROKEN: readonly [policy: string, resources: Record<string, object>, stack?: string][] = [
  ["docsign-signer-domains", { nda: nda({ invitations: [{ ...invitations[0], email: "eve@elsewhere.example" }] }) }],
  ["docsign-stages", { nda: nda({ invitations: invitations.map(({ stage: _, ...rest }) => rest) }) }],
  [
    "docsign-no-autograph",
    { nda: nda({ name: "Employment of Ana", invitations: [{ ...invitations[0], allowedSignatureTypes: "all" }] }) },
  ],
  ["docsign-guarded", { nda: nda({}, {}) }],
  ["docsign-no-sandbox-in-production", { nda: nda() }, "prod"],
  ["docsign-mail-limit", { nda: nda(), lease: nda({ name: "Lease", invitations: [invitations[0]] }) }],
];

const policiesIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\[mandatory\]\s+(docsign-[a-z-]+)/g)].map(([, name = ""]) => name))].sort();

describe.skipIf(missingEngine)("the policy pack", () => {
  let scene: Scene;
  let pack: string[];
  let PATH: string;

  beforeAll(async () => {
    scene = await openScene({ yaml: { resources: {} } });
    const { folder } = scene.stack;
    // A runtime without a language host: the engine then starts `pulumi-analyzer-policy-<runtime>`, in old versions and new
    // ones. It does what a current Node.js host does with the folder `policy/pack/`.
    const [packFolder, bin] = [join(folder, "pack"), join(folder, "pack-bin")];
    mkdirSync(packFolder);
    mkdirSync(bin);
    const project = readFileSync(join(root, "policy", "pack", "PulumiPolicy.yaml"), "utf8");
    writeFileSync(join(packFolder, "PulumiPolicy.yaml"), project.replace("runtime: nodejs", "runtime: tests"));
    const runner = join(root, "node_modules", "@pulumi", "pulumi", "cmd", "run-policy-pack");
    const script = `#!/bin/sh\ncd "${join(root, "policy", "pack")}" && exec node "${runner}" "$1" .\n`;
    writeFileSync(join(bin, "pulumi-analyzer-policy-tests"), script, { mode: 0o755 });
    writeFileSync(join(folder, "pack.json"), JSON.stringify(CONFIG));
    PATH = `${bin}:${environment()["PATH"]}`;
    pack = ["--policy-pack", packFolder, "--policy-pack-config", join(folder, "pack.json")];
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  it.each(BROKEN)(
    "%s stops the preview of a program that breaks it, and that one alone",
    async (policy, resources, stack = "dev") => {
      scene.stack.choose(stack);
      scene.stack.declare({ resources });
      const { text } = await scene.stack.refused(["preview", ...pack], { PATH });
      expect(policiesIn(text)).toEqual([policy]);
      expect(scene.mailed()).toEqual([]);
    },
  );

  it("a program that breaks no rule passes, and what was sent isn't counted again", async () => {
    scene.stack.choose("dev");
    scene.stack.declare({ resources: { nda: nda() } });
    await scene.stack.run(["up", "--yes", ...pack], { PATH });
    expect(scene.mailed()).toEqual(["ana@example.com", "bob@example.org"]);
    const lease = nda({ name: "Lease" });
    scene.stack.declare({ resources: { nda: nda(), lease } });
    expect(policiesIn((await scene.stack.run(["preview", ...pack], { PATH })).text)).toEqual([]);
  });

  it("finds in a state what its program breaks, and asks the service nothing", async () => {
    scene.stack.choose("prod");
    scene.stack.declare({ resources: { nda: nda({ invitations: [{ email: "eve@elsewhere.example" }] }, {}) } });
    await scene.stack.up();
    scene.asked();
    const { text } = await scene.stack.refused(["policy", "analyze", "--stack", "prod", ...pack], { PATH });
    expect(policiesIn(text)).toEqual(["docsign-guarded", "docsign-no-sandbox-in-production", "docsign-signer-domains"]);
    expect(scene.asked()).toEqual([]);
  });
});
