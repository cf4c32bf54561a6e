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
export const pendingSigners = agreement.pendingSigners;
// Always there: until both certificates can be downloaded, their addresses are null.
export const certificatesReady = agreement.certificates.ready;
export const btcCertificate = agreement.certificates.btcUrl;
export const ethCertificate = agreement.certificates.ethUrl;
export const certificatesNeedKey = agreement.certificatesNeedKey;
// Where the signed PDF is, and what to check a download of it against.
export const signedFileUrl = agreement.signedFileUrl;
export const signedSha256 = agreement.signedSha256;
