package main

import (
	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		contracts, err := docsign.NewFolder(ctx, "contracts", &docsign.FolderArgs{
			Name: pulumi.String("Contracts 2026"),
		})
		if err != nil {
			return err
		}

		nda, err := docsign.NewDocument(ctx, "nda", &docsign.DocumentArgs{
			Name:        pulumi.String("Mutual NDA (Go)"),
			Description: pulumi.String("Between the two parties of the pilot project"),
			FolderId:    contracts.FolderId,
			File:        pulumi.NewFileAsset("./contracts/nda.pdf"),
			Invitations: docsign.InvitationArray{
				&docsign.InvitationArgs{
					Email:                 pulumi.String("ana@example.com"),
					Name:                  pulumi.String("Ana Torres"),
					Message:               pulumi.String("Please sign before Friday."),
					AllowedSignatureTypes: docsign.SignatureTypesAll,
					Stage:                 pulumi.Int(1),
				},
				&docsign.InvitationArgs{
					Email:                 pulumi.String("bob@example.org"),
					Name:                  pulumi.String("Bob Lindqvist"),
					AllowedSignatureTypes: docsign.SignatureTypesAll,
					Stage:                 pulumi.Int(2),
				},
			},
		},
			// A replacement forced from outside Diff then asks the service before anything new is mailed.
			pulumi.DeleteBeforeReplace(true))
		if err != nil {
			return err
		}

		// Functions ask the service whenever the program runs, at preview too.
		signers := docsign.GetSignersOutput(ctx, docsign.GetSignersOutputArgs{DocumentId: nda.DocumentId})
		listed := docsign.GetDocumentsOutput(ctx, docsign.GetDocumentsOutputArgs{FolderId: nda.FolderId})
		inFolder := listed.Documents().ApplyT(func(documents []docsign.ListedDocument) []string {
			ids := make([]string, 0, len(documents))
			for _, document := range documents {
				ids = append(ids, document.DocumentId)
			}
			return ids
		})

		ctx.Export("documentId", nda.DocumentId)
		ctx.Export("status", nda.Status)
		ctx.Export("allSigned", nda.AllSigned)
		ctx.Export("pendingSigners", nda.PendingSigners)
		ctx.Export("signedPdf", nda.SignedFileUrl)
		ctx.Export("btcCertificate", nda.Certificates.BtcUrl())
		ctx.Export("ethCertificate", nda.Certificates.EthUrl())
		ctx.Export("nom151", nda.Nom151.FileName())
		ctx.Export("stillToSign", signers.PendingSigners())
		ctx.Export("inFolder", inFolder)
		return nil
	})
}
