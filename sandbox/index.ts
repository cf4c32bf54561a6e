export type { Moment } from "./clock.js";
export { type Dialect, parseDialect, randomDialect } from "./dialect/dialect.js";
export type { NewInvitation as ScenarioInvitation } from "./documents.js";
export type * from "./entities.js";
export type { Hold } from "./faults/book.js";
export {
  type Fault,
  type FaultKind,
  faultKinds,
  type HoldPoint,
  type Match,
  type RateLimit,
  type ResetPoint,
} from "./faults/fault.js";
export type { SeenRequest } from "./history.js";
export type { SandboxOptions } from "./options.js";
export { makePdf, type PdfOptions } from "./pdf.js";
export type { DocumentPatch, InvitationPatch, NewAccount, SandboxDocument } from "./platform.js";
export { Refusal } from "./refusal.js";
export { type CreateAnswer, createAnswers } from "./routes/create-answer.js";
export type { RouteName } from "./routes/route.js";
export { Sandbox, startSandbox } from "./sandbox.js";
export type { Scenario, ScenarioDocument } from "./scenario.js";
export { defaultSettings, type Settings } from "./settings.js";
export type { CertifyOptions, CertifyWhat, SignOptions, Who } from "./signing.js";
