import { CancelledError, NotFoundError } from "../client/errors.js";
import type { Service } from "../client/service.js";
import type { Context } from "./context.js";
import type { DeploymentEntry } from "./journal/deployment-log.js";
import type { Owned, Scope } from "./journal/journal.js";
import { type Call, oneLine, UserError, type Values } from "./resource.js";

/** Whether the service, asked now, lets this be replaced; and how it reads to a user. */
export interface Finding {
  readonly replaceable: boolean;
  /** `document 4711 "NDA" is partially_signed`. */
  readonly headline: string;
  /** Who signed when, what is inside: one line each. */
  readonly details: readonly string[];
  /** Hash of its content, where it has one: a notice says when a replacement changes it. */
  readonly sha256?: string | undefined;
}

/** What the guard has to know of a kind of resource. */
export interface Guarded {
  /** `document`, `folder`. */
  readonly kind: string;
  /** Whether creating one mails people. */
  readonly mails: boolean;
  readonly token: string;
  examine(service: Service, id: string, call: Call): Promise<Finding>;
  /** What to do instead, one line each. */
  readonly waysOut: readonly string[];
  /** The id as `pulumi import` takes it. */
  importId(id: string): string;
}

/** What Create may do, seen from what is known of the resource's past. */
export type Plan =
  | { readonly kind: "create"; readonly supersedes: readonly string[]; readonly replaces: readonly Replaced[] }
  /** It exists: the engine is finishing an interrupted replacement, or an earlier create lost its reply. */
  | { readonly kind: "keep"; readonly id: string; readonly supersedes: readonly string[]; readonly why: string };

export interface Replaced {
  readonly id: string;
  readonly sha256: string | undefined;
}

/** Where a resource lives, as state tells; empty where it doesn't. */
export const originIn = (outputs: Values): string => (typeof outputs["service"] === "string" ? outputs["service"] : "");

/** Of an entry in state: the service it lives at. */
export function assertSameService(context: Context, origin: unknown, what: string): void {
  const here = context.service().origin;
  if (typeof origin !== "string" || origin === "" || origin === here) return;
  throw new UserError(
    `${what} lives at ${origin}, and the provider is configured for ${here}. Nothing of another service is read or replaced. ` +
      `Set docsign:baseUrl back to ${origin} (refresh and destroy use the settings of the last \`pulumi up\`: run that first, or add \`--run-program\`), or give this resource a provider of its own that is configured for it; ` +
      "to let go of it without asking the service, remove it from the program or run `pulumi state delete`.",
  );
}

/** The replace guard: nothing but what the service calls free is ever replaced, whatever made the engine try. */
export class Guard {
  constructor(
    private readonly context: Context,
    private readonly guarded: Guarded,
  ) {}

