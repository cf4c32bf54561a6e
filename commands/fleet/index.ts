export { githubWorkflow, kubernetesObjects, type Source } from "./export.js";
export { type FleetFile, fleetJsonSchema, parseFleet } from "./file.js";
export { type FleetPlan, type Move, movesBetween, type PlannedStack, planFleet, shardOf } from "./plan.js";
