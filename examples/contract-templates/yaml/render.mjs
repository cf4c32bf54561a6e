// Makes contracts/ID.pdf for every customer: the same bytes for the same template and variables, on every machine and day.
import { readFileSync, writeFileSync } from "node:fs";
import { renderTemplate } from "pulumi-docsign/templates";

for (const { id, company, signer, seats } of JSON.parse(readFileSync("customers.json", "utf8"))) {
  const variables = { company, signer, seats: String(seats) };
  const { pdf } = await renderTemplate({ template: "contracts/terms.md", variables });
  writeFileSync(`contracts/${id}.pdf`, pdf);
}
