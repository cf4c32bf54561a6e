import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

interface Customer {
  readonly id: string;
  readonly company: string;
  readonly signer: string;
  readonly email: string;
  readonly seats: number;
  /** Whether this customer's contract stays as it was signed, whatever becomes of the template. */
  readonly keep?: boolean;
}

const customers: Customer[] = JSON.parse(readFileSync("customers.json", "utf8"));

const contracts = customers.map(
  ({ id, company, signer, email, seats, keep }) =>
    new docsign.Document(
      `terms-${id}`,
      {
        name: `Terms of service, ${company}`,
        template: new pulumi.asset.FileAsset("contracts/terms.md"),
        variables: { company, signer, seats: String(seats) },
        invitations: [{ email, name: signer }],
      },
      keep ? { ignoreChanges: ["template", "variables"] } : {},
    ),
);

export const documentIds = contracts.map(contract => contract.documentId);
