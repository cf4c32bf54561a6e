import type { Clock } from "../../../provider/core/clock.js";
import { systemClock } from "../../../provider/core/clock.js";

/** However slow a machine is, a store there has all the time it takes. */
export const patient: Clock = { ...systemClock, wait: () => new Promise(() => {}) };
