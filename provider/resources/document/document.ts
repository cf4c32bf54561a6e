import { type Change, STATE_OUTDATED } from "../../../kit/changes.js";
import type { Checked, Stored } from "../../../kit/check.js";
import { known, UNKNOWN, type Values } from "../../../kit/values.js";
import { parseId } from "../../client/bodies.js";
import { readTwice } from "../../client/documents.js";
import { NotFoundError } from "../../client/errors.js";
import { isUnsigned, keyNeed, latestFile } from "../../client/files.js";
import type { DocumentBody } from "../../client/service.js";
import { type Context, defineOurs, owningScope } from "../context.js";
import { CreatesInFlight, ExistingDocuments } from "../creates-of-a-run.js";
import type { Scope } from "../journal/contract.js";
import type { CreateSituation, DeleteSituation, ResourceInState, Waiting } from "../journal/deployment-log.js";
import { previewing } from "../only-reading.js";
import { isPdfInput, pdfHashOf, pdfIdentityOf, sha256AtHand } from "../pdf/pdf-input.js";
import { TEMPLATE_INPUTS } from "../pdf/template-input.js";
import { assertSameService, originIn, Refusal } from "../refusal.js";
import { withChange } from "../refused-change.js";
import { ReplaceGuard } from "../replace-guard.js";
import { type Call, type Resource, UserError } from "../resource.js";
import { UNKNOWN_STATUS } from "../signers.js";
import { changedTerms, givenTerms, isTermChange, termsIn, withoutTerms } from "../terms.js";
import { rememberedUrn } from "../urn.js";
import { isMadeByState } from "./candidates.js";
import { checkDocument } from "./check.js";
import {
  features,
  hashNow,
  hashOfNew,
  isMadeOfPdf,
  isSentHashOld,
  likelySuccessor,
  markedFor,
  shortHash,
  specOf,
} from "./content.js";
import { DocumentCreate } from "./create.js";
import {
  type CheckedInputs,
  type DocumentChange,
  type DocumentInputs,
  type DocumentOutputs,
  type DocumentState,
  documentChanges,
  documentDeclaration,
  type documentInputs,
  type documentOutputs,
  driftOf,
  hashesOf,
  type InputHashes,
  inputsIn,
  isUntold,
  type MadeOf,
  madeOf,
  NO_INPUTS,
  pdfPropertyOf,
  showsTexts,
  stateIn,
} from "./declaration.js";
import type { CreateOptions } from "./facts.js";
import { type documentListInputs, listDocuments } from "./list.js";
import { isPlacementSettled, placementProblems } from "./lookup.js";
import { DocumentMemory } from "./memory.js";
import {
  bareOutputs,
  contentsOf,
  IMPORTED,
  importedInputs,
  isWrittenByProvider,
  outputsOf,
  type PreviewedOutputs,
  previewOutputs,
  type StateOnly,
  stateOnlyOf,
  supersededOf,
} from "./state.js";
import * as words from "./words.js";

/*
 * The Document resource. `documentResource` says what each call of the engine comes to; `Documents` does it, for single
 * documents and for rows of sets: it compares (declaration.ts), creates (create.ts, as plan.ts says), reads (state.ts) and lets
 * the guard decide what may be replaced. In which order the engine calls, and what each situation is, says
 * docs/explained/engine-order.md.
 *
 * `inState` is what the engine has shown of state in this deployment. To the guard, what can't be read counts as signed.
 */

// ---- The resource ----

/** A Document, as the engine calls it. What it does is `Documents`', which rows of sets share. */
const documentResource = defineOurs<
  typeof documentInputs,
  typeof documentOutputs,
  typeof documentListInputs,
  never,
  Documents
