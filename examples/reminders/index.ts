import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

const handbook = new docsign.Document("handbook", {
  name: "Employee handbook 2026",
  file: new pulumi.asset.FileAsset("contracts/handbook.pdf"),
  invitations: [
    { email: "ana@example.com", name: "Ana Torres" },
    { email: "bob@example.org", name: "Bob Lindqvist" },
  ],
});

const weekly = new docsign.Reminder("weekly", { documentId: handbook.documentId, every: "7d" });

export const documentId = handbook.documentId;
export const reminded = weekly.sent.apply(sent => sent.map(({ email }) => email));
