import "./node-version.js";
import { DynamicFrontEnd } from "./dynamic/dynamic-provider.js";
import { openEngineProcess } from "./dynamic/engine-process.js";

export { answer } from "./dynamic/answer.js";

/** What state's `__provider` leads to. */
export const provider = new DynamicFrontEnd(() => openEngineProcess(process));
