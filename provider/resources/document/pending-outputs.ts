import { UNKNOWN, type Values } from "../../schema/values.js";
import { type DocumentOutputs, documentOutputs } from "./declaration.js";
import { certificatesOf, nom151Of } from "./document-state.js";
import { invitationsIn } from "./spec.js";
import { givenTerms, termsIn, withoutTerms } from "./terms.js";

const UNKNOWNS: Values = Object.fromEntries(Object.keys(documentOutputs.shape).map(name => [name, UNKNOWN]));
const { name: _n, description: _d, folderId: _f, ...OTHERS } = UNKNOWNS;
const UNSAID = withoutTerms(OTHERS);

/** Outputs of a document that a preview would create: what the program says; what only the service knows is unknown. */
export function previewOutputs(inputs: Values, origin: string): Values {
  const { name, description, folderId } = inputs;
  return {
    ...UNSAID,
    ...givenTerms(inputs),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(folderId === undefined ? {} : { folderId }),
    imported: false,
    service: origin,
  };
}

/** What is known of a document whose id is and whose body isn't. */
export function bareOutputs(
  id: string,
  inputs: Values,
  kept: { supersedes: readonly string[] },
  origin: string,
): DocumentOutputs {
  const outputs: DocumentOutputs = {
    documentId: id,
    name: String(inputs["name"] ?? ""),
    status: "unknown",
    allSigned: false,
    signers: [],
    pendingSigners: invitationsIn(inputs).map(invitation => invitation.email),
    versions: [],
    fileUrl: null,
    signedFileUrl: null,
    signedSha256: null,
    certificates: certificatesOf(undefined, ""),
    certificatesNeedKey: null,
    nom151: nom151Of(id, undefined),
    ...termsIn(inputs),
    supersedes: [...kept.supersedes],
    drift: [],
    imported: false,
    service: origin,
  };
  const { description } = inputs;
  return typeof description === "string" && description !== "" ? { ...outputs, description } : outputs;
}
