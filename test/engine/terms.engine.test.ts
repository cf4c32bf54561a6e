import { expect, test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { openScene } from "../support/engine/scene.js";

const PYTHON = `from pathlib import Path

import pulumi
import pulumi_docsign as docsign

lease = docsign.Document(
    "lease",
    name="Lease",
    file=pulumi.FileAsset("./contracts/nda.pdf"),
    invitations=[docsign.InvitationArgs(email="ana@example.com")],
    effective_from="2020-03-01",
    expires_at=Path("end").read_text(),
    renew_before="60d",
)
over = docsign.SignatureGate(
    "over", document_id=lease.document_id, until="expiresAt", expires_at=lease.expires_at, renew_before=lease.renew_before
)
pulumi.export("documentId", lease.document_id)
pulumi.export("ends", lease.expires_at)
pulumi.export("over", over.satisfied)
`;

const GO = `package main

import (
	"os"

	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		end, err := os.ReadFile("end")
		if err != nil {
			return err
		}
		lease, err := docsign.NewDocument(ctx, "lease", &docsign.DocumentArgs{
			Name:          pulumi.String("Lease"),
			File:          pulumi.NewFileAsset("./contracts/nda.pdf"),
			Invitations:   docsign.InvitationArray{&docsign.InvitationArgs{Email: pulumi.String("ana@example.com")}},
			EffectiveFrom: pulumi.String("2020-03-01"),
			ExpiresAt:     pulumi.String(end),
			RenewBefore:   pulumi.String("60d"),
		})
		if err != nil {
			return err
		}
		over, err := docsign.NewSignatureGate(ctx, "over", &docsign.SignatureGateArgs{
			DocumentId:  lease.DocumentId,
			Until:       docsign.GateConditionExpiresAt,
			ExpiresAt:   lease.ExpiresAt,
			RenewBefore: lease.RenewBefore,
		})
		if err != nil {
			return err
		}
		ctx.Export("documentId", lease.DocumentId)
		ctx.Export("ends", lease.ExpiresAt)
		ctx.Export("over", over.Satisfied)
		return nil
	})
}
`;

test.skipIf(missingEngine).for([
  ["python", "examples/quickstart-python", "__main__.py", PYTHON],
  ["go", "examples/quickstart-go", "main.go", GO],
] as const)(
  "in %s a contract's end changes in place, also once it is signed, and opens its gate",
  async ([language, program, file, text], { skip }) => {
    const missing = missingFor(language);
    if (missing) skip(missing);
    await using scene = await openScene({ language, program, files: { [file]: text, end: "2998-02-28" } });
    await scene.stack.up();
    const id = scene.id();
    expect(scene.mailed()).toEqual(["ana@example.com"]);
    expect(scene.stack.outputs()).toEqual({ documentId: id, ends: "2998-02-28", over: false });

    scene.service.people.signAll(id);
    scene.stack.write("end", "2020-03-31");
    scene.asked();
    expect((await scene.stack.preview()).steps).toEqual(["update lease", "update over"]);
    await scene.stack.up();
    expect(scene.stack.outputs()).toEqual({ documentId: id, ends: "2020-03-31", over: true });
    expect(scene.asked().filter(request => !request.startsWith("GET"))).toEqual([]);
    expect(scene.service.ledger.documents()).toHaveLength(1);
    expect(scene.mailed()).toEqual([]);
  },
);
