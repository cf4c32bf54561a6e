import { DocumentResource } from "./resources/document/document.js";
import { FolderResource } from "./resources/folder.js";
import type { Resource } from "./resources/resource.js";
import type { World } from "./resources/world.js";

/** Every resource of the package. */
export const resources = (world: World): Resource[] => [new FolderResource(world), new DocumentResource(world)];
