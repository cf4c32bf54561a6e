import { NotFoundError } from "../../client/errors.js";
import type { DocumentBody } from "../../client/service.js";
import type { Context } from "../context.js";
import { nameOf, quoted } from "../guard.js";
import type { Scope } from "../journal/journal.js";
import { type Call, oneLine, UserError } from "../resource.js";
import type { Content } from "./content.js";
import type { Made } from "./creation.js";
import { byId, isUnsigned } from "./document-state.js";
import type { Earlier, EarlierDocuments } from "./earlier.js";
import { likenessOf } from "./likeness.js";
import { Lookup } from "./lookup.js";

interface Candidates {
  /** That carry the marker of this create, and are nobody's. */
  readonly marked: readonly DocumentBody[];
  /** Of the same name, PDF and invitees, whoever's they are; but not this run's own. */
  readonly alike: readonly DocumentBody[];
}

/**
 * Before a create: what `duplicatePolicy` and `creationMarker` want to be looked at first. `replaced` are the documents
 * this create is meant to replace: they are no duplicates. All that may be it is looked at before any of it is taken.
 */
export async function alreadyThere(
  context: Context,
  documents: EarlierDocuments,
  call: Call,
  scope: Scope,
  content: Content,
  replaced: readonly string[],
): Promise<Made | undefined> {
  const { duplicatePolicy } = context.policy();
  if (duplicatePolicy === "create" && content.marker === undefined) return undefined;
  const crowded =
    duplicatePolicy !== "create" && (await context.journal.unresolved(scope.service, content.fingerprint)) > 0;
  const earlier = await documents.before(call, crowded);
  const isFree = async (id: string) => !replaced.includes(id) && !(await context.journal.isTaken(scope, id));
  const { marked, alike } = await candidates(context, call, content, earlier, replaced, isFree);
  const [mark, ...moreMarks] = marked;
  const [twin] = alike;
  const others = alike.filter(({ id }) => id !== mark?.id);
  // The one document an unfinished create of this very resource can have led to is no duplicate.
  if (duplicatePolicy === "refuse" && twin && (!mark || moreMarks.length > 0 || others.length > 0)) {
    throw refused(scope, twin, "has the same name, PDF and invitees, and docsign:duplicatePolicy is `refuse`");
  }
  const free: DocumentBody[] = [];
  for (const body of others) if (await isFree(body.id)) free.push(body);
  const signed = [...marked, ...free].find(body => !isUnsigned(body));
  if (signed) {
    throw marked.includes(signed)
      ? refused(scope, signed, "carries this resource's creation marker")
      : refused(
          scope,
          signed,
          "has the same name, PDF and invitees, and docsign:duplicatePolicy is `adopt`, which takes unsigned ones only",
        );
  }
  if (moreMarks.length > 0) throw several(scope, marked);
  if (
    mark &&
    (await likenessOf(mark, content, () => new Lookup(context.service(), context, call.signal).firstHash(mark))) !==
      "same"
  ) {
    throw refused(scope, mark, "carries this resource's creation marker, but is for other people or has another PDF");
  }
  for (const body of mark ? [mark] : free) {
    if (
      call.preview
        ? documents.isPromised(body.id)
        : !(await context.journal.claim(scope, body.id, content.fingerprint, replaced))
    )
      continue;
    const why = mark ? "it carries this resource's creation marker" : "it has the same name, PDF and invitees";
    call.log.info(`document ${body.id} ${call.preview ? "will be" : "is"} taken over, no one is mailed: ${why}`);
    return { id: body.id, document: undefined };
  }
  return undefined;
}

async function candidates(
  context: Context,
  { signal }: Call,
  content: Content,
  earlier: Earlier,
  replaced: readonly string[],
  isFree: (id: string) => Promise<boolean>,
): Promise<Candidates> {
  const service = context.service();
  const marked: DocumentBody[] = [];
  for (const { id } of content.marker === undefined
    ? []
    : earlier.marked(content.marker).toSorted((a, b) => byId(a.id, b.id))) {
    if (!(await isFree(id))) continue;
    const body = await service.getDocument(id, { signal }).catch(unlessGone);
    if (body) marked.push(body);
  }
  const alike =
    context.policy().duplicatePolicy === "create"
      ? []
      : await new Lookup(service, context, signal).alike(content, earlier);
  return { marked, alike: alike.filter(({ id }) => !replaced.includes(id) && !context.journal.isOfThisRun(id)) };
}

function unlessGone(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}

const waysOn = ({ urn }: Scope, id: string): string =>
  `What you can do: manage it with \`pulumi import docsign:index:Document ${quoted(nameOf(urn))} ${id}\`, or change the name or the PDF of this one.`;

function refused(scope: Scope, { id, status }: DocumentBody, why: string): UserError {
  return new UserError(
    `document ${id} (${oneLine(status)}) ${why}. Nothing was created and no one was mailed.\n${waysOn(scope, id)}`,
  );
}

function several(scope: Scope, marked: readonly DocumentBody[]): UserError {
  const [first] = marked;
  return new UserError(
    [
      `several documents carry this resource's creation marker, and none is taken over by guessing. Nothing was created and no one was mailed.`,
      ...marked.map(
        ({ id, status, createdAt }) =>
          `  document ${id}, ${oneLine(status)}, created ${createdAt ?? "at an unknown time"}`,
      ),
      waysOn(scope, first?.id ?? "ID"),
    ].join("\n"),
  );
}
