import { own } from "../../../kit/records.js";
import { byId, type DocumentBody } from "../../client/bodies.js";
import { isUnsigned } from "../../client/files.js";
import { countsExisting } from "../context.js";
import { isMadeOf, type Owned, shortNameHash } from "../journal/contract.js";
import { resourceOf } from "../urn.js";
import { contentHash, shortHash } from "./content.js";
import { hashesOf } from "./declaration.js";
import type { CreateOptions, ServiceView } from "./facts.js";
import { agreesInPeople, isInFolderOf, isPlaced, type Likeness } from "./lookup.js";

/*
 * Documents that may be the one that a create is to lead to: what memory knows of each (`KnownDocument`), what it is to the create
 * (`Standing`), and how both are found out (`Candidates`): first what memory says, then what the service shows.
 */

/** Why a document may be the one: the first of these that holds. */
export type Source =
  /** It is what state's document replaced. */
  | "history"
  /** It is listed under the program's name, or the journal knows it for the same name, PDF and people. */
  | "name"
  /** A person names it. */
  | "person";

/** Who has a document, as far as this deployment and the journal know. */
export type Holder =
  /** The journal doesn't know it, and it was there before this run sent anything, or a person names it. */
  | "stranger"
  /** The journal doesn't know it, and it came since: another create of this run may have led to it. */
  | "maybe this run"
  /** Another resource of this program, as this deployment has shown, which keeps it. */
  | "another, shown"
  /** Whoever had it has let go of it. */
  | "nobody"
  | "this resource"
  /** Another resource, by the journal. */
  | "another";

/** Whether a document was made of what the program says: by the journal, or where that doesn't say so, by state. */
export type Provenance = "this" | "this, by state" | "other content" | "unknown";

/** A document that may be the one: what memory knows of it, and as far as something depends on it, what the service shows. */
export interface KnownDocument {
  readonly id: string;
  readonly source: Source;
  /** A person names it (`DOCSIGN_ADOPT`), whatever else shows it. */
  readonly isNamed: boolean;
  /** The journal's entry; undefined where it doesn't know it. */
  readonly owner: Owned | undefined;
  readonly holder: Holder;
  /** Its holder has let go of it, does so in this run, such as a set whose table has lost the row, or has lost it from state. */
  readonly isLetGo: boolean;
  readonly madeOf: Provenance;
  /** In a preview: the journal alone says that this create replaces it. */
  readonly isReplacedIfDeleted: boolean;
  /** For what is said of it: its holder gets another one in its place, by Diff; and is in the program, as far as is shown. */
  readonly isChanging: boolean;
  readonly isInProgram: boolean;
  /** By the journal this resource has it in another backend, and nothing here or what it replaced: one of the two states is old. */
  readonly isOwnElsewhere: boolean;
  /** Undefined where it can't be read, too. */
  body?: DocumentBody | undefined;
  /**
   * Of what this journal's resources made and nobody has now: `same`, exactly what the program says; `doubtful`, as far as
   * the service shows it; `untold`, made of what the program says, and not shown, or not well enough.
   */
  asOurs?: "same" | "doubtful" | "untold" | undefined;
  /** How it compares with what the program says. */
  likeness?: Likeness | "unread" | undefined;
}

type Fits = (document: Omit<Candidate, "standing">) => boolean;

/** No other resource has it, as far as is known. */
export const isFree = ({ holder }: KnownDocument): boolean => holder !== "another" && holder !== "another, shown";

const isStranger = ({ holder }: KnownDocument): boolean => holder === "stranger";

