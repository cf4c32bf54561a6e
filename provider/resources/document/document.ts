import { CancelledError, NotFoundError } from "../../client/errors.js";
import { parseId } from "../../client/ids.js";
import type { DocumentBody, NewDocument } from "../../client/service.js";
import type { Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import { assertSameService, Guard, originIn, type Plan, removalOf } from "../guard.js";
import type { Scope } from "../journal/journal.js";
import { isAtHand, pdfSourceOf } from "../pdf/pdf-source.js";
import { TEMPLATE_INPUTS } from "../pdf/template-input.js";
import {
  type Call,
  type Created,
  type Diff,
  NO_CHANGE,
  PartialFailure,
  type PropertyChange,
  type ReadResult,
  type Resource,
} from "../resource.js";
import { alreadyThere } from "./already-there.js";
import { type Change, changesOf, driftOf } from "./comparison.js";
import { Creation, type Made } from "./creation.js";
import { documentDeclaration } from "./declaration.js";
import { type CheckArgs, checkDocument } from "./document-check.js";
import { bareOutputs, contentFrom, importedInputs, newDocument, previewOutputs } from "./document-inputs.js";
import { outputsOf } from "./document-state.js";
import { EarlierDocuments } from "./earlier.js";
import { documentFinding, WAYS_OUT } from "./finding.js";
import { begunInPlaceOf, forgetting } from "./forgetting.js";
import { isGone, notShown } from "./gone.js";
import { announceMail, describeChanges } from "./mail-notice.js";

const FIRST_PAUSE_MS = 250;

/**
 * A document sent out to be signed. The service can create one and tell about it, and nothing else: no update, no
 * delete. So every change is a replacement, and the guard decides whether that may be.
 */
export class DocumentResource implements Resource {
  readonly token = documentDeclaration.token;
  readonly #guard: Guard;
  readonly #earlier: EarlierDocuments;

  constructor(private readonly context: Context) {
    this.#earlier = new EarlierDocuments(context);
    this.#guard = new Guard(context, {
      kind: "document",
      mails: true,
      token: this.token,
      waysOut: WAYS_OUT,
      importId: id => id,
      examine: async (service, id, call) =>
        documentFinding(await service.getDocument(parseId(id), { signal: call.signal }), call.secrets),
    });
  }

  async check(call: Call, args: Omit<CheckArgs, "secrets">) {
    this.context.deploymentLog.checked(call.urn, args.olds !== undefined);
    return checkDocument({ ...args, secrets: call.secrets }, this.context.pdfs);
  }

  async diff(
    call: Call,
    { id, olds, oldInputs, news }: { id: string; olds: Values; oldInputs: Values; news: Values },
  ): Promise<Diff> {
    const changes = await this.#withoutSamePdf(changesOf(oldInputs, news, olds), news, olds);
    const certain = changes.filter(change => !change.unknown);
    if (certain.length > 0) {
      assertSameService(this.context, olds["service"], `document ${id}`);
      await this.#guard.beforeReplacing(call, id, describeChanges(certain, oldInputs, news, call.secrets));
    } else if (changes.length > 0) {
      call.log.warn(
        `${changes.map(change => change.path).join(", ")} ${changes.length === 1 ? "isn't" : "aren't"} known yet, so document ${id} may have to be replaced. ` +
          "That is decided once the value is there, and nothing but an unsigned document is replaced.",
      );
    }
    const known = { supersedes: supersededIn(olds), service: originIn(olds) };
    this.context.deploymentLog.diffed(call.urn, id, changes.length === 0 ? "none" : "replace", known);
    const scope: Scope = { service: known.service, urn: call.urn };
    await this.#learn(scope, id, known.supersedes);
    if (changes.length === 0) await this.#warnOfBegun(call, scope, id);
    return changes.length === 0
      ? NO_CHANGE
      : { changes: "some", detailed: detailed(changes), deleteBeforeReplace: true };
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const { context } = this;
    const service = context.service();
    const scope: Scope = { service: service.origin, urn: call.urn };
    const content = await contentFrom(inputs, call.urn, context.policy().creationMarker, context.pdfs);
    const plan = await this.#guard.beforeCreating(call, scope, content?.fingerprint);
    if (plan.kind === "keep") return this.#takeOver(call, scope, inputs, plan, content?.fingerprint);
    if (content === undefined) {
      announceMail(call, inputs, plan.replaces);
      return { id: "", outputs: previewOutputs(inputs, service.origin) };
    }
    const creation = new Creation(context, service, this.#guard, call, scope, content, plan.supersedes);
    // What an earlier run began is looked for by `up`, before any policy has a say.
    const isOpen = call.preview && (await creation.isOpen());
    const found = isOpen
      ? undefined
      : ((await creation.unfinished()) ??
        (await alreadyThere(context, this.#earlier, call, scope, content, plan.supersedes)));
    if (call.preview) {
      if (!found) announceMail(call, inputs, plan.replaces);
      return { id: found?.id ?? "", outputs: previewOutputs(inputs, service.origin) };
    }
    const made = found ?? (await this.#send(creation, await newDocument(inputs, content, context.pdfs), plan));
    return this.#finish(call, scope, inputs, made, plan.supersedes);
  }

  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs: Values | undefined; outputs: Values | undefined },
  ): Promise<ReadResult> {
    const service = this.context.service();
    const imported = inputs === undefined || outputs === undefined;
    if (outputs) assertSameService(this.context, outputs["service"], `document ${id}`);
    const document = await this.#body(call, id).catch(async (error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      if (outputs && (await isGone(error, outputs, this.context, call))) return undefined;
      throw notShown(id, call.urn, imported, error);
    });
    if (!document) {
      await this.context.journal.drop({ service: service.origin, urn: call.urn }, id).catch(() => undefined);
      return { id: "", inputs: {}, outputs: {} };
    }
    const known = imported ? await importedInputs(document, service, call.signal) : inputs;
    if (imported && known["base64File"] === undefined) {
      call.log.warn(
        `the service doesn't tell the hash of document ${document.id}'s PDF, and the PDF can't be fetched, so it can't be compared: whatever \`file\` or \`base64File\` the program gives counts as that PDF.`,
      );
    }
    const kept = {
      supersedes: outputs ? supersededIn(outputs) : [],
      imported: imported || outputs?.["imported"] === true,
    };
    await this.#learn({ service: service.origin, urn: call.urn }, document.id, kept.supersedes, { imported });
    const state = this.#outputs(document, known, kept);
    // A document that never arrived in its folder stays unfinished; one that was there and was moved has drifted.
    if (outputs && outputs["folderId"] !== known["folderId"]) assertInFolder(document, known, state);
    return { id: document.id, inputs: known, outputs: state };
  }

  /** Every input is immutable, so an update only finishes what a create left open. */
  async update(call: Call, { id, olds, news }: { id: string; olds: Values; news: Values }): Promise<Values> {
    assertSameService(this.context, olds["service"], `document ${id}`);
    await this.#learn({ service: originIn(olds), urn: call.urn }, id, supersededIn(olds));
    const document = await this.#body(call, id);
    const outputs = this.#outputs(document, news, {
      supersedes: supersededIn(olds),
      imported: olds["imported"] === true,
    });
    assertInFolder(document, news, outputs);
    return outputs;
  }

  async delete(call: Call, { id, outputs }: { id: string; outputs: Values }): Promise<void> {
    const { journal, deploymentLog } = this.context;
    const known = { supersedes: supersededIn(outputs), service: originIn(outputs) };
    const scope: Scope = { service: known.service, urn: call.urn };
    const { givenUp } = await this.#guard.beforeDeleting(call, id, known.service);
    if (givenUp) await journal.giveUp(scope, id, known.supersedes);
    else if (!deploymentLog.page(call.urn).created.includes(id)) {
      call.log.warn(forgetting(id, outputs, this.context.origin(), call));
      // A journal that can't be read or written must not keep a stack from being destroyed.
      const begun = await begunInPlaceOf(this.context, scope, id).catch(() => undefined);
      if (begun !== undefined) {
        call.log.warn(
          `${begun} Unless this stack shows it, it may be alive at the service and in no state: look on the platform.`,
        );
      }
      await journal.drop(scope, id).catch(() => undefined);
    }
    deploymentLog.deleted(call.urn, id, known);
  }

  /** A template that changed may still print the PDF that the service holds. */
  async #withoutSamePdf(changes: readonly Change[], news: Values, held: Values): Promise<readonly Change[]> {
    const isOfTemplate = ({ property }: Change) => (TEMPLATE_INPUTS as readonly string[]).includes(property);
    const { pdfs } = this.context;
    if (!changes.some(isOfTemplate) || typeof held["sha256"] !== "string" || !isAtHand(news, pdfs)) return changes;
    const sha256 = await pdfSourceOf(news, pdfs)?.sha256();
    return sha256 === held["sha256"].toLowerCase() ? changes.filter(change => !isOfTemplate(change)) : changes;
  }

  #body(call: Call, id: string): Promise<DocumentBody> {
    return this.context.service().getDocument(parseId(id, "a document's id"), { signal: call.signal });
  }

  #outputs(document: DocumentBody, inputs: Values, kept: { supersedes: readonly string[]; imported: boolean }): Values {
    const outputs = outputsOf(document, this.context.service(), { ...kept, drift: [] });
    return { ...outputs, drift: driftOf(inputs, outputs as Values) } as Values;
  }

  /** With nothing to change no Create comes that would look for what an interrupted replacement led to. */
  async #warnOfBegun(call: Call, scope: Scope, id: string): Promise<void> {
    if (scope.service === "") return;
    const begun = await begunInPlaceOf(this.context, scope, id).catch(() => undefined);
    if (begun === undefined) return;
    call.log.warn(
      `${begun} It may be alive at the service: look on the platform. Asking for that replacement again takes it over, and mails no one; to hear no more of it: ${removalOf(this.context.journal.pathOf(scope))}`,
    );
  }

  /** What the engine shows of state, for a later run to know. State is right without it, so a failure here fails nothing. */
  async #learn(
    scope: Scope,
    id: string,
    supersedes: readonly string[],
    options?: { imported: boolean },
  ): Promise<void> {
    if (scope.service === "") return;
    const besides = () => Object.keys(this.context.deploymentLog.page(scope.urn).diffed);
    await this.context.journal.learn(scope, id, supersedes, { ...options, besides }).catch(() => undefined);
  }

  async #takeOver(
    call: Call,
    scope: Scope,
    inputs: Values,
    plan: Plan & { kind: "keep" },
    fingerprint: string | undefined,
  ): Promise<Created> {
    call.log.info(`document ${plan.id} is kept, no one is mailed: ${plan.why}`);
    if (call.preview) return { id: plan.id, outputs: previewOutputs(inputs, scope.service) };
    const { journal } = this.context;
    const { owned } = await journal.of(scope);
    await journal.claim(scope, plan.id, fingerprint, plan.supersedes);
    const begun = await begunInPlaceOf(this.context, scope, plan.id, owned);
    if (begun !== undefined) {
      call.log.warn(
        `${begun} It may be alive at the service: look on the platform. Asking for that replacement again takes it over, and mails no one.`,
      );
    }
    return this.#finish(call, scope, inputs, { id: plan.id, document: undefined }, plan.supersedes);
  }

  /** A create that fails after the delete leaves a replacement half done, and here is what with. */
  async #send(creation: Creation, document: NewDocument, { replaces }: Plan & { kind: "create" }): Promise<Made> {
    try {
      return await creation.send(document);
    } catch (error) {
      if (replaces.length > 0 && error instanceof Error) {
        error.message += `\nDocument ${replaces.map(({ id }) => id).join(", ")}, which the new one was to replace, is alive at the service: with the program reverted, \`pulumi up\` keeps it in the stack and mails no one.`;
      }
      throw error;
    }
  }

  /** The id is known: from here on nothing may lose it. */
  async #finish(call: Call, scope: Scope, inputs: Values, made: Made, supersedes: readonly string[]): Promise<Created> {
    const kept = { supersedes, imported: false };
    this.context.deploymentLog.created(call.urn, made.id);
    try {
      const whole =
        made.document && made.document.files.length > 0 && made.document.invitations.length > 0
          ? made.document
          : undefined;
      const document = whole ?? (await this.#appeared(call, made.id));
      const outputs = this.#outputs(document, inputs, kept);
      assertInFolder(document, inputs, outputs);
      return { id: made.id, outputs };
    } catch (error) {
      if (error instanceof PartialFailure) throw error;
      throw new PartialFailure(made.id, { ...bareOutputs(made.id, inputs, kept, scope.service) } as Values, inputs, [
        `document ${made.id} was created and its invitations are out, but it couldn't be read back: ${error instanceof Error ? error.message : String(error)}`,
        "State keeps it. Run `pulumi up` again: it is read then, and no one is mailed.",
      ]);
    } finally {
      if (call.signal.aborted) await this.context.journal.unsettle(scope, made.id).catch(() => undefined);
    }
  }

  /** A document just created may not be shown at once. */
  async #appeared(call: Call, id: string): Promise<DocumentBody> {
    const { clock } = this.context;
    const until = clock.now() + this.context.policy().reconcileTimeoutMs;
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      try {
        return await this.#body(call, id);
      } catch (error) {
        if (!(error instanceof NotFoundError) || error instanceof CancelledError || clock.now() >= until) throw error;
      }
      await clock.wait(Math.min(pause, until - clock.now()), call.signal);
    }
  }
}

const supersededIn = (outputs: Values): string[] =>
  Array.isArray(outputs["supersedes"]) ? outputs["supersedes"].filter(id => typeof id === "string") : [];

function detailed(changes: readonly Change[]): Record<string, PropertyChange> {
  return Object.fromEntries(changes.map(change => [change.path, change.kind]));
}

/** `folder_id` isn't in the service's public interface: it was sent, and here is whether that helped. */
function assertInFolder(document: DocumentBody, inputs: Values, outputs: Values): void {
  const wanted = inputs["folderId"];
  if (typeof wanted !== "string" || document.folderId === wanted) return;
  throw new PartialFailure(document.id, outputs, inputs, [
    `document ${document.id} was created, but the service put it into ${document.folderId === null ? "no folder" : `folder ${document.folderId}`} instead of folder ${wanted}.`,
    `Move it to folder ${wanted} on the platform and run \`pulumi up\`, or take \`folderId\` out of the program: neither mails anyone.`,
  ]);
}
