import type { Example } from "./example.js";

export const signatureGate: Example = {
  title: "Nothing is deployed before the order is signed",
  importing: `A gate's id is its document's. It comes with the defaults: \`until: signed\`, \`mode: observe\`, everyone's signature:

\`\`\`sh
pulumi import docsign:index:SignatureGate order-signed 4711
\`\`\``,
  programs: {
    typescript: `
import * as docsign from "pulumi-docsign-plugin";

const signed = new docsign.SignatureGate("order-signed", {
    documentId: "4711",
    mode: "wait",
    signers: ["ana@example.com"],
}, { customTimeouts: { create: "8h", update: "8h" } });

export const certificates = signed.certificates;`,
    python: `
import pulumi
import pulumi_docsign as docsign

signed = docsign.SignatureGate("order-signed",
    document_id="4711",
    mode="wait",
    signers=["ana@example.com"],
    opts=pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="8h", update="8h")))

pulumi.export("certificates", signed.certificates)`,
    go: `
package main

import (
	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		signed, err := docsign.NewSignatureGate(ctx, "order-signed", &docsign.SignatureGateArgs{
			DocumentId: pulumi.String("4711"),
			Mode:       docsign.GateModeWait,
			Signers:    pulumi.StringArray{pulumi.String("ana@example.com")},
		}, pulumi.Timeouts(&pulumi.CustomTimeouts{Create: "8h", Update: "8h"}))
		if err != nil {
			return err
		}
		ctx.Export("certificates", signed.Certificates)
		return nil
	})
}`,
    yaml: `
name: contracts
runtime: yaml
resources:
  order-signed:
    type: docsign:SignatureGate
    properties:
      documentId: "4711"
      mode: wait
      signers: [ana@example.com]
    options:
      customTimeouts:
        create: 8h
        update: 8h
outputs:
  certificates: \${order-signed.certificates}`,
  },
};
