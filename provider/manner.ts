import type { Provider } from "../kit/provider.js";
import { noteOf } from "./resources/refusal.js";
import { withFacts } from "./schema/facts.js";
import { statusOf } from "./status-table.js";

/** A set's rows: the next `up` takes over from the journal what was made. */
export const keptWhole: ReadonlySet<string> = new Set(["documents"]);

/** How every call of ours fails and speaks. There before the provider itself is loaded. */
export const manner = {
  name: "docsign",
  statusOf,
  keptWhole,
  facts: { write: withFacts, noteOf },
} satisfies Partial<Provider>;
