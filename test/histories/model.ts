/**
 * What the promises say the next `pulumi up` does, written from them and not from the code:
 *
 * - nobody is mailed twice for a contract: what is at the service exactly alike is taken back or refused, never sent again;
 * - nothing signed is replaced, by force neither; what isn't signed and is replaced by force is sent again;
 * - ours stays ours: what this stack, or a team on one journal, let go of and wants again exactly alike is taken back, signed
 *   or not, and mails nobody; but never what a signed one of the same name has replaced;
 * - a stranger's document, and one that another stack holds, is refused, as is what this journal doesn't know;
 * - a table that became empty by accident lets go of nothing;
 * - what state has under two names of the program is refused: it would be two contracts;
 * - everything else goes on.
 *
 * Where two of them leave a case open, both answers are in `may`.
 */
import type { FolderFacts as FolderPlace } from "./folders.js";
import {
  addressOf,
  type Content,
  type Contracts,
  contentsOf,
  type Declared,
  isContracts,
  keyOf,
  type Program,
  TYPES,
  textOfAll,
  titleOf,
} from "./program.js";
import type { StackName } from "./steps.js";

export interface Doc {
  readonly id: string;
  readonly content: Content;
  readonly signed: boolean;
  /** Made on the platform. */
  readonly stranger: boolean;
  /** The stack and the slot that have it, by state. */
  readonly holder: Slot | undefined;
  /** Journals that saw somebody hold it. */
  readonly knownTo: ReadonlySet<string>;
  /** The journal that saw the last change of who holds it. */
  readonly lastSeenBy: string | undefined;
  /** The slot that had it last. */
  readonly last: string | undefined;
  /** What it replaced, and what that had replaced. */
  readonly supersedes: readonly string[];
  /** A command after the one that sent it has shown this journal that state holds it. */
  readonly shown: boolean;
}

export interface Slot {
  readonly stack: StackName;
  readonly slot: string;
}

/** What is there before a command. */
export interface Facts {
  readonly stack: StackName;
  readonly journal: string;
  readonly docs: ReadonlyMap<string, Doc>;
  /** Signed documents that sets kept, each with what the program said: that is settled. */
  readonly kept: ReadonlySet<string>;
  /** What this stack's state holds, by slot. */
  readonly held: ReadonlyMap<string, string>;
  readonly folders: ReadonlyMap<string, FolderPlace>;
  /** What this stack's state holds of them, by slot. */
  readonly heldFolders: ReadonlyMap<string, string>;
}

export type Outcome = "keep" | "send" | "take back" | "refuse";

export interface Verdict {
  readonly slot: string;
  readonly resource: Contracts;
  readonly content: Content;
  readonly may: ReadonlySet<Outcome>;
  /** This machine's journal is behind about it. */
  readonly stale: boolean;
  /** Ids that may be taken back. */
  readonly takes: readonly string[];
  readonly rule: Rule;
}

export type Rule =
  | "as it is"
  | "held twice"
  | "by force"
  | "signed"
  | "signed and kept"
  | "new here"
  | "its own from before"
  | "let go of"
  | "on its way from another resource"
  | "another stack's"
  | "a stranger's"
  | "not known to this journal"
  | "seen last by another journal"
  | "a signed one replaced it"
  | "beside a signed twin"
  | "beside one of the same name that isn't known"
  | "beside a signed one of the same name"
  | "in another folder"
  | "emptied";

/** A document of its own, or a row of a set. */
export const slotOf = ({ kind, name }: Pick<Declared, "kind" | "name">, person?: string): string =>
  `${TYPES[kind]}::${name}${kind === "set" && person !== undefined ? `#${addressOf(person)}` : ""}`;

/** What `pulumi up` of this program, its folders as ids, may do to each of its slots. `forced`: the resource of `--target-replace`. */
export function verdictsOn(program: Program, facts: Facts, forced?: string): Verdict[] {
  const wanted = program.filter(isContracts).flatMap(resource =>
    contentsOf(resource).map(content => ({
      resource,
      content,
      slot: slotOf(resource, content.person),
      held: heldBy(resource, content, facts),
    })),
  );
  const stays = new Set(wanted.flatMap(({ held, content }) => (held && sameContent(held, content) ? [held.id] : [])));
  const heldIds = wanted.flatMap(({ held }) => held?.id ?? []);
  return wanted.map(({ held, ...each }) => {
    if (held && heldIds.indexOf(held.id) !== heldIds.lastIndexOf(held.id))
      return { ...each, ...decide("held twice", ["refuse"]) };
    if (held && each.resource.name === forced) return { ...each, ...byForce(each.slot, each.content, held, facts) };
    const signed = each.resource.kind === "set" && held?.signed && !sameContent(held, each.content) ? held : undefined;
    const isSettled = signed && facts.kept.has(`${signed.id} ${keyOf(each.content)}`);
    const keeps = each.resource.kind === "set" && each.resource.keeps;
    const decision =
      signed && (isSettled || keeps)
        ? decide("signed and kept", ["keep"])
        : verdictOn(each.slot, each.content, held, stays, facts, timesIn(wanted, each.content));
    return { ...each, ...decision };
  });
}

