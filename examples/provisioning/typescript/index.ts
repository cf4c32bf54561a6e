import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign";

interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

const team: Member[] = JSON.parse(readFileSync("team.json", "utf8"));

const folder = new docsign.Folder("ndas", { name: "Team NDAs" });

// The resource's name comes from the member's id: where in the list somebody stands doesn't matter.
const ndas = team.map(
  ({ id, name, email }) =>
    new docsign.Document(`nda-${id}`, {
      name: `NDA of ${name}`,
      folderId: folder.folderId,
      file: new pulumi.asset.FileAsset("contracts/nda.pdf"),
      invitations: [{ email, name }],
    }),
);

export const waitingFor = pulumi.all(ndas.map(nda => nda.pendingSigners)).apply(emails => emails.flat());
