import { document } from "./document.js";
import type { Example } from "./example.js";
import { folder } from "./folder.js";
import { type Invocation, invoke } from "./invoke.js";
import { reminder } from "./reminder.js";
import { signatureGate } from "./signature-gate.js";

const INVOCATIONS: readonly Invocation[] = [
  {
    fn: "getDocument",
    goFn: "LookupDocument",
    title: "A document's files with their comments",
    args: { documentId: "4711" },
    output: "files",
  },
  { fn: "getDocuments", title: "The documents of a folder", args: { folderId: "12" }, output: "documents" },
  {
    fn: "getDocumentsByDateRange",
    title: "A year of documents, asked for a month at a time",
    args: { fromDate: "2026-01-01", toDate: "2026-12-31", splitDays: 31 },
    output: "documents",
  },
  { fn: "getSigners", title: "Who hasn't signed yet", args: { documentId: "4711" }, output: "pendingSigners" },
  {
    fn: "getCertificates",
    title: "Where the certificates are",
    args: { documentId: "4711" },
    output: "certificates",
  },
  {
    fn: "getUnmanagedDocuments",
    title: "What a folder holds beside the documents a program knows",
    args: { folderId: "12", managedIds: ["4711", "4712"] },
    output: "documents",
  },
];

/** Programs shown in the package's descriptions, by token. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  "docsign:index:Folder": [folder],
  "docsign:index:Document": [document],
  "docsign:index:SignatureGate": [signatureGate],
  "docsign:index:Reminder": [reminder],
  ...Object.fromEntries(INVOCATIONS.map(invocation => [`docsign:index:${invocation.fn}`, [invoke(invocation)]])),
};
