import type { Section } from "./error.js";

export const guard: Section = {
  title: "Replacing",
  about: "When the service is asked: [the replace guard](replace-guard.md).",
  at: ["Document", "Folder"],
  rows: [
    {
      id: "maybe-replaced",
      says: [
        "… … known yet, so document … may have to be replaced. That is decided once the value is known, and only an unsigned document is replaced.",
        "name isn't known yet, so folder … may have to be replaced. That is decided once it is there, and only an empty folder is replaced.",
      ],
      means: "A changed value comes from a resource that isn't created yet.",
      todo: "Nothing: the service is asked once the value is known.",
      warning: true,
    },
    {
      id: "delete-first",
      at: ["Document"],
      says: [
        "`pulumi up` replaces document … only with the resource option `deleteBeforeReplace: true`: without it, nothing shows then that state still holds it, and a document exactly alike isn't created a second time",
      ],
      means: "A preview of a forced replacement, or of a tainted resource, whose content hasn't changed.",
      todo: "Set the resource option, or change the content. With it set already, nothing.",
      warning: true,
    },
    {
      id: "half-replaced",
      says: [
        "Document …, which the new one was to replace, is still at the service: with the program reverted, `pulumi up` keeps it in the stack and mails no one.",
        "an earlier run began to create another document in place of document … and was interrupted….",
      ],
      means: "A replacement stopped between its two halves.",
      todo: "Revert the program and run `pulumi up`, or run it again as it is: nobody is mailed twice either way. If it says so, look on the platform.",
      at: ["Document"],
    },
  ],
};
