import { systemClock } from "../../../provider/client/clock.js";
import type { Clock } from "../../../provider/resources/context.js";

/** However slow a machine is, a store there has all the time it takes. */
export const patient: Clock = { now: systemClock.now, wait: () => new Promise(() => {}) };
