import { createService } from "../../provider/client/client.js";
import type { NewDocument, Service, ServiceOptions, Turn } from "../../provider/client/service.js";
import type { Clock } from "../../provider/core/clock.js";

export const KEY = "canary-key-6f1d";
export const SOURCE = "docsign:apiKey";

/** What a user who sets nothing gets. */
export const DEFAULTS = {
  maxConcurrency: 8,
  firstConcurrency: 8,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 300_000,
  reminderMethod: "auto",
  userAgent: "pulumi-docsign",
} as const satisfies Partial<ServiceOptions>;

export interface FakeClock extends Clock {
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: number[];
  time: number;
}

/** Time passes only by waiting, and waiting takes none. */
export function fakeClock(start = Date.UTC(2026, 0, 31, 12)): FakeClock {
  const waits: number[] = [];
  return {
    waits,
    time: start,
    now() {
      return this.time;
    },
    startedUp: () => start,
    async wait(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      this.time += ms;
      await new Promise(setImmediate);
    },
  };
}

/** A service whose writes take a turn each. */
export type TestService = Service &
  Pick<Turn, "createDocument" | "remind"> &
  AsyncDisposable & { readonly clock: FakeClock };

export function testService(
  baseUrl: string,
  options: Partial<ServiceOptions> & { clock?: FakeClock } = {},
): TestService {
  const clock = options.clock ?? fakeClock();
  const service = createService({
    ...DEFAULTS,
    ...(options.maxConcurrency !== undefined && { firstConcurrency: options.maxConcurrency }),
    baseUrl,
    credentials: { kind: "apiKey", apiKey: KEY, source: SOURCE },
    random: () => 0.5,
    ...options,
    clock,
  });
  const turns: Pick<Turn, "createDocument" | "remind"> = {
    createDocument: (document, ask) => service.turn(turn => turn.createDocument(document, ask), ask),
    remind: (invitationId, ask) => service.turn(turn => turn.remind(invitationId, ask), ask),
  };
  return Object.assign(service, turns, { clock, [Symbol.asyncDispose]: () => service.close() });
}

export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it was expected to fail, and didn't");
}

export function pdfOf(bytes: Uint8Array, chunk = bytes.length): NewDocument["pdf"] {
  return {
    size: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += Math.max(1, chunk)) yield bytes.subarray(at, at + Math.max(1, chunk));
    },
  };
}

export const contract: NewDocument = {
  name: "Lease",
  invitations: [{ email: "ana@example.com", name: "Ana", stage: 1 }, { email: "luis@example.com" }],
  pdf: pdfOf(Buffer.from("%PDF-1.7 lease")),
};

export const documentBody = (id: unknown = 7) => ({
  id,
  name: "Lease",
  status: "unsigned",
  files: [],
  invitations: [],
});
