import type { DocumentBody } from "../../client/service.js";
import type { Values } from "../../schema/values.js";
import type { CreationPolicy } from "../context.js";
import { type Call, PartialFailure } from "../resource.js";

/** `folder_id` isn't in the service's public interface: it was sent, and this is whether the service followed. */
export function assertInFolder(
  { folderPlacement }: CreationPolicy,
  call: Call,
  document: DocumentBody,
  inputs: Values,
  outputs: Values,
): void {
  const wanted = inputs["folderId"];
  if (typeof wanted !== "string" || document.folderId === wanted) return;
  const where = document.folderId === null ? "no folder" : `folder ${document.folderId}`;
  const headline = `document ${document.id} is in ${where}, not in folder ${wanted}: the service didn't follow \`folderId\`.`;
  if (folderPlacement === "warn") {
    call.log.warn(`${headline} The output \`drift\` names it. To move it, use the platform; nobody is mailed.`);
    return;
  }
  throw new PartialFailure(document.id, outputs, inputs, [
    `${headline} [docsign/folder-placement]`,
    `Move it to folder ${wanted} on the platform and run \`pulumi up\`, or take \`folderId\` out of the program: neither mails anyone.`,
  ]);
}
