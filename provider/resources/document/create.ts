import type { DocumentBody } from "../../client/service.js";
import { Refusal } from "../refusal.js";
import { CreateFacts } from "./create-facts.js";
import { type CreateOptions, CreateProgress } from "./create-progress.js";
import { CreateSender } from "./create-sender.js";
import { type CreatePlan, planCreate, planFromMemory } from "./plan-create.js";
import type { DocumentSpec } from "./spec.js";

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

  /** Takes one of these documents for this resource; undefined where others have taken all of them. */
  async adopt({ candidates, supersedes }: CreatePlan & { kind: "adopt" }): Promise<DocumentBody | undefined> {
    const { call, context, existing, scope, spec } = this.options;
    for (const body of candidates) {
      const taken = call.preview
        ? !existing.isPromised(body.id)
        : await context.journal.claim(scope, body.id, { fingerprint: spec?.content.fingerprint, supersedes });
      if (taken) return body;
      this.#progress.lost.add(body.id);
    }
    return undefined;
  }

  /** Sends the document once, and finds out what became of it. */
  send(spec: DocumentSpec, supersedes: readonly string[]): Promise<DocumentBody> {
    return new CreateSender(this.#progress).send(spec, supersedes);
  }
}
