import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";
import { Release } from "./release";

const change = new docsign.Document("change-118", {
  name: "Change request 118",
  file: new pulumi.asset.FileAsset("contracts/change.pdf"),
  invitations: [
    { email: "operations@example.com", name: "Operations" },
    { email: "security@example.com", name: "Security" },
  ],
});

// Fails while a signature is missing. `mode: "wait"` would wait, as long as `customTimeouts` say.
const agreed = new docsign.SignatureGate("agreed", { documentId: change.documentId, mode: "require" });

// Stands for anything you deploy: dependsOn is all it takes.
new Release("live", { version: "2.0" }, { dependsOn: [agreed] });

export const documentId = change.documentId;
// As the gate saw it in this run. The document's own `pendingSigners` are as of the last refresh.
export const missing = agreed.missing;
