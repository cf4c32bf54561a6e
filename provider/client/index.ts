export { parseId } from "./bodies.js";
export { accountOf, createService } from "./client.js";
export * from "./errors.js";
export type * from "./service.js";
export { hashOf, parseBaseUrl } from "./transport.js";
