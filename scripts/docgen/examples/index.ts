import type { Example } from "./example.js";
import { answer, type Given, output, type Program, pdfFile } from "./program.js";

const folder: Example = {
  title: "A folder for this year's leases",
  importing: `The service has no way to read a folder, so its name is given beside its id:

\`\`\`sh
pulumi import docsign:index:Folder leases "12/Leases 2026"
\`\`\``,
  program: {
    resources: [{ name: "leases", type: "Folder", inputs: { name: "Leases 2026" } }],
    outputs: { folderId: output("leases", "folderId") },
  },
};

const document: Example = {
  title: "A lease that two people sign, one after the other",
  importing: `A document's id is all it takes; nobody is mailed:

\`\`\`sh
pulumi import docsign:index:Document lease 4711
\`\`\``,
  program: {
    resources: [
      {
        name: "lease",
        type: "Document",
        inputs: {
          name: "Lease of 12 Harbour Street",
          file: pdfFile("lease.pdf"),
          invitations: [
            { email: "ana@example.com", name: "Ana", stage: 1 },
            { email: "luis@example.com", name: "Luis", stage: 2, allowedSignatureTypes: "advanced" },
          ],
        },
        options: { deleteBeforeReplace: true },
      },
    ],
    outputs: { status: output("lease", "status"), pendingSigners: output("lease", "pendingSigners") },
  },
};

const documentSet: Example = {
  title: "An NDA for each row of a table",
  importing: `A folder's documents become a set. Nobody is mailed:

\`\`\`sh
pulumi import docsign:index:DocumentSet ndas folder/1234
\`\`\`

The keys are the documents' ids. \`folder/1234/name\`, \`folder/1234/description\` and \`folder/1234/email\` (the first person invited) are other keys, where each
document has its own. \`documents/5001,5002/email\` takes these documents, from any folder. [Moving documents](../../document-sets.md#moving-documents-into-a-set)
into a set mails nobody.`,
  program: {
    resources: [
      {
        name: "ndas",
        type: "DocumentSet",
        inputs: {
          table: pdfFile("./team.csv"),
          key: "{{email}}",
          defaults: {
            name: "NDA of {{name}}",
            template: pdfFile("./nda.md"),
            variables: { name: "{{name}}", start: "{{start}}" },
            invitations: [{ email: "{{email}}", name: "{{name}}" }],
          },
        },
      },
    ],
    outputs: { waitingFor: output("ndas", "waitingFor"), summary: output("ndas", "summary") },
  },
};

const signatureGate: Example = {
  title: "Nothing is deployed before the order is signed",
  importing: `A gate's id is its document's. It comes with the defaults: \`until: signed\`, \`mode: observe\`, everyone's signature:

\`\`\`sh
pulumi import docsign:index:SignatureGate signed 4711
\`\`\``,
  program: {
    resources: [
      {
        name: "signed",
        type: "SignatureGate",
        inputs: { documentId: "4711", mode: "wait", signers: ["ana@example.com"] },
        options: { timeout: "8h" },
      },
    ],
    outputs: { certificates: output("signed", "certificates") },
  },
};

const reminder: Example = {
  title: "A reminder each week, until everyone has signed",
  program: {
    resources: [{ name: "weekly", type: "Reminder", inputs: { documentId: "4711", every: "7d" } }],
    outputs: { reminded: output("weekly", "sent") },
  },
};

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
