import { hash } from "node:crypto";
import { typeOf } from "../../../kit/resource.js";
import { folderDeclaration } from "../folder-declaration.js";
import type { AttemptRow, OwnedRow, RememberedReminder } from "./entry.js";

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

/**
 * What the journal remembers, and what each write guarantees. Three stores implement it: local, Postgres and S3. It holds
 * hashes, ids and URNs; no content, no addresses, and no names of people but of those who settled a create by their word.
 *
 * The journal may forbid a create and never permits one: a store that is lost, restored from a backup or empty makes the
 * provider ask the service, and nothing else.
 */

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

/** Of a name's hash, enough to tell two names apart. */
export const shortNameHash = ({ name }: Pick<Content, "name">): string => name.slice(0, 16);

/** Whoever says one says the fingerprint, if only that there is none. */
interface ContentHashes extends Readonly<Pick<OwnedRow, "contract" | "name" | "extra">> {
  readonly fingerprint: string | undefined;
}

type Contract = Pick<Content, "name" | "sha256" | "invitees">;

/** A create that was about to be sent and has no confirmed outcome. */
export interface Attempt extends Readonly<Omit<AttemptRow, "service" | "backend">> {
  /** Followed by the backend of its stack in brackets where that is another than this deployment's. */
  readonly urn: string;
}

/** An id that a resource holds or held. */
export interface Owned
  extends ContentHashes,
    Readonly<Omit<OwnedRow, keyof ContentHashes | "service" | "backend" | "released" | "unproven" | "others">> {
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

export interface Journal {
  /**
   * How often what was read before wasn't there any more, or nobody knows whether it was: the store was restored, or out
   * of reach. What was decided before is decided again.
   */
  losses(): number;
  /** Reads what others have added. The other readers answer from what was read last, and read only where nothing was. */
  refresh(): Promise<void>;
  /** What is remembered under this URN; released ids are left out. Throws where the store can't be read. */
  resource(scope: Scope): Promise<{ attempt: Attempt | undefined; owned: readonly Owned[] }>;
  /** What it had as well, and the engine has shown under another URN since, if only in a preview. */
  shownElsewhere(scope: Scope): Promise<readonly Owned[]>;
  /** What is remembered of this contract at this service, under any URN; released ids are included. */
  ofContract(service: string, contract: Contract): Promise<{ attempts: readonly Attempt[]; owned: readonly Owned[] }>;
  /** Whether this create or reminder is the resource's still, and not overtaken, by what others have written until now. */
  owns(scope: Scope, token: string): Promise<boolean>;
  /**
   * When this process first read an attempt, by this machine's clock, where another run began it, and machines share the
   * journal, or it came from another machine, or the clock was set since: its `startedAt` may be any time from this clock's.
   */
  seenAt(attempt: Attempt): number | undefined;
  /** Whose document, or folder, it is or was; released ones are included. */
  owner(service: string, id: string, kind?: IdKind): Promise<Owned | undefined>;
  /** The documents at this service that resources hold, by all that was read. */
  documents(service: string): Promise<readonly string[]>;
  /** Those that became known last, the latest at the end, by all that was read. */
  latest(service: string): Promise<readonly string[]>;
  /** Whether the service has changed the PDF of a document that this journal's resources sent, by all that was read. */
  rewrites(service: string): Promise<boolean>;
  /** The creates at this service that have no confirmed outcome, by all that was read. */
  unsettled(service: string): Promise<readonly Attempt[]>;
  /** What this resource holds at other services. */
  atOtherServices(scope: Scope): Promise<readonly { service: string; id: string; token: string }[]>;
  /** This deployment: the same in all provider processes of one engine. */
  readonly run: string;
  /**
   * Before the request is sent. Durable when it returns. It replaces the attempt whose token is `after`; undefined, and
   * nothing is begun, where the resource has another one, or an id that isn't among `owned`, which its caller has read:
   * another run is creating it, or has just done so. Undefined as well where another run has begun or claimed a document
   * of the same contract under any URN, in any backend, whose token isn't among `knows`; left out, these don't matter.
   * Attempts of other runs that are among them are overtaken.
   */
  begin(
    scope: Scope,
    attempt: Content &
      Pick<Attempt, "startedAt" | "serviceTime" | "lasts" | "inFolder" | "account" | "supersedes"> & {
        readonly owned: readonly string[];
        readonly knows?: readonly string[] | undefined;
      },
    after: string | undefined,
  ): Promise<Attempt | undefined>;
  /** The service answered that it was done: adds the unconfirmed id that the answer named, if it did. */
  hint(scope: Scope, token: string, id: string | undefined): Promise<void>;
  /** The attempt led to nothing, provably. One that another run has begun in its place stays. */
  withdraw(scope: Scope, token: string): Promise<void>;
  /**
   * Takes an id for a resource, atomically across processes and machines: false where another resource has it and didn't
   * release it. `from` is a URN that lets go of it in this run, and may not have released it yet. Ends the resource's
   * attempt if its fingerprint is the same, and releases what it replaced.
   */
  claim(
    scope: Scope,
    id: string,
    about: ContentHashes & {
      readonly supersedes: readonly string[];
      readonly rewrittenAs?: string | undefined;
      readonly from?: string | undefined;
    },
  ): Promise<boolean>;
  /**
   * The engine has shown that state holds the id under this URN (Diff, Read). Returns before it is written, but for a
   * process's first: what a crash loses of it is shown again, and forbids more meanwhile. Moves it from any other URN, which
   * may have it all the same (`shownElsewhere`). Other ids of the URN that the engine had shown before are forgotten, except
   * those shown in this run (`besides`), those not shown yet and those that replaced this one.
   * What it replaced, by state, is let go of: another machine may have done that.
   * An import also ends the resource's attempt; `fingerprint` is the attempt's where the id may be what it led to.
   */
  show(
    scope: Scope,
    id: string,
    about: Partial<ContentHashes> & {
      readonly supersedes: readonly string[];
      readonly imported?: boolean;
      readonly besides?: readonly string[];
    },
  ): Promise<void>;
  /** The engine deletes the id in the first half of a replacement: it stays known under the URN until a successor is claimed. */
  replace(scope: Scope, id: string, supersedes: readonly string[]): Promise<void>;
  /**
   * State lets go of the id, where it is this resource's. What it was made of stays known: it may be wanted again. What
   * it replaced, by state, is let go of as well.
   */
  release(scope: Scope, id: string, supersedes?: readonly string[]): Promise<void>;
  /** The reminders of these invitations, by whatever resource, in any backend. */
  reminded(scope: Scope, invitationIds: readonly string[]): Promise<readonly ReminderAttempt[]>;
  /**
   * Before a reminder is sent. Durable when it returns. Answers with its token; undefined, and nothing is begun, where the
   * invitation has another one, by whatever resource, whose token isn't among `knows`.
   */
  remind(
    scope: Scope,
    row: Pick<RememberedReminder, "invitationId" | "round" | "at">,
    knows: readonly string[],
  ): Promise<string | undefined>;
  /** The service said that it was sent. */
  confirmReminder(scope: Scope, token: string): Promise<void>;
  /** It wasn't sent after all. */
  unremind(scope: Scope, token: string): Promise<void>;
  /** What a user must hear of the store, each once: that it can't be reached, say. */
  warnings(): string[];
  close(): Promise<void>;
}
