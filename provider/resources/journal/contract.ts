import { hash } from "node:crypto";
import { typeOf } from "../../../kit/resource.js";
import { folderDeclaration } from "../folder-declaration.js";
import type { AttemptRow, OwnedRow, RememberedReminder } from "./entry.js";
import type { LoggedJournal } from "./logged-journal.js";

/** What an id names: a folder and a document may have the same. */
export type IdKind = "document" | "folder";

export const kindOf = (urn: string): IdKind => (typeOf(urn) === folderDeclaration.token ? "folder" : "document");

/** How a person calls an id of the journal, and how a log that isn't read whole does. */
export const tokenOf = (service: string, id: string, kind: IdKind = "document"): string =>
  hashOf(kind === "document" ? `${service}\n${id}` : `${service}\n${kind}\n${id}`).slice(0, 8);

/** The same of a line, or of a row. */
export const tokenIn = ({ service, urn, id }: { service: string; urn: string; id: string }): string =>
  tokenOf(service, id, kindOf(urn));

/** How a log calls a contract. */
export const contractName = (service: string, contract: string): string =>
  `contract-${hashOf(`${service}\n${contract}`).slice(0, 16)}`;

/** How a log calls an invitation. */
export const invitationName = (service: string, invitationId: string): string =>
  `invitation-${hashOf(`${service}\n${invitationId}`).slice(0, 16)}`;

const STACK = "stack-";

/** How a log calls the stack and project of a URN, whatever its backend: an unknown one may be any. */
export const stackOf = (urn: string): string => `${STACK}${hashOf(urn.split("::", 2).join("::")).slice(0, 16)}`;

export const isStack = (name: string): boolean => name.startsWith(STACK);

const hashOf = (text: string): string => hash("sha256", text, "hex");

/** A resource: the service its document lives at, and the engine's name for it. */
export interface Scope {
  readonly service: string;
  readonly urn: string;
}

/** Lists may show what is recent alone: what is about as old as a create was made within so long after it. */
export const ABOUT_AS_OLD_MS = 10 * 60_000;

/** What makes two creates the same, as hashes. */
export type Content = Readonly<
  Pick<AttemptRow, "fingerprint" | "name" | "sha256" | "invitees" | "description" | "marker" | "extra">
>;

/**
 * Of name, PDF and people. Two creates that agree in it send the same contract, in whatever folder, with whatever
 * description and options: of two stacks at once, one does.
 */
export const contractOf = ({ name, sha256, invitees }: Contract): string =>
  hashOf([name, sha256, invitees].join("\n")).slice(0, 32);

/** What a document was made of, as a claim says it. */
export const contentHashesOf = (content: Content | undefined): ContentHashes => ({
  fingerprint: content?.fingerprint,
  contract: content && contractOf(content),
  name: content && shortNameHash(content),
  extra: content?.extra,
});

/** Of what it was made of, and of what it is since the program has followed the platform. */
export const contractsIn = ({ contract, followed }: Pick<OwnedRow, "contract" | "followed">): string[] => [
  ...new Set([contract, followed?.contract].filter(each => each !== undefined)),
];

/** Whether it was made of this, or is this since the program has followed the platform. */
export const isMadeOf = (
  { fingerprint, followed }: Pick<OwnedRow, "fingerprint" | "followed">,
  content: Pick<Content, "fingerprint">,
): boolean => [fingerprint, followed?.fingerprint].includes(content.fingerprint);

/** Of a name's hash, enough to tell two names apart. */
export const shortNameHash = ({ name }: Pick<Content, "name">): string => name.slice(0, 16);

/** Whoever says one says the fingerprint, if only that there is none. */
export interface ContentHashes extends Readonly<Pick<OwnedRow, "contract" | "name" | "extra" | "followed" | "stated">> {
  readonly fingerprint: string | undefined;
}

export type Contract = Pick<Content, "name" | "sha256" | "invitees">;

/** A create that was about to be sent and has no confirmed outcome. */
export interface Attempt extends Readonly<Omit<AttemptRow, "service" | "backend">> {
  /** Followed by the backend of its stack in brackets where that is another than this deployment's. */
  readonly urn: string;
}

/** Whether an import has read this id since, if only in a preview. */
export const isImportedBeside = ({ imports = [] }: Pick<AttemptRow, "imports">, id: string): boolean =>
  imports.some(each => each.id === id);

/** An id that a resource holds or held. */
export interface Owned
  extends ContentHashes,
    Readonly<
      Omit<OwnedRow, keyof ContentHashes | "service" | "backend" | "released" | "unproven" | "others" | "unseen">
    > {
  /** Eight hex digits, as for an attempt. */
  readonly token: string;
  /** As for an attempt. */
  readonly urn: string;
  /** It is in a stack of another back end. */
  readonly elsewhere: boolean;
  /** State let go of it, or another one took its place: it is nobody's, and still this journal's own. */
  readonly released: boolean;
}

/** Of an invitation and a Reminder, the journal keeps so many of the latest. */
export const MOST_ROUNDS = 8;

/** A reminder that is about to be sent, or was. */
export interface ReminderAttempt extends RememberedReminder {
  readonly token: string;
  /** As for an attempt. */
  readonly urn: string;
  /** Of the resource that asks. */
  readonly own: boolean;
  /** Another resource would send it, by the same preview. */
  readonly isPlanned?: true;
}

/** An attempt, for a person who looks at the journal of all stacks. */
export interface OpenAttempt extends Attempt {
  readonly service: string;
}

/** What resources ask of it. */
export type Journal = Omit<LoggedJournal, "open" | "resolve">;
