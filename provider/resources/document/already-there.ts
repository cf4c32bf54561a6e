import type { Scope } from "../memory/journal.js";
import { type Call, UserError } from "../resource.js";
import type { World } from "../world.js";
import type { Content } from "./content.js";
import type { Made } from "./creation.js";
import { isUnsigned } from "./document-state.js";
import type { EarlierDocuments } from "./earlier.js";
import { Lookup } from "./lookup.js";

/**
 * Before a create: what `duplicatePolicy` and `creationMarker` want to be looked at first. `replaced` are the documents
 * this create is meant to replace: they are no duplicates.
 */
export async function alreadyThere(
  world: World,
  documents: EarlierDocuments,
  call: Call,
  scope: Scope,
  content: Content,
  replaced: readonly string[],
): Promise<Made | undefined> {
  const { duplicatePolicy } = world.policy();
  if (duplicatePolicy === "create" && content.marker === undefined) return undefined;
  const earlier = await documents.before(call);
  const lookup = new Lookup(world.service(), world, call.signal);
  const adopt = async (id: string, why: string): Promise<Made | undefined> => {
    if (!call.preview && !(await world.journal.claim(scope, id, content.fingerprint, replaced))) return undefined;
    call.log.info(`document ${id} ${call.preview ? "will be" : "is"} taken over, no one is mailed: ${why}`);
    return { id, document: undefined };
  };
  const free = async (id: string): Promise<boolean> =>
    !replaced.includes(id) && !(await world.journal.isTaken(scope, id));

  if (content.marker !== undefined) {
    for (const { id } of earlier.marked(content.marker)) {
      if (!(await free(id))) continue;
      const body = await world.service().getDocument(id, { signal: call.signal });
      if (!isUnsigned(body)) throw refused(id, body.status, "carries this resource's creation marker");
      const made = await adopt(id, "it carries this resource's creation marker");
      if (made) return made;
    }
  }
  if (duplicatePolicy === "create") return undefined;
  const alike = (await lookup.alike(content, earlier)).filter(body => !replaced.includes(body.id));
  if (duplicatePolicy === "refuse") {
    const [first] = alike;
    if (first)
      throw refused(
        first.id,
        first.status,
        "has the same name, PDF and invitees, and docsign:duplicatePolicy is `refuse`",
      );
    return undefined;
  }
  for (const body of alike) {
    if (!(await free(body.id))) continue;
    if (!isUnsigned(body))
      throw refused(
        body.id,
        body.status,
        "has the same name, PDF and invitees, and docsign:duplicatePolicy is `adopt`, which takes unsigned ones only",
      );
    const made = await adopt(body.id, "it has the same name, PDF and invitees");
    if (made) return made;
  }
  return undefined;
}

function refused(id: string, status: string, why: string): UserError {
  return new UserError(
    `document ${id} (${status}) ${why}. Nothing was created and no one was mailed.\n` +
      `What you can do: manage it with \`pulumi import docsign:index:Document NAME ${id}\`, or change the name or the PDF of this one.`,
  );
}
