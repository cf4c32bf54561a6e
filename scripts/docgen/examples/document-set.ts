import type { Example } from "./example.js";
import { output, pdfFile } from "./program.js";

export const documentSet: Example = {
  title: "An NDA for each row of a table",
  importing: `A folder's documents become a set. Nobody is mailed:

\`\`\`sh
pulumi import docsign:index:DocumentSet ndas folder/1234
\`\`\`

The keys are the documents' ids. \`folder/1234/name\`, \`folder/1234/description\` and \`folder/1234/email\` (the first person invited) are other keys, where each
document has its own. \`documents/5001,5002/email\` takes these documents, from any folder. [Moving documents](../../document-sets.md#moving-documents-into-a-set)
into a set mails nobody.`,
  program: {
    resources: [
      {
        name: "ndas",
        type: "DocumentSet",
        inputs: {
          table: pdfFile("./team.csv"),
          key: "{{email}}",
          defaults: {
            name: "NDA of {{name}}",
            template: pdfFile("./nda.md"),
            variables: { name: "{{name}}", start: "{{start}}" },
            invitations: [{ email: "{{email}}", name: "{{name}}" }],
          },
        },
      },
    ],
    outputs: { waitingFor: output("ndas", "waitingFor"), summary: output("ndas", "summary") },
  },
};
