import { stringify } from "yaml";
import { CommandError } from "../../board/errors.js";
import type { FleetPlan } from "../plan.js";

/** What GitHub lets one matrix have. */
const MOST_JOBS = 256;

/** A workflow with a job for each stack: previewed for a pull request, brought up on main. */
export function githubWorkflow({ file, stacks }: FleetPlan): string {
  if (stacks.length > MOST_JOBS)
    throw new CommandError(`expected ${MOST_JOBS} stacks at most, which is what a matrix holds, got ${stacks.length}`);
  const secrets = ["DOCSIGN_FLEET_DATABASE", ...file.secrets];
  const command = `npx docsign-fleet $\{{ github.event_name == 'pull_request' && 'preview' || 'up' }} $\{{ matrix.stack }} --work`;
  return stringify(
    {
      name: file.name,
      on: { push: { branches: ["main"] }, pull_request: {} },
      jobs: {
        stack: {
          "runs-on": "ubuntu-latest",
          strategy: {
            "fail-fast": false,
            "max-parallel": file.workers.parallel,
            matrix: { stack: stacks.map(({ name }) => name) },
          },
          concurrency: { group: `${file.name}-\${{ matrix.stack }}`, "cancel-in-progress": false },
          env: Object.fromEntries(secrets.map(name => [name, `\${{ secrets.${name} }}`])),
          steps: [
            { uses: "actions/checkout@v5" },
            { uses: "actions/setup-node@v5", with: { "node-version": 24 } },
            { uses: "pulumi/actions@v6" },
            { run: "npm ci" },
            { run: command },
          ],
        },
      },
    },
    { lineWidth: 0 },
  );
}
