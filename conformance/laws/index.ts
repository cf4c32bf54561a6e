import type { Law } from "../law.js";
import { functionLaws } from "./functions.js";
import { processLaws } from "./process.js";
import { resourceLaws } from "./resource.js";
import { schemaLaws } from "./schema.js";

export const LAWS: readonly Law[] = [...schemaLaws, ...processLaws, ...resourceLaws, ...functionLaws];
