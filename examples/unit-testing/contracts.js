import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

/** A contract that goes to the customer first and to legal afterwards. */
export function sendContract(customer, pdf) {
  return new docsign.Document(`contract-${customer.id}`, {
    name: `Contract with ${customer.name}`,
    file: new pulumi.asset.FileAsset(pdf),
    invitations: [
      { email: customer.email, stage: 1 },
      { email: "legal@example.com", stage: 2 },
    ],
  });
}

/** Who still has to sign which of these documents. */
export const reminders = documents =>
  pulumi.all(
    documents.map(document =>
      docsign
        .getSignersOutput({ documentId: document.documentId })
        .apply(({ documentId, pendingSigners }) => ({ documentId, pendingSigners })),
    ),
  );
