import { known } from "../../../kit/values.js";
import { parseId, unreadDocument } from "../../client/bodies.js";
import { isUnreadable, readTwice } from "../../client/documents.js";
import { type AmbiguousWriteError, CancelledError, type StatusError } from "../../client/errors.js";
import type { ListedRow } from "../../client/lists.js";
import { DEFAULT_LIMITS } from "../../client/requests.js";
import type { CreateAnswer, DocumentBody, NewDocument, Service, Turn } from "../../client/service.js";
import { sameText } from "../../core/same.js";
import { messageOf } from "../../core/text.js";
import { type NewLine, resendOf, sendAtMostOnce } from "../at-most-once.js";
import type { CreationPolicy } from "../context.js";
import type { Flight } from "../creates-of-a-run.js";
import { type Attempt, contentHashesOf, isMadeOf } from "../journal/contract.js";
import { Refusal } from "../refusal.js";
import { notReplaced } from "../replace-guard.js";
import { UserError } from "../resource.js";
import { resourceOf } from "../urn.js";
import { type DocumentSpec, newDocument, specOf } from "./content.js";
import { CreateFacts, type CreateOptions } from "./facts.js";
import { isInFolderOf, Lookup, type LookupOptions, type LookupResult, outcomeOf, rewrittenHash } from "./lookup.js";
import {
  ownInSomeFolder,
  type Plan,
  planCreate,
  planFromMemory,
  type ReadCandidate,
  type RememberedFacts,
  refusalInAnyFolder,
} from "./plan.js";
import * as words from "./words.js";

/*
 * One create of a Document, of the plugin or of a row: `DocumentCreate` has the facts gathered (facts.ts) and a plan made of
 * them (plan.ts), and takes the document that this says, or has it sent at most once (`CreateSender`) and finds out what became
 * of it (`outcomeOf`), as of one that an earlier run has sent.
 *
 * Taken at its word: `sendAtMostOnce` takes a turn, writes a line to the journal, asks about what is replaced, and sends
 * nothing where another line counts or too much time has passed. `resendOf` allows a second time only where lists prove
 * that the first led to nothing, after the longest time that its request may have been on its way.
 */

// ---- One create ----

/** The document that a create has come to. */
export interface MadeDocument {
  readonly id: string;
  /** Undefined where state's document is kept and can't be read. */
  readonly body: DocumentBody | undefined;
  readonly supersedes: readonly string[];
  /** Why it is unfinished, though it is there. */
  readonly unfinished?: readonly string[];
  readonly isUnsent?: boolean;
}

interface TakenDocument {
  readonly kind: "taken";
  readonly id: string;
  readonly body: DocumentBody;
  readonly supersedes: readonly string[];
}

/** How often a create is decided anew because lists were too old when its turn came, where places are scarce. */
const MOST_OUTDATED = 4;

/** One create, from the facts to the document: sent at most once, and never while what is known forbids it. */
export class DocumentCreate {
  /** Documents that this create was to take over, and that another one took first. */
  readonly #takenByOthers = new Set<string>();
  /** How often the lists that it was decided on were too old. */
  #outdated = 0;

  constructor(readonly options: CreateOptions) {}

  /** Keeps, takes or sends a document. It is decided anew where another create took what was to be taken, or nothing was sent. */
  async run(): Promise<MadeDocument> {
    const { call, context } = this.options;
    for (;;) {
      const plan = await this.decide();
      if (plan.kind === "keep") return this.#keep(plan);
      const body = plan.kind === "taken" ? plan.body : await this.#send(plan);
      if (!body) continue;
      // It is this resource's: from here on nothing may lose its id.
      context.deploymentLog.created(call.urn, body.id);
      return { id: body.id, body, supersedes: plan.supersedes, isUnsent: plan.kind === "taken" };
    }
  }

  /** Takes the document that this create comes to, where one is to be taken; or says what is left to do. All that a preview needs. */
  async decide(): Promise<TakenDocument | Plan<"keep" | "send">> {
    const { call } = this.options;
    for (;;) {
      const plan = await this.#plan();
      if (plan.kind === "keep")
        call.log.info(words.keeping(plan.id, plan.why, plan.mayBeForced), {
          keeps: 1,
          keptUnlessForced: plan.mayBeForced ? 1 : undefined,
        });
      if (plan.kind === "send") for (const id of plan.notTaken) call.log.warn(words.notTaken(id));
      if (plan.kind !== "take") return plan;
      const taken = await this.#take(plan);
      if (taken) return taken;
    }
  }

