import type { Law } from "../law.js";
import { assetLaws } from "./assets.js";
import { checkLaws } from "./check.js";
import { configurationLaws } from "./configuration.js";
import { createLaws } from "./create.js";
import { diffLaws } from "./diff.js";
import { functionLaws } from "./functions.js";
import { lifeLaws, viewLaws } from "./life.js";
import { listLaws } from "./list.js";
import { messageLaws } from "./messages.js";
import { previewLaws } from "./preview.js";
import { processLaws } from "./process.js";
import { readLaws } from "./read.js";
import { schemaLaws } from "./schema.js";

export const LAWS: readonly Law[] = [
  ...schemaLaws,
  ...processLaws,
  ...configurationLaws,
  ...messageLaws,
  ...checkLaws,
  ...assetLaws,
  ...previewLaws,
  ...createLaws,
  ...diffLaws,
  ...readLaws,
  ...lifeLaws,
  ...listLaws,
  ...viewLaws,
  ...functionLaws,
];
