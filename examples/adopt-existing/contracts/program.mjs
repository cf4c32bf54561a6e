// Writes the program, Main.json, of what was imported: the inputs as state has them.
import { readFileSync, writeFileSync } from "node:fs";

const { deployment } = JSON.parse(readFileSync("state.json", "utf8"));
const imported = deployment.resources.filter(({ type }) => type === "docsign:index:Document");

const resources = Object.fromEntries(
  imported.map(({ urn, inputs }) => [
    urn.split("::").at(-1),
    {
      type: "docsign:Document",
      properties: inputs,
      options: { deleteBeforeReplace: true, protect: true },
    },
  ]),
);

writeFileSync("Main.json", `${JSON.stringify({ resources }, null, 2)}\n`);
