import { readFileSync } from "node:fs";
import * as docsign from "pulumi-docsign";
import { renderTemplateOutput } from "pulumi-docsign/templates";

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

const contracts = customers.map(({ id, company, signer, email, seats, keep }) => {
  const variables = { company, signer, seats: String(seats) };
  const { base64 } = renderTemplateOutput({ template: "contracts/terms.md", variables });
  return new docsign.Document(
    `terms-${id}`,
    {
      name: `Terms of service, ${company}`,
      base64File: base64,
      invitations: [{ email, name: signer }],
    },
    keep ? { ignoreChanges: ["file", "base64File"] } : {},
  );
});

export const documentIds = contracts.map(contract => contract.documentId);
