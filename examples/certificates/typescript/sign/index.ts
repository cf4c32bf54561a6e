import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

const agreement = new docsign.Document("agreement", {
  name: "Framework agreement",
  file: new pulumi.asset.FileAsset("contracts/agreement.pdf"),
  invitations: [
    { email: "ana@example.com", name: "Ana Torres" },
    { email: "bob@example.org", name: "Bob Lindqvist" },
  ],
});

export const documentId = agreement.documentId;
export const waitingFor = agreement.pendingSigners;
// Not among the outputs until both certificates can be downloaded.
export const btcCertificate = agreement.certificates.btcUrl;
export const ethCertificate = agreement.certificates.ethUrl;
