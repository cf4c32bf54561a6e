export { type BoardOptions, boardOf } from "./board.js";
export { boardMarkdown, planMarkdown } from "./markdown.js";
export {
  type Board,
  boardJsonSchema,
  boardSchema,
  type Contract,
  type Person,
  type Signer,
  type StackSummary,
  type Totals,
} from "./model.js";
export { boardPage, type PageOptions } from "./page/page.js";
export { type Plan, type PlannedMail, type Refused, readPreview } from "./preview.js";
export { type OurResource, readExport, type StackState } from "./state.js";