const timesIn = (wanted: readonly { readonly content: Content }[], content: Content): number =>
  wanted.filter(each => keyOf(each.content) === keyOf(content)).length;

/** Sets that must not be let go of whole without a word. */
export const emptiedIn = (program: Program, { held }: Facts): Contracts[] =>
  program
    .filter(isContracts)
    .filter(
      each =>
        each.kind === "set" &&
        each.rows.length === 0 &&
        [...held.keys()].some(slot =>
          [each.name, each.alias].some(name => name && slot.startsWith(`${slotOf({ kind: "set", name })}#`)),
        ),
    );

/** Under its name, or the one it had. */
function heldBy(resource: Contracts, { person }: Content, { held, docs }: Facts): Doc | undefined {
  const names = [resource.name, ...(resource.alias === undefined ? [] : [resource.alias])];
  for (const name of names) {
    const id = held.get(slotOf({ kind: resource.kind, name }, person));
    if (id !== undefined) return docs.get(id);
  }
  return undefined;
}

const sameContent = (doc: Doc, content: Content): boolean => keyOf(doc.content) === keyOf(content);

type Decision = Pick<Verdict, "may" | "takes" | "rule" | "stale">;

const decide = (rule: Rule, may: readonly Outcome[], takes: readonly Doc[] = []): Decision => ({
  rule,
  stale: false,
  may: new Set(may),
  takes: takes.map(({ id }) => id),
});

function verdictOn(
  slot: string,
  content: Content,
  held: Doc | undefined,
  stays: ReadonlySet<string>,
  facts: Facts,
  times = 1,
): Decision {
  if (held && sameContent(held, content)) return decide("as it is", ["keep"]);
  const isAnywhere = held && content.folder === undefined && textOfAll(held.content) === textOfAll(content);
  if (held?.signed) return decide("signed", isAnywhere ? ["keep", "refuse"] : ["refuse"]);
  const others = [...facts.docs.values()].filter(({ id }) => id !== held?.id && !stays.has(id));
  const alike = others.filter(doc => sameContent(doc, content));
  const namesakes = others.filter(doc => titleOf(doc.content) === titleOf(content) && !alike.includes(doc));
  // The same contract in another folder: it isn't sent again, but for what this resource itself holds or has replaced.
  const astray = namesakes.filter(
    ({ id, content: theirs }) => textOfAll(theirs) === textOfAll(content) && !held?.supersedes.includes(id),
  );
  const isOwnLine = held !== undefined && astray.every(({ holder, last }) => !holder && last === slot);
  const wellPlaced = alike.length > 0 ? again(alike, namesakes, held, facts, times) : anew(namesakes, held, facts);
  const decision = anywhere(
    astray.length > 0 ? beside(wellPlaced, isOwnLine) : wellPlaced,
    content.folder === undefined ? others.filter(each => textOfAll(each.content) === textOfAll(content)) : [],
    isAnywhere === true,
  );
  // What another machine did since, this one's journal may take for undone.
  const isStale = others.some(
    doc =>
      (doc.last === slot || titleOf(doc.content) === titleOf(content)) &&
      doc.knownTo.has(facts.journal) &&
      doc.lastSeenBy !== facts.journal,
  );
  const hasSignedTwin = [...facts.docs.values()].some(
    doc => doc.signed && stays.has(doc.id) && sameContent(doc, content),
  );
  if (hasSignedTwin && !decision.may.has("refuse"))
    return { ...decision, stale: isStale, rule: "beside a signed twin", may: new Set([...decision.may, "refuse"]) };
  if (!isStale || decision.may.has("refuse")) return { ...decision, stale: isStale };
  return { ...decision, stale: true, rule: "seen last by another journal", may: new Set([...decision.may, "refuse"]) };
}

/**
 * A preview sees no Delete, which shows what state holds: what this journal wasn't shown since it was sent may be refused
 * where the one before it is signed, which state may hold still.
 */
function byForce(slot: string, content: Content, held: Doc, facts: Facts): Decision {
  if (held.signed) return decide("signed", ["refuse"]);
  const mayHoldSigned = !held.shown && held.supersedes.some(id => facts.docs.get(id)?.signed);
  if (sameContent(held, content))
    return mayHoldSigned ? decide("signed", ["send", "refuse"]) : decide("by force", ["send"]);
  const { may, takes } = verdictOn(slot, content, held, new Set(), facts);
  return { rule: "by force", stale: false, may: new Set([...may, "refuse"]), takes };
}

