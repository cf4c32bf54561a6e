import { NotFoundError } from "../../client/errors.js";
import { parseId } from "../../client/ids.js";
import type { DocumentBody } from "../../client/service.js";
import type { Value } from "../../schema/values.js";
import type { Context } from "../context.js";
import type { Call } from "../resource.js";

const FIRST_PAUSE_MS = 250;

/** The document as the service shows it now. One just created may not be shown at once: `patient` waits for that. */
export async function askFor(
  context: Context,
  call: Call,
  documentId: Value | undefined,
  { patient = false } = {},
): Promise<DocumentBody> {
  const id = parseId(documentId, "documentId");
  const until = context.clock.now() + context.policy().reconcileTimeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await context.service().getDocument(id, { signal: call.signal });
    } catch (error) {
      if (!patient || !(error instanceof NotFoundError && error.json) || context.clock.now() >= until) throw error;
    }
    await context.clock.wait(Math.min(pause, until - context.clock.now()), call.signal);
  }
}

/** The service's time; this machine's where the service hasn't shown one. */
export const serviceNow = (context: Context): Date => context.service().now() ?? new Date(context.clock.now());
