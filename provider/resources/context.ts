import { type DefinedResource, defineResource, type ResourceDefinition } from "../../kit/define.js";
import type { Shape } from "../../kit/property.js";
import type { Service } from "../client/service.js";
import type { Clock } from "../core/clock.js";
import { type Journal, kindOf, type Scope, stackOf } from "./journal/contract.js";
import type { DeploymentLog } from "./journal/deployment-log.js";
import type { PdfSources } from "./pdf/pdf-input.js";
import { isStatelessUrn } from "./urn.js";

/** How creating behaves, from the provider's configuration, which declares the defaults. */
export interface CreationPolicy {
  /** About a document with the same name, PDF and people: by default it is refused; `create` asks for no lists. */
  readonly duplicatePolicy: "create" | "adopt" | "refuse";
  /** Ids of documents that a person takes over in this run (`DOCSIGN_ADOPT`), signed or not. */
  readonly adopts?: readonly string[];
  /** Whether descriptions end in a mark that tells resource and content. By default they don't. */
  readonly creationMarker: boolean;
  /** Whether the log may have what a refused contract's variables say (`DOCSIGN_SHOW_VALUES`). */
  readonly showsValues?: boolean;
  /** For how long a document is looked for whose create has no known outcome. */
  readonly reconcileTimeoutMs: number;
  /** How long after a create without an answer the same may be sent again, if the service proves that it isn't there. */
  readonly resendAfterMs: number;
  readonly uploadTimeoutMs: number;
  /** About a service that didn't follow `folderId`: by default a warning; `require` leaves the document unfinished. */
  readonly folderPlacement: "warn" | "require";
  /** About a folder without a known outcome: by default it is created again, as an empty one mails nobody. */
  readonly unconfirmedFolder: "create" | "refuse";
}

/** Whether what the service has already counts. */
export const countsExisting = ({ duplicatePolicy }: Pick<CreationPolicy, "duplicatePolicy">): boolean =>
  duplicatePolicy !== "create";

/** What resources and functions reach for. Put together in one place, for each front end. */
export interface Context {
  /** The service as configured; an error naming what is missing where it isn't. */
  service(): Service;
  /** Its origin; undefined where nothing is configured. */
  origin(): string | undefined;
  policy(): CreationPolicy;
  readonly journal: Journal;
  readonly deploymentLog: DeploymentLog;
  readonly pdfs: PdfSources;
  readonly clock: Clock;
  /** In place of `Math.random`. */
  random?(): number;
}

/** A resource on the kit, with our words. Its context is ours, or is made of it. */
export const defineOurs = <I extends Shape, O extends Shape, Q extends Shape, F, C = Context>(
  definition: ResourceDefinition<I, O, Q, Shape, C, F>,
): DefinedResource<C> =>
  defineResource({
    ...definition,
    instead: `Nothing was changed, and no one was mailed. [docsign/update-replaces]\n\`pulumi do ${definition.token} create\` makes a new one; in a stack, change the program and run \`pulumi up\`, which replaces it where that is allowed.`,
  });

/**
 * Under which URN state lets go of an id. The journal may have it under another: `pulumi do` without a stack gives the
 * same URN to every document, and a resource that was renamed is known by its old name until Diff shows it; a dynamic
 * resource's Delete has the old one for good. What another resource was given, or holds in this program, stays that one's.
 */
export async function owningScope({ journal, deploymentLog }: Context, scope: Scope, id: string): Promise<Scope> {
  const owner = await journal.owner(scope.service, id, kindOf(scope.urn)).catch(() => undefined);
  if (!owner || owner.released || owner.urn === scope.urn) return scope;
  const isRenamed = stackOf(owner.urn) === stackOf(scope.urn) && !owner.moved && !deploymentLog.holds(owner.urn, id);
  const isOwn = isStatelessUrn(scope.urn) ? owner.urn.startsWith(`${scope.urn}::`) : isRenamed;
  return isOwn ? { ...scope, urn: owner.urn } : scope;
}