  async #plan(): Promise<Plan<"keep" | "take" | "send">> {
    const gathering = new CreateFacts(this.options, this.#takenByOthers);
    const facts = await gathering.fromMemory();
    const plan = planFromMemory(facts) ?? planCreate(facts, await gathering.fromService(facts));
    if (plan.kind !== "refuse") return plan;
    const refusal = isReplacement(facts) ? words.withoutImports(plan.refusal) : plan.refusal;
    throw new Refusal(refusal, this.options.call.urn);
  }

  /** Takes one of these documents for this resource; undefined where others have taken all of them. */
  async #take({ candidates, supersedes: replaced }: Plan<"take">): Promise<TakenDocument | undefined> {
    const { call, context, existing, scope, spec } = this.options;
    const { journal } = context;
    for (const { body, owner, why } of candidates) {
      const supersedes = [...new Set([...(owner?.supersedes ?? []), ...replaced])].filter(id => id !== body.id);
      // In a folder that the program doesn't name, it wasn't made of this, but by the journal's word.
      const isInOtherFolder = spec && !isInFolderOf(body, spec) && !(owner && isMadeOf(owner, spec.content));
      // A resource that lets go of it in this run may not have released it yet.
      const from = owner?.released ? undefined : owner?.urn;
      const isClaimed = call.preview
        ? existing.promise(scope, body.id)
        : await claim(this.options, body, { supersedes, from, ...(isInOtherFolder && { fingerprint: undefined }) });
      if (isClaimed) {
        call.log.info(why === undefined ? words.takingBack(body) : words.takingOver(call, body, why), { takesBack: 1 });
        return { kind: "taken", id: body.id, body, supersedes };
      }
      // Another resource of this program has it: this one is another contract. Another run's is the same, and is named.
      if (call.preview || (await journal.owner(scope.service, body.id))?.run === journal.run)
        this.#takenByOthers.add(body.id);
    }
    return undefined;
  }

  /** State's document stays, read where it can be. */
  async #keep({ id, supersedes }: Plan<"keep">): Promise<MadeDocument> {
    const { call, context, scope, situation, spec } = this.options;
    const moves = situation.kind === "still-wanted" ? situation.moves : undefined;
    const about = { ...contentHashesOf(spec?.content), supersedes, from: moves?.from };
    const isClaimed = await context.journal.claim(scope, id, about);
    if (moves && !isClaimed) throw new Refusal(words.createUnderWay, call.urn);
    context.deploymentLog.created(call.urn, id);
    const kept = { id, supersedes, isUnsent: true } as const;
    try {
      return { ...kept, body: await readTwice(context.service(), parseId(id, "a document's id"), call.signal) };
    } catch (error) {
      const listed = isUnreadable(error) ? await this.#listed(id) : undefined;
      if (listed) return { ...kept, body: unreadDocument(listed) };
      return { ...kept, body: undefined, unfinished: words.keptUnread(id, error) };
    }
  }

  /** As a list shows it under the name that the program says. */
  async #listed(id: string): Promise<ListedRow | undefined> {
    const { call, existing, inputs } = this.options;
    const listed = await existing.before(call, false).catch(() => undefined);
    const name = known(inputs.name) ?? "";
    return listed?.rows.find(row => row.id === id && sameText(name, row.name));
  }

  /** Sends the document once, and finds out what became of it. Undefined where nothing was sent. */
  async #send(plan: Plan<"send">): Promise<DocumentBody | undefined> {
    const { spec } = this.options;
    const { basis, supersedes, replaces } = plan;
    if (!spec) throw new UserError("the PDF isn't known, so nothing was created");
    const sender = new CreateSender(this.options, {
      ...{ ...plan, spec },
      isExcluded: id => supersedes.includes(id) || basis.before.has(id) || this.#takenByOthers.has(id),
      mayBeOutdated: this.#outdated >= MOST_OUTDATED,
    });
    try {
      return await sender.send();
    } catch (error) {
      // After the delete a replacement is half done: the message says with what.
      if (replaces.length > 0 && error instanceof Error) error.message += words.stillThere(replaces);
      throw error;
    } finally {
      if (sender.wasOutdated) this.#outdated++;
    }
  }

  /**
   * In a preview, while an input isn't known. If that is the folder, it fails where `pulumi up` does, whichever it is, and answers
   * with what that takes or refuses, by the folder: nobody is mailed then.
   */
  async assertSendable(): Promise<readonly ReadCandidate[]> {
    const { call, context, existing, inputs } = this.options;
    const { folderId: _, ...others } = inputs;
    const spec = await specOf(others, context.pdfs);
    const asked = spec && (await new DocumentCreate({ ...this.options, spec }).#assertSendableAnywhere());
    // Wrong settings show before anything is announced.
    if (!asked) await existing.before(call, false);
    return asked ?? [];
  }

  /** Undefined where it asked nothing. */
  async #assertSendableAnywhere(): Promise<readonly ReadCandidate[] | undefined> {
    const { call } = this.options;
    const gathering = new CreateFacts(this.options, this.#takenByOthers);
    const facts = await gathering.fromMemory();
    if (planFromMemory(facts)?.kind === "keep" || facts.earlierCreate || facts.predecessors.length > 0)
      return undefined;
    const service = await gathering.fromService(facts);
    const refusal = refusalInAnyFolder(facts, service);
    if (refusal) throw new Refusal(refusal, call.urn);
    return service.basis.listedAt === undefined ? undefined : ownInSomeFolder(service);
  }
}

