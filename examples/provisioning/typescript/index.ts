import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

const ndas = new docsign.DocumentSet("ndas", {
  table: new pulumi.asset.FileAsset("team.csv"),
  key: "{{email}}",
  defaults: {
    name: "NDA of {{name}}",
    template: new pulumi.asset.FileAsset("nda.md"),
    variables: { name: "{{name}}", start: "{{start}}" },
    invitations: [{ email: "{{email}}", name: "{{name}}" }],
  },
});

export const waitingFor = ndas.waitingFor;
export const summary = ndas.summary;
