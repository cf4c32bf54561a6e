import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign";

const config = new pulumi.Config();
const signing = new pulumi.StackReference("signing", { name: config.require("signingStack") });

// requireOutput fails while the address isn't there, in a preview too. getOutput would give undefined, and the receipt
// would go out without it.
const btc = signing.requireOutput("btcCertificate");
const eth = signing.requireOutput("ethCertificate");

new docsign.Document("receipt", {
  name: "Receipt of certificates",
  description: pulumi.interpolate`Bitcoin: ${btc}, Ethereum: ${eth}`,
  file: new pulumi.asset.FileAsset("contracts/receipt.pdf"),
  invitations: [{ email: "auditor@example.net", name: "The auditor" }],
});

export const btcCertificate = btc;
export const ethCertificate = eth;
