import type { Section } from "./error.js";

export const guard: Section = {
  title: "Replacing",
  about: "What is replaced, and what is refused: [when a contract changes](replace-guard.md).",
  at: ["Document", "Folder"],
  rows: [
    {
      id: "maybe-replaced",
      says: [
        "… known yet, so document … may have to be replaced…",
        "… known yet, so folder … may have to be replaced…",
      ],
      means: "A changed value comes from a resource that isn't created yet.",
      todo: "Nothing: `pulumi up` asks the service once it knows the value.",
      warning: true,
    },
    {
      id: "delete-first",
      at: ["Document"],
      says: ["`pulumi up` replaces document … only with the resource option `deleteBeforeReplace: true`: …"],
      means: "A replacement is forced (`--replace`, a taint), and the content is the same.",
      todo: "Set the resource option. If it is set, nothing.",
      warning: true,
    },
    {
      id: "half-replaced",
      says: [
        "Document …, which the new one was to replace, is still at the service…",
        "an earlier run began to create another document in place of document …",
      ],
      means: "A replacement stopped half-way.",
      todo: "Run `pulumi up` again, with the change or without it: nobody is mailed twice.",
      at: ["Document"],
    },
  ],
};
