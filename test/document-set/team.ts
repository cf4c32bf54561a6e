import { Asset, type Values } from "../../kit/values.js";
import type { Scene } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";

export const TYPE = "docsign:index:DocumentSet";
export const TEMPLATE = "# NDA\n\n{{name}} from {{start}}.\n";

/** What holds for each row of the table. */
export const NDA: Values = {
  name: "NDA of {{name}}",
  template: new Asset({ text: TEMPLATE }),
  variables: { name: "{{name}}", start: "{{start}}" },
  invitations: [{ email: "{{email}}", name: "{{name}}" }],
};

/** The same rows with another clause. */
export const CHANGED: Values = { ...NDA, template: new Asset({ text: `${TEMPLATE}More.` }) };

/** A set with an NDA for each of these people. */
export const team = (people: readonly string[], more: Values = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  inputs: {
    table: new Asset({
      text: `email,name,start\n${people.map(name => `${addressOf(name)},${name},1 March\n`).join("")}`,
    }),
    key: "{{email}}",
    defaults: NDA,
    ...more,
  } as Goal["inputs"],
});

export const addressOf = (name: string): string => `${name.toLowerCase().replace("*", "")}@example.com`;

export const outputsOf = (s: Scene): Values => s.stack.entry("ndas").outputs as Values;
export const rowsOf = (s: Scene): Record<string, Values> => outputsOf(s)["documents"] as Record<string, Values>;
export const mailsOf = (s: Scene): string[] => s.service.ledger.mails().map(({ to }) => to);
