import type { DocumentBody } from "../../client/service.js";
import type { CreationPolicy } from "../context.js";
import type { Owned } from "../journal/contract.js";
import type { Remedy } from "../refusal.js";
import type { Finding } from "../replace-guard.js";
import type { Seen } from "./attempt-age.js";
import type { Looked } from "./lookup.js";
import type { TakeBackFacts } from "./take-back.js";

/** What the deployment log and the journal say of a create, before the service is asked anything. */
export interface RememberedFacts {
  readonly urn: string;
  /** The document's name, where it is known. */
  readonly name: string | undefined;
  readonly token: string;
  readonly preview: boolean;
  /** Of the program's content; undefined while an input isn't known yet. */
  readonly fingerprint: string | undefined;
  /** Diff answered "no change" for this id in this deployment: the engine is finishing an interrupted replacement. */
  readonly interrupted: { readonly id: string; readonly supersedes: readonly string[] } | undefined;
  /** Created by an earlier run; nothing has shown that state holds it. */
  readonly unshown: Owned | undefined;
  /** Whether the guard still lets go of what `unshown` replaced. */
  readonly unshownPredecessor: Finding | undefined;
  /** Check had old inputs, so the resource exists, and the engine showed no id. */
  readonly hadOldInputs: boolean;
  /** State has the resource, or the set whose row it is. */
  readonly isInState: boolean;
  readonly predecessors: readonly Predecessor[];
  readonly elsewhere: readonly { readonly service: string; readonly id: string; readonly token: string }[];
  readonly origin: string;
}

/** A document that a create replaces, or may replace. */
export interface AtStake {
  readonly id: string;
  /** Why it is taken for this resource's, as detail lines. */
  readonly because: readonly string[];
  readonly remedies: readonly Remedy[];
}

/** A document that this create replaces, as the service shows it now. */
export interface Predecessor extends AtStake {
  readonly supersedes: readonly string[];
  /** The engine showed it in this deployment, in Diff or Delete; otherwise only the journal names it. */
  readonly shown: boolean;
  readonly finding: Finding;
}

/** What the service shows. */
export interface ServiceFacts extends TakeBackFacts {
  readonly attempt: { readonly attempt: Seen; readonly looked: Looked } | undefined;
  /** Attempts at the same content by other runs. */
  readonly foreign: readonly { readonly attempt: Seen; readonly absenceProven: boolean }[];
  /** Documents exactly alike that no other resource of this program holds, and that this create doesn't replace. */
  readonly twins: readonly Twin[];
  /** Documents for the same people under the same name, with other content, that the journal doesn't know. */
  readonly namesakes: readonly DocumentBody[];
  /** Listed under this name, unreadable, and unknown to the journal. */
  readonly unread: readonly string[];
  readonly marked: readonly { readonly body: DocumentBody; readonly same: boolean }[];
  /** What may have replaced a predecessor that only the journal names. */
  readonly successors: { readonly documents: readonly DocumentBody[]; readonly proven: boolean } | undefined;
  /** When the lists were asked for, by this machine's clock. */
  readonly listedAt: number;
  readonly now: number;
  /** By the service's clock, where it shows one. */
  readonly serviceNow: number | undefined;
  readonly policy: CreationPolicy;
}

export interface Twin {
  readonly body: DocumentBody;
  /** In the folder that the program says, and no other resource's as far as the journal knows. */
  readonly adoptable: boolean;
  /** Under which resource the journal has it. */
  readonly owner?: Owned | undefined;
}
