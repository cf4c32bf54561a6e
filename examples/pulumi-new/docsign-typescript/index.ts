import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign";

const contracts = new docsign.Folder("contracts", { name: "Contracts" });

const nda = new docsign.Document(
  "nda",
  {
    name: "Mutual NDA",
    folderId: contracts.folderId,
    template: new pulumi.asset.FileAsset("./contracts/nda.md"),
    variables: { company: "Acme", partner: "Example" },
    invitations: [
      { email: "ana@example.com", name: "Ana Torres", stage: 1 },
      { email: "bob@example.org", name: "Bob Lindqvist", stage: 2 },
    ],
  },
  // The engine then shows the document before it is replaced, and one that somebody signed is kept.
  { deleteBeforeReplace: true },
);

export const documentId = nda.documentId;
export const status = nda.status;
export const pendingSigners = nda.pendingSigners;
export const btcCertificate = nda.certificates.btcUrl;
