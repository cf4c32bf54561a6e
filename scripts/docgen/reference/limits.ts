import { z } from "zod";
import { propertyMetadata, type Shape } from "../../../kit/property.js";
import { bare } from "../../../kit/schema.js";

/** What the service, or we, can't do: one line each. What a property may hold is read off its declaration instead. */
export const LIMITS: Readonly<Record<string, readonly string[]>> = {
  Folder: [
    "The service can't show, list, rename or delete a folder. What state says is never checked, and deleting the resource forgets it.",
    "A name can't be changed while documents are inside: that would replace the folder, and mail everybody again.",
  ],
  Document: [
    "Nothing of a document can be changed at the service, and a document can't be deleted there.",
    "`message` is used at creation and can't be read back: changing it alone changes nothing.",
    "`folderId` isn't in the service's public interface. It is sent and verified; where the service ignores it, the document is kept as partly created.",
    "A `file` asset is streamed, whatever its size. A remote one is held in memory and has a limit, which the error names.",
    "After an import, a stage or signature type that the service doesn't return, as in the basic form, is no difference until the program has said one. Messages never are.",
  ],
  DocumentSet: [
    "After an import, what the service doesn't return of a row (messages; in the basic form stages and signature types) is no difference.",
    "A key is a document's identity: a changed key forgets one document and creates another. Keys that differ in case alone are the same.",
    "A preview of many rows shows the notices of twenty, and the number of the others; `pulumi preview --debug` shows all.",
    "In the TypeScript SDK, where some of many rows fail, state has none of that run's rows until the next `up`, which takes them over from the journal.",
  ],
  SignatureGate: [
    "It asks and never writes. It can't make anybody sign, and a signature can't be taken back through it.",
    "While it waits it takes one of the engine's `--parallel` places.",
    "With `mode: observe` nothing is held back: the program decides by `satisfied`.",
  ],
  Reminder: [
    "A mail can't be taken back, and the service doesn't say whom it reminded. Deleting the resource forgets it.",
    "Two reminders for one document don't know of each other.",
    "Whom it reminded is in state and, over a crash, on this machine only (`DOCSIGN_STATE_DIR`).",
  ],
  getDocument: ["The key has to see the document. Certificates' XML is there once the service has it."],
  getDocuments: [
    "The answer is what the service lists: nothing is known of pages. A fresh document may be missing for a moment.",
  ],
  getDocumentsByDateRange: [
    "The service answers for one status at a time; without `status` it is asked three times. Both dates count.",
    "`splitDays` may not cut a range into more parts than its error allows.",
  ],
  getSigners: ["Addresses the service keeps to itself are empty."],
  getCertificates: ["Addresses only: `getEvidence` checks the files, and `docsign evidence pull` writes them."],
  getEvidence: [
    "It downloads every file whenever it is called, and keeps none: a large file costs its time in each preview.",
    "Nobody checks the signatures inside the signed PDF, or that the certificate of a constancia belongs to an authority.",
  ],
  getUnmanagedDocuments: ["A function can't see state: it knows as managed what `managedIds` names."],
};

/** What a property's declaration lets it hold, where it says. */
export function limitOf(declared: z.ZodType): string {
  const type = bare(declared);
  const checks = ((type.def as { checks?: z.core.$ZodCheck[] }).checks ?? []).map(check => check._zod.def as Check);
  const of = (name: string): Check | undefined => checks.find(({ check }) => check === name);
  if (type instanceof z.ZodNumber) return between(of("greater_than")?.value, of("less_than")?.value);
  const [least, most] = [of("min_length")?.minimum, of("max_length")?.maximum];
  if (type instanceof z.ZodArray) return least === undefined ? "" : `at least ${least}`;
  return most === undefined ? "" : `${least === undefined ? "at most" : `${least} to`} ${most} characters`;
}

interface Check {
  readonly check: string;
  readonly value?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

function between(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return "";
  return to === undefined ? `from ${from} up` : `${from} to ${to}`;
}

/** The named objects in a shape, by name, with what is inside them. */
export function shapesIn(shape: Shape): Record<string, Shape> {
  const found: Record<string, Shape> = {};
  for (const declared of Object.values(shape.shape)) {
    let type = bare(declared);
    if (type instanceof z.ZodArray) type = bare(type.element as z.ZodType);
    const name = type instanceof z.ZodObject ? propertyMetadata.get(type)?.typeName : undefined;
    if (name !== undefined) Object.assign(found, { [name]: type as Shape }, shapesIn(type as Shape));
  }
  return found;
}
