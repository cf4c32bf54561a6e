import type { Section } from "./error.js";

export const settings: Section = {
  title: "Settings",
  about:
    "These are reported before anything is asked of the service. All settings: [installation and configuration](installation-configuration.md).",
  at: [],
  rows: [
    {
      id: "not-configured",
      says: [
        "the docsign provider isn't configured: …",
        "docsign:baseUrl is missing, the service's address: …",
        "docsign:apiKey is missing, the account's key: …",
        "docsign:… is missing beside docsign:…",
      ],
      means:
        "A setting the provider can't work without is neither in the stack's configuration nor in the environment.",
      todo: "Run the `pulumi config set` command it prints, or set the variable it names.",
    },
    {
      id: "contradiction",
      says: ["docsign:apiKey and docsign:email/docsign:password contradict each other: keep one way to sign in."],
      means: "The program or the stack's configuration gives a key and a login.",
      todo: "Remove one of the two with the `pulumi config rm` command it prints.",
    },
    {
      id: "bad-address",
      says: [
        "docsign:baseUrl can't be used: …",
        "… is not a URL; it looks like https://service.example",
        "it may not carry a user name or password; use docsign:apiKey, or docsign:email and docsign:password",
        "it must start with https://, got …",
        "http:// would send the key in the clear to …; use https:// (http is for loopback addresses only)",
        "it may not have a query (?) or a fragment (#)",
        "…. It comes from …: …",
      ],
      means: "The service's address can't be used, and why.",
      todo: "Give the address as the service's documentation shows it: `https`, host, and a path if there is one.",
    },
    {
      id: "bad-setting",
      says: [". To change it: …", "docsign:maxConcurrency must be a whole number from 1 on, got …"],
      means: "A setting has a value it doesn't take: the message says what it expected and what it got.",
      todo: "Run the command it prints, with a value it takes.",
    },
    {
      id: "bad-key",
      says: [
        "the API key from … is empty",
        "the API key from … has a space, a line break or another character that no header can carry",
      ],
      means: "The key was cut, quoted or pasted with something around it.",
      todo: "Copy the key again, and set it with `pulumi config set --secret docsign:apiKey`.",
    },
  ],
};
