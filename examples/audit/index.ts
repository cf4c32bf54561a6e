import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

const lease = new docsign.Document("lease", {
  name: "Lease",
  file: new pulumi.asset.FileAsset("contracts/lease.pdf"),
  invitations: [{ email: "ana@example.com" }],
});

// Functions can't see state: pass them what is managed.
const strays = docsign.getUnmanagedDocumentsOutput({ managedIds: [lease.documentId] });

const today = new Date().toISOString().slice(0, 10);
const signed = docsign.getDocumentsByDateRangeOutput({
  fromDate: `${today.slice(0, 4)}-01-01`,
  toDate: today,
  status: "signed",
});

export const unmanaged = strays.documents.apply(rows => rows.map(({ documentId, name }) => `${documentId} ${name}`));

export const signedThisYear = signed.documents.apply(rows =>
  Promise.all(
    rows.map(async ({ documentId, name }) => {
      const { certificates } = await docsign.getCertificates({ documentId });
      const { files } = await docsign.getDocument({ documentId });
      const comments = files.flatMap(file => file.comments.map(({ text }) => text ?? ""));
      const { complete } = await docsign.getEvidence({ documentId });
      return { documentId, name, certified: certificates.ready, evidence: complete, comments };
    }),
  ),
);
