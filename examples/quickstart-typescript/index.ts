import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign";

const contracts = new docsign.Folder("contracts", { name: "Contracts 2026" });

const nda = new docsign.Document(
  "nda",
  {
    name: "Mutual NDA (TypeScript)",
    description: "Between the two parties of the pilot project",
    folderId: contracts.folderId,
    file: new pulumi.asset.FileAsset("./contracts/nda.pdf"),
    invitations: [
      {
        email: "ana@example.com",
        name: "Ana Torres",
        message: "Please sign before Friday.",
        allowedSignatureTypes: "all",
        stage: 1,
      },
      { email: "bob@example.org", name: "Bob Lindqvist", allowedSignatureTypes: "all", stage: 2 },
    ],
  },
  // A replacement forced from outside Diff then asks the service before anything new is mailed.
  { deleteBeforeReplace: true },
);

// Functions ask the service whenever the program runs, at preview too.
const signers = docsign.getSignersOutput({ documentId: nda.documentId });
const listed = docsign.getDocumentsOutput({ folderId: nda.folderId });

export const documentId = nda.documentId;
export const status = nda.status;
export const allSigned = nda.allSigned;
export const pendingSigners = nda.pendingSigners;
export const signedPdf = nda.signedFileUrl;
export const btcCertificate = nda.certificates.btcUrl;
export const ethCertificate = nda.certificates.ethUrl;
export const nom151 = nda.nom151.fileName;
export const stillToSign = signers.pendingSigners;
export const inFolder = listed.documents.apply(documents => documents.map(document => document.documentId));
