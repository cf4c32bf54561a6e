export { githubWorkflow } from "./export/github.js";
export { kubernetesObjects, type Source } from "./export/kubernetes.js";
export { type FleetFile, fleetJsonSchema, parseFleet } from "./file.js";
export { type FleetPlan, type PlannedStack, planFleet } from "./plan.js";
export { type Move, movesBetween, shardOf } from "./shards.js";