/** State has it, and another one is to take its place. A row's document that is let go of gets a name of its own. */
const isReplacement = ({ urn, situation, predecessors, earlierCreate }: RememberedFacts): boolean =>
  situation.exists && (predecessors.length > 0 || earlierCreate !== undefined) && resourceOf(urn) === urn;

/** Takes a document for the create's resource, as made of what the program says: false where another one has it. */
async function claim(
  { context, scope, spec }: CreateOptions,
  body: DocumentBody,
  more: {
    readonly supersedes: readonly string[];
    readonly from?: string | undefined;
    readonly fingerprint?: undefined;
  },
): Promise<boolean> {
  const rewrittenAs = spec && (await rewrittenHash(body, spec));
  return context.journal.claim(scope, body.id, { ...contentHashesOf(spec?.content), rewrittenAs, ...more });
}

// ---- Sending ----

interface SendOptions extends Plan<"send"> {
  readonly spec: DocumentSpec;
  /** Whether a document can't be what this create leads to. */
  readonly isExcluded: (id: string) => boolean;
  /** Whether it is sent even where its lists are old by then: it was decided anew often enough. */
  readonly mayBeOutdated: boolean;
}

/** How often one create may be sent in a run, each time only after proof that the one before led to nothing. */
const MOST_SENDS = 3;
/** After Ctrl-C the engine waits five seconds for its plugins: a create that was sent may be answered, and kept in state. */
const CANCEL_GRACE_MS = 4_000;

/** `error`: its answer was lost. */
type SendResult =
  | { readonly found: DocumentBody }
  | { readonly attempt: Attempt; readonly error?: AmbiguousWriteError };

/** Sends a document at most once, and finds out what became of it. */
class CreateSender {
  /** It wasn't sent because its lists were too old when its turn came. */
  wasOutdated = false;
  /** The call's signal, some seconds later. */
  readonly #late = new AbortController();
  #flight: Flight | undefined;
  #token: string | undefined;
  #listedAt: number | undefined;

  constructor(
    private readonly options: CreateOptions,
    private readonly decided: SendOptions,
  ) {
    this.#token = decided.basis.token;
    this.#listedAt = decided.basis.listedAt;
  }

  /** Undefined where nothing was sent: another run has sent the same meanwhile, or its lists were too old. */
  async send(): Promise<DocumentBody | undefined> {
    const { call, context, inFlight } = this.options;
    const { spec } = this.decided;
    const document = await newDocument(spec);
    const flight = inFlight.begin(spec.name);
    this.#flight = flight;
    const cancel = () => {
      call.log.warn("cancelled: waiting up to 4 s for the answer to a create that was sent");
      void context.clock.wait(CANCEL_GRACE_MS).then(() => this.#late.abort());
    };
    call.signal.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#untilFound(document);
    } finally {
      inFlight.end(flight);
      call.signal.removeEventListener("abort", cancel);
    }
  }