/** What a document is to a create: the first that fits. Which rule asks for which is in plan.ts. */
const STANDINGS = {
  /**
   * Ours stays ours: this journal's resources made it, nobody has it now, and it is exactly what the program says. It is
   * taken back in place of sending another, which mails nobody: so its age, its resource and its signatures don't matter.
   */
  ours: ({ asOurs }) => asOurs === "same",
  /** Exactly alike, no other resource's, and a person names it: it is taken in the same way. */
  adopted: document => document.isAlike && document.isNamed && isFree(document),
  /** Made of this content and let go of, and the service doesn't show it now, or not well enough. */
  "untold ours": ({ asOurs }) => asOurs === "untold",
  /** Exactly alike, in a preview, and by the journal alone what is replaced: `pulumi up` replaces it if Delete shows it. */
  "replaced if deleted first": ({ isAlike, isReplacedIfDeleted }) => isAlike && isReplacedIfDeleted,
  /** This resource had it before, by state, and the service doesn't show all that may tell it from what the program says. */
  "may be ours": ({ asOurs }) => asOurs === "doubtful",
  /** Exactly alike, whoever has it. */
  "exact match": ({ isAlike }) => isAlike,
  /** What state's document replaced, and nothing of the above. */
  earlier: ({ source }) => source === "history",
  /** For the same people under the same name, and one that the journal knows: it may be alike. */
  unclear: ({ likeness }) => likeness === "unclear",
  /** It can't be read, and is a stranger's, or made of what the program says as far as the journal knows. */
  unread: ({ likeness, holder, madeOf }) =>
    likeness === "unread" && holder !== "maybe this run" && madeOf !== "other content",
  /** For the same people under the same name, with other content: a stranger's, or what this resource has in another backend. */
  "same name": document =>
    document.likeness === "same name and people" && (isStranger(document) || document.isOwnElsewhere),
  /** A stranger's that a person names: two of name, people and PDF are the program's. */
  similar: document => document.source === "person" && document.likeness === "similar" && isStranger(document),
  other: () => true,
} satisfies Readonly<Record<string, Fits>>;

export type Standing = keyof typeof STANDINGS;

export interface Candidate extends Readonly<KnownDocument> {
  /** Exactly what the program says, or as far as the service shows it; and not what is replaced by force. */
  readonly isAlike: boolean;
  readonly standing: Standing;
}

/**
 * `isForced`: what state has is exactly what the program says, and is replaced all the same: then what it replaced before is
 * in nobody's way.
 */
export function candidateOf(document: KnownDocument, { isForced }: { readonly isForced: boolean }): Candidate {
  const { asOurs, likeness, source } = document;
  const isAlike = asOurs === "doubtful" || (likeness === "same" && !(isForced && source === "history"));
  const compared = { ...document, isAlike };
  const fitting = Object.entries<Fits>(STANDINGS).find(([, fits]) => fits(compared));
  return { ...compared, standing: fitting?.[0] as Standing };
}

// ---- Gathering them ----

const isOfThis = (madeOf: Provenance): boolean => madeOf === "this" || madeOf === "this, by state";

/** Gathers the documents that may be the one: first what memory says of them, then what the service shows. */
export class Candidates {
  constructor(
    private readonly options: CreateOptions,
    private readonly takenByOthers: ReadonlySet<string>,
    private readonly view: ServiceView,
  ) {}

