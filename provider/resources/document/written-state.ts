import type { DocumentBody } from "../../client/service.js";
import type { Values } from "../../schema/values.js";
import { Refusal } from "../refusal.js";
import { originIn } from "../replace-guard.js";
import { driftOf } from "./comparison.js";
import { documentDeclaration } from "./declaration.js";

/** False for outputs that came with an import file or were edited: they say nothing about what the service holds. */
export const isWrittenByProvider = (id: string, outputs: Values): boolean =>
  outputs["documentId"] === id && originIn(outputs) !== "";

/** What identifies a document; the service may keep the rest in another form. */
const IDENTITY = ["name", "invitations", "file", "base64File"];

/** Refuses where state's inputs describe another document than the one that has its id. `held` is the service's. */
export function assertSameDocument(urn: string, body: DocumentBody, inputs: Values, held: Values): void {
  const drift = driftOf(inputs, held);
  const differing = IDENTITY.filter(name => inputs[name] !== undefined && drift.includes(name));
  if (differing.length === 0) return;
  throw new Refusal(
    {
      cause: "other-document",
      headline: `state holds id ${body.id} with outputs that the provider didn't write, and document ${body.id} at the service differs in ${differing.join(", ")}. Nothing was changed.`,
      remedies: [
        { kind: "state-delete" },
        { kind: "import", token: documentDeclaration.token, id: body.id },
        { kind: "advice", text: "if the id is wrong, import the document that the program declares" },
      ],
    },
    urn,
  );
}
