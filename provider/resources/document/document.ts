import { NotFoundError } from "../../client/errors.js";
import { parseId } from "../../client/ids.js";
import type { DocumentBody } from "../../client/service.js";
import { isRecord, type Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import type { Scope } from "../journal/contract.js";
import { formerIdentities, isAtHand, isPdf, pdfIdentityOf } from "../pdf/pdf-source.js";
import { TEMPLATE_INPUTS } from "../pdf/template-input.js";
import { previewing } from "../previewing.js";
import { assertSameService, originIn, ReplaceGuard } from "../replace-guard.js";
import {
  type Call,
  type Created,
  type Diff,
  type ListArguments,
  type ListPage,
  NO_CHANGE,
  PartialFailure,
  type ReadResult,
  type Resource,
  UserError,
} from "../resource.js";
import { rememberedUrn } from "../urn.js";
import { needsKey } from "./certificates-key.js";
import { type Change, changesOf, detailed, driftOf } from "./comparison.js";
import { DocumentCreate } from "./create.js";
import type { CreateOptions } from "./create-progress.js";
import { CreatesInFlight } from "./creates-in-flight.js";
import { documentDeclaration } from "./declaration.js";
import { type CheckArgs, checkDocument } from "./document-check.js";
import { DocumentMemory } from "./document-memory.js";
import { outputsOf } from "./document-state.js";
import { ExistingDocuments } from "./existing-documents.js";
import { likelySuccessor, storedFeatures, wantedFeatures } from "./features.js";
import { documentFinding, REPLACE_REMEDIES } from "./finding.js";
import { assertInFolder } from "./folder-placement.js";
import { importedInputs, notShown } from "./imported-inputs.js";
import { listDocuments } from "./list.js";
import { announceMail, describeChanges, forgetting, takingBack, takingOver } from "./messages.js";
import { bareOutputs, previewOutputs } from "./pending-outputs.js";
import type { CreatePlan } from "./plan-create.js";
import { type DocumentSpec, parseSpec } from "./spec.js";
import { changedTerms, givenTerms, termsIn, withoutTerms } from "./terms.js";
import { assertSameDocument, isWrittenByProvider } from "./written-state.js";

interface Kept {
  readonly supersedes: readonly string[];
  readonly imported: boolean;
}

interface DiffArguments {
  readonly id: string;
  readonly olds: Values;
  readonly oldInputs: Values;
  readonly news: Values;
  /** What a refusal says has changed, where `oldInputs` don't show it: a set keeps hashes of a row's. */
  readonly changed?: readonly string[] | undefined;
}

interface ReadArguments {
  readonly id: string;
  readonly inputs: Values | undefined;
  readonly outputs: Values | undefined;
}

/** What only the service knows beside a document's state. */
interface ReadDocument extends ReadResult {
  readonly signingStage?: number | null;
}

const isOfTemplate = ({ property }: Change): boolean => (TEMPLATE_INPUTS as readonly string[]).includes(property);

/**
 * A document sent out to be signed. The service can create one and show it, and nothing else: no update, no delete. So
 * every change is a replacement, and the guard decides whether it goes ahead.
 */
export class DocumentResource implements Resource {
  readonly token = documentDeclaration.token;
  readonly #guard: ReplaceGuard;
  readonly #existing: ExistingDocuments;
  readonly #inFlight = new CreatesInFlight();
  readonly #memory: DocumentMemory;
  /** URNs read for an import: their next Diff is the import's, which takes what the service doesn't have for no difference. */
  readonly #imports = new Set<string>();

  constructor(private readonly context: Context) {
    this.#existing = new ExistingDocuments(context);
    this.#memory = new DocumentMemory(context);
    this.#guard = new ReplaceGuard(context, {
      kind: "document",
      token: this.token,
      cause: "replace-signed",
      remedies: REPLACE_REMEDIES,
      examine: async (service, id, call) =>
        documentFinding(await service.getDocument(parseId(id), { signal: call.signal }), call.secrets),
    });
  }

  async check(call: Call, args: Omit<CheckArgs, "secrets">) {
    const checked = await checkDocument({ ...args, secrets: call.secrets }, this.context.pdfs);
    for (const warning of checked.warnings) call.log.warn(warning);
    this.context.deploymentLog.checked(call.urn, args.olds !== undefined, wantedFeatures(checked.inputs));
    return checked;
  }

  async diff(call: Call, { id, olds, oldInputs, news, changed: given }: DiffArguments): Promise<Diff> {
    const isWritten = isWrittenByProvider(id, olds);
    const held = isWritten ? olds : await this.#heldAs(call, id, oldInputs);
    const terms = this.#imports.delete(call.urn) ? {} : changedTerms(held, news);
    const known = { supersedes: supersededIn(held), service: originIn(held) };
    const scope: Scope = { service: known.service, urn: call.urn };
    // A Diff that is refused shows as well what state holds.
    await this.#memory.show(scope, id, known.supersedes);
    const changed = await this.#withoutSamePdf(call, changesOf(oldInputs, news, held), { id, oldInputs, news, held });
    const isWanted = changed.length > 0 && (await this.isUnchanged(call, { id, olds: held, news }));
    const changes = isWanted ? [] : changed;
    const certain = changes.filter(change => !change.unknown);
    if (certain.length > 0) {
      assertSameService(this.context, held["service"], `document ${id}`, call.urn);
      const described = given ?? describeChanges(certain, oldInputs, news, call.secrets);
      const properties = certain.map(({ property }) => property);
      await this.#guard.beforeReplacing(call, id, described, properties);
    } else if (changes.length > 0) {
      const names = changes.map(change => change.path).join(", ");
      call.log.warn(
        `${names} ${changes.length === 1 ? "isn't" : "aren't"} known yet, so document ${id} may have to be replaced. ` +
          "That is decided once the value is known, and only an unsigned document is replaced.",
      );
    }
    this.context.deploymentLog.diffed(call.urn, id, changes.length === 0 ? "none" : "replace", known);
    if (changes.length > 0)
      return { changes: "some", detailed: { ...terms, ...detailed(changes) }, deleteBeforeReplace: true };
    await this.#memory.warnOfUnfinished(call, scope, id);
    // Update writes the service's outputs in place of those, or the program's inputs in place of imported ones.
    const isDone = isWritten && !isWanted && Object.keys(terms).length === 0;
    return isDone ? NO_CHANGE : { changes: "some", detailed: terms, deleteBeforeReplace: false };
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const context = previewing(this.context, call);
    const { creationMarker } = context.policy();
    const spec = await parseSpec(inputs, { urn: call.urn, creationMarker, pdfs: context.pdfs });
    const urn = rememberedUrn(call.urn, spec?.content.fingerprint);
    const scope: Scope = { service: context.service().origin, urn };
    const options = {
      context,
      guard: this.#guard,
      existing: this.#existing,
      inFlight: this.#inFlight,
      call,
      scope,
      spec,
    };
    const create = new DocumentCreate(options);
    for (;;) {
      const plan = await create.plan();
      if (plan.kind === "keep") return this.#keep(call, scope, inputs, plan, spec);
      if (plan.kind === "adopt" || plan.kind === "take-back") {
        const taken = await create.take(plan);
        // Others took them all: what is left to do is decided anew, as below.
        if (!taken) continue;
        const { body, supersedes, named } = taken;
        const why = plan.kind === "adopt" ? plan.why : named ? "DOCSIGN_ADOPT names it" : undefined;
        call.log.info(why === undefined ? takingBack(body) : takingOver(call, body, why), { takesBack: 1 });
        if (call.preview) return { id: body.id, outputs: previewOutputs(inputs, scope.service) };
        return this.#created(call, inputs, body, supersedes);
      }
      if (!call.preview && !spec) throw new UserError("the PDF isn't known, so nothing was created");
      if (call.preview || !spec) {
        if (!spec) await this.#assertSendable(inputs, options);
        announceMail(call, inputs, plan);
        return { id: "", outputs: previewOutputs(inputs, scope.service) };
      }
      const body = await this.#send(create, spec, plan);
      if (body) return this.#created(call, inputs, body, plan.supersedes);
    }
  }

  /** While an input isn't known: a folder that is yet to be made is no reason to find out half-way what is refused. */
  async #assertSendable({ folderId: _, ...inputs }: Values, options: CreateOptions): Promise<void> {
    const { call, context, scope } = options;
    const spec = await parseSpec(inputs, { urn: scope.urn, creationMarker: false, pdfs: context.pdfs });
    const isAsked = spec && (await new DocumentCreate({ ...options, spec }).assertSendableAnywhere());
    // Wrong settings show before anything is announced.
    if (!isAsked) await this.#existing.before(call, false);
  }

  async read(call: Call, args: ReadArguments): Promise<ReadResult> {
    const { signingStage: _, ...read } = await this.readRow(call, args);
    return { ...read, outputs: await this.#withKeyNeeded(call, read.outputs, args.outputs) };
  }

  /** As `read`, for a row of a set, whose state is smaller. */
  async readRow(call: Call, { id, inputs, outputs }: ReadArguments): Promise<ReadDocument> {
    const service = this.context.service();
    const isWritten = outputs !== undefined && isWrittenByProvider(id, outputs);
    const imported = inputs === undefined || !isWritten;
    if (outputs) assertSameService(this.context, outputs["service"], `document ${id}`, call.urn);
    const document = await this.#body(call, id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      if (imported) throw notShown(id, call.urn, error);
      return undefined;
    });
    if (!document) {
      call.log.warn(
        `the service doesn't show document ${id}, so state keeps what it knew. The service can't delete documents: check docsign:baseUrl and that the key belongs to the account that owns the document.`,
      );
      return { id, inputs: inputs ?? {}, outputs: outputs ?? {} };
    }
    if (inputs === undefined) this.#imports.add(call.urn);
    const known = inputs ?? (await importedInputs(document, service, call.signal));
    if (inputs && !isWritten) this.#assertSame(call, document, inputs);
    if (imported && known["base64File"] === undefined) {
      call.log.warn(
        `the service doesn't show the hash of document ${document.id}'s PDF, and the PDF can't be downloaded, so it can't be compared: whatever \`file\` or \`base64File\` the program gives counts as that PDF.`,
      );
    }
    const kept = {
      supersedes: isWritten ? supersededIn(outputs) : [],
      imported: imported || outputs?.["imported"] === true,
    };
    const scope: Scope = { service: service.origin, urn: call.urn };
    const fingerprint = imported ? await this.#memory.attempted(call, scope, document) : undefined;
    await this.#memory.show(scope, document.id, kept.supersedes, { imported, fingerprint });
    const state = this.#outputs(document, known, kept);
    // One that never arrived in its folder stays unfinished; one that was moved from there has drifted.
    const isRequired = this.context.policy().folderPlacement === "require";
    if (isRequired && outputs && outputs["folderId"] !== known["folderId"])
      assertInFolder(this.context.policy(), call, document, known, state);
    return { id: document.id, inputs: known, outputs: state, signingStage: document.signingStage };
  }

  /** A service may store a document differently than it was sent: an import of what the program sent is no change. */
  async isUnchanged(
    call: Call,
    args: { id: string; olds: Values; oldInputs?: Values; news: Values },
  ): Promise<boolean> {
    const { id, olds, oldInputs, news } = args;
    if (olds["imported"] === true && (await this.#isSent(call, { id, olds, news }))) return true;
    if (!oldInputs) return false;
    // A template may print the same.
    const changes = changesOf(oldInputs, news, olds);
    return (await this.#withoutSamePdf(call, changes, { id, oldInputs, news, held: olds })).length === 0;
  }

  /** Whether it is what this resource sent for these inputs. */
  async #isSent({ urn }: Call, { id, olds, news }: { id: string; olds: Values; news: Values }): Promise<boolean> {
    const sent = await this.#memory.fingerprint({ service: originIn(olds), urn }, id);
    if (sent === undefined) return false;
    const spec = await parseSpec(news, { urn, creationMarker: false, pdfs: this.context.pdfs });
    return spec?.content.fingerprint === sent;
  }

  /** What the service was sent is immutable, so an update changes the terms, or finishes what a create left open. */
  async update(call: Call, { id, olds, news }: { id: string; olds: Values; news: Values }): Promise<Values> {
    assertSameService(this.context, olds["service"], `document ${id}`, call.urn);
    await this.#memory.show({ service: originIn(olds), urn: call.urn }, id, supersededIn(olds));
    if (this.#isWhole(id, olds, news) && Object.keys(changedTerms(olds, news)).length > 0) {
      return { ...withoutTerms(olds), ...givenTerms(news), drift: driftOf(news, olds) } as Values;
    }
    const document = await this.#body(call, id).catch((error: unknown) => {
      throw error instanceof NotFoundError ? notShown(id, call.urn, error, { inState: true }) : error;
    });
    const isWritten = isWrittenByProvider(id, olds);
    if (!isWritten) this.#assertSame(call, document, news);
    const kept = { supersedes: isWritten ? supersededIn(olds) : [], imported: !isWritten || olds["imported"] === true };
    const outputs = this.#outputs(document, news, kept);
    assertInFolder(this.context.policy(), call, document, news, outputs);
    return this.#withKeyNeeded(call, outputs, olds);
  }

  /** Whether nothing is left to do at the service: a create may have ended before its document could be read, or was in its folder. */
  #isWhole(id: string, olds: Values, news: Values): boolean {
    const isPlaced = this.context.policy().folderPlacement !== "require" || olds["folderId"] === news["folderId"];
    return isWrittenByProvider(id, olds) && olds["versions"] !== undefined && olds["status"] !== "unknown" && isPlaced;
  }

  async delete(call: Call, { id, outputs }: { id: string; outputs: Values }): Promise<void> {
    const { journal, deploymentLog } = this.context;
    const known = { supersedes: supersededIn(outputs), service: originIn(outputs) };
    const scope: Scope = { service: known.service, urn: call.urn };
    const successor = await this.#guard.beforeDeleting(call, id, known.service, pending =>
      likelySuccessor(pending, storedFeatures(outputs)),
    );
    if (successor !== undefined) await journal.replace({ ...scope, urn: successor }, id, known.supersedes);
    else if (!deploymentLog.page(call.urn).created.includes(id)) {
      call.log.warn(forgetting(id, outputs, this.context.origin(), call));
      await this.#memory.warnOfUnfinished(call, scope, id);
      // A journal that can't be written must not keep a stack from being destroyed.
      const owning = await this.#memory.owning(scope, id);
      await journal.release(owning, id, known.supersedes).catch(() => undefined);
    }
    deploymentLog.deleted(successor ?? call.urn, id, known);
  }

  /** What Diff shows of a row's state, where nothing of it has changed. */
  learn({ urn }: Call, id: string, outputs: Values): Promise<void> {
    return this.#memory.show({ service: originIn(outputs), urn }, id, supersededIn(outputs));
  }

  /** Diff has shown that state will let go of it. Another resource that wants it may have it before it is deleted. */
  async givesUp({ urn }: Call, id: string, service: string): Promise<void> {
    const owner = await this.#memory.owning({ service, urn }, id);
    this.context.deploymentLog.gives(owner.urn, id);
  }

  /** Refuses a forced replacement that the service's own word doesn't allow. Nothing is remembered. */
  async assertReplaceable(call: Call, { id, outputs }: { id: string; outputs: Values }): Promise<void> {
    assertSameService(this.context, originIn(outputs), `document ${id}`, call.urn);
    await this.#guard.beforeForcing(call, id);
  }

  list(call: Call, args: ListArguments): Promise<ListPage> {
    return listDocuments(this.context, call, args);
  }

  /** A template that changed may still print the PDF that the service holds. */
  async #withoutSamePdf(
    call: Call,
    changes: readonly Change[],
    { id, oldInputs, news, held }: { id: string; oldInputs: Values; news: Values; held: Values },
  ): Promise<readonly Change[]> {
    const { pdfs } = this.context;
    if (!changes.some(isOfTemplate) || !isAtHand(news, pdfs)) return changes;
    const isSame =
      formerIdentities(news, pdfs).includes(pdfIdentityOf(oldInputs)) ||
      (typeof held["sha256"] === "string" && (await isPdf(news, held["sha256"].toLowerCase(), pdfs))) ||
      // The service shows no hash, or another PDF's; the journal has what was sent.
      (changes.every(isOfTemplate) && (await this.#isSent(call, { id, olds: held, news })));
    return isSame ? changes.filter(change => !isOfTemplate(change)) : changes;
  }

  /** The service's document in place of outputs that the provider didn't write. */
  async #heldAs(call: Call, id: string, inputs: Values): Promise<Values> {
    const document = await this.#body(call, id).catch((error: unknown) => {
      throw error instanceof NotFoundError ? notShown(id, call.urn, error) : error;
    });
    return this.#assertSame(call, document, inputs);
  }

  #assertSame(call: Call, document: DocumentBody, inputs: Values): Values {
    const held = this.#outputs(document, inputs, { supersedes: [], imported: true });
    assertSameDocument(call.urn, document, inputs, held);
    return held;
  }

  /** The interface doesn't show whether certificates want the key: it is tried once for an address. */
  async #withKeyNeeded(call: Call, outputs: Values, olds: Values | undefined): Promise<Values> {
    const address = addressIn(outputs);
    if (address === null) return outputs;
    const known = addressIn(olds ?? {}) === address ? olds?.["certificatesNeedKey"] : undefined;
    const certificatesNeedKey =
      typeof known === "boolean" ? known : await needsKey(this.context.service(), address, { signal: call.signal });
    return { ...outputs, certificatesNeedKey };
  }

  #body(call: Call, id: string): Promise<DocumentBody> {
    return this.context.service().getDocument(parseId(id, "a document's id"), { signal: call.signal });
  }

  #outputs(document: DocumentBody, inputs: Values, kept: Kept): Values {
    const outputs = outputsOf(document, this.context.service(), { ...kept, drift: [], terms: termsIn(inputs) });
    return { ...outputs, drift: driftOf(inputs, outputs as Values) } as Values;
  }

  async #keep(
    call: Call,
    scope: Scope,
    inputs: Values,
    plan: CreatePlan & { kind: "keep" },
    spec: DocumentSpec | undefined,
  ): Promise<Created> {
    call.log.info(`document ${plan.id} is kept, no one is mailed: ${plan.why}`, { keeps: 1 });
    if (call.preview) return { id: plan.id, outputs: previewOutputs(inputs, scope.service) };
    await this.context.journal.claim(scope, plan.id, {
      fingerprint: spec?.content.fingerprint,
      supersedes: plan.supersedes,
    });
    await this.#memory.warnOfUnfinished(call, scope, plan.id);
    const kept = { supersedes: plan.supersedes, imported: false };
    const document = await this.#body(call, plan.id).catch((error: unknown) => {
      this.context.deploymentLog.created(call.urn, plan.id);
      throw new PartialFailure(plan.id, { ...bareOutputs(plan.id, inputs, kept, scope.service) } as Values, inputs, [
        `document ${plan.id} is kept, but it couldn't be read: ${error instanceof Error ? error.message : String(error)}`,
        "Run `pulumi up` again: it is read then, and no one is mailed.",
      ]);
    });
    return this.#created(call, inputs, document, plan.supersedes);
  }

  /** A create that fails after the delete leaves a replacement half done: the message says with what. */
  async #send(
    create: DocumentCreate,
    spec: DocumentSpec,
    plan: CreatePlan & { kind: "send" },
  ): Promise<DocumentBody | undefined> {
    const { replaces } = plan;
    try {
      return await create.send(spec, plan);
    } catch (error) {
      if (replaces.length > 0 && error instanceof Error) {
        error.message += `\nDocument ${replaces.map(({ id }) => id).join(", ")}, which the new one was to replace, is still at the service: with the program reverted, \`pulumi up\` keeps it in the stack and mails no one.`;
      }
      throw error;
    }
  }

  /** The document exists and is this resource's: from here on nothing may lose its id. */
  #created(call: Call, inputs: Values, document: DocumentBody, supersedes: readonly string[]): Created {
    this.context.deploymentLog.created(call.urn, document.id);
    const outputs = this.#outputs(document, inputs, { supersedes, imported: false });
    assertInFolder(this.context.policy(), call, document, inputs, outputs);
    return { id: document.id, outputs };
  }
}

/** Of the certificate that is tried. */
function addressIn({ certificates }: Values): string | null {
  const address = isRecord(certificates) ? certificates["btcUrl"] : null;
  return typeof address === "string" ? address : null;
}

const supersededIn = (outputs: Values): string[] =>
  Array.isArray(outputs["supersedes"]) ? outputs["supersedes"].filter(id => typeof id === "string") : [];
