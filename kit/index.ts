export { changesOf } from "./compare.js";
export {
  type Configuration,
  defineConfiguration,
  defineFunction,
  defineResource,
  type Preview,
  type Previewed,
} from "./define.js";
export { defineProvider } from "./define-provider.js";
export { property } from "./property.js";
export type { Provider } from "./provider.js";
export { type Call, type Failure, type Log, UserError } from "./resource.js";
export { serve } from "./serve.js";
export { Archive, Asset, isUnknown, UNKNOWN, type Unknown } from "./values.js";
