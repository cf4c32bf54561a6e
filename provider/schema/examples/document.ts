import type { Example } from "./example.js";

export const document: Example = {
  title: "A lease that two people sign, one after the other",
  importing: `A document's id is all it takes; nobody is mailed:

\`\`\`sh
pulumi import docsign:index:Document lease 4711
\`\`\``,
  programs: {
    typescript: `
import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign-plugin";

const lease = new docsign.Document("lease", {
    name: "Lease of 12 Harbour Street",
    file: new pulumi.asset.FileAsset("lease.pdf"),
    invitations: [
        { email: "ana@example.com", name: "Ana", stage: 1 },
        { email: "luis@example.com", name: "Luis", stage: 2, allowedSignatureTypes: "advanced" },
    ],
}, { deleteBeforeReplace: true });

export const status = lease.status;
export const pendingSigners = lease.pendingSigners;`,
    python: `
import pulumi
import pulumi_docsign as docsign

lease = docsign.Document("lease",
    name="Lease of 12 Harbour Street",
    file=pulumi.FileAsset("lease.pdf"),
    invitations=[
        {"email": "ana@example.com", "name": "Ana", "stage": 1},
        {"email": "luis@example.com", "name": "Luis", "stage": 2, "allowed_signature_types": "advanced"},
    ],
    opts=pulumi.ResourceOptions(delete_before_replace=True))

pulumi.export("status", lease.status)
pulumi.export("pendingSigners", lease.pending_signers)`,
    go: `
package main

import (
	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		lease, err := docsign.NewDocument(ctx, "lease", &docsign.DocumentArgs{
			Name: pulumi.String("Lease of 12 Harbour Street"),
			File: pulumi.NewFileAsset("lease.pdf"),
			Invitations: docsign.InvitationArray{
				&docsign.InvitationArgs{
					Email: pulumi.String("ana@example.com"),
					Name:  pulumi.String("Ana"),
					Stage: pulumi.Int(1),
				},
				&docsign.InvitationArgs{
					Email:                 pulumi.String("luis@example.com"),
					Name:                  pulumi.String("Luis"),
					Stage:                 pulumi.Int(2),
					AllowedSignatureTypes: docsign.SignatureTypesAdvanced,
				},
			},
		}, pulumi.DeleteBeforeReplace(true))
		if err != nil {
			return err
		}
		ctx.Export("status", lease.Status)
		ctx.Export("pendingSigners", lease.PendingSigners)
		return nil
	})
}`,
    yaml: `
name: contracts
runtime: yaml
resources:
  lease:
    type: docsign:Document
    properties:
      name: Lease of 12 Harbour Street
      file:
        fn::fileAsset: lease.pdf
      invitations:
        - email: ana@example.com
          name: Ana
          stage: 1
        - email: luis@example.com
          name: Luis
          stage: 2
          allowedSignatureTypes: advanced
    options:
      deleteBeforeReplace: true
outputs:
  status: \${lease.status}
  pendingSigners: \${lease.pendingSigners}`,
  },
};
