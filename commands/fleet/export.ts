import { stringify } from "yaml";
import { CommandError } from "../cli/flags.js";
import type { Flags } from "./flags.js";
import { chosen, type FleetPlan, type PlannedStack, writeTable } from "./plan.js";

/** The same fleet for another scheduler, as YAML; or what the tables of its shards were written to, a line each. */
export function exported(
  plan: FleetPlan,
  { format, source = "", branch, file, stacks }: Pick<Flags, "format" | "source" | "branch" | "file" | "stacks">,
): string {
  if (format === "github") return githubWorkflow(plan);
  if (format === "kubernetes") return kubernetesObjects(plan, { source, branch, file });
  if (!plan.file.stacks.shards) throw new CommandError("expected shards, got stacks that have no table of their own");
  return chosen(plan, stacks)
    .map(stack => `${writeTable(stack)}\n`)
    .join("");
}

// ---- Kubernetes ----

/** Where the operator finds the program. */
export interface Source {
  readonly source: string;
  readonly branch: string;
  /** The fleet file in it. */
  readonly file?: string;
}

const LONGEST_NAME = 63;

/** A `Stack` of the Pulumi Kubernetes Operator for each stack, with the `Workspace` that it makes. */
export function kubernetesObjects(plan: FleetPlan, { source, branch, file = "fleet.yaml" }: Source): string {
  const { name, program, secrets, secretsProvider } = plan.file;
  const fleet = objectName(name);
  const names = new Map<string, string>();
  const objects = plan.stacks.map(stack => {
    const object = objectName(`${name}-${stack.name}`);
    const other = names.get(object);
    if (other !== undefined)
      throw new CommandError(
        `expected stacks with object names of their own, got ${object} for ${other} and ${stack.name}`,
      );
    names.set(object, stack.name);
    return {
      apiVersion: "pulumi.com/v1",
      kind: "Stack",
      metadata: { name: object, labels: { "app.kubernetes.io/part-of": fleet } },
      spec: {
        stack: stack.name,
        projectRepo: source,
        branch,
        repoDir: program,
        serviceAccountName: fleet,
        envRefs: {
          ...Object.fromEntries(
            Object.entries(stack.env).map(([key, value]) => [key, { type: "Literal", literal: { value } }]),
          ),
          ...Object.fromEntries(secrets.map(key => [key, { type: "Secret", secret: { name: fleet, key } }])),
        },
        config: stack.config,
        ...(secretsProvider === undefined ? {} : { secretsProvider }),
        retryOnUpdateConflict: true,
        destroyOnFinalize: false,
        workspaceTemplate: {
          apiVersion: "auto.pulumi.com/v1alpha1",
          kind: "Workspace",
          spec: {
            serviceAccountName: fleet,
            securityProfile: "restricted",
            ...(stack.file ? { podTemplate: cutting(stack, file) } : {}),
          },
        },
      },
    };
  });
  return objects.map(object => stringify(object, { lineWidth: 0 })).join("---\n");
}

/**
 * Cuts the stack's rows out of the table, before the engine starts and anew for each commit: the operator runs it after the
 * checkout, which it has in /share/source.
 */
const cutting = ({ name }: PlannedStack, file: string) => ({
  spec: {
    initContainers: [
      {
        name: "table",
        image: "node:24",
        workingDir: "/share/source",
        // What comes after the script is $0 and $1 in it, whatever it holds.
        command: ["sh", "-c", CUT, file, name],
        env: [{ name: "HOME", value: "/tmp" }],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        volumeMounts: [{ name: "share", mountPath: "/share" }],
      },
    ],
    // The operator's own, which a pod template has to name.
    containers: [{ name: "pulumi" }],
  },
});

const CUT = 'npm ci --ignore-scripts && npx --no-install docsign fleet export "$1" --tables --file "$0"';

/** A name as Kubernetes takes them. */
function objectName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  if (name.length <= LONGEST_NAME) return name;
  throw new CommandError(`expected an object name of ${LONGEST_NAME} characters at most, got ${name}`);
}

// ---- GitHub Actions ----

/** What GitHub lets one matrix have. */
const MOST_JOBS = 256;

/** What a version was when it was read: a tag may be moved by whoever gets hold of its repository, a commit can't. */
const PINNED = {
  "actions/checkout": ["3d3c42e5aac5ba805825da76410c181273ba90b1", "v7.0.1"],
  "actions/setup-node": ["820762786026740c76f36085b0efc47a31fe5020", "v7.0.0"],
  "pulumi/actions": ["8e5e406f4007fca908480587cb9893c07090f58d", "v7.0.0"],
} as const;

const use = (name: keyof typeof PINNED): string => `${name}@${PINNED[name][0]}`;

const PULL_REQUEST = "github.event_name == 'pull_request'";

/** A pull request from a fork gets no secrets. */
const OURS =
  "github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository";

/** A workflow with a job for each stack: previewed for a pull request, brought up on main. */
export function githubWorkflow({ file, stacks }: FleetPlan): string {
  if (stacks.length > MOST_JOBS)
    throw new CommandError(`expected ${MOST_JOBS} stacks at most, which is what a matrix holds, got ${stacks.length}`);
  const secrets = ["DOCSIGN_FLEET_DATABASE", ...file.secrets];
  const command = `npx --no-install docsign fleet $\{{ ${PULL_REQUEST} && 'preview' || 'up' }} $\{{ matrix.stack }} --work`;
  const text = stringify(
    {
      name: file.name,
      on: { push: { branches: ["main"] }, pull_request: {} },
      permissions: { contents: "read" },
      jobs: {
        stack: {
          if: OURS,
          "runs-on": "ubuntu-latest",
          strategy: {
            "fail-fast": false,
            "max-parallel": file.workers.parallel,
            matrix: { stack: stacks.map(({ name }) => name) },
          },
          // A preview takes the place of no run that waits, nor does one run that of another.
          concurrency: {
            group: `${file.name}-\${{ matrix.stack }}-\${{ ${PULL_REQUEST} && github.ref || 'up' }}`,
            "cancel-in-progress": false,
            queue: "max",
          },
          steps: [
            { uses: use("actions/checkout"), with: { "persist-credentials": false } },
            { uses: use("actions/setup-node"), with: { "node-version": 24 } },
            { uses: use("pulumi/actions"), with: { "pulumi-version": "3.259.0" } },
            { run: "npm ci --ignore-scripts" },
            { env: Object.fromEntries(secrets.map(name => [name, `\${{ secrets.${name} }}`])), run: command },
          ],
        },
      },
    },
    { lineWidth: 0 },
  );
  return Object.values(PINNED).reduce(
    (lines, [commit, version]) => lines.replace(commit, `${commit} # ${version}`),
    text,
  );
}
