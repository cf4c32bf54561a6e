import type { Example } from "./example.js";
import { output, pdfFile } from "./program.js";

export const documentSet: Example = {
  title: "An NDA for each row of a table",
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
