import { DocumentResource } from "./resources/document/document.js";
import { FolderResource } from "./resources/folder.js";
import { ReminderResource } from "./resources/reminder/reminder.js";
import type { Resource } from "./resources/resource.js";
import { SignatureGateResource } from "./resources/signature-gate/signature-gate.js";
import type { World } from "./resources/world.js";

/** Every resource of the package. */
export const resources = (world: World): Resource[] => [
  new FolderResource(world),
  new DocumentResource(world),
  new SignatureGateResource(world),
  new ReminderResource(world),
];
