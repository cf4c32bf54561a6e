import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

const config = new pulumi.Config();
const signing = new pulumi.StackReference("signing", { name: config.require("signingStack") });

// Asks the service itself, so nobody has to refresh the first stack. While the certificates aren't there it fails, in a
// preview too, and says so.
const { btcUrl, ethUrl } = docsign.getCertificatesOutput({
  documentId: signing.requireOutput("documentId"),
  require: "blockchain",
}).certificates;

new docsign.Document("receipt", {
  name: "Receipt of certificates",
  description: pulumi.interpolate`Bitcoin: ${btcUrl}, Ethereum: ${ethUrl}`,
  file: new pulumi.asset.FileAsset("contracts/receipt.pdf"),
  invitations: [{ email: "auditor@example.net", name: "The auditor" }],
});

export const btcCertificate = btcUrl;
export const ethCertificate = ethUrl;
