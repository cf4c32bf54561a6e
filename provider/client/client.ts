import { systemClock } from "../core/clock.js";
import { parseBaseUrl } from "./address.js";
import { authFor } from "./auth.js";
import { LongestSeen } from "./completeness.js";
import { createDocument, getDocument, listDocuments, listDocumentsByDateRange } from "./documents.js";
import { download } from "./downloads.js";
import { InvalidArgumentError } from "./errors.js";
import { Redactor } from "./excerpt.js";
import { createFolder } from "./folders.js";
import { DEFAULT_LIMITS, type ServiceOptions } from "./options.js";
import { Gate, Limiter } from "./rate-limit.js";
import { Reminders } from "./reminders.js";
import { Requests } from "./requests.js";
import { RetryBudget } from "./retry.js";
import type { Service, Turn } from "./service.js";
import { ServiceClock } from "./service-clock.js";
import { SharedGate, SharedLimiter } from "./shared-limit.js";
import { Transport } from "./transport.js";

/** The service, spoken to over HTTP. Nothing is sent before the first call. */
export function createService(options: ServiceOptions): Service {
  const { credentials, maxConcurrency = 8, requestTimeoutMs = 30_000, uploadTimeoutMs = 300_000 } = options;
  const { clock = systemClock, random = Math.random, userAgent = "pulumi-docsign" } = options;
  if (!Number.isSafeInteger(maxConcurrency) || maxConcurrency < 1) {
    throw new InvalidArgumentError(`docsign:maxConcurrency must be a whole number from 1 on, got ${maxConcurrency}`);
  }
  const base = parseBaseUrl(options.baseUrl);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const redactor = new Redactor();
  redactor.learn(credentials.kind === "apiKey" ? credentials.apiKey : credentials.password);

  const serviceClock = new ServiceClock();
  const transport = new Transport({ maxConcurrency, connect: options.connect, clock, serviceClock, redactor });
  const { shared } = options;
  const gate = shared ? new SharedGate(clock, random, shared) : new Gate(clock, random);
  const limiter = () => (shared ? new SharedLimiter(maxConcurrency, shared, gate) : new Limiter(maxConcurrency));
  const limiters = { write: limiter(), read: limiter() };
  const budget = new RetryBudget();
  const calls = new Requests({
    ...{ base, transport, limiters, gate, budget, clock, serviceClock, random, redactor },
    ...{ requestTimeoutMs, limits, userAgent },
  });
  const keys = authFor(credentials, calls);
  const reminders = new Reminders(calls, keys, options.reminderMethod ?? "auto");
  const { listBytes: limit } = limits;
  const longest = new LongestSeen();

  const turn: Turn = {
    getDocument: async (id, { signal } = {}) => getDocument(calls, keys, id, { signal }, "readInPlace"),
    createDocument: async (document, { signal, graceMs, mayLeave } = {}) =>
      createDocument(calls, keys, document, { signal, graceMs, mayLeave, timeoutMs: uploadTimeoutMs }),
    remind: async (invitationId, { signal, mayLeave } = {}) => reminders.remind(invitationId, { signal, mayLeave }),
  };

  return {
    origin: base.origin,
    baseUrl: base.href,
    now: () => serviceClock.at(clock.now()),
    ticks: () => (serviceClock.standsStill ? undefined : serviceClock.at(clock.now())?.getTime()),
    turn: (work, { signal } = {}) => calls.turn({ method: "POST", to: "", signal }, keys, () => work(turn)),
    getDocument: async (id, { signal } = {}) => getDocument(calls, keys, id, { signal }),
    listDocuments: async (filter, { signal } = {}) =>
      longest.note("documents", await listDocuments(calls, keys, filter, { signal, limit })),
    listDocumentsByDateRange: async (filter, { signal } = {}) =>
      longest.note("documentsByDateRange", await listDocumentsByDateRange(calls, keys, filter, { signal, limit })),
    longestSeen: endpoint => longest.of(endpoint),
    createFolder: async (folder, { signal } = {}) => createFolder(calls, keys, folder, { signal }),
    download: async (url, ask = {}) => download(calls, keys, base, url, ask, limits),
    close: async () => {
      await Promise.all([transport.close(), shared?.end()]);
    },
  };
}
