import { stringify } from "yaml";
import { CommandError } from "../../cli/flags/errors.js";
import type { FleetPlan } from "../plan.js";

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
