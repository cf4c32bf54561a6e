import "./node-version.js";
import { DynamicFrontEnd } from "./dynamic/dynamic-provider.js";
import { openEngineProcess } from "./dynamic/engine-process.js";

export { callFunction as answer } from "./dynamic/call-function.js";

/** What state's `__provider` leads to. */
export const provider = new DynamicFrontEnd(() => openEngineProcess(process));