  async sorted(): Promise<Candidate[]> {
    const documents = await this.#remembered();
    const mayBeOurs = documents.filter(each => this.#mayBeOurs(each));
    const isForced = (mayBeOurs.length > 0 || this.view.replaced.history.length > 0) && (await this.#isForced());
    // The person who forces that wants the people to be mailed: nothing is taken back.
    if (!isForced) await this.#compareAsOurs(mayBeOurs);
    await this.#compare(documents);
    return documents.map(each => candidateOf(each, { isForced }));
  }

  async #remembered(): Promise<KnownDocument[]> {
    const { listed, ofContract, ofInputs, replaced } = this.view;
    const policy = this.options.context.policy();
    const { adopts = [] } = policy;
    const sources = new Map<string, Source>();
    for (const id of adopts) sources.set(id, "person");
    // Beside what a person names, a signed one counts as well.
    if (countsExisting(policy) || adopts.length > 0)
      for (const id of [...listed, ...[...ofContract, ...ofInputs].map(each => each.id)]) sources.set(id, "name");
    for (const id of [...replaced.certainly, ...this.takenByOthers]) sources.delete(id);
    for (const id of replaced.history) sources.set(id, "history");

    const documents: KnownDocument[] = [];
    for (const [id, source] of sources) {
      const document = await this.#rememberedAs(id, source, adopts.includes(id));
      // What another resource has isn't a person's to give.
      if (source !== "person" || isFree(document)) documents.push(document);
    }
    return documents.sort(
      (a, b) => Number(a.source === "history") - Number(b.source === "history") || byId(a.id, b.id),
    );
  }

  async #rememberedAs(id: string, source: Source, isNamed: boolean): Promise<KnownDocument> {
    const { deploymentLog } = this.options.context;
    const owner = await this.view.lookup.owner(id);
    return {
      ...{ id, source, isNamed, owner },
      holder: this.#holder(id, source, owner),
      isLetGo:
        owner !== undefined &&
        (owner.released || deploymentLog.letsGo(owner.urn, id) || this.view.replaced.lost.includes(id)),
      madeOf: this.#madeOf(id, owner),
      isChanging: owner !== undefined && deploymentLog.isChanging(owner.urn, id),
      isInProgram: owner !== undefined && deploymentLog.isOfProgram(resourceOf(owner.urn)),
      isReplacedIfDeleted: this.#isReplacedIfDeleted(id),
      isOwnElsewhere: this.#isOwnElsewhere(owner),
    };
  }

