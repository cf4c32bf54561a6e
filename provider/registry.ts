import type { Context } from "./resources/context.js";
import { Documents, serveDocument } from "./resources/document/document.js";
import { DocumentSetResource } from "./resources/document-set/document-set.js";
import { folderResource } from "./resources/folder.js";
import { reminderResource } from "./resources/reminder/reminder.js";
import type { Call, Resource } from "./resources/resource.js";
import { gateResource } from "./resources/signature-gate/signature-gate.js";

/** Every resource of the package. */
export function resources(context: Context): Resource[] {
  const documents = new Documents(context);
  return [
    folderResource.serve(() => context),
    serveDocument(documents),
    new DocumentSetResource(context, documents),
    gateResource.serve(() => context),
    reminderResource.serve(() => context),
  ].map(resource => withJournalWarnings(resource, context));
}

/** The resource, saying after each call what a user must hear of the journal: that it can't be reached, say. */
export function withJournalWarnings(resource: Resource, context: Pick<Context, "journal">): Resource {
  const saying = async <T>(call: Call, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      for (const warning of context.journal.warnings()) call.log.warn(warning);
    }
  };
  return {
    token: resource.token,
    check: (call, args) => resource.check(call, args),
    diff: (call, args) => saying(call, resource.diff(call, args)),
    create: (call, args) => saying(call, resource.create(call, args)),
    read: (call, args) => saying(call, resource.read(call, args)),
    update: (call, args) => saying(call, resource.update(call, args)),
    delete: (call, args) => saying(call, resource.delete(call, args)),
    ...(resource.isUnchanged && { isUnchanged: resource.isUnchanged.bind(resource) }),
    ...(resource.adopt && { adopt: resource.adopt.bind(resource) }),
    ...(resource.list && { list: resource.list.bind(resource) }),
  };
}
