import type { Section } from "./error.js";

export const settings: Section = {
  title: "Settings",
  about:
    "Said before anything is asked of the service. Each names the setting, its variable and a command. [All settings](installation-configuration.md#configuration).",
  at: [],
  rows: [
    {
      id: "not-configured",
      says: ["the docsign provider isn't configured: …", "docsign:baseUrl is missing…", "docsign:apiKey is missing…"],
      means: "Neither the stack's configuration nor the environment has it.",
      todo: "Run the command it prints.",
    },
    {
      id: "bad-address",
      says: ["docsign:baseUrl can't be used: …", "http:// would send the key in the clear to …"],
      means: "The address isn't one that a key can be sent to.",
      todo: "Give `https`, the host, and the path if there is one; no user, query or fragment.",
    },
    {
      id: "bad-key",
      says: ["the API key from … is empty", "the API key from … has a space, a line break…"],
      means: "The key was cut, or pasted with something around it.",
      todo: "Copy it again: `pulumi config set --secret docsign:apiKey`.",
    },
  ],
};
