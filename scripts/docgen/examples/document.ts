import type { Example } from "./example.js";
import { output, pdfFile } from "./program.js";

export const document: Example = {
  title: "A lease that two people sign, one after the other",
  importing: `A document's id is all it takes; nobody is mailed:

\`\`\`sh
pulumi import docsign:index:Document lease 4711
\`\`\``,
  program: {
    resources: [
      {
        name: "lease",
        type: "Document",
        inputs: {
          name: "Lease of 12 Harbour Street",
          file: pdfFile("lease.pdf"),
          invitations: [
            { email: "ana@example.com", name: "Ana", stage: 1 },
            { email: "luis@example.com", name: "Luis", stage: 2, allowedSignatureTypes: "advanced" },
          ],
        },
        options: { deleteBeforeReplace: true },
      },
    ],
    outputs: { status: output("lease", "status"), pendingSigners: output("lease", "pendingSigners") },
  },
};
