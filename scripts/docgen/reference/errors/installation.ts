import type { Section } from "./error.js";

export const installation: Section = {
  title: "Installation",
  about: "Pulumi says these, or the plugin before it starts.",
  at: [],
  rows: [
    {
      id: "missing-plugin",
      says: [
        "could not find latest version for provider docsign: …",
        "Could not automatically download and install resource plugin …",
        "no resource plugin 'pulumi-resource-docsign' found in the workspace …",
      ],
      means: "The plugin isn't installed, and none is published yet, whatever address the message names.",
      todo: "Name its folder under `plugins:` in Pulumi.yaml, or install its archive: [the plugin](from-a-clone.md#the-plugin).",
    },
    {
      id: "package-add-unsupported",
      says: [
        "could not read plugin …: … not supported …",
        "method GeneratePackage not implemented",
        "method GenerateProgram not implemented",
      ],
      means: "The language hosts are older than 3.259, as those of the engine that set-up brings.",
      todo: "Install Pulumi from its own page; or take [another way](from-a-clone.md#the-plugin), and `pulumi import --generate-code=false`.",
    },
    {
      id: "old-node",
      says: ["Node 22.19 or newer is needed…", "expected Node 22.19 or newer as the first `node` on PATH, got Node …"],
      means: "A checkout's plugin and dynamic resources run under the first `node` on PATH.",
      todo: "Put a newer Node first.",
    },
  ],
};