/** A program that names no folder: what lies in one may be taken back as well, or kept, without mail. */
const anywhere = (decision: Decision, there: readonly Doc[], isHeld: boolean): Decision => {
  const own = there.filter(({ holder, stranger }) => !holder && !stranger).map(({ id }) => id);
  const may = new Set<Outcome>([...decision.may, ...(isHeld ? (["keep"] as const) : [])]);
  if (own.length > 0) may.add("take back");
  return { ...decision, may, takes: [...decision.takes, ...own] };
};

/** Nothing is sent where it is in another folder already; what is in the right one may be taken back. */
const beside = ({ may, takes }: Decision, isOwnLine: boolean): Decision => ({
  rule: "in another folder",
  stale: false,
  may: new Set([...may, "refuse" as const].filter(each => each !== "send" || isOwnLine)),
  takes,
});

/** Whether this journal knows what the resource holds, and nothing else is in the way: then force has one meaning. */
export function isForceable(resource: Declared, facts: Facts): boolean {
  if (!isContracts(resource)) return false;
  const { docs, journal } = facts;
  return (
    resource.alias === undefined &&
    contentsOf(resource).every(content => {
      const held = heldBy(resource, content, facts);
      const isOther = (doc: Doc) => doc.id !== held?.id && !held?.supersedes.includes(doc.id);
      const beside = [...docs.values()].filter(doc => isOther(doc) && titleOf(doc.content) === titleOf(content));
      return held?.lastSeenBy === journal && beside.length === 0;
    })
  );
}

/** Exactly this is at the service already: whatever happens, it isn't sent. `times`: slots that want it. */
function again(
  alike: readonly Doc[],
  namesakes: readonly Doc[],
  held: Doc | undefined,
  facts: Facts,
  times: number,
): Decision {
  const inLine = (doc: Doc): boolean => held?.supersedes.includes(doc.id) ?? false;
  const free = alike.filter(({ holder, stranger }) => !holder && !stranger);
  const known = free.filter(({ lastSeenBy }) => lastSeenBy === facts.journal);
  const dim = free.filter(doc => !known.includes(doc) && (doc.knownTo.has(facts.journal) || inLine(doc)));
  const lost = free.filter(doc => !known.includes(doc) && !dim.includes(doc));
  const leaving = alike.filter(({ holder }) => holder?.stack === facts.stack);
  const elsewhere = alike.filter(({ holder }) => holder && holder.stack !== facts.stack);
  // Another journal saw it taken: this one may have it as let go of.
  const unseen = elsewhere.filter(doc => doc.knownTo.has(facts.journal) && doc.lastSeenBy !== facts.journal);
  const strangers = alike.filter(({ stranger }) => stranger);
  const signed = free.filter(doc => doc.signed);
  const ours = [...(signed.length >= times ? signed : [...known, ...dim]), ...leaving, ...unseen];
  const either: Outcome[] = ours.length > 0 ? ["take back", "refuse"] : ["refuse"];
  if (strangers.length > 0) return decide("a stranger's", either, ours);
  if (elsewhere.length > 0) return decide("another stack's", either, ours);
  if (lost.length > 0) return decide("not known to this journal", either, ours);
  if (leaving.length > 0) return decide("on its way from another resource", ["take back", "refuse"], ours);
  const letGo = namesakes.filter(doc => doc.signed && !doc.holder);
  if (signed.length === 0 && letGo.length > 0) {
    const isReplaced = alike.some(({ id }) => letGo.some(({ supersedes }) => supersedes.includes(id)));
    const isKnown = letGo.every(({ lastSeenBy }) => lastSeenBy === facts.journal);
    if (isReplaced && isKnown && !held) return decide("a signed one replaced it", ["refuse"]);
    return decide("beside a signed one of the same name", ["take back", "refuse"], ours);
  }
  if (dim.length > 0) return decide("seen last by another journal", ["take back", "refuse"], ours);
  return decide(known.some(inLine) ? "its own from before" : "let go of", ["take back"], ours);
}

/** Nothing like this is at the service: the people are mailed. */
function anew(namesakes: readonly Doc[], held: Doc | undefined, { journal, stack }: Facts): Decision {
  const unknown = namesakes.filter(doc => !doc.knownTo.has(journal) && !held?.supersedes.includes(doc.id));
  if (unknown.some(({ holder }) => holder?.stack !== stack))
    return decide("beside one of the same name that isn't known", ["refuse"]);
  if (unknown.length > 0) return decide("beside one of the same name that isn't known", ["send", "refuse"]);
  if (namesakes.some(doc => doc.signed && (!doc.holder || doc.holder.stack === stack)))
    return decide("beside a signed one of the same name", ["send", "refuse"]);
  return decide("new here", ["send"]);
}
