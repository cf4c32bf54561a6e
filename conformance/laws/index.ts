import type { Law, ProviderLaw, ResourceLaw } from "../law.js";
import { assetLaws } from "./assets.js";
import { checkLaws } from "./check.js";
import { configurationLaws, configuredAgainLaws } from "./configuration.js";
import { createLaws } from "./create.js";
import { diffLaws } from "./diff.js";
import { functionLaws } from "./functions.js";
import { lifeLaws, viewLaws } from "./life.js";
import { listLaws } from "./list.js";
import { messageLaws, newerMessageLaws } from "./messages.js";
import { previewLaws } from "./preview.js";
import { processLaws } from "./process.js";
import { readLaws } from "./read.js";
import { schemaLaws } from "./schema.js";

const ofProviders = (laws: readonly ProviderLaw[]): Law[] => laws.map(law => ({ ...law, of: "provider" }));
const ofResources = (laws: readonly ResourceLaw[]): Law[] => laws.map(law => ({ ...law, of: "resource" }));

export const LAWS: readonly Law[] = [
  ...ofProviders([...schemaLaws, ...processLaws, ...configurationLaws, ...messageLaws]),
  ...ofResources([
    ...configuredAgainLaws,
    ...newerMessageLaws,
    ...checkLaws,
    ...assetLaws,
    ...previewLaws,
    ...createLaws,
    ...diffLaws,
    ...readLaws,
    ...lifeLaws,
    ...listLaws,
    ...viewLaws,
  ]),
  ...functionLaws.map(law => ({ ...law, of: "function" as const })),
];