  async #untilFound(document: NewDocument): Promise<DocumentBody | undefined> {
    const { call, context } = this.options;
    for (let count = 1; ; count++) {
      const sent = await this.#once(document);
      if (!sent || "found" in sent) return sent?.found;
      const { attempt, error } = sent;
      const isNamed = attempt.hints.length > 0;
      if (!isNamed) call.log.progress("the create's answer was lost: looking for the document");
      const result = await this.#settle(attempt);
      const [found] = result.kind === "found" ? result.documents : [];
      if (found && !isNamed) this.#sayFound(found);
      if (found) return found;
      if (result.kind !== "absent") throw new Refusal(words.ambiguousCreate(attempt, result.documents), call.urn);
      const clocks = { now: context.clock.now(), serviceNow: context.service().ticks() };
      const resend = resendOf(attempt, result, clocks, context.policy());
      if (!resend.isAllowed || count >= MOST_SENDS) {
        const answer = error?.detail ?? (isNamed ? undefined : "the answer names no document");
        const about = { ...result, ...resend, answer, name: this.decided.spec.name };
        throw new Refusal(words.unconfirmed(attempt, about), call.urn);
      }
      this.#listedAt = result.askedAt;
    }
  }

  #sayFound({ id }: DocumentBody): void {
    this.options.call.log.info(`found document ${id}. No one is mailed again.`);
  }

  /** Sends it, and remembers what the answer named. What provably never happened is thrown, and forgotten. */
  async #once(document: NewDocument): Promise<SendResult | undefined> {
    const { call, context, scope } = this.options;
    const { clock, journal } = context;
    const { signal } = call;
    let found: DocumentBody | undefined;
    let refusals = 0;
    const sent = await sendAtMostOnce<Attempt, Turn, CreateAnswer>(
      {
        clock,
        serviceNow: () => context.service().ticks(),
        turn: work => context.service().turn(work, { signal }),
        begin: line => this.#begin(line),
        assertReplaceable: this.decided.atStake.length === 0 ? undefined : turn => this.#assertReplaceable(turn),
        owns: ({ token }) => journal.owns(scope, token),
        send: (turn, _, mayLeave) => turn.createDocument(document, { signal, graceMs: CANCEL_GRACE_MS, mayLeave }),
        withdraw: ({ token }) => this.#withdraw(token),
        refused: async (line, error) => {
          // Every other time twice: a service that refuses every so many requests would refuse each create in the same rhythm.
          found = await this.#lookAfterRefusal(line, error, 1 + (refusals++ % 2));
          return !found;
        },
      },
      { lasts: lastsFor(document.pdf.size, context.policy()) },
    ).catch((error: unknown) => {
      throw error instanceof CancelledError && error.sent ? new Refusal(words.cancelledCreate(), call.urn) : error;
    });
    if (found) {
      this.#sayFound(found);
      return { found };
    }
    if (sent.kind === "forestalled") {
      await this.#assertNotCreated();
      return undefined;
    }
    // Its request is over: nothing of it is on its way any more.
    const attempt: Attempt = { ...sent.line, lasts: undefined };
    if (sent.kind === "lost") return { attempt, error: sent.error };
    const { hints, document: whole } = sent.answer;
    const isSent = whole && (await this.#lookup().isWhollySent(whole, this.decided.spec, attempt));
    if (isSent && (await this.#claim(whole))) return { found: whole };
    await this.#remember(attempt.token, hints);
    return { attempt: { ...attempt, hints, answered: true } };
  }

  /** What the journal gets to know before it is sent. Undefined where it is to be decided anew. */
  async #begin(time: NewLine): Promise<Attempt | undefined> {
    this.wasOutdated = this.#isOutdated(time);
    if (this.wasOutdated) return undefined;
    const { context, scope } = this.options;
    const { journal } = context;
    const { spec, basis, supersedes } = this.decided;
    const { owned, knows, losses } = basis;
    const { account } = context.service();
    const inFolder = spec.folderId !== undefined;
    const line = { ...spec.content, ...time, inFolder, account, supersedes, owned, knows };
    const begun = await journal.begin(scope, line, this.#token);
    if (!begun) return undefined;
    this.#token = begun.token;
    if (losses === undefined || losses === journal.losses()) return begun;
    // What this create was decided on may be gone from the journal: the lists, asked again, show what others have sent.
    await this.#withdraw(begun.token);
    return undefined;
  }

  async #withdraw(token: string): Promise<void> {
    const { context, scope } = this.options;
    await context.journal.withdraw(scope, token);
    this.#token = undefined;
  }

  /** The service asks to wait. What is there after all; undefined where the lists, asked so often, don't show it. */
  async #lookAfterRefusal(line: Attempt, error: StatusError, looks: number): Promise<DocumentBody | undefined> {
    const { call, context } = this.options;
    // No request waits for so long: it couldn't be looked for.
    if (error.retryAt && error.retryAt.getTime() - context.clock.now() > DEFAULT_LIMITS.callMs) throw error;
    const until = error.retryAt ? ` until ${error.retryAt.toISOString()}` : "";
    call.log.progress(`the service asks to wait${until}: then the document is looked for, and sent again`);
    for (let look = 0; look < looks; look++) {
      // Whatever asks the service waits for as long as it wants.
      const result = await this.#settle(line, 0);
      if (result.kind === "found") return result.documents[0];
      if (result.kind !== "absent" || result.failed !== undefined) throw error;
      // Another create's document may be all that was found: that says nothing of how fresh the lists are.
      this.#listedAt = result.askedAt ?? this.#listedAt;
    }
    return undefined;
  }

  /**
   * Whether too much time has passed since the lists were asked for: a machine that has another journal, or whose lines
   * were lost again, may have sent the same. A clock that was set back tells nothing of it.
   */
  #isOutdated({ startedAt }: NewLine): boolean {
    const { resendAfterMs } = this.options.context.policy();
    const age = startedAt - (this.#listedAt ?? startedAt);
    return (age < 0 || age >= resendAfterMs / 2) && !this.decided.mayBeOutdated;
  }

  /** Nothing that this create replaces was signed while it waited for its turn. */
  async #assertReplaceable(turn: Turn): Promise<void> {
    const { call, context, guard } = this.options;
    const service: Service = { ...context.service(), getDocument: turn.getDocument };
    for (const each of this.decided.atStake) {
      const finding = await guard.examine(each.id, call, service);
      if (!finding.replaceable) throw new Refusal(notReplaced(finding, "replace-signed", each), call.urn);
    }
  }

  /** Another run that has sent the same content for another resource is found when it is decided anew. */
  async #assertNotCreated(): Promise<void> {
    const { call, context, scope } = this.options;
    const { attempt, owned } = await context.journal.resource(scope);
    const { basis } = this.decided;
    if (attempt?.token !== this.#token || owned.some(({ id }) => !basis.owned.includes(id)))
      throw new Refusal(words.createUnderWay, call.urn);
  }

  /** The service has said that it was done. A journal that is out of reach now must not lose what it said. */
  async #remember(token: string, hints: readonly string[]): Promise<void> {
    const { call, context, scope } = this.options;
    try {
      for (const id of hints.length > 0 ? hints : [undefined]) await context.journal.hint(scope, token, id);
    } catch (error) {
      const which = hints.length === 0 ? "without an id" : `with id ${hints.join(", ")}`;
      call.log.warn(`the service answered the create ${which}, and the journal can't be written: ${messageOf(error)}`);
    }
  }

  /** The document that an attempt led to is taken. */
  #settle(attempt: Attempt, forMs = this.options.context.policy().reconcileTimeoutMs): Promise<LookupResult> {
    const lookup = this.#lookup({ signal: this.#late.signal, claim: body => this.#claim(body) });
    return outcomeOf(this.options, lookup, { attempt, sent: this.decided.spec, forMs, flight: this.#flight });
  }

  #lookup(how: Partial<Pick<LookupOptions, "signal" | "claim">> = {}): Lookup {
    const { call, context, scope } = this.options;
    const { isExcluded } = this.decided;
    return new Lookup({ context, scope, signal: call.signal, isExcluded, ...how });
  }

  #claim(body: DocumentBody): Promise<boolean> {
    const { call, inFlight } = this.options;
    const { supersedes } = this.decided;
    return claim(this.options, body, { supersedes }).catch((error: unknown) => {
      if (!inFlight.take(body.id)) return false;
      call.log.warn(`document ${body.id} was created, and the journal can't be written: ${messageOf(error)}`);
      return true;
    });
  }
}

/** A slower upload is cut off. */
const SLOWEST_BYTES_PER_MS = 32;
const LEAST_MS = 1_000;

/** For how long the request of a create may be on its way. Its last byte leaves in the first half of that. */
function lastsFor(pdfBytes: number, { resendAfterMs, uploadTimeoutMs }: CreationPolicy): number {
  const upload = Math.ceil((pdfBytes * 4) / 3 / SLOWEST_BYTES_PER_MS);
  return Math.max(LEAST_MS, resendAfterMs, 2 * Math.min(uploadTimeoutMs, upload));
}
