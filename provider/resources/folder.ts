import { createHash } from "node:crypto";
import { excerpt, problemsOf } from "../../kit/check.js";
import { hasUnknown, isUnknown, UNKNOWN, type Values } from "../../kit/values.js";
import { byId, parseId } from "../client/bodies.js";
import { AmbiguousWriteError, CancelledError, ServiceError } from "../client/errors.js";
import type { FolderBody, Service } from "../client/service.js";
import { counted, oneLine, statusInWords } from "../core/text.js";
import type { Context } from "./context.js";
import { folderDeclaration, folderInputs, folderOutputs } from "./folder-declaration.js";
import { type Content, type JournalReader, type Scope, stackOf } from "./journal/contract.js";
import { previewing } from "./previewing.js";
import { Refusal, type Remedy } from "./refusal.js";
import { assertSameService, originIn, ReplaceGuard } from "./replace-guard.js";
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

const REMEDIES: readonly Remedy[] = [
  {
    kind: "advice",
    text: "keep the folder: take the new name back; folders can be renamed on the platform only, and the program then follows with `pulumi import`",
  },
  {
    kind: "advice",
    text: "declare the new folder as a resource of its own, and leave this one to the documents in it",
  },
];

/**
 * A folder. The service creates folders and does nothing else with them: it can't show, list, rename or delete one. A
 * changed name is a replacement, refused while documents are inside: their `folderId` would change, and each of them
 * would be mailed again.
 */
export class FolderResource implements Resource {
  readonly token = folderDeclaration.token;
  readonly #guard: ReplaceGuard;

  constructor(private readonly context: Context) {
    this.#guard = new ReplaceGuard(context, {
      kind: "folder",
      token: this.token,
      cause: "folder-not-empty",
      remedies: REMEDIES,
      examine: folderFinding,
    });
  }

  async check(
    call: Call,
    { olds, news }: { olds: Values | undefined; news: Values },
  ): Promise<{ inputs: Values; failures: Failure[] }> {
    const features = typeof news["name"] === "string" ? [contentOf(news["name"]).name] : [];
    this.context.deploymentLog.checked(call.urn, olds !== undefined, features);
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
      assertSameService(this.context, known.service, `folder ${id}`, call.urn);
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
    const context = previewing(this.context, call);
    const { journal, deploymentLog } = context;
    const service = context.service();
    const scope: Scope = { service: service.origin, urn: call.urn };
    const content = hasUnknown(inputs) ? undefined : contentOf(String(inputs["name"]));
    const entry = deploymentLog.page(call.urn);
    await journal.refresh();
    const { attempt, owned } = await journal.resource(scope);

    const interrupted = Object.entries(entry.diffed).find(
      ([id, { answer }]) => answer === "none" && !Object.hasOwn(entry.deleted, id),
    );
    const shownHere = (id: string) => Object.hasOwn(entry.diffed, id) || Object.hasOwn(entry.deleted, id);
    const unshown = owned.find(
      ({ id, shown, fingerprint }) => !shown && !shownHere(id) && fingerprint === content?.fingerprint,
    );
    const said = attempt?.fingerprint === content?.fingerprint ? attempt?.said : undefined;
    const kept = interrupted?.[0] ?? unshown?.id ?? said;
    if (kept !== undefined) {
      const why =
        kept === said
          ? `${oneLine(attempt?.saidBy ?? "a person")} said that it is this one`
          : "an earlier run created it";
      call.log.info(`folder ${kept} is kept: ${why}`);
      if (!call.preview) {
        await journal.claim(scope, kept, { fingerprint: content?.fingerprint, supersedes: [] });
        deploymentLog.created(call.urn, kept);
      }
      return { id: kept, outputs: keptOutputs(kept, inputs, service.origin) };
    }
    const older = new Set([...owned.map(({ id }) => id), ...Object.keys(entry.diffed), ...Object.keys(entry.deleted)]);
    for (const id of older) await this.#assertEmpty(call, id);
    const back = content && (await letGoOf(journal, scope, content, older));
    if (back !== undefined) {
      call.log.info(`takes back folder ${back}, creates none: this stack had it before, under the same name`);
      const kept = { id: back, outputs: keptOutputs(back, inputs, service.origin) };
      if (call.preview) return kept;
      if (await journal.claim(scope, back, { fingerprint: content?.fingerprint, supersedes: [...older] })) {
        deploymentLog.created(call.urn, back);
        return kept;
      }
    }
    const left = content && owned.find(({ id, shown, replaced }) => !shown && !replaced && !shownHere(id));
    if (attempt)
      await this.#goOnFrom(call, scope, "an earlier run tried to create this folder and never saw the answer", attempt);
    else if (left)
      await this.#goOnFrom(
        call,
        scope,
        `an earlier run created folder ${left.id} for this resource under another name, and nothing has shown since that state holds it`,
        left,
      );
    if (call.preview || !content) return { id: "", outputs: previewOutputs(inputs, service.origin) };

    const begun = await journal.begin(
      scope,
      { ...content, startedAt: context.clock.now(), supersedes: [], owned: owned.map(({ id }) => id) },
      attempt?.token,
    );
    if (!begun) throw this.#unknownOutcome(scope, "another run is creating it at this moment", undefined);
    const folder = await this.#send(call, scope, String(inputs["name"]), begun.token);
    await journal.claim(scope, folder.id, { fingerprint: content.fingerprint, supersedes: [] });
    deploymentLog.created(call.urn, folder.id);
    return { id: folder.id, outputs: outputsOf(folder, service.origin) };
  }

  async #assertEmpty(call: Call, id: string): Promise<void> {
    const finding = await this.#guard.examine(id, call);
    if (finding.replaceable) return;
    throw new Refusal(
      {
        cause: finding.confirmed ? "folder-not-empty" : "replace-unconfirmed",
        headline: `${finding.headline}, so it is not replaced. No one was mailed.`,
        details: finding.details,
        remedies: [{ kind: "untaint" }, ...finding.remedies],
      },
      call.urn,
    );
  }

  /** An empty second folder mails nobody and harms nothing, so a lost answer doesn't block, unless it is asked to. */
  async #goOnFrom(call: Call, scope: Scope, why: string, { token }: { readonly token: string }): Promise<void> {
    if (this.context.policy().unconfirmedFolder === "refuse") throw this.#unknownOutcome(scope, why, token);
    call.log.warn(`${why}: another one is created. The platform may show an empty twin, which harms nothing.`);
    await call.log.flush?.();
  }

  /** There is nothing to ask: refresh keeps what state says, and import takes the name along with the id. */
  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs: Values | undefined; outputs: Values | undefined },
  ): Promise<ReadResult> {
    if (inputs && outputs) {
      assertSameService(this.context, outputs["service"], `folder ${id}`, call.urn);
      call.log.debug(`folder ${id}: the service can't show folders, so state keeps what it knew`);
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
      .show({ service: service.origin, urn: call.urn }, folderId, { supersedes: [], imported: true })
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
    const successor = await this.#guard.beforeDeleting(call, id, known.service, ([first]) => first?.urn);
    if (successor !== undefined) await journal.replace({ ...scope, urn: successor }, id, []);
    else if (!deploymentLog.page(call.urn).created.includes(id)) {
      const there =
        known.service === "" || known.service === this.context.origin()
          ? "there"
          : `at ${known.service}, which this provider isn't configured for`;
      call.log.warn(
        `folder ${id} is removed from state, not deleted: the service can't delete folders, so it and what is in it stay ${there}.`,
      );
      await journal.release(scope, id).catch(() => undefined);
    }
    deploymentLog.deleted(successor ?? call.urn, id, known);
  }

  async #send(call: Call, scope: Scope, name: string, token: string): Promise<FolderBody> {
    try {
      return await this.context.service().createFolder({ name }, { signal: call.signal });
    } catch (error) {
      if (error instanceof AmbiguousWriteError || (error instanceof CancelledError && error.sent))
        throw this.#unknownOutcome(scope, error.message, token);
      if (error instanceof ServiceError) await this.context.journal.withdraw(scope, token);
      throw error;
    }
  }

  /** Folders can't be looked up, so only a person can tell. */
  #unknownOutcome(scope: Scope, why: string, token: string | undefined): Refusal {
    const refuses = this.context.policy().unconfirmedFolder === "refuse";
    return new Refusal(
      {
        cause: "folder-unconfirmed",
        headline: `it isn't known whether the folder was created: ${why}.`,
        remedies: [
          {
            kind: "advice",
            text: "look on the platform, the only way to find out: the service can't list folders",
          },
          { kind: "import", token: this.token, id: "ID/NAME" },
          refuses && token !== undefined
            ? { kind: "forget", token, effect: "create it again" }
            : { kind: "advice", text: "or run `pulumi up` again, which creates it again" },
        ],
      },
      scope.urn,
    );
  }

  async #learn(service: string, call: Call, id: string): Promise<void> {
    if (service === "") return;
    await this.context.journal.show({ service, urn: call.urn }, id, { supersedes: [] }).catch(() => undefined);
  }
}

