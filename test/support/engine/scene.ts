import {
  type IndependentService,
  type IndependentServiceOptions,
  startIndependentService,
} from "../independent-service/index.js";
import { openStack, type Stack, type StackOptions } from "./stack.js";

/** A service and a stack on it. */
export interface Scene extends AsyncDisposable {
  readonly service: IndependentService;
  readonly stack: Stack;
  /** The id of the nth document ever created. */
  id(nth?: number): string;
  /** Requests since the last look, as `GET /v1/documents/1`. */
  asked(): string[];
  /** Who was mailed since the last look. */
  mailed(): string[];
}

export async function openScene({
  service: options,
  ...rest
}: Omit<StackOptions, "service"> & { service?: IndependentServiceOptions }): Promise<Scene> {
  const service = await startIndependentService(options);
  const stack = await openStack({ ...rest, service }).catch(async error => {
    await service[Symbol.asyncDispose]();
    throw error;
  });
  let [requests, mails] = [0, 0];
  return {
    service,
    stack,
    id: (nth = 0) => service.ledger.documents()[nth]?.id ?? "",
    asked() {
      const since = service.ledger.requests().slice(requests);
      requests += since.length;
      return since.map(({ method, path, query }) => `${method} ${path}${query.size > 0 ? `?${query}` : ""}`);
    },
    mailed() {
      const since = service.ledger.mails().slice(mails);
      mails += since.length;
      return since.map(({ to }) => to);
    },
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