>({
  ...documentDeclaration,
  // Delete shows what state has, before anything is sent.
  deleteBeforeReplace: true,

  async check({ call, context: { context }, inputs: news, olds }) {
    // The create that follows keeps the document, so the hash of its PDF is enough: an import may have nothing else.
    const isKept = olds === undefined && context.deploymentLog.situationOf(call.urn).kind === "still-wanted";
    const given = { olds, pdfInState: isKept ? news : olds, news, secrets: call.secrets };
    const { inputs, checked, people, failures, warnings } = await checkDocument(given, context.pdfs);
    for (const warning of warnings) call.log.warn(warning);
    const wanted = features(known(checked.name), people, known(pdfHashOf(checked)));
    context.deploymentLog.checked(call.urn, olds !== undefined, wanted);
    return { inputs, failures };
  },

  // Asked by Diff, and by Update again (`compared` in kit/define.ts).
  compare: ({ call, context: documents, oldInputs, ...existing }) =>
    documents.compare(call, { ...existing, before: madeOf(oldInputs) }),

  diff: ({ call, context: documents, oldInputs, ...existing }) =>
    documents.diff(call, { ...existing, before: madeOf(oldInputs) }).catch((error: unknown) => {
      const { id, inputs } = existing;
      const change = { ids: { "": id }, before: oldInputs as unknown as Values, after: inputs as Values };
      throw withChange(error, change, { ...call, ...documents.context.policy() });
    }),

  async preview({ call, context: documents, inputs, before }) {
    if (before) {
      const { outputs, ...made } = await documents.update(call, { ...before, inputs });
      return { ...made, outputs: { ...withoutTerms(outputs), ...givenTerms(inputs) } };
    }
    const { id, ...besides } = await documents.preview(call, { inputs });
    return { id, outputs: previewOutputs(inputs, besides) };
  },

  async create({ call, context: documents, inputs }) {
    const { outputs, ...created } = await documents.create(call, { inputs });
    // Even if the call is cancelled now, the document is kept.
    return { ...created, outputs: await documents.withKeyNeeded(call, outputs, undefined).catch(() => outputs) };
  },

  async read({ call, context: documents, ...state }) {
    const { inputs, outputs } = state;
    const read = await documents.read(call, state);
    if (!read) return { outputs: outputs ?? {} };
    const { id, unfinished } = read;
    const found = await documents.withKeyNeeded(call, read.outputs, outputs);
    return { id, outputs: found, unfinished, ...(inputs ? {} : { inputs: read.inputs }) };
  },

  update: ({ call, context: documents, ...existing }) => documents.update(call, existing),

  delete: ({ call, context: documents, id, outputs, oldInputs }) =>
    documents.delete(call, { id, outputs, hashes: hashesOf(oldInputs) }),

  list: ({ call, context: { context }, ...args }) => listDocuments(context, call, args),
});

export const serveDocument = (documents: Documents): Resource => ({
  ...documentResource.serve(() => documents),
  // Asked by the dynamic provider, where a create takes over what is there.
  isUnchanged: async (call, { id, outputs, inputs }) =>
    outputs["imported"] === true &&
    (await documents.isSentFor(call, { id, outputs: stateIn(outputs), inputs: inputsIn(inputs) })),
});

// ---- Documents ----

type StoredInputs = Stored<DocumentInputs> & Checked;

/** A document in state, what it was made of, and what the program says now. */
export interface ComparedDocument {
  readonly id: string;
  readonly outputs: DocumentState;
  readonly before: MadeOf;
  readonly inputs: CheckedInputs;
}

type HeldDocument = Pick<ComparedDocument, "id" | "outputs">;
/** `hashes`: of the inputs in state. */
type StatedDocument = HeldDocument & { readonly hashes: InputHashes };
type WantedDocument = Omit<ComparedDocument, "before">;

/** `situation`: a row's, by its set. */
interface CreateArguments {
  readonly inputs: CheckedInputs;
  readonly situation?: CreateSituation;
}

/** `unfinished`: why it isn't what the program says, though it is there. */
interface CreatedDocument {
  readonly id: string;
  readonly outputs: DocumentOutputs;
  readonly unfinished: readonly string[];
}

/** Without inputs where the engine imports it. */
interface ReadArguments {
  readonly id: string;
  readonly inputs?: StoredInputs | undefined;
  readonly outputs?: DocumentState | undefined;
}

interface DeleteArguments extends StatedDocument {
  /** A row's, by its set. */
  readonly situation?: DeleteSituation;
  /** Says what is forgotten: a warning by default. */
  readonly tell?: ((words: string) => void) | undefined;
}

/**
 * Documents sent out to be signed, single ones and rows of sets. The service can create one and show it, and nothing else:
 * no update, no delete. So every change but one of a term, which state alone has, is a replacement, and the guard decides
 * whether it goes ahead.
 */
export class Documents {
  /** What a call has asked about its document: the guard of its Diff asks no second time. */
  readonly #asked = new WeakMap<Call, Promise<DocumentBody>>();
  readonly guard: ReplaceGuard;
  readonly #existing: ExistingDocuments;
  readonly #inFlight = new CreatesInFlight();
  readonly #memory: DocumentMemory;
  /** URNs that were read without inputs: by an import, or by a set for a row that was imported. */
  readonly #imports = new Set<string>();
  /** By URN and id: documents of which Diff saw unknown inputs change, and nothing else. */
  readonly #uncertain = new Map<string, ComparedDocument>();
  /** Whether certificates want the key was asked, and not answered. */
  #isUnanswered = false;

