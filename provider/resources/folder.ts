import { createHash } from "node:crypto";
import { AmbiguousWriteError, CancelledError, ServiceError } from "../client/errors.js";
import { parseId } from "../client/ids.js";
import type { FolderBody, Service } from "../client/service.js";
import { excerpt, problemsOf } from "../schema/check.js";
import { hasUnknown, isUnknown, UNKNOWN, type Values } from "../schema/values.js";
import type { Context } from "./context.js";
import { folderDeclaration, folderInputs, folderOutputs } from "./folder-declaration.js";
import { assertSameService, type Finding, Guard, originIn } from "./guard.js";
import type { Intent, Scope } from "./journal/journal.js";
import {
  type Call,
  type Created,
  type Diff,
  type Failure,
  NO_CHANGE,
  type ReadResult,
  type Resource,
  UserError,
} from "./resource.js";

const WAYS_OUT = [
  "keep the folder: take the new name back; folders can be renamed on the platform only, and the program then follows with `pulumi import`",
  "declare the new folder as a resource of its own, and leave this one to the documents in it",
];

/**
 * A folder. The service creates folders and does nothing else with them: it can't show, list, rename or delete one. A
 * changed name is a replacement, refused while documents are inside: their `folderId` would change, and each of them
 * would be mailed again.
 */
export class FolderResource implements Resource {
  readonly token = folderDeclaration.token;
  readonly #guard: Guard;

  constructor(private readonly context: Context) {
    this.#guard = new Guard(context, {
      kind: "folder",
      mails: false,
      token: this.token,
      waysOut: WAYS_OUT,
      importId: id => `${id}/NAME`,
      examine: folderFinding,
    });
  }

  async check(
    call: Call,
    { olds, news }: { olds: Values | undefined; news: Values },
  ): Promise<{ inputs: Values; failures: Failure[] }> {
    this.context.deploymentLog.checked(call.urn, olds !== undefined);
    return { inputs: news, failures: problemsOf(folderInputs, news, { secrets: call.secrets }) };
  }

  async diff(
    call: Call,
    { id, olds, oldInputs, news }: { id: string; olds: Values; oldInputs: Values; news: Values },
  ): Promise<Diff> {
    const known = { supersedes: [], service: originIn(olds) };
    const same = news["name"] === oldInputs["name"] || news["name"] === olds["name"];
    if (!same && isUnknown(news["name"])) {
      call.log.warn(
        `name isn't known yet, so folder ${id} may have to be replaced. That is decided once it is there, and only an empty folder is replaced.`,
      );
    } else if (!same) {
      assertSameService(this.context, known.service, `folder ${id}`);
      const change = call.secrets.has("name")
        ? "name"
        : `name (${excerpt(oldInputs["name"] ?? "")} → ${excerpt(news["name"] ?? "")})`;
      await this.#guard.beforeReplacing(call, id, [change]);
    }
    this.context.deploymentLog.diffed(call.urn, id, same ? "none" : "replace", known);
    await this.#learn(known.service, call, id);
    return same ? NO_CHANGE : { changes: "some", detailed: { name: "update-replace" }, deleteBeforeReplace: true };
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const { context } = this;
    const service = context.service();
    const scope: Scope = { service: service.origin, urn: call.urn };
    const intent = intentFor(inputs, context.clock.now());
    const plan = await this.#guard.beforeCreating(call, scope, intent?.fingerprint);
    if (plan.kind === "keep") {
      call.log.info(`folder ${plan.id} is kept: ${plan.why}`);
      if (!call.preview) {
        await context.journal.claim(scope, plan.id, intent?.fingerprint, []);
        context.deploymentLog.created(call.urn, plan.id);
      }
      return { id: plan.id, outputs: keptOutputs(plan.id, inputs, service.origin) };
    }
    if ((await context.journal.of(scope)).intent)
      throw this.#unknownOutcome(scope, "an earlier run tried to create this folder and never saw the answer");
    if (call.preview || !intent) return { id: "", outputs: previewOutputs(inputs, service.origin) };

    await context.journal.intend(scope, intent);
    const folder = await this.#send(call, scope, String(inputs["name"]));
    await context.journal.claim(scope, folder.id, intent.fingerprint, []);
    context.deploymentLog.created(call.urn, folder.id);
    if (call.signal.aborted) await context.journal.unsettle(scope, folder.id).catch(() => undefined);
    return { id: folder.id, outputs: outputsOf(folder, service.origin) };
  }

  /** There is nothing to ask: refresh keeps what state says, and import takes the name along with the id. */
  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs: Values | undefined; outputs: Values | undefined },
  ): Promise<ReadResult> {
    if (inputs && outputs) {
      assertSameService(this.context, outputs["service"], `folder ${id}`);
      call.log.info(`folder ${id}: the service can't show folders, so state keeps what it knew`);
      await this.#learn(originIn(outputs), call, id);
      return { id, inputs, outputs };
    }
    const [digits = "", ...rest] = id.split("/");
    const name = rest.join("/") || (typeof inputs?.["name"] === "string" ? inputs["name"] : "");
    if (name === "") {
      throw new UserError(
        `the service can't show folders, so an import takes the name along: pulumi import ${this.token} NAME ${excerpt(digits).replaceAll('"', "")}/FOLDER_NAME`,
      );
    }
    const folderId = parseId(digits, "a folder's id");
    const service = this.context.service();
    call.log.info(
      `folder ${folderId}: the service can't show folders, so its name is taken from the import id, unverified`,
    );
    await this.context.journal
      .learn({ service: service.origin, urn: call.urn }, folderId, [], { imported: true })
      .catch(() => undefined);
    return { id: folderId, inputs: { name }, outputs: { folderId, name, service: service.origin } };
  }

  async update(_call: Call, { id, olds, news }: { id: string; olds: Values; news: Values }): Promise<Values> {
    return { ...olds, folderId: id, name: news["name"] ?? olds["name"] ?? "" };
  }

  async delete(call: Call, { id, outputs }: { id: string; outputs: Values }): Promise<void> {
    const { journal, deploymentLog } = this.context;
    const known = { supersedes: [], service: originIn(outputs) };
    const scope: Scope = { service: known.service, urn: call.urn };
    const { givenUp } = await this.#guard.beforeDeleting(call, id, known.service);
    if (givenUp) await journal.giveUp(scope, id, []);
    else if (!deploymentLog.page(call.urn).created.includes(id)) {
      const there =
        known.service === "" || known.service === this.context.origin()
          ? "there"
          : `at ${known.service}, which this provider isn't configured for`;
      call.log.warn(
        `folder ${id} is forgotten, not deleted: the service can't delete folders, so it and what is in it stay ${there}.`,
      );
      await journal.drop(scope, id).catch(() => undefined);
    }
    deploymentLog.deleted(call.urn, id, known);
  }

  async #send(call: Call, scope: Scope, name: string): Promise<FolderBody> {
    try {
      return await this.context.service().createFolder({ name }, { signal: call.signal });
    } catch (error) {
      if (error instanceof AmbiguousWriteError || (error instanceof CancelledError && error.sent))
        throw this.#unknownOutcome(scope, error.message);
      if (error instanceof ServiceError) await this.context.journal.withdraw(scope);
      throw error;
    }
  }

  /** Folders can't be looked up, so only a person can tell. */
  #unknownOutcome(scope: Scope, why: string): UserError {
    return new UserError(
      [
        `it isn't known whether the folder was created: ${why}.`,
        "The service can't list folders, so look on the platform: is the folder there, and what is its id? Nothing is sent again until then.",
        ...this.#guard.waysOn(scope, undefined),
      ].join("\n"),
    );
  }

  async #learn(service: string, call: Call, id: string): Promise<void> {
    if (service !== "") await this.context.journal.learn({ service, urn: call.urn }, id, []).catch(() => undefined);
  }
}

