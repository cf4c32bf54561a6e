/** What the program's half of the SDK and the half that runs in the dynamic provider's process agree on. */

/**
 * What state holds as `__provider`, for every resource and in every release: no logic and no secret, only where the logic
 * is. State written today runs the code installed then, so this text and the export it names never change.
 */
export const PROVIDER = 'exports.handler=()=>require("pulumi-docsign/runtime").provider';

export type Kind = "Document" | "DocumentSet" | "Folder" | "Reminder" | "SignatureGate";

export const tokenOf = (kind: Kind): string => `docsign:index:${kind}`;
export const dynamicTypeOf = (kind: Kind): string => `pulumi-nodejs:dynamic/docsign:${kind}`;

/** Inputs that the classes add to the program's own. Names with two underscores don't show in previews. */
export const INTERNAL = {
  /** The host's: the text above. */
  provider: "__provider",
  /** The URN for the other front end. The dynamic interface passes none. */
  key: "resourceKey",
  /** Names of the inputs that hold a secret: secrets arrive unwrapped. */
  secretInputs: "secretInputs",
  /** In outputs: the inputs, as far as the outputs don't say the same. Diff and Read are shown outputs only. */
  given: "given",
  /** There in a preview only; never in state. */
  preview: "__preview",
  /** Id of a document that is to be taken over rather than created. */
  import: "__import",
  /** There for a resource that is only read, by `get`. */
  lookup: "__lookup",
  /** How long a gate may wait: the engine keeps `customTimeouts` to itself. Never in state. */
  timeouts: "__timeouts",
  /** In outputs of what exists and isn't finished: the next `up` goes on with it. */
  unfinished: "__unfinished",
} as const;

/** Output → the inputs it is made of. Where one of them is secret, so is the output. */
export const DERIVED: Readonly<Record<Kind, Readonly<Record<string, readonly string[]>>>> = {
  Document: {
    signers: ["invitations"],
    pendingSigners: ["invitations"],
    sentPdfHash: ["file", "base64File", "template", "variables", "fonts", "pageSize", "pageNumbers", "title"],
  },
  DocumentSet: { documents: ["documents", "table", "defaults"], waitingFor: ["documents", "table", "defaults"] },
  Folder: {},
  Reminder: { sent: ["signers"], skipped: ["signers"], round: ["triggers"] },
  SignatureGate: { pendingSigners: ["signers"], missing: ["signers"] },
};

/** An input that shares its name with an output that says something else → the name the engine knows it by. */
export const RENAMED: Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>> = {
  DocumentSet: { documents: "documentRows" },
};

/** What `import` and delete-first replacement are about: the others exist in state alone. */
export const isAtService = (kind: Kind): boolean => kind !== "Reminder" && kind !== "SignatureGate";
