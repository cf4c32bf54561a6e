package main

import (
	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		ndas, err := docsign.NewDocumentSet(ctx, "ndas", &docsign.DocumentSetArgs{
			Table: pulumi.NewFileAsset("./team.csv"),
			Key:   pulumi.String("{{email}}"),
			Defaults: &docsign.DocumentSetRowArgs{
				Name:      pulumi.String("NDA of {{name}}"),
				Template:  pulumi.NewFileAsset("./nda.md"),
				Variables: pulumi.Map{"name": pulumi.String("{{name}}"), "start": pulumi.String("{{start}}")},
				Invitations: docsign.InvitationArray{
					&docsign.InvitationArgs{Email: pulumi.String("{{email}}"), Name: pulumi.String("{{name}}")},
				},
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("waitingFor", ndas.WaitingFor)
		ctx.Export("summary", ndas.Summary)
		return nil
	})
}
