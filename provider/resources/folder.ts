import { createHash } from "node:crypto";
import { excerpt } from "../../kit/check.js";
import type { Preview, Previewed } from "../../kit/define.js";
import { present } from "../../kit/records.js";
import { isUnknown } from "../../kit/values.js";
import { byId, parseId } from "../client/bodies.js";
import { AmbiguousWriteError, CancelledError, ServiceError } from "../client/errors.js";
import type { FolderBody } from "../client/service.js";
import { counted, firstLines, oneLine, statusInWords } from "../core/text.js";
import { type Context, defineOurs, owningScope } from "./context.js";
import { type FolderOutputs, folderDeclaration } from "./folder-declaration.js";
import { type Content, contentHashesOf, type Journal, type Scope, stackOf } from "./journal/contract.js";
import type { Waiting } from "./journal/deployment-log.js";
import { previewing } from "./only-reading.js";
import { advice, assertSameService, forget, originIn, Refusal } from "./refusal.js";
import { type GuardedKind, ReplaceGuard } from "./replace-guard.js";
import { type Call, UserError } from "./resource.js";

/**
 * A folder. The service creates folders and does nothing else with them: it can't show, list, rename or delete one. A
 * changed name is a replacement, refused while documents are inside: their `folderId` would change, and each of them
 * would be mailed again.
 */
export const folderResource = defineOurs({
  ...folderDeclaration,
  deleteBeforeReplace: true,

  check({ call, context, inputs, olds, declared }) {
    const features = typeof inputs["name"] === "string" ? [contentOf(inputs["name"]).name] : [];
    context.deploymentLog.checked(call.urn, olds !== undefined, features);
    return declared(inputs);
  },

  async diff({ call, context, id, inputs, oldInputs, outputs, changes }) {
    const known = { supersedes: [], service: originIn(outputs) };
    const changed = inputs.name === outputs.name ? [] : changes;
    if (changed.length > 0 && isUnknown(inputs.name)) {
      call.log.warn(
        `name isn't known yet, so folder ${id} may have to be replaced. That is decided once it is there, and only an empty folder is replaced.`,
      );
    } else if (changed.length > 0) {
      assertSameService(context, known.service, `folder ${id}`, call.urn);
      const change = call.secrets.has("name")
        ? "name"
        : `name (${excerpt(oldInputs.name ?? "")} → ${excerpt(inputs.name ?? "")})`;
      await guardIn(context).assertReplaceable(call, id, { inWords: [change] });
    }
    // `changed` would make its Delete the first half of a replacement, which is refused while documents are inside.
    context.deploymentLog.diffed(call.urn, id, changed.length > 0 ? "replace" : "none", {
      ...known,
      ...(changed.length > 0 && (isUnknown(inputs.name) ? { isUncertain: true } : { changed: ["name"] })),
    });
    await learn(context, outputs, call, id);
    return changed;
  },

  async preview({ call, context, inputs: { name }, expected }) {
    const { origin } = context.service();
    const { own } = await lookBack(call, previewing(context, call), name);
    if (own === undefined) return { outputs: { ...expected, service: origin } };
    const outputs: Partial<Preview<FolderOutputs>> = { folderId: own, name, service: origin };
    return { id: own, outputs };
  },

  async create({ call, context, inputs: { name } }) {
    const { journal, deploymentLog, clock } = context;
    const { origin } = context.service();
    const scope: Scope = { service: origin, urn: call.urn };
    const { own, attempt, owned } = await lookBack(call, context, name);
    if (own !== undefined) return { id: own, outputs: { folderId: own, name, service: origin } };
    const content = contentOf(name);
    const begun = await journal.begin(
      scope,
      { ...content, startedAt: clock.now(), supersedes: [], owned: owned.map(({ id }) => id) },
      attempt?.token,
    );
    if (!begun) throw unknownOutcome(context, scope, "another run is creating it at this moment", undefined);
    const made = await send(call, context, scope, name, begun.token);
    await journal.claim(scope, made.id, { ...contentHashesOf(content), supersedes: [] });
    deploymentLog.created(call.urn, made.id);
    return { id: made.id, outputs: outputsOf(made, origin) };
  },

  /** There is nothing to ask: refresh keeps what state says, and import takes the name along with the id. */
  async read({ call, context, id, inputs, outputs }) {
    if (inputs && outputs) {
      assertSameService(context, outputs.service, `folder ${id}`, call.urn);
      call.log.debug(`folder ${id}: the service can't show folders, so state keeps what it knew`);
      await learn(context, outputs, call, id);
      return { outputs };
    }
    const [digits = "", ...rest] = id.split("/");
    const name = rest.join("/") || (inputs?.name ?? "");
    if (name === "") {
      throw new UserError(
        `the service can't show folders, so an import takes the name along: pulumi import ${TOKEN} NAME ${excerpt(digits).replaceAll('"', "")}/FOLDER_NAME`,
      );
    }
    const folderId = parseId(digits, "a folder's id");
    const { origin } = context.service();
    call.log.info(
      `folder ${folderId}: the service can't show folders, so its name is taken from the import id, unverified`,
    );
    await context.journal
      .show({ service: origin, urn: call.urn }, folderId, { supersedes: [], imported: true })
      .catch(() => undefined);
    return { id: folderId, inputs: { name }, outputs: { folderId, name, service: origin } };
  },

  async delete({ call, context, id, outputs }) {
    const { journal, deploymentLog } = context;
    const known = { supersedes: [], service: originIn(outputs) };
    const scope: Scope = { service: known.service, urn: call.urn };
    const situation = deploymentLog.situationOfDelete(call.urn, id);
    const likely = ([first]: readonly Waiting[]) => first?.urn;
    const deletion = await guardIn(context).beforeDeleting(call, id, known.service, situation, likely);
    const urn = deletion.kind === "replaced" ? deletion.by : call.urn;
    if (deletion.kind === "replaced") await journal.replace({ ...scope, urn }, id, []);
    if (deletion.kind === "removed") {
      const there =
        known.service === "" || known.service === context.origin()
          ? "there"
          : `at ${known.service}, which this provider isn't configured for`;
      call.log.warn(
        `folder ${id} is removed from state, not deleted: the service can't delete folders, so it and what is in it stay ${there}.`,
      );
      const owner = await journal.owner(known.service, id, "folder").catch(() => undefined);
      if (!owner) await learn(context, outputs, call, id);
      await journal.release(await owningScope(context, scope, id), id).catch(() => undefined);
    }
    deploymentLog.deleted(urn, id, known);
  },
});