  constructor(readonly context: Context) {
    this.#existing = new ExistingDocuments(context);
    this.#memory = new DocumentMemory(context);
    this.guard = new ReplaceGuard(context, {
      kind: "document",
      cause: "replace-signed",
      remedies: [{ kind: "take-back" }, { kind: "send-as-well" }, { kind: "remove-first" }],
      examine: async (service, id, call) => {
        const body = await readTwice(service, parseId(id), call.signal);
        return { replaceable: isUnsigned(body), ...words.findingOf(body, call.secrets) };
      },
    });
  }

  // Diff:

  /**
   * What differs between the program and the service; of terms, between the program and state. Update asks it again. A document
   * that two resources have is refused, and the journal learns what state has.
   *
   * Which changes replace the document is found in three steps, each of which asks more than the one before:
   * 1. the program's inputs are compared with state (`documentChanges`); another template may print the same PDF (`#isSamePdf`);
   * 2. the journal may say that these very inputs were sent, and the service shows them otherwise (`isSentFor`);
   * 3. the service is asked again: somebody may have given the document there the title, say, that the program says now
   *    (`#stillReplacing`). A refresh's Diff leaves this out.
   */
  async compare(call: Call, given: ComparedDocument): Promise<readonly Change[]> {
    const isOfProgram = this.context.deploymentLog.isOfProgram(call.urn);
    const document = await this.#asWritten(call, given);
    const { id, outputs, inputs } = document;
    if (isOfProgram) this.assertHeldOnce(call, id, originIn(outputs));
    await this.learn(call, { id, outputs, hashes: given.before.hashes }, { undecided: true });
    const terms = changedTerms(outputs, inputs);
    const all = changesIn(document);
    const byState = await this.#replacing(call, document, all);
    const replacing = isOfProgram ? await this.#stillReplacing(call, document, byState) : byState;
    if (replacing.length > 0) return [...terms, ...replacing];
    const isStateOld =
      byState.length > 0 ||
      !isWrittenByProvider(id, given.outputs) ||
      (isOfProgram && isDriftOld(document, all)) ||
      (await isSentHashOld(document, this.context.pdfs));
    return isStateOld ? [...terms, STATE_OUTDATED] : terms;
  }

