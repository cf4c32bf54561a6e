export { parseBaseUrl } from "./address.js";
export { createService } from "./client.js";
export { hashOf } from "./downloads.js";
export * from "./errors.js";
export { parseId } from "./ids.js";
export type { Credentials, Limits, ReminderMethod, ServiceOptions } from "./options.js";
export type * from "./service.js";
