import type { Asked } from "../flags.js";
import type { FleetPlan } from "../plan.js";
import { githubWorkflow } from "./github.js";
import { kubernetesObjects } from "./kubernetes.js";

/** The same fleet for another scheduler, as YAML. */
export function exported(
  plan: FleetPlan,
  { format, source = "", branch }: Pick<Asked, "format" | "source" | "branch">,
): string {
  return format === "github" ? githubWorkflow(plan) : kubernetesObjects(plan, { source, branch });
}