async function folderFinding(service: Service, id: string, call: Call): Promise<Finding> {
  const { rows: listed } = await service.listDocuments({ folderId: parseId(id) }, { signal: call.signal });
  const inside = listed.filter(document => document.folderId === id);
  const some = inside.slice(0, 5).map(document => `inside: document ${document.id}, ${document.status}`);
  const more = inside.length > some.length ? [`and ${inside.length - some.length} more`] : [];
  return {
    replaceable: inside.length === 0,
    headline: `folder ${id} holds ${inside.length === 1 ? "1 document" : `${inside.length} documents`}`,
    details: [...some, ...more],
  };
}

function intentFor(inputs: Values, startedAt: number): Intent | undefined {
  if (hasUnknown(inputs)) return undefined;
  const name = createHash("sha256")
    .update(`folder\n${String(inputs["name"])}`)
    .digest("hex");
  return { fingerprint: name.slice(0, 32), name, sha256: "", invitees: "", description: "", startedAt };
}

function outputsOf(folder: FolderBody, service: string): Values {
  const outputs = {
    folderId: folder.id,
    name: folder.name,
    ownerId: folder.ownerId,
    ownerType: folder.ownerType,
    creatorId: folder.creatorId,
    createdAt: folder.createdAt,
    updatedAt: folder.updatedAt,
    service,
  };
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => value !== null)) as Values;
}

const keptOutputs = (id: string, inputs: Values, service: string): Values => ({
  folderId: id,
  name: inputs["name"] ?? "",
  service,
});

const previewOutputs = (inputs: Values, service: string): Values => ({
  ...Object.fromEntries(Object.keys(folderOutputs.shape).map(name => [name, UNKNOWN])),
  name: inputs["name"] ?? UNKNOWN,
  service,
});
