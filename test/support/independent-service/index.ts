export { type Dialect, dialects, dialectsOf, mixedDialects, type NamedDialect, together } from "./dialect.js";
export { type Fault, type FaultFor, passingFaults, randomFaults } from "./faults.js";
export type { Gate, Point } from "./gates.js";
export {
  type IndependentService,
  type IndependentServiceOptions,
  startIndependentService,
} from "./independent-service.js";
export type { Account, DocumentRecord, FolderRecord, Mail } from "./records.js";
export type { Matcher, Operation, RequestRecord } from "./requests.js";
