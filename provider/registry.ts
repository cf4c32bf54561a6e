import type { Context } from "./resources/context.js";
import { Documents, serveDocument } from "./resources/document/document.js";
import { DocumentSetResource } from "./resources/document-set/document-set.js";
import { folderResource } from "./resources/folder.js";
import { withJournalWarnings } from "./resources/journal-warnings.js";
import { reminderResource } from "./resources/reminder/reminder.js";
import type { Resource } from "./resources/resource.js";
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
