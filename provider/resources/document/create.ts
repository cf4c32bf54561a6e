import type { DocumentBody } from "../../client/service.js";
import { Refusal } from "../refusal.js";
import { CreateFacts } from "./create-facts.js";
import { type CreateOptions, CreateProgress } from "./create-progress.js";
import { CreateSender } from "./create-sender.js";
import { rewrittenHash } from "./match.js";
import { type CreatePlan, planCreate, planFromMemory, planOthers } from "./plan-create.js";
import type { Twin } from "./plan-facts.js";
import type { DocumentSpec } from "./spec.js";
import type { Ours } from "./take-back.js";

interface Taken {
  readonly body: DocumentBody;
  readonly supersedes: readonly string[];
  /** A person has named it. */
  readonly named: boolean;
}

/** One create, from the facts to the document: sent at most once, and never while what is known forbids it. */
export class DocumentCreate {
  readonly #progress: CreateProgress;

  constructor(private readonly options: CreateOptions) {
    this.#progress = new CreateProgress(options);
  }

  async plan(): Promise<Exclude<CreatePlan, { kind: "refuse" }>> {
    const gathering = new CreateFacts(this.#progress);
    const facts = await gathering.remembered();
    const plan = planFromMemory(facts) ?? planCreate(facts, await gathering.asked(facts));
    if (plan.kind === "refuse") throw new Refusal(plan.refusal, this.options.call.urn);
    return plan;
  }

  /** In a preview, while the folder isn't known: fails where `pulumi up` does, whichever it is. False where it asked nothing. */
  async assertSendableAnywhere(): Promise<boolean> {
    const { call, context } = this.options;
    const gathering = new CreateFacts(this.#progress);
    const facts = await gathering.remembered();
    if (facts.interrupted || facts.unshown || facts.predecessors.length > 0) return false;
    const { attempt, ...service } = await gathering.asked(facts);
    const isHeld = ({ owner }: Twin) =>
      !owner || !(owner.released || owner.urn === facts.urn || context.deploymentLog.letsGo(owner.urn, owner.id));
    const plan = attempt ? undefined : planOthers(facts, { ...service, attempt, twins: service.twins.filter(isHeld) });
    if (plan?.kind === "refuse") throw new Refusal(plan.refusal, call.urn);
    return service.listedAt > 0;
  }

  /** Takes one of these documents for this resource; undefined where others have taken all of them. */
  async take(plan: CreatePlan & { kind: "adopt" | "take-back" }): Promise<Taken | undefined> {
    const { call, context, existing, scope, spec } = this.options;
    const candidates: readonly Ours[] =
      plan.kind === "take-back" ? plan.ours : plan.candidates.map(body => ({ body, supersedes: [], from: undefined }));
    for (const { body, from, named = false, ...own } of candidates) {
      const supersedes = [...new Set([...own.supersedes, ...plan.supersedes])].filter(id => id !== body.id);
      const rewrittenAs = spec && (await rewrittenHash(body, { content: spec.content, spec }));
      const about = { fingerprint: spec?.content.fingerprint, supersedes, from, rewrittenAs };
      const isTaken = call.preview ? !existing.isPromised(body.id) : await context.journal.claim(scope, body.id, about);
      if (isTaken) return { body, supersedes, named };
      // Another resource of this program has it: this one is another contract. Another run's is the same, and is named.
      if (call.preview || (await context.journal.owner(scope.service, body.id))?.run === context.journal.run)
        this.#progress.lost.add(body.id);
    }
    return undefined;
  }

  /**
   * Sends the document once, and finds out what became of it. Undefined where nothing was sent, because another run has
   * sent the same since it was planned.
   */
  send(spec: DocumentSpec, { supersedes, atStake }: CreatePlan & { kind: "send" }): Promise<DocumentBody | undefined> {
    return new CreateSender(this.#progress, atStake).send(spec, supersedes);
  }
}
