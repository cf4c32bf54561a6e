import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { githubWorkflow } from "../../fleet/export/github.js";
import { kubernetesObjects } from "../../fleet/export/kubernetes.js";
import { parseFleet } from "../../fleet/file.js";
import { planFleet } from "../../fleet/plan.js";

const text = `
name: Leases
program: program
stacks: { list: [{ name: mx, config: { "leases:days": 30 } }, { name: us }] }
env: { LANG: C }
secrets: [DOCSIGN_API_KEY, PULUMI_CONFIG_PASSPHRASE]
secretsProvider: "awskms://alias/leases"
`;
const plan = (given = text) => planFleet(parseFleet(given, "fleet.yaml"), given, "/nowhere");
const source = { source: "https://git.example.com/leases.git", branch: "main" };

/** The operator's own schemas, as far as the export uses them. */
const crds = JSON.parse(readFileSync(join(import.meta.dirname, "fixtures/operator-crds.json"), "utf8"));
const stackSchema = z.fromJSONSchema(crds.stack);

describe("for the Kubernetes operator", () => {
  const objects = parseAllDocuments(kubernetesObjects(plan(), source)).map(document => document.toJS());

  it("each stack is an object that the operator's schema takes", () => {
    for (const object of objects) expect(stackSchema.safeParse(object).error?.issues).toBeUndefined();
    expect(objects.map(({ metadata, spec }) => [metadata.name, spec.stack, spec.repoDir])).toEqual([
      ["leases-mx", "mx", "program"],
      ["leases-us", "us", "program"],
    ]);
    expect(objects[0].apiVersion).toBe(`${crds.group.stack}/v1`);
    const { workspace, workspaceVersion } = crds.group;
    expect(objects[0].spec.workspaceTemplate.apiVersion).toBe(`${workspace}/${workspaceVersion}`);
  });

  it("secrets are references, never values", () => {
    expect(objects[0].spec.envRefs).toEqual({
      LANG: { type: "Literal", literal: { value: "C" } },
      DOCSIGN_API_KEY: { type: "Secret", secret: { name: "leases", key: "DOCSIGN_API_KEY" } },
      PULUMI_CONFIG_PASSPHRASE: { type: "Secret", secret: { name: "leases", key: "PULUMI_CONFIG_PASSPHRASE" } },
    });
    expect(objects[0].spec.config).toEqual({ "leases:days": "30" });
  });

  it("the schema refuses what the operator doesn't know", () => {
    const [object] = objects;
    expect(stackSchema.safeParse({ ...object, spec: { ...object.spec, stak: "mx" } }).success).toBe(false);
    expect(stackSchema.safeParse({ ...object, spec: { ...object.spec, envRefs: { A: { secret: {} } } } }).success).toBe(
      false,
    );
  });

  it("refuses what it can't express", () => {
    const twins = "name: a\nstacks: { list: [{ name: x.y }, { name: x_y }] }";
    expect(() => kubernetesObjects(plan(twins), source)).toThrow(
      "expected stacks with object names of their own, got a-x-y for x.y and x_y",
    );
  });
});

describe("for GitHub Actions", () => {
  it("a matrix has a job for each stack, one at a time for the same stack, and secrets by name", () => {
    const { jobs } = parse(githubWorkflow(plan()));
    expect(jobs.stack.strategy).toEqual({ "fail-fast": false, "max-parallel": 2, matrix: { stack: ["mx", "us"] } });
    expect(jobs.stack.concurrency["cancel-in-progress"]).toBe(false);
    const { env } = jobs.stack.steps.at(-1);
    expect(Object.keys(env)).toEqual(["DOCSIGN_FLEET_DATABASE", "DOCSIGN_API_KEY", "PULUMI_CONFIG_PASSPHRASE"]);
    expect(Object.values(env)).toEqual(Object.keys(env).map(name => `\${{ secrets.${name} }}`));
  });

  it("gives secrets to the one step that uses them, and takes what it uses by commit", () => {
    const text = githubWorkflow(plan());
    const { jobs, permissions } = parse(text);
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs.stack.if).toContain("head.repo.full_name == github.repository");
    const { steps, ...job } = jobs.stack;
    expect(JSON.stringify(job)).not.toContain("secrets.");
    expect(steps.filter((step: object) => JSON.stringify(step).includes("secrets."))).toEqual([steps.at(-1)]);
    expect(steps.map(({ run }: { run?: string }) => run).filter(Boolean)).toEqual([
      "npm ci --ignore-scripts",
      expect.stringMatching(/^npx --no-install docsign fleet /),
    ]);
    for (const [, use] of text.matchAll(/uses: (.*)/g)) expect(use).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("refuses more stacks than a matrix holds", () => {
    const many = Array.from({ length: 257 }, (_, nth) => `{ name: s${nth} }`).join(", ");
    expect(() => githubWorkflow(plan(`name: a\nstacks: { list: [${many}] }`))).toThrow(
      "expected 256 stacks at most, which is what a matrix holds, got 257",
    );
  });
});