const TOKEN = folderDeclaration.token;

const FOLDERS: GuardedKind = {
  kind: "folder",
  cause: "folder-not-empty",
  remedies: [
    advice(
      'keep the folder: take the new name back, or rename it on the platform, which alone can, and set the resource option ignoreChanges: ["name"]',
    ),
    advice("declare the new folder as a resource of its own, and leave this one to the documents in it"),
  ],
  async examine(service, id, { signal }) {
    const { rows } = await service.listDocuments({ folderId: parseId(id) }, { signal });
    const inside = rows.filter(document => document.folderId === id);
    const lines = inside.map(document => `inside: document ${document.id}, ${statusInWords(document.status)}`);
    return {
      replaceable: inside.length === 0,
      headline: `folder ${id} holds ${counted(inside.length, "document")}`,
      details: firstLines(lines, MOST_INSIDE),
    };
  },
};
const MOST_INSIDE = 5;

const guardIn = (context: Context): ReplaceGuard => new ReplaceGuard(context, FOLDERS);

/** `own`: the folder that is this resource's already. Without one another is created, or a refusal is thrown. */
async function lookBack(call: Call, context: Context, name: Previewed<string>) {
  const { journal, deploymentLog } = context;
  const scope: Scope = { service: context.service().origin, urn: call.urn };
  const content = isUnknown(name) ? undefined : contentOf(name);
  const situation = deploymentLog.situationOf(call.urn);
  for (const { id, service } of situation.inState) assertSameService(context, service, `folder ${id}`, call.urn);
  await journal.refresh();
  const { attempt, owned } = await journal.resource(scope);

  const shownHere = (id: string) => situation.inState.some(each => each.id === id);
  const unshown = owned.find(
    ({ id, shown, fingerprint }) => !shown && !shownHere(id) && fingerprint === content?.fingerprint,
  );
  const said = attempt?.fingerprint === content?.fingerprint ? attempt?.said : undefined;
  const reverted = situation.kind === "still-wanted" ? situation.keeps.id : undefined;
  const uncertain = content && situation.inState.find(({ isUncertain }) => isUncertain)?.id;
  const was = uncertain && (await journal.owner(scope.service, uncertain, "folder"));
  const asItWas = was && was.fingerprint === content.fingerprint ? uncertain : undefined;
  const kept = reverted ?? asItWas ?? unshown?.id ?? said;
  if (kept !== undefined) {
    const why =
      kept === said
        ? `${oneLine(attempt?.saidBy ?? "a person")} said that it is this one`
        : kept === asItWas
          ? "its name turned out to be what it was"
          : "an earlier run created it";
    call.log.info(`folder ${kept} is kept: ${why}`);
    if (!call.preview) {
      await journal.claim(scope, kept, { ...contentHashesOf(content), supersedes: [] });
      deploymentLog.created(call.urn, kept);
    }
    return { own: kept, attempt, owned };
  }
  const older = new Set([...owned, ...situation.inState].map(({ id }) => id));
  for (const id of older) {
    const isSame = !shownHere(id) && owned.some(each => each.id === id && each.fingerprint === content?.fingerprint);
    await assertEmpty(call, context, id, isSame && !isUnknown(name) ? name : undefined);
  }
  const back = content && (await letGoOf(journal, scope, content, older));
  if (back !== undefined) {
    call.log.info(`takes back folder ${back}, creates none: this stack had it before, under the same name`);
    if (call.preview) return { own: back, attempt, owned };
    if (await journal.claim(scope, back, { ...contentHashesOf(content), supersedes: [...older] })) {
      deploymentLog.created(call.urn, back);
      return { own: back, attempt, owned };
    }
  }
  const left = content && owned.find(({ id, shown, replaced }) => !shown && !replaced && !shownHere(id));
  const open = attempt ?? left;
  const why = attempt
    ? "an earlier run tried to create this folder and never saw the answer"
    : `an earlier run created folder ${left?.id} for this resource under another name, and nothing has shown since that state holds it`;
  if (open) await goOnFrom(call, context, scope, why, open);
  return { own: undefined, attempt, owned };
}

