import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const signing = new pulumi.StackReference("signing", { name: config.require("signingStack") });

export const ready = signing.requireOutput("certificatesReady");
// Null until they are ready.
export const btcCertificate = signing.getOutput("btcCertificate");
export const signedSha256 = signing.getOutput("signedSha256");