  #isOwnElsewhere(owner: Owned | undefined): boolean {
    if (!owner?.elsewhere || owner.released || !isUrnElsewhere(owner.urn, this.options.scope.urn)) return false;
    const { current } = this.view.replaced;
    return current.length === 0 || current.some(({ id }) => owner.supersedes.includes(id));
  }

  #isReplacedIfDeleted(id: string): boolean {
    const { call, context } = this.options;
    const isReplaced = this.view.replaced.remembered.some(each => each.id === id);
    return call.preview && isReplaced && countsExisting(context.policy());
  }

  #holder(id: string, source: Source, owner: Owned | undefined): Holder {
    const { call, context, existing, scope } = this.options;
    if (!owner) return source === "person" || existing.wasThere(call, id) ? "stranger" : "maybe this run";
    const { deploymentLog } = context;
    // What is made of this, and replaced by something else in this run, may be the one that is wanted here.
    const isLeaving = deploymentLog.isChanging(owner.urn, id) && this.#madeOf(id, owner) !== "other content";
    // So may a signed one that is kept: it isn't what its own row says.
    const mayBeThis = isLeaving || deploymentLog.keepsAsItWas(owner.urn, id);
    if (isHeldByAnother(this.options, owner) && !mayBeThis) return "another, shown";
    if (owner.released) return "nobody";
    return owner.urn === scope.urn ? "this resource" : "another";
  }

  /** By the journal; where it doesn't know that the program has followed what was changed there, by state. */
  #madeOf(id: string, owner: Owned | undefined): Provenance {
    if (owner && isMadeOf(owner, this.view.spec.content)) return "this";
    const { ofInputs } = this.view;
    if (isMadeByState(this.options, id) || ofInputs.some(each => each.id === id)) return "this, by state";
    return owner?.fingerprint === undefined ? "unknown" : "other content";
  }

  /** Whether state has what the program says: by the journal or state, as a service needn't show all of it, or by the service. */
  async #isForced(): Promise<boolean> {
    const { lookup, spec } = this.view;
    const { current } = this.view.replaced;
    // Diff knows what the program said before.
    if (current.some(({ changed = [] }) => changed.length > 0)) return false;
    const unknown: string[] = [];
    for (const { id } of current) {
      const madeOf = this.#madeOf(id, await lookup.owner(id));
      if (isOfThis(madeOf)) return true;
      if (madeOf === "unknown") unknown.push(id);
    }
    for (const id of unknown) {
      const body = await lookup.read(id);
      // The same in another folder is moved: nobody forces that.
      if (body && isInFolderOf(body, spec) && (await lookup.likenessOf(body, spec)) === "same") return true;
    }
    return false;
  }

  // As ours:

  /**
   * Ours: let go of, and made of this by the journal; or let go of, in the history or listed under this name, and not known to
   * be other content. One that the journal has under this resource counts as let go of where state has replaced it. Without
   * a journal entry: only from the history.
   */
  #mayBeOurs({ id, source, owner, holder, madeOf, isLetGo }: KnownDocument): boolean {
    const { listed, ofContract, ofInputs, replaced } = this.view;
    const { current } = replaced;
    if (!countsExisting(this.options.context.policy()) || this.takenByOthers.has(id)) return false;
    if (current.some(each => each.id === id)) return false;
    // Nothing but the history says so.
    if (!owner) return source === "history";
    switch (madeOf) {
      case "other content":
        return false;
      case "unknown":
      case "this, by state":
        return isLetGo && (source === "history" || listed.includes(id) || ofInputs.some(each => each.id === id));
      case "this": {
        // Another one of the same content is another contract.
        if (holder === "another, shown" || !ofContract.some(each => each.id === id)) return false;
        // Its resource has it by the journal alone: state has had another one in its place since.
        const isReplaced = current.some(({ isInState, supersedes }) => isInState && supersedes.includes(id));
        return isLetGo || (holder === "this resource" && isReplaced);
      }
    }
  }

  async #compareAsOurs(documents: readonly KnownDocument[]): Promise<void> {
    const { lookup, spec } = this.view;
    const alike: KnownDocument[] = [];
    for (const each of documents) {
      const body = await this.#read(each);
      // What it was made of says where and for whom, too; of the others only the service tells.
      if (isOfThis(each.madeOf)) {
        const now = body ? await lookup.comparedToMade(body, spec) : "untold";
        if (now !== "other") each.asOurs = now;
      } else if (await this.#isAlikeInAll(body)) alike.push(each);
    }
    const asOurs = alike.length === 0 || (await this.#isCurrentOther()) ? "same" : "doubtful";
    for (const each of alike) each.asOurs = asOurs;
  }

  /** Whether what state has isn't what the program says, by what the service shows or by what Diff found. */
  async #isCurrentOther(): Promise<boolean> {
    const { current } = this.view.replaced;
    if (current.some(({ changed }) => changed?.length === 1 && changed[0] === "folderId")) return true;
    for (const { id } of current) if (await this.#isAlikeInAll(await this.view.lookup.read(id))) return false;
    return true;
  }

  async #isAlikeInAll(body: DocumentBody | undefined): Promise<boolean> {
    const { lookup, spec } = this.view;
    const isSame = body && isPlaced(spec, body) && agreesInPeople(body, spec);
    return isSame === true && (await lookup.likenessOf(body, spec)) === "same";
  }

  // As anybody's:

  /** How each that isn't ours compares with what the program says, as far as something depends on it. */
  async #compare(documents: readonly KnownDocument[]): Promise<void> {
    const { lookup, snapshot, spec } = this.view;
    const compare = async (some: readonly KnownDocument[] = []) => {
      for (const each of some) {
        const body = await this.#read(each);
        if (each.holder === "another, shown" && body && isUnsigned(body)) continue;
        // Somebody may have given it another name there.
        const isStill = body && isOfThis(each.madeOf) && (await lookup.comparedToMade(body, spec)) === "same";
        each.likeness = isStill ? "same" : body ? await lookup.likenessOf(body, spec) : "unread";
      }
    };
    const beginning = snapshot.beginning(spec.name);
    const others = documents.filter(({ asOurs }) => asOurs !== "same");
    const when = Map.groupBy(others, each => this.#isCompared(each, beginning.get(each.id)));
    await compare(when.get("always"));
    const isAlike = when.get("always")?.some(({ source, likeness }) => source !== "history" && likeness === "same");
    // Where something is taken back, one that was signed since comes first.
    if (others.length < documents.length) await compare(when.get("if something is taken back"));
    else if (!isAlike) await compare(when.get("if nothing is alike"));
  }

  /** When it is compared. `isWhole`: of a name that is only how the program's begins, whether it wasn't cut. */
  #isCompared(
    { id, source, isNamed, owner, holder, madeOf }: KnownDocument,
    isWhole: boolean | undefined,
  ): "always" | "if something is taken back" | "if nothing is alike" | "never" {
    const { snapshot, spec } = this.view;
    switch (source) {
      case "name": {
        // Its name is only how ours begins, where the list or the journal tells that it wasn't cut.
        const isOtherName =
          isWhole !== undefined && owner?.name !== undefined && owner.name !== shortNameHash(spec.content);
        if (isWhole || isOtherName) return "never";
        if (holder !== "another, shown") return "always";
        return isOfThis(madeOf) && this.#isMadeACopy(owner) ? "if nothing is alike" : "never";
      }
      // A service may list it under another name than it was sent.
      case "person":
        return snapshot.ids.has(id) ? "if nothing is alike" : "always";
      // What somebody has by the journal that may be made of exactly this: whoever it is, it isn't sent again.
      case "history":
        // What another one has taken in this run is another contract by the program, whichever of the two came first.
        if (isClaimedByAnother(this.options, owner)) return "never";
        return isNamed || (owner?.released === false && madeOf !== "other content")
          ? "always"
          : "if something is taken back";
    }
  }

  /** Whether a change makes this resource's contract the copy of one that was there before: its people may have signed that. */
  #isMadeACopy(owner: Owned | undefined): boolean {
    const { current } = this.view.replaced;
    const isChange = current.some(({ changed = [], isInState }) => isInState && changed.length > 0);
    return isChange && !isClaimedByAnother(this.options, owner);
  }

  async #read(document: KnownDocument): Promise<DocumentBody | undefined> {
    document.body ??= await this.view.lookup.read(document.id);
    return document.body;
  }
}

