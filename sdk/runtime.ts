import "./node-version.js";
import { DynamicDoor } from "./dynamic/dynamic-door.js";
import { openEngineProcess } from "./dynamic/engine-process.js";

export { answer } from "./dynamic/answer.js";

/** What state's `__provider` leads to. */
export const provider = new DynamicDoor(() => openEngineProcess(process));
