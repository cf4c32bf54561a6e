import type { Example } from "./example.js";

export const folder: Example = {
  title: "A folder for this year's leases",
  importing: `The service has no way to read a folder, so its name is given beside its id:

\`\`\`sh
pulumi import docsign:index:Folder leases "12/Leases 2026"
\`\`\``,
  programs: {
    typescript: `
import * as docsign from "pulumi-docsign-plugin";

const leases = new docsign.Folder("leases", { name: "Leases 2026" });

export const folderId = leases.folderId;`,
    python: `
import pulumi
import pulumi_docsign as docsign

leases = docsign.Folder("leases", name="Leases 2026")

pulumi.export("folderId", leases.folder_id)`,
    go: `
package main

import (
	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		leases, err := docsign.NewFolder(ctx, "leases", &docsign.FolderArgs{
			Name: pulumi.String("Leases 2026"),
		})
		if err != nil {
			return err
		}
		ctx.Export("folderId", leases.FolderId)
		return nil
	})
}`,
    yaml: `
name: contracts
runtime: yaml
resources:
  leases:
    type: docsign:Folder
    properties:
      name: Leases 2026
outputs:
  folderId: \${leases.folderId}`,
  },
};
