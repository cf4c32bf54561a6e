package main

import (
	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		contracts, err := docsign.NewFolder(ctx, "contracts", &docsign.FolderArgs{Name: pulumi.String("Contracts")})
		if err != nil {
			return err
		}
		nda, err := docsign.NewDocument(ctx, "nda", &docsign.DocumentArgs{
			Name:     pulumi.String("Mutual NDA"),
			FolderId: contracts.FolderId,
			Template: pulumi.NewFileAsset("./contracts/nda.md"),
			Variables: pulumi.Map{
				"company": pulumi.String("Acme"),
				"partner": pulumi.String("Example"),
			},
			Invitations: docsign.InvitationArray{
				&docsign.InvitationArgs{
					Email: pulumi.String("ana@example.com"),
					Name:  pulumi.String("Ana Torres"),
					Stage: pulumi.Int(1),
				},
				&docsign.InvitationArgs{
					Email: pulumi.String("bob@example.org"),
					Name:  pulumi.String("Bob Lindqvist"),
					Stage: pulumi.Int(2),
				},
			},
		},
			// The engine then shows the document before it is replaced, and one that somebody signed is kept.
			pulumi.DeleteBeforeReplace(true))
		if err != nil {
			return err
		}
		ctx.Export("documentId", nda.DocumentId)
		ctx.Export("status", nda.Status)
		ctx.Export("pendingSigners", nda.PendingSigners)
		ctx.Export("btcCertificate", nda.Certificates.BtcUrl())
		return nil
	})
}