// ---- What memory says ----

/** Whether the journal names this URN in another backend, which follows it in brackets. */
const isUrnElsewhere = (named: string, urn: string): boolean =>
  named.startsWith(urn) && /^ \([^()]*\)$/.test(named.slice(urn.length));

const isAnothers = ({ scope }: CreateOptions, owner: Owned | undefined): owner is Owned =>
  owner !== undefined && owner.urn !== scope.urn;

/** Whether another resource of this program has it, as this deployment has shown. */
export const isHeldByAnother = (options: CreateOptions, owner: Owned | undefined): boolean =>
  isAnothers(options, owner) &&
  (isClaimedByAnother(options, owner) || options.context.deploymentLog.holds(owner.urn, owner.id));

/** Whether another resource of this program has sent or taken it in this deployment. */
const isClaimedByAnother = (options: CreateOptions, owner: Owned | undefined): boolean =>
  isAnothers(options, owner) && owner.run === options.context.journal.run && !(owner.shown || owner.released);

/** Whether state says that a document was made of what the program says. */
export function isMadeByState(options: Pick<CreateOptions, "inputs" | "situation" | "spec">, id: string): boolean {
  const { situation } = options;
  const leaves = situation.kind === "new" && situation.leaves ? [situation.leaves] : [];
  const stated = [...situation.inState, ...leaves].flatMap(({ contents = {} }) => own(contents, id) ?? []);
  if (stated.length === 0) return false;
  const wanted = statedHashes(options);
  return stated.some(each => wanted.includes(each));
}

/** What state has, as a hash, of a document that was made of what the program says. */
export function statedHashes({ inputs, spec }: Pick<CreateOptions, "inputs" | "spec">): string[] {
  const hashes = hashesOf(inputs);
  // Of an import that a template describes, state has the template's hash alone.
  const all = [contentHash(hashes), contentHash(hashes, shortHash(spec?.content.sha256))];
  return all.filter(each => each !== undefined);
}