  /** With the service's outputs in place of those that the provider didn't write. */
  async #asWritten(call: Call, given: ComparedDocument): Promise<ComparedDocument> {
    const { id, outputs } = given;
    const { inputs: oldInputs = NO_INPUTS } = given.before;
    if (isWrittenByProvider(id, outputs)) return given;
    const body = await this.#shownBody(call, id);
    const written = outputsOf(body, this.context.service(), IMPORTED, oldInputs);
    this.#assertDescribed(call, written, oldInputs);
    return { ...given, outputs: written };
  }

  /** Steps 1 and 2 of `compare`, by what `document` shows. */
  async #replacing(
    call: Call,
    document: ComparedDocument,
    all = changesIn(document),
  ): Promise<readonly DocumentChange[]> {
    const isSamePdf = all.some(isOfTemplate) && (await this.#isSamePdf(document));
    const differing = isSamePdf ? all.filter(change => !isOfTemplate(change)) : all;
    const mayBeSent = differing.length > 0 && differing.every(change => mayBeShownOtherwise(change, document));
    return mayBeSent && (await this.isSentFor(call, document)) ? [] : differing;
  }

  /** Whether the document was made of the PDF that the program says, however it says it. */
  async #isSamePdf({ inputs, before, outputs }: ComparedDocument): Promise<boolean> {
    const sha256 = await sha256AtHand(inputs, this.context.pdfs);
    return sha256 !== undefined && isMadeOfPdf(sha256, before.hashes, outputs);
  }

  /** Whether the journal has it as what this resource sent for these inputs. */
  async isSentFor({ urn }: Call, { id, outputs, inputs }: WantedDocument): Promise<boolean> {
    const sent = await this.#memory.fingerprint({ service: originIn(outputs), urn }, id);
    // A refresh gives a template's hash, and not what is in it.
    if (sent === undefined || (await sha256AtHand(inputs, this.context.pdfs)) === undefined) return false;
    const spec = await specOf(inputs, this.context.pdfs);
    return spec?.content.fingerprint === sent;
  }

  /** Step 3 of `compare`: what is left of these changes once the service was asked again, which is all of them or none. */
  async #stillReplacing(call: Call, document: ComparedDocument, byState: readonly DocumentChange[]) {
    const isThere = byState.some(isCertain) && (await this.#isThereByNow(call, document));
    return isThere ? [] : byState;
  }

  /** Whether the service, asked again, shows what the program says. */
  async #isThereByNow(call: Call, document: ComparedDocument): Promise<boolean> {
    const now = await this.#readAgain(call, document);
    return now !== undefined && (await this.#replacing(call, now)).length === 0;
  }

  /** With the outputs that the service shows now; undefined where it can't be read, or is another service's. The guard refuses then. */
  async #readAgain(call: Call, document: ComparedDocument): Promise<ComparedDocument | undefined> {
    const { id, inputs, outputs } = document;
    const here = this.context.service();
    if (this.#serviceOf(document) !== here.origin) return undefined;
    const asked = readTwice(here, parseId(id), call.signal);
    this.#asked.set(call, asked);
    const body = await asked.catch(() => undefined);
    return body && { ...document, outputs: outputsOf(body, here, stateOnlyOf(id, outputs), inputs) };
  }

  /** Refuses a change that replaces a signed document; otherwise lets all pass, and notes what state has. */
  async diff(call: Call, args: ComparedDocument & { readonly changes: readonly Change[] }): Promise<readonly Change[]> {
    const { id, outputs, before, changes } = args;
    const { deploymentLog } = this.context;
    const replacement = replacementBy(changes);
    // Before any Check it is a refresh's, which replaces nothing, or a dependent's, of which Delete refuses. A row has none.
    if (replacement !== "certain" || !deploymentLog.isBeforeCheck(call.urn))
      await this.#guardOrWarn(call, args, changes, replacement);
    await this.learn(call, { id, outputs, hashes: before.hashes });
    if (deploymentLog.isOfProgram(call.urn)) warnOfUntold(call, args);
    deploymentLog.diffed(call.urn, id, replacement === "none" ? "none" : "replace", {
      ...this.entryOf({ id, outputs }, before.hashes),
      changed: [...new Set(changes.filter(isReplacing).map(({ name }) => name))],
      isUncertain: replacement === "uncertain" || undefined,
    });
    if (replacement === "uncertain") this.#uncertain.set(`${call.urn} ${id}`, args);
    return changes;
  }

  /** The guard decides on a certain replacement. Of an uncertain one, and of one that was left unfinished, a warning tells. */
  async #guardOrWarn(
    call: Call,
    document: ComparedDocument,
    changes: readonly Change[],
    replacement = replacementBy(changes),
  ): Promise<void> {
    const { id } = document;
    const service = this.#serviceOf(document);
    const isImport = this.#imports.delete(call.urn);
    switch (replacement) {
      case "certain":
        assertSameService(this.context, service, `document ${id}`, call.urn);
        return this.#assertReplaceable(call, document, changes.filter(isCertain));
      case "uncertain":
        call.log.warn(words.maybeReplacing(id, changes.filter(isReplacing)));
        return;
      case "none": {
        // An import ends what was unfinished; an imported row, which no Check shows to exist, leaves it.
        const isEnded = isImport && this.context.deploymentLog.situationOf(call.urn).exists;
        if (!isEnded) await this.#memory.warnOfUnfinished(call, { service, urn: call.urn }, id);
      }
    }
  }

  async #assertReplaceable(call: Call, { id, before, inputs }: ComparedDocument, changes: readonly DocumentChange[]) {
    const names = changes.map(({ name }) => name);
    // To ignore a PDF that is given in another way, both ways are named.
    const changed = before.inputs && names.some(isPdfInput) ? [...names, pdfPropertyOf(before.inputs)] : names;
    const inWords = words.describeChanges(changes, before.inputs, inputs, call.secrets);
    const asked = this.#asked.get(call);
    const shown = asked && { ...this.context.service(), getDocument: () => asked };
    return this.guard.assertReplaceable(call, id, { changed, inWords }, shown);
  }

  /** What the deployment log gets to know of what state has. */
  entryOf(document: HeldDocument, hashes: InputHashes) {
    const { id, outputs } = document;
    const { supersedes, imported } = stateOnlyOf(id, outputs);
    const contents = contentsOf(id, hashes, outputs);
    return { supersedes, service: this.#serviceOf(document), contents, imported: imported || undefined };
  }

  #serviceOf({ id, outputs }: HeldDocument): string {
    return isWrittenByProvider(id, outputs) ? originIn(outputs) : (this.context.origin() ?? "");
  }

  // Create:

  /** What `create` would do, said and not done: with the id of the document that it would keep or take. */
  async preview(
    call: Call,
    { inputs, situation }: CreateArguments,
  ): Promise<{ readonly id: string } & PreviewedOutputs> {
    const create = await this.#creating(call, inputs, situation);
    const { scope, spec } = create.options;
    const { inState } = create.options.situation;
    // A Delete comes first in the update, and refuses.
    for (const { id, changed, isUncertain } of inState.filter(({ isDependent }) => isDependent))
      await this.guard.assertReplaceable(call, id, { changed, isUncertain });
    const decision = await create.decide();
    const { service } = scope;
    if (decision.kind !== "send") return { id: decision.id, service, imported: wasImported(inState, decision.id) };
    // Of an imported row that the program gives none for: it was never needed before.
    if (pdfIdentityOf(inputs) === undefined)
      throw new UserError("the PDF is missing: give `file`, `base64File` or `template`");
    const own = spec ? [] : await create.assertSendable();
    const mayBeKept = inState.filter(({ isUncertain }) => isUncertain);
    if (own.length > 0) call.log.warn(words.takenByFolder(own), { undecided: 1 });
    else words.announceMail(call, inputs, { ...decision, mayBeKept: mayBeKept.length > 0 });
    return { id: "", service, imported: mayBeKept.some(({ imported }) => imported) ? UNKNOWN : false };
  }

  /** Keeps state's document, takes one that is there already, or sends one at most once, and finds out what became of it. */
  async create(call: Call, { inputs, situation }: CreateArguments): Promise<CreatedDocument> {
    const create = await this.#creating(call, inputs, situation);
    const { id, body, supersedes, isUnsent, unfinished = [] } = await create.run();
    const { scope, spec } = create.options;
    const { inState } = create.options.situation;
    // Kept or taken, while an earlier create may be open.
    if (isUnsent) await this.#memory.warnOfUnfinished(call, scope, id);
    const sentHash = spec && shortHash(spec.content.sha256);
    const stateOnly = {
      ...supersededOf(inState, supersedes),
      sentPdfHash: hashOfNew(inputs, sentHash, body && latestFile(body)?.sha256),
      imported: wasImported(inState, id),
    };
    if (body?.isUnread) call.log.warn(words.listedUnread(id));
    // What isn't known counts as signed, so nothing replaces it.
    if (!body || body.isUnread) return { id, outputs: bareOutputs(id, inputs, stateOnly, scope.service), unfinished };
    const outputs = outputsOf(body, this.context.service(), stateOnly, inputs);
    return { id, outputs, unfinished: placementProblems(this.context.policy(), call, body, inputs) };
  }

  /** The marker has the engine's URN. Without a stack all documents share that one, so the journal's has a hash of the content. */
  async #creating(call: Call, inputs: CheckedInputs, given: CreateSituation | undefined) {
    const context = previewing(this.context, call);
    const unmarked = await specOf(inputs, context.pdfs);
    const spec = context.policy().creationMarker ? unmarked && markedFor(call.urn, unmarked) : unmarked;
    const urn = rememberedUrn(call.urn, spec?.content.fingerprint);
    const situation = given ?? context.deploymentLog.situationOf(urn);
    // A document of that number here is another one.
    for (const { id, service } of situation.inState) assertSameService(context, service, `document ${id}`, call.urn);
    return new DocumentCreate({
      context,
      guard: this.guard,
      existing: this.#existing,
      inFlight: this.#inFlight,
      call,
      scope: { service: context.service().origin, urn },
      spec,
      inputs,
      situation,
      unchanged: spec && (await this.#turnedOutTheSame(call, { inputs, spec, situation })),
    });
  }

  /** The document of which Diff saw only unknown inputs change, if they are now what state has, or what the service shows. */
  async #turnedOutTheSame(
    call: Call,
    wanted: Pick<CreateOptions, "inputs" | "spec" | "situation">,
  ): Promise<ResourceInState | undefined> {
    for (const each of wanted.situation.inState.filter(({ isUncertain }) => isUncertain)) {
      const compared = this.#uncertain.get(`${call.urn} ${each.id}`);
      const isThere = async () => compared && this.#isThereByNow(call, { ...compared, inputs: wanted.inputs });
      if (isMadeByState(wanted, each.id) || (await isThere())) return each;
    }
    return undefined;
  }

  // Read:

  /** What the service shows; undefined where it doesn't show a document that state has: then state stays as it is. */
  async read(call: Call, { id, inputs, outputs }: ReadArguments) {
    assertSameService(this.context, outputs?.service, `document ${id}`, call.urn);
    if (!inputs || !outputs || !isWrittenByProvider(id, outputs)) return this.readImport(call, { id, inputs, outputs });
    const document = await this.#body(call, id);
    if (document instanceof NotFoundError) {
      call.log.warn(words.keepingState(id));
      return undefined;
    }
    await this.learn(call, { id, outputs, hashes: hashesOf(inputs) });
    return this.#found(call, document, stateOnlyOf(id, outputs), inputs, outputs);
  }

  /** By the engine's import, which comes without inputs, or by an import file. */
  async readImport(call: Call, { id, inputs, outputs }: ReadArguments, how: { isInState?: true } = {}) {
    const service = this.context.service();
    const document = await this.#shownBody(call, id);
    if (!inputs) this.#imports.add(call.urn);
    const described = inputs ?? (await importedInputs(document, service, call.signal));
    if (pdfIdentityOf(described) === undefined) call.log.warn(words.importedWithoutHash(id));
    const found = this.#found(call, document, IMPORTED, described, outputs);
    if (inputs) this.#assertDescribed(call, found.outputs, inputs);
    const scope: Scope = { service: service.origin, urn: call.urn };
    const fingerprint = await this.#memory.attempted(call, scope, document);
    const shown = how.isInState ? { undecided: true as const } : { imported: true };
    await this.#memory.show(scope, id, [], { ...shown, fingerprint });
    return found;
  }

  #found(call: Call, document: DocumentBody, stateOnly: StateOnly, inputs: StoredInputs, olds?: DocumentState) {
    const policy = this.context.policy();
    const { id, signingStage } = document;
    const outputs = outputsOf(document, this.context.service(), stateOnly, inputs);
    // One that never arrived in its folder stays unfinished; one that was moved from there has drifted.
    const unfinished =
      olds && !isPlacementSettled(policy, inputs, olds) ? placementProblems(policy, call, document, inputs, olds) : [];
    return { id, inputs, outputs, unfinished, signingStage };
  }

  #body(call: Call, id: string): Promise<DocumentBody | NotFoundError> {
    const asked = readTwice(this.context.service(), parseId(id, "a document's id"), call.signal);
    return asked.catch((error: unknown) => (error instanceof NotFoundError ? error : Promise.reject(error)));
  }

  /** The same, where it has to be shown. */
  async #shownBody(call: Call, id: string): Promise<DocumentBody> {
    const body = await this.#body(call, id);
    if (body instanceof NotFoundError) throw new Refusal(words.notShown(id, body), call.urn);
    return body;
  }

  /** Where state has outputs that the provider didn't write: the document must be the one that these inputs describe. */
  #assertDescribed(call: Call, { documentId, drift }: DocumentOutputs, inputs: CheckedInputs): void {
    // The service may keep these two in another form. Any other difference makes it another document.
    const mayDiffer = ["description", "folderId"];
    const isGiven = (name: string) => inputs[name as keyof CheckedInputs] !== undefined;
    const differing = drift.filter(name => isGiven(name) && !mayDiffer.includes(name));
    if (differing.length > 0) throw new Refusal(words.otherDocument(documentId, differing), call.urn);
  }

  /**
   * The interface doesn't show whether certificates want the key: an address is tried until it has led to a PDF once, as it may
   * not be there yet. After one that doesn't answer no other is tried in this process: thousands would wait a minute each.
   */
  async withKeyNeeded(call: Call, outputs: DocumentOutputs, olds: DocumentState | undefined): Promise<DocumentOutputs> {
    const address = outputs.certificates.btcUrl;
    if (address === null) return outputs;
    const triedBefore = olds?.certificates?.btcUrl === address ? olds.certificatesNeedKey : undefined;
    const ask = () => keyNeed(this.context.service(), address, { signal: call.signal });
    const need = triedBefore ?? (this.#isUnanswered ? "unanswered" : await ask());
    this.#isUnanswered ||= need === "unanswered";
    return { ...outputs, certificatesNeedKey: need === "unanswered" ? null : need };
  }

  // Update:

  /**
   * Writes state; the document stays as it was sent.
   *
   * | its create | changes | state gets |
   * |---|---|---|
   * | is finished | terms alone | what the program says; nothing is asked |
   * | is finished | none, or `STATE_OUTDATED` among them | what the service shows; if it shows nothing, a warning |
   * | ended half done, or state isn't the provider's | any | what the service shows; if it shows nothing, this is refused |
   */
  async update(
    call: Call,
    { id, outputs: olds, inputs: news, changes }: WantedDocument & { readonly changes: readonly Change[] },
  ): Promise<{ readonly outputs: DocumentState; readonly unfinished?: readonly string[] }> {
    const policy = this.context.policy();
    const isWritten = isWrittenByProvider(id, olds);
    assertSameService(this.context, olds.service, `document ${id}`, call.urn);
    // A create may have ended before its document could be read, or before it was in its folder.
    const isCreateFinished = isWritten && olds.status !== UNKNOWN_STATUS && isPlacementSettled(policy, news, olds);
    const sent = await hashNow(olds, news, this.context.pdfs);
    const asInState = { ...withoutTerms(olds), ...sent, ...termsIn(news), drift: driftOf(news, olds) };
    const areTerms = changes.length > 0 && changes.every(isTermChange);
    if (isCreateFinished && areTerms) return { outputs: asInState };
    const body = await this.#body(call, id);
    if (body instanceof NotFoundError) {
      if (!isCreateFinished) throw new Refusal(words.notShown(id, body, { inState: true }), call.urn);
      call.log.warn(words.keepingState(id));
      return { outputs: asInState };
    }
    const written = outputsOf(body, this.context.service(), { ...stateOnlyOf(id, olds), ...sent }, news);
    if (!isWritten) this.#assertDescribed(call, written, news);
    const outputs = await this.withKeyNeeded(call, written, olds);
    if (!call.preview && outputs.drift.length === 0) await this.follow(call, news, outputs);
    return { outputs, unfinished: placementProblems(policy, call, body, news, olds) };
  }

  /** What somebody has changed on the platform, and the program says by now, the journal has to know as well. */
  async follow(call: Call, inputs: CheckedInputs, outputs: DocumentState): Promise<void> {
    // The service doesn't show all that an import was made of.
    const spec = outputs.imported === true ? undefined : await specOf(inputs, this.context.pdfs);
    if (spec) await this.#memory.follow({ service: originIn(outputs), urn: call.urn }, outputs, spec);
  }

  // Delete:

  /**
   * Forgets the document, which stays at the service. One that is replaced is only let go of where the guard allows it: the
   * journal has it as replaced until its successor is there. What is removed is released, and what the Create has kept is left.
   */
  async delete(
    call: Call,
    { id, outputs, hashes, situation: given, tell = said => call.log.warn(said) }: DeleteArguments,
  ): Promise<void> {
    const { journal, deploymentLog } = this.context;
    const situation = given ?? deploymentLog.situationOfDelete(call.urn, id);
    const entry = this.entryOf({ id, outputs }, hashes);
    const scope: Scope = { service: entry.service, urn: call.urn };
    // Predecessors that this resource holds again, by import or create, aren't let go of.
    const letGo = entry.supersedes.filter(each => !deploymentLog.holds(call.urn, each));
    const likely = (waiting: readonly Waiting[]) => likelySuccessor(waiting, outputs);
    const deletion = await this.guard.beforeDeleting(call, id, scope.service, situation, likely);
    const urn = deletion.kind === "replaced" ? deletion.by : call.urn;
    switch (deletion.kind) {
      case "kept":
        break;
      case "replaced":
        await journal.replace({ ...scope, urn }, id, letGo);
        break;
      case "removed": {
        tell(words.forgetting(id, outputs, this.context.origin(), call));
        await this.#memory.warnOfUnfinished(call, scope, id);
        // A machine that hasn't sent it learns here what it is.
        const owner = await journal.owner(scope.service, id).catch(() => undefined);
        if (!owner) await this.learn(call, { id, outputs, hashes });
        // A journal that can't be written must not keep a stack from being destroyed.
        const owning = await owningScope(this.context, scope, id);
        await journal.release(owning, id, letGo).catch(() => undefined);
      }
    }
    // Where a replacement is forced, no Diff has shown what state has.
    deploymentLog.deleted(urn, id, entry);
  }

  // What a set asks of its rows as well:

  /** What of a row's document isn't what the program says, by the rules of `compare`. */
  async differences(call: Call, document: ComparedDocument): Promise<readonly DocumentChange[]> {
    return this.#stillReplacing(call, document, await this.#replacing(call, document));
  }

  /** Whether there are none; a document with any must be replaceable. */
  async isAsWanted(call: Call, document: ComparedDocument): Promise<boolean> {
    const replacing = await this.differences(call, document);
    await this.#guardOrWarn(call, document, replacing);
    warnOfUntold(call, document);
    return replacing.length === 0;
  }

  /** A document under two names is two contracts by the program, and one by the service: refused. */
  assertHeldOnce({ urn }: Call, id: string, service: string): void {
    const other = this.context.deploymentLog.noteHolder(urn, service, id);
    if (other === undefined) return;
    throw new Refusal(words.heldTwice(id, [other, urn]), urn);
  }

  /**
   * Notes what Diff shows of state: `undecided` until the guard has let the change pass. Without the first of the two, nothing
   * tells under a new name what was refused or sent there; without the second, the old name isn't free again.
   */
  async learn(call: Call, { id, outputs, hashes }: StatedDocument, how: { undecided?: true } = {}): Promise<void> {
    const scope: Scope = { service: originIn(outputs), urn: call.urn };
    const stated = contentsOf(id, hashes, outputs)[id];
    await this.#memory.show(scope, id, outputs.supersedes ?? [], { ...how, stated });
    await this.#memory.settle(call, scope, id);
  }
}

