import type { Example } from "./example.js";
import { output } from "./program.js";

export const signatureGate: Example = {
  title: "Nothing is deployed before the order is signed",
  importing: `A gate's id is its document's. It comes with the defaults: \`until: signed\`, \`mode: observe\`, everyone's signature:

\`\`\`sh
pulumi import docsign:index:SignatureGate signed 4711
\`\`\``,
  program: {
    resources: [
      {
        name: "signed",
        type: "SignatureGate",
        inputs: { documentId: "4711", mode: "wait", signers: ["ana@example.com"] },
        options: { timeout: "8h" },
      },
    ],
    outputs: { certificates: output("signed", "certificates") },
  },
};
