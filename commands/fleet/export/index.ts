import { CommandError } from "../../cli/flags/errors.js";
import type { Flags } from "../flags.js";
import { chosen, type FleetPlan, writeTable } from "../plan.js";
import { githubWorkflow } from "./github.js";
import { kubernetesObjects } from "./kubernetes.js";

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
