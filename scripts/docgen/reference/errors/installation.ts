import type { Section } from "./error.js";

export const installation: Section = {
  title: "Installation",
  about: "Reported by Pulumi, or by the plugin before it starts.",
  at: [],
  rows: [
    {
      id: "missing-plugin",
      says: [
        'internal error loading package "docsign": could not find latest version for provider docsign: …',
        "Could not automatically download and install resource plugin 'pulumi-resource-docsign' …",
        "no resource plugin 'pulumi-resource-docsign' found in the workspace …",
      ],
      means:
        "The plugin isn't installed, and Pulumi looked for a published one. There is none yet, whatever address the message names.",
      todo: "Name the plugin's folder under `plugins:` in Pulumi.yaml, or install its archive: [the plugin](from-a-clone.md#the-plugin).",
    },
    {
      id: "package-add-unsupported",
      says: [
        "could not read plugin …: … not supported …",
        "… method GeneratePackage not implemented …",
        "… method GenerateProgram not implemented …",
      ],
      means:
        "`pulumi package add`, and `pulumi import` where it writes code, need Pulumi 3.259 or newer with the language hosts of its release. The engine that set-up brings has older hosts.",
      todo: "Install Pulumi from its own page. Or take [one of the other ways](from-a-clone.md#the-plugin), and `pulumi import --generate-code=false`.",
    },
    {
      id: "plugin-old-node",
      says: ["pulumi-resource-docsign: Node 22.19 or newer is needed; 'node' on PATH is …"],
      means: "The plugin runs under the first `node` on PATH, which is missing or too old.",
      todo: "Install a newer Node, or put one first on PATH.",
    },
  ],
};
