import { NotFoundError } from "../../client/errors.js";
import { parseId } from "../../client/ids.js";
import type { DocumentBody } from "../../client/service.js";
import type { Value } from "../../schema/values.js";
import type { Call } from "../resource.js";
import type { World } from "../world.js";

const FIRST_PAUSE_MS = 250;

/** The document as the service shows it now. One just created may not be shown at once: `patient` waits for that. */
export async function askFor(
  world: World,
  call: Call,
  documentId: Value | undefined,
  { patient = false } = {},
): Promise<DocumentBody> {
  const id = parseId(documentId, "documentId");
  const until = world.clock.now() + world.policy().reconcileTimeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await world.service().getDocument(id, { signal: call.signal });
    } catch (error) {
      if (!patient || !(error instanceof NotFoundError && error.json) || world.clock.now() >= until) throw error;
    }
    await world.clock.wait(Math.min(pause, until - world.clock.now()), call.signal);
  }
}

/** The service's time; this machine's where the service hasn't told. */
export const serviceNow = (world: World): Date => world.service().now() ?? new Date(world.clock.now());
