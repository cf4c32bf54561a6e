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

/** Contracts by the one policy that each of them breaks. */
const BROKEN: Record<string, object> = {
  "docsign-signer-domains": nda({ invitations: [{ ...invitations[0], email: "eve@elsewhere.example" }] }),
  "docsign-stages": nda({ name: "Lease", invitations: invitations.map(({ stage: _, ...rest }) => rest) }),
  "docsign-no-autograph": nda({
    name: "Employment of Ana",
    invitations: [{ ...invitations[0], allowedSignatureTypes: "all" }],
  }),
  "docsign-guarded": nda({ name: "Offer" }, {}),
};

const policiesIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\[mandatory\]\s+(docsign-[a-z-]+)/g)].map(([, name = ""]) => name))].sort();

describe.skipIf(missingEngine)("the policy pack", () => {
  let scene: Scene;
  let pack: (limits?: "few-people" | "many-people") => string[];
  let PATH: string;

  beforeAll(async () => {
    scene = await openScene({ yaml: { resources: {} } });
    const { folder } = scene.stack;
    // A runtime without a language host: the engine then starts `pulumi-analyzer-policy-<runtime>`, in old versions and new
    // ones. It does what a current Node.js host does with the folder `sdk/policy/pack/`.
    const [packFolder, bin] = [join(folder, "pack"), join(folder, "pack-bin")];
    mkdirSync(packFolder);
    mkdirSync(bin);
    const project = readFileSync(join(root, "sdk", "policy", "pack", "PulumiPolicy.yaml"), "utf8");
    writeFileSync(join(packFolder, "PulumiPolicy.yaml"), project.replace("runtime: nodejs", "runtime: tests"));
    const runner = join(root, "node_modules", "@pulumi", "pulumi", "cmd", "run-policy-pack");
    const script = `#!/bin/sh\ncd "${join(root, "sdk", "policy", "pack")}" && exec node "${runner}" "$1" .\n`;
    writeFileSync(join(bin, "pulumi-analyzer-policy-tests"), script, { mode: 0o755 });
    writeFileSync(join(folder, "few-people.json"), JSON.stringify(CONFIG));
    writeFileSync(
      join(folder, "many-people.json"),
      JSON.stringify({ ...CONFIG, "docsign-mail-limit": { people: 20 } }),
    );
    PATH = `${bin}:${environment()["PATH"]}`;
    pack = (limits = "few-people") => [
      ...["--policy-pack", packFolder],
      ...["--policy-pack-config", join(folder, `${limits}.json`)],
    ];
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  it("stops the preview of a program with contracts that break it, and names each of them with its policy", async () => {
    scene.stack.declare({ resources: BROKEN });
    const { text } = await scene.stack.refused(["preview", ...pack("many-people")], { PATH });
    const found = [...text.matchAll(/\[mandatory\]\s+(docsign-[a-z-]+)\s+\(docsign:index:Document: (.*)\)/g)];
    const names = Object.keys(BROKEN);
    expect(found.map(([, policy, contract]) => [policy, contract]).sort()).toEqual(
      names.map(name => [name, name]).sort(),
    );
    expect(scene.mailed()).toEqual([]);
  });

  it("stops the preview of a stack in production with the sandbox, and one that mails more people than it may", async () => {
    scene.stack.choose("prod");
    scene.stack.declare({ resources: { nda: nda(), lease: nda({ name: "Lease", invitations: [invitations[0]] }) } });
    const { text } = await scene.stack.refused(["preview", ...pack()], { PATH });
    expect(policiesIn(text)).toEqual(["docsign-mail-limit", "docsign-no-sandbox-in-production"]);
    expect(scene.mailed()).toEqual([]);
  });

  it("a program that breaks no rule passes, and what was sent isn't counted again", async () => {
    scene.stack.choose("dev");
    scene.stack.declare({ resources: { nda: nda() } });
    await scene.stack.run(["up", "--yes", ...pack()], { PATH });
    expect(scene.mailed()).toEqual(["ana@example.com", "bob@example.org"]);
    const lease = nda({ name: "Lease" });
    scene.stack.declare({ resources: { nda: nda(), lease } });
    expect(policiesIn((await scene.stack.run(["preview", ...pack()], { PATH })).text)).toEqual([]);
  });

  it("finds in a state what its program breaks, and asks the service nothing", async () => {
    scene.stack.choose("prod");
    scene.stack.declare({ resources: { nda: nda({ invitations: [{ email: "eve@elsewhere.example" }] }, {}) } });
    await scene.stack.up();
    scene.asked();
    const { text } = await scene.stack.refused(["policy", "analyze", "--stack", "prod", ...pack()], { PATH });
    expect(policiesIn(text)).toEqual(["docsign-guarded", "docsign-no-sandbox-in-production", "docsign-signer-domains"]);
    expect(scene.asked()).toEqual([]);
  });
});
