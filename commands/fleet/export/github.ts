import { stringify } from "yaml";
import { CommandError } from "../../cli/flags/errors.js";
import type { FleetPlan } from "../plan.js";

/** What GitHub lets one matrix have. */
const MOST_JOBS = 256;

/** What a version was when it was read: a tag may be moved by whoever gets hold of its repository, a commit can't. */
const PINNED = {
  "actions/checkout": ["11bd71901bbe5b1630ceea73d27597364c9af683", "v4.2.2"],
  "actions/setup-node": ["49933ea5288caeca8642d1e84afbd3f7d6820020", "v4.4.0"],
  "pulumi/actions": ["8582a9e8cc630786854029b4e09281acd6794b58", "v6.6.1"],
} as const;

const use = (name: keyof typeof PINNED): string => `${name}@${PINNED[name][0]}`;

/** A pull request from a fork gets no secrets. */
const OURS =
  "github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository";

/** A workflow with a job for each stack: previewed for a pull request, brought up on main. */
export function githubWorkflow({ file, stacks }: FleetPlan): string {
  if (stacks.length > MOST_JOBS)
    throw new CommandError(`expected ${MOST_JOBS} stacks at most, which is what a matrix holds, got ${stacks.length}`);
  const secrets = ["DOCSIGN_FLEET_DATABASE", ...file.secrets];
  const command = `npx --no-install docsign fleet $\{{ github.event_name == 'pull_request' && 'preview' || 'up' }} $\{{ matrix.stack }} --work`;
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
          concurrency: { group: `${file.name}-\${{ matrix.stack }}`, "cancel-in-progress": false },
          steps: [
            { uses: use("actions/checkout"), with: { "persist-credentials": false } },
            { uses: use("actions/setup-node"), with: { "node-version": 24 } },
            { uses: use("pulumi/actions") },
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
