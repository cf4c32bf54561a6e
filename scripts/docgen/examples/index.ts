import { document } from "./document.js";
import { documentSet } from "./document-set.js";
import type { Example } from "./example.js";
import { folder } from "./folder.js";
import { answer, type Given, output, type Program, pdfFile } from "./program.js";
import { reminder } from "./reminder.js";
import { signatureGate } from "./signature-gate.js";

/** Asking a function reads the same for all of them: its arguments in, one of its outputs out. */
const callOf = (fn: string, title: string, inputs: Given, read: string): Example => ({
  title,
  program: { call: { fn, inputs }, outputs: { [read]: answer(read) } },
});

const functions = {
  getDocument: callOf("getDocument", "A document's files with their comments", { documentId: "4711" }, "files"),
  getDocuments: callOf("getDocuments", "The documents of a folder", { folderId: "12" }, "documents"),
  getDocumentsByDateRange: callOf(
    "getDocumentsByDateRange",
    "A year of documents, asked for a month at a time",
    { fromDate: "2026-01-01", toDate: "2026-12-31", splitDays: 31 },
    "documents",
  ),
  getSigners: callOf("getSigners", "Who hasn't signed yet", { documentId: "4711" }, "pendingSigners"),
  getCertificates: callOf(
    "getCertificates",
    "Where the certificates are, and a failure while they aren't there",
    { documentId: "4711", require: "blockchain" },
    "certificates",
  ),
  getEvidence: callOf("getEvidence", "What proves the signatures, checked", { documentId: "4711" }, "complete"),
  getUnmanagedDocuments: callOf(
    "getUnmanagedDocuments",
    "What a folder holds beside the documents a program knows",
    { managedIds: ["4711", "4712"], folderId: "12" },
    "documents",
  ),
};

/** Programs shown in the package's descriptions, by token. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  "docsign:index:Folder": [folder],
  "docsign:index:Document": [document],
  "docsign:index:DocumentSet": [documentSet],
  "docsign:index:SignatureGate": [signatureGate],
  "docsign:index:Reminder": [reminder],
  ...Object.fromEntries(Object.entries(functions).map(([fn, example]) => [`docsign:index:${fn}`, [example]])),
};

/** The program the package introduces itself with. */
export const introduction: Program = {
  resources: [
    { name: "contracts", type: "Folder", inputs: { name: "Contracts 2026" } },
    {
      name: "nda",
      type: "Document",
      inputs: {
        name: "Mutual NDA",
        folderId: output("contracts", "folderId"),
        file: pdfFile("./contracts/nda.pdf"),
        invitations: [
          { email: "ana@example.com", name: "Ana Torres", stage: 1 },
          { email: "bob@example.org", name: "Bob Lindqvist", stage: 2 },
        ],
      },
      options: { deleteBeforeReplace: true },
    },
  ],
  outputs: {
    status: output("nda", "status"),
    pendingSigners: output("nda", "pendingSigners"),
    btcCertificate: output("nda", "certificates", "btcUrl"),
  },
};
