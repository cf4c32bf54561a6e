export { type Change, changesOf, STATE_OUTDATED } from "./changes.js";
export { type Checked, type Preview, type Previewed, previewed, type Stored, stored } from "./check.js";
export {
  type Configuration,
  defineConfiguration,
  defineFunction,
  defineResource,
  isKnown,
  unknownOutputs,
} from "./define.js";
export { defineProvider } from "./define-provider.js";
export { property } from "./property.js";
export type { Provider } from "./provider.js";
export { type Call, type Failure, type Log, UserError } from "./resource.js";
export { serve } from "./serve.js";
export { Archive, Asset, isUnknown, UNKNOWN, type Unknown } from "./values.js";
