import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

const { documents } = docsign.getDocumentsOutput({ folderId: new pulumi.Config().require("folderId") });

/** What `pulumi import --file` takes. */
export const importFile = {
  resources: documents.apply(rows =>
    rows.map(({ documentId, name }) => ({
      type: "docsign:index:Document",
      // Titles needn't be unique; names of resources have to be.
      name: `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-${documentId}`,
      id: documentId,
    })),
  ),
};
