// Writes the program, Main.json, which Pulumi's YAML reads before Pulumi.yaml.
import { readFileSync, writeFileSync } from "node:fs";

const team = JSON.parse(readFileSync("team.json", "utf8"));

// The resource's name comes from the member's id: where in the list somebody stands doesn't matter.
const ndas = team.map(({ id, name, email }) => [
  `nda-${id}`,
  {
    type: "docsign:Document",
    properties: {
      name: `NDA of ${name}`,
      folderId: `\${ndas.folderId}`,
      file: { "fn::fileAsset": "./contracts/nda.pdf" },
      invitations: [{ email, name }],
    },
    options: { deleteBeforeReplace: true },
  },
]);

const program = {
  resources: {
    ndas: { type: "docsign:Folder", properties: { name: "Team NDAs" } },
    ...Object.fromEntries(ndas),
  },
  outputs: {
    waitingFor: ndas.map(([name]) => `\${${name}.pendingSigners}`),
  },
};

writeFileSync("Main.json", `${JSON.stringify(program, null, 2)}\n`);