/**
 * The latest folder of this name that this stack let go of. It can't be looked at, and another stack's may be meant for
 * others. One that is replaced by another of its name is replaced on purpose.
 */
async function letGoOf(
  journal: JournalReader,
  { service, urn }: Scope,
  { fingerprint }: Content,
  older: ReadonlySet<string>,
): Promise<string | undefined> {
  const { owned } = await journal.content(service, fingerprint);
  if (owned.some(({ id }) => older.has(id))) return undefined;
  const own = owned.filter(folder => folder.released && stackOf(folder.urn) === stackOf(urn));
  return own
    .map(({ id }) => id)
    .toSorted(byId)
    .at(-1);
}

async function folderFinding(
  service: Service,
  id: string,
  call: Call,
): ReturnType<ConstructorParameters<typeof ReplaceGuard>[1]["examine"]> {
  const { rows: listed } = await service.listDocuments({ folderId: parseId(id) }, { signal: call.signal });
  const inside = listed.filter(document => document.folderId === id);
  const some = inside.slice(0, 5).map(document => `inside: document ${document.id}, ${statusInWords(document.status)}`);
  const more = inside.length > some.length ? [`and ${inside.length - some.length} more`] : [];
  return {
    replaceable: inside.length === 0,
    headline: `folder ${id} holds ${counted(inside.length, "document")}`,
    details: [...some, ...more],
  };
}

function contentOf(folderName: string): Content {
  const name = createHash("sha256").update(`folder\n${folderName}`).digest("hex");
  return { fingerprint: name.slice(0, 32), name, sha256: "", invitees: "", description: "" };
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