/** `name`: its own, where it is the program's and only the journal says that this resource has it. */
async function assertEmpty(call: Call, context: Context, id: string, name: string | undefined): Promise<void> {
  const finding = await guardIn(context).examine(id, call);
  if (finding.replaceable) return;
  throw new Refusal(
    {
      cause: finding.confirmed ? "folder-not-empty" : "replace-unconfirmed",
      headline: `${finding.headline}, so it is not replaced. No one was mailed.`,
      details: finding.details,
      remedies: [
        { kind: "untaint" },
        ...(name === undefined ? finding.remedies : [{ kind: "import", token: TOKEN, id: `${id}/${name}` } as const]),
      ],
    },
    call.urn,
  );
}

/** An empty second folder mails nobody and harms nothing, so a lost answer doesn't block, unless it is asked to. */
async function goOnFrom(
  call: Call,
  context: Context,
  scope: Scope,
  why: string,
  { token }: { readonly token: string },
): Promise<void> {
  if (context.policy().unconfirmedFolder === "refuse") throw unknownOutcome(context, scope, why, token);
  call.log.warn(`${why}: another one is created. The platform may show an empty twin, which harms nothing.`);
  await call.log.flush?.();
}

async function send(call: Call, context: Context, scope: Scope, name: string, token: string): Promise<FolderBody> {
  try {
    return await context.service().createFolder({ name }, { signal: call.signal });
  } catch (error) {
    if (error instanceof AmbiguousWriteError || (error instanceof CancelledError && error.sent))
      throw unknownOutcome(context, scope, error.message, token);
    if (error instanceof ServiceError) await context.journal.withdraw(scope, token);
    throw error;
  }
}

/** Folders can't be looked up, so only a person can tell. */
function unknownOutcome(context: Context, scope: Scope, why: string, token: string | undefined): Refusal {
  const refuses = context.policy().unconfirmedFolder === "refuse";
  return new Refusal(
    {
      cause: "folder-unconfirmed",
      headline: `it isn't known whether the folder was created: ${why}.`,
      remedies: [
        advice("look on the platform, the only way to find out: the service can't list folders"),
        { kind: "import", token: TOKEN, id: "ID/NAME" },
        refuses && token !== undefined
          ? forget(token, "create it again")
          : advice("or run `pulumi up` again, which creates it again"),
      ],
    },
    scope.urn,
  );
}

/** What state has, and under which name: once it is let go of, it is found by that. */
async function learn(
  { journal }: Context,
  outputs: { readonly name?: unknown; readonly service?: unknown },
  { urn }: Call,
  id: string,
): Promise<void> {
  const service = originIn(outputs);
  if (service === "") return;
  const { name } = outputs;
  const made = contentHashesOf(typeof name === "string" ? contentOf(name) : undefined);
  await journal.show({ service, urn }, id, { ...made, supersedes: [] }).catch(() => undefined);
}

/**
 * The latest folder of this name that this stack let go of. It can't be looked at, and another stack's may be meant for
 * others. One that is replaced by another of its name is replaced on purpose.
 */
async function letGoOf(
  journal: Journal,
  { service, urn }: Scope,
  content: Content,
  older: ReadonlySet<string>,
): Promise<string | undefined> {
  const { owned } = await journal.ofContract(service, content);
  if (owned.some(({ id }) => older.has(id))) return undefined;
  const own = owned.filter(folder => folder.released && stackOf(folder.urn) === stackOf(urn));
  return own
    .map(({ id }) => id)
    .toSorted(byId)
    .at(-1);
}

function contentOf(folderName: string): Content {
  const name = createHash("sha256").update(`folder\n${folderName}`).digest("hex");
  return { fingerprint: name.slice(0, 32), name, sha256: "", invitees: "", description: "" };
}

const outputsOf = ({ id, ...body }: FolderBody, service: string): FolderOutputs =>
  present({ folderId: id, ...body, service });