  /** Layer 1, from Diff: an input changed, so the engine is about to replace. */
  async beforeReplacing(call: Call, id: string, changes: readonly string[]): Promise<void> {
    const finding = await this.#examine(id, call);
    if (!finding.replaceable) throw new UserError(this.#refusal(finding, [`changed: ${changes.join(", ")}`]));
  }

  /**
   * Layers 2 and 3, from Delete. Only the first half of a replacement asks: the last Check came without old inputs,
   * nothing was created since, and Diff named no other id. Everything else (a removal, a destroy, a clean-up) forgets.
   */
  async beforeDeleting(call: Call, id: string, origin: string): Promise<{ givenUp: boolean }> {
    const page = this.context.deploymentLog.page(call.urn);
    const firstHalf =
      page.lastCheckHadOlds === false &&
      page.created.length === 0 &&
      Object.keys(page.diffed).every(seen => seen === id);
    if (!firstHalf) return { givenUp: false };
    assertSameService(this.context, origin, `${this.guarded.kind} ${id}`);
    const finding = await this.#examine(id, call);
    if (!finding.replaceable)
      throw new UserError(this.#refusal(finding, ["a replacement of it was asked for", untaint(call.urn)]));
    return { givenUp: true };
  }

  /** Layer 4, from Create, in preview too: the last lock before anyone is mailed. */
  async beforeCreating(call: Call, scope: Scope, fingerprint: string | undefined): Promise<Plan> {
    const page = this.context.deploymentLog.page(call.urn);
    for (const [id, known] of [...Object.entries(page.diffed), ...Object.entries(page.deleted)]) {
      assertSameService(this.context, known.service, `${this.guarded.kind} ${id}`);
    }
    const { owned } = await this.context.journal.of(scope);

    const interrupted = Object.entries(page.diffed).find(
      ([id, seen]) => seen.answer === "none" && !(id in page.deleted),
    );
    if (interrupted) {
      const [id, seen] = interrupted;
      return {
        kind: "keep",
        id,
        supersedes: seen.supersedes,
        why: `an interrupted replacement ends here: the program is back to what ${this.guarded.kind} ${id} holds`,
      };
    }
    const unfinished = owned.find(thing => !thing.settled && !(thing.id in page.diffed) && !(thing.id in page.deleted));
    if (unfinished && fingerprint === undefined) {
      call.log.warn(
        `An earlier run created ${this.guarded.kind} ${unfinished.id} for this resource and was interrupted before state knew. Whether it is the one the program wants shows once every input is known: then it is kept and no one is mailed.`,
      );
      return { kind: "create", supersedes: [], replaces: [] };
    }
    if (unfinished) return this.#finish(call, scope, unfinished, fingerprint);

    const older = olderThings(page, owned);
    if (older.size === 0 && page.everCheckedWithOlds) throw new UserError(this.#unknownPredecessor());
    if (older.size === 0) await this.#assertNotElsewhere(scope);
    const replaces: Replaced[] = [];
    for (const id of older.keys()) {
      const finding = await this.#examine(id, call);
      if (!finding.replaceable)
        throw new UserError(
          this.#refusal(finding, [...this.#whyNamed(page, scope, id), ...(await this.#begun(scope))]),
        );
      replaces.push({ id, sha256: finding.sha256 });
    }
    const supersedes = [...new Set([...older].flatMap(([id, before]) => [...before, id]))];
    return { kind: "create", supersedes, replaces };
  }

  /** A stack pointed to another service must not send everything again. */
  async #assertNotElsewhere(scope: Scope): Promise<void> {
    const [there] = await this.context.journal.elsewhere(scope);
    if (!there) return;
    const { kind } = this.guarded;
    throw new UserError(
      [
        `this resource holds ${kind} ${there.id} at ${there.service}, as this machine remembers, and the provider is configured for ${scope.service}. Nothing was created.`,
        "What you can do:",
        `  - keep it: set docsign:baseUrl back to ${there.service}`,
        `  - create a new one at ${scope.service} all the same${this.guarded.mails ? ", which mails people again" : ""}: ${removalOf(there.path)}`,
      ].join("\n"),
    );
  }

  async #finish(call: Call, scope: Scope, thing: Owned, fingerprint: string | undefined): Promise<Plan> {
    const { kind } = this.guarded;
    if (fingerprint !== undefined && thing.fingerprint === fingerprint) {
      await this.#assertStillReplaceable(call, scope, thing);
      return {
        kind: "keep",
        id: thing.id,
        supersedes: thing.supersedes,
        why: `an earlier run created ${kind} ${thing.id} and was interrupted before state knew`,
      };
    }
    throw new UserError(
      [
        `an earlier run created ${kind} ${thing.id} for this resource with other content, and was interrupted before state knew of it. It is alive at the service, so nothing more was created.`,
        ...this.waysOn(scope, thing.id),
      ].join("\n"),
    );
  }

  /** Somebody may have signed what it replaces since the run that was interrupted looked. */
  async #assertStillReplaceable(call: Call, scope: Scope, thing: Owned): Promise<void> {
    const before = thing.supersedes.at(-1);
    if (before === undefined || this.context.journal.isLetGo(scope.service, before)) return;
    const finding = await this.#examine(before, call);
    if (finding.replaceable) return;
    const { kind, token, importId } = this.guarded;
    const name = quoted(nameOf(scope.urn));
    throw new UserError(
      this.#refusal(finding, [
        `an earlier run created ${kind} ${thing.id} in its place and was interrupted before state knew: look on the platform whether there are two`,
        untaint(scope.urn),
        `to have ${kind} ${thing.id} in its stead: pulumi state delete ${quoted(scope.urn)}, then pulumi import ${token} ${name} ${quoted(importId(thing.id))}`,
      ]),
    );
  }

  /** The two ways on when the journal refuses: adopt what it names, or make it forget. */
  waysOn(scope: Scope, id: string | undefined): string[] {
    const name = nameOf(scope.urn);
    return [
      "What you can do:",
      `  - keep it: pulumi import ${this.guarded.token} ${quoted(name)} ${quoted(this.guarded.importId(id ?? "ID"))}`,
      `  - create a new one all the same${this.guarded.mails ? ", which mails people again" : ""}: ${removalOf(this.context.journal.pathOf(scope))}`,
    ];
  }

  async #examine(id: string, call: Call): Promise<Finding> {
    try {
      return await this.guarded.examine(this.context.service(), id, call);
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      const { kind } = this.guarded;
      // A page's 404 says nothing about it: something else than the service answers at that address.
      const unseen = error instanceof NotFoundError && error.json;
      const known = unseen ? "the service doesn't show it to this account" : messageOf(error);
      return {
        replaceable: false,
        headline: `${kind} ${id} can't be shown to be free to replace`,
        details: [
          `asked the service now: ${known}`,
          ...(unseen ? ["if it is really gone, `pulumi refresh` finds out and lets go of it"] : []),
        ],
      };
    }
  }

  #refusal(finding: Finding, reasons: readonly string[]): string {
    return [
      `${oneLine(finding.headline)}, so it is not replaced. It stays as it is, and no one was mailed about it.`,
      ...[...reasons, ...finding.details.map(oneLine)].map(line => `  ${line}`),
      "What you can do:",
      ...this.guarded.waysOut.map(line => `  - ${line}`),
    ].join("\n");
  }

  #whyNamed(page: DeploymentEntry, scope: Scope, id: string): string[] {
    if (page.diffed[id]?.answer === "replace") {
      return [
        "this create would replace it; with the program reverted, `pulumi up` puts it back into the stack and mails no one",
      ];
    }
    if (id in page.deleted) {
      return ["this create would replace it; another `pulumi up` puts it back into the stack and mails no one"];
    }
    const name = quoted(nameOf(scope.urn));
    return [
      "it was created for this resource before, as this machine remembers",
      untaint(scope.urn),
      `if state has lost it: pulumi import ${this.guarded.token} ${name} ${quoted(this.guarded.importId(id))}`,
      `only if it belongs to something else: ${removalOf(this.context.journal.pathOf(scope))}`,
    ];
  }

  /** A replacement that was under way: its outcome isn't looked for any more, so a person has to know of it. */
  async #begun(scope: Scope): Promise<string[]> {
    const { intent } = await this.context.journal.of(scope);
    if (!intent) return [];
    return [
      `an earlier run began to create another ${this.guarded.kind} in its place and never saw the answer: look on the platform whether there are two`,
    ];
  }

  #unknownPredecessor(): string {
    const { kind } = this.guarded;
    return (
      `this create would replace a ${kind}, and the engine didn't tell which, so the service can't be asked about it. Nothing was created. ` +
      "Run `pulumi refresh` once, so that this machine knows it, or set the resource option `deleteBeforeReplace: true`, and run `pulumi up` again."
    );
  }
}

/** Ids this deployment or this machine knows the resource held, each with what it superseded. */
function olderThings(page: DeploymentEntry, owned: readonly Owned[]): Map<string, readonly string[]> {
  const older = new Map<string, readonly string[]>();
  for (const thing of owned) older.set(thing.id, thing.supersedes);
  for (const [id, known] of Object.entries(page.deleted)) older.set(id, known.supersedes);
  for (const [id, seen] of Object.entries(page.diffed)) older.set(id, seen.supersedes);
  return older;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const nameOf = (urn: string): string => urn.split("::").at(-1) || "NAME";

/** A word of a shell command. */
export const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Taking the program back doesn't take back a taint, which is in state. */
const untaint = (urn: string): string => `if it was tainted: pulumi state untaint ${quoted(urn)}`;

export const removalOf = (path: string): string => `rm ${quoted(path)}`;
