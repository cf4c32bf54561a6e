import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { exported, githubWorkflow, kubernetesObjects } from "../../commands/fleet/export.js";
import { parseFleet } from "../../commands/fleet/file.js";
import { readFlags } from "../../commands/fleet/flags.js";
import { planFleet } from "../../commands/fleet/plan.js";

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

  it("a shard's rows are cut out of the table after the checkout, and before the engine starts", () => {
    const folder = mkdtempSync(join(tmpdir(), "docsign-fleet-export-"));
    try {
      writeFileSync(join(folder, "people.csv"), 'email,name\nana@example.com,Ana\nbob@example.com,"Bob, Jr"\n');
      const shards = `name: leases\nprogram: program\nstacks: { shards: { of: people.csv, key: email, count: 2 } }`;
      const cut = planFleet(parseFleet(shards, "fleet.yaml"), shards, folder);
      const texts = kubernetesObjects(cut, { ...source, file: "it's a fleet.yaml" });
      const stacks = parseAllDocuments(texts).map(document => document.toJS());
      for (const stack of stacks) expect(stackSchema.safeParse(stack).error?.issues).toBeUndefined();
      const [table] = stacks[1].spec.workspaceTemplate.spec.podTemplate.spec.initContainers;
      expect(table.command.slice(-2)).toEqual(["it's a fleet.yaml", "leases-1"]);

      const asked = readFlags(["export", "--tables", "leases-1"]);
      const written = exported(cut, asked).trim().split("\n");
      expect(written).toEqual([join(folder, "program/.docsign-fleet/leases-1.csv")]);
      const all = exported(cut, readFlags(["export", "--tables"]))
        .trim()
        .split("\n");
      const rows = all.flatMap(path => readFileSync(path, "utf8").trim().split("\n").slice(1));
      expect(rows.sort()).toEqual(["ana@example.com,Ana", 'bob@example.com,"Bob, Jr"']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("the script of the init container asks for its stack's table of the fleet file, whatever their names hold", () => {
    const shards = "name: leases\nstacks: { shards: { of: people.csv, key: email, count: 1 } }";
    const folder = mkdtempSync(join(tmpdir(), "docsign-fleet-export-"));
    try {
      writeFileSync(join(folder, "people.csv"), "email\nana@example.com\n");
      for (const name of ["npm", "npx"])
        writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s|' ${name} "$@"\n`, { mode: 0o755 });
      const cut = planFleet(parseFleet(shards, "fleet.yaml"), shards, folder);
      const object = parse(kubernetesObjects(cut, { ...source, file: "a $(b) 'c.yaml" }));
      const [{ command }] = object.spec.workspaceTemplate.spec.podTemplate.spec.initContainers;
      const env = { PATH: [folder, process.env["PATH"]].join(delimiter) };
      const said = execFileSync(command[0], command.slice(1), { env, encoding: "utf8" });
      expect(said).toBe(
        "npm|ci|--ignore-scripts|npx|--no-install|docsign|fleet|export|leases-0|--tables|--file|a $(b) 'c.yaml|",
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("tables are of shards alone", () => {
    expect(() => exported(plan(), readFlags(["export", "--tables"]))).toThrow(
      "expected shards, got stacks that have no table of their own",
    );
    expect(() => readFlags(["export", "--tables", "--github"])).toThrow(
      "expected one of --kubernetes, --github and --tables",
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
    expect(jobs.stack.concurrency).toEqual({
      // A preview that waits would drop an `up` that waits.
      group: `Leases-\${{ matrix.stack }}-\${{ github.event_name == 'pull_request' && github.ref || 'up' }}`,
      "cancel-in-progress": false,
      queue: "max",
    });
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
    // The same as in the recipes, which Renovate keeps.
    const recipe = readFileSync("docs/ci/github-actions.yml", "utf8");
    const uses = [...text.matchAll(/uses: (.*)/g)];
    expect(uses).toHaveLength(3);
    for (const [use] of uses) expect(recipe).toContain(use);
  });

  it("refuses more stacks than a matrix holds", () => {
    const many = Array.from({ length: 257 }, (_, nth) => `{ name: s${nth} }`).join(", ");
    expect(() => githubWorkflow(plan(`name: a\nstacks: { list: [${many}] }`))).toThrow(
      "expected 256 stacks at most, which is what a matrix holds, got 257",
    );
  });
});
