import type { IndependentService } from "../../support/independent-service/index.js";
import type { State } from "../support/engine.js";
import type { Step } from "./script.js";

/** What people do on the platform with what state holds. */
export function act({ ledger, people }: IndependentService, state: State, step: Extract<Step, { name: string }>): void {
  const held = [...state].find(([urn]) => urn.endsWith(`::${step.name}`))?.[1];
  const document = ledger.documents().find(made => made.id === held?.id);
  if (!document) return;
  if (step.do === "remove on the platform") {
    people.removeDocument(document.id);
    return;
  }
  const emails = step.all ? document.invitations.map(({ email }) => email) : ["ana@example.com"];
  for (const email of emails) {
    try {
      people.sign(document.id, email);
    } catch {
      // Signed before.
    }
  }
}