/** Whether a create that comes to this document keeps an import. */
const wasImported = (inState: readonly ResourceInState[], id: string): boolean =>
  inState.some(each => each.id === id && each.imported === true);

// ---- Changes ----

const changesIn = ({ before, inputs, outputs }: ComparedDocument): DocumentChange[] =>
  documentChanges(before, inputs, outputs);

const isReplacing = (change: Change): change is DocumentChange => change.replaces;

/** Whatever the values turn out to be that aren't known yet. */
const isCertain = (change: Change): change is DocumentChange => isReplacing(change) && change.unknown !== true;

/** Whether they replace the document; "uncertain" where only inputs that aren't known yet do. */
const replacementBy = (changes: readonly Change[]): "certain" | "uncertain" | "none" => {
  if (changes.some(isCertain)) return "certain";
  return changes.some(isReplacing) ? "uncertain" : "none";
};

/** Whether the service may have been sent what the program says of this input, and show something else: the journal tells. */
function mayBeShownOtherwise({ name }: DocumentChange, { inputs, before, outputs }: ComparedDocument): boolean {
  // State of a row tells of its PDF alone: of anything else the service is asked.
  if (!showsTexts(outputs) && !isPdfInput(name)) return false;
  if (outputs.imported === true) return true;
  if (isOfTemplate({ name })) {
    // Where state tells of the PDF, what a template prints is that one (`#isSamePdf`) or another.
    const { sha256, sentPdfHash } = outputs;
    return sentPdfHash === undefined && (sha256 === undefined || shortHash(sha256) !== before.hashes.pdf);
  }
  if (!driftOf(inputs, outputs).includes(name)) return true;
  switch (name) {
    // Another document shows none either, where the service ignores it or keeps it to itself; elsewhere people took it away.
    case "description":
    case "folderId":
      return outputs[name] === undefined;
    // People whom it has never shown as state's inputs say tell nothing.
    case "invitations":
      return before.inputs !== undefined && driftOf(before.inputs, outputs).includes(name);
    default:
      return false;
  }
}

/** Whether `drift` in state names what is over, or lacks what an import differs in, though these inputs were sent. */
function isDriftOld({ inputs, outputs }: ComparedDocument, changes: readonly Change[]): boolean {
  const { drift: before = [] } = outputs;
  const now: readonly string[] = driftOf(inputs, outputs);
  const isNew = ({ name }: Change) => now.includes(name) && !before.includes(name);
  return before.some(name => !now.includes(name)) || changes.some(isNew);
}

/** A description that the program says of an import, and the service doesn't show, is no change. */
function warnOfUntold(call: Call, { id, inputs, before, outputs }: ComparedDocument): void {
  if (known(inputs.description) && isUntold("description", before, outputs))
    call.log.warn(words.importedWithoutDescription(id));
}

const isOfTemplate = ({ name }: Pick<Change, "name">): boolean => (TEMPLATE_INPUTS as readonly string[]).includes(name);
