import type { Example } from "./example.js";
import { output } from "./program.js";

export const folder: Example = {
  title: "A folder for this year's leases",
  importing: `The service has no way to read a folder, so its name is given beside its id:

\`\`\`sh
pulumi import docsign:index:Folder leases "12/Leases 2026"
\`\`\``,
  program: {
    resources: [{ name: "leases", type: "Folder", inputs: { name: "Leases 2026" } }],
    outputs: { folderId: output("leases", "folderId") },
  },
};
