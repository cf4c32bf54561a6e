import type { Section } from "./error.js";

const EVERYWHERE = ["Folder", "Document", "SignatureGate", "Reminder", "functions"];

export const inputs: Section = {
  title: "Inputs",
  about: "Said at preview, all at once. Each begins with the property. Values of secrets, and PDFs, are never shown.",
  at: ["Document"],
  rows: [
    {
      id: "bad-input",
      says: ["expected …, got …", "is required: …"],
      means: "A property is missing, or has a value it doesn't take.",
      todo: "Give what is expected. Each property's limits are in the [reference](reference/README.md).",
      at: EVERYWHERE,
    },
    {
      id: "bad-id",
      says: ["must be a positive whole number, got …", "must be 1 to 20 digits not starting with 0, got …"],
      means: "The service's ids are digits.",
      todo: "Copy it from the platform, as a string.",
      at: EVERYWHERE,
    },
    {
      id: "own-marker",
      says: ["description: expected one that doesn't end in [docsign:…]"],
      means:
        "The description ends like one that `docsign:creationMarker` wrote, which would hide the document from it.",
      todo: "Take the mark out: the provider writes its own.",
    },
    {
      id: "invited-twice",
      says: ["… invited twice in the same stage…"],
      means: "One address is mailed twice at the same time.",
      todo: "If that isn't meant, take one out, or give it another `stage`.",
      warning: true,
    },
    {
      id: "domain-without-a-dot",
      says: ["expected a domain with a dot in it…"],
      means: "An address such as `ana@example` works only inside a company's own network.",
      todo: "If that isn't meant, complete it.",
      warning: true,
    },
    {
      id: "ignore-both",
      says: [
        "the PDF is missing: the program gives none of `file`, `base64File` and `template`…",
        "`base64File` is ignored and `file` isn't…",
      ],
      means: "`ignoreChanges` names one of the two ways to give a PDF.",
      todo: 'Name both: `ignoreChanges: ["file", "base64File"]`.',
    },
    {
      id: "not-a-pdf",
      says: ["expected a PDF, got …", "expected a readable PDF file, got …"],
      means:
        "What is given isn't a PDF, or the path leads nowhere. Often it is a Git LFS pointer, or a web page that was saved.",
      todo: "Look at the path: it is relative to the program's folder. For a pointer: `git lfs pull`.",
    },
    {
      id: "remote-asset",
      says: ["expected a PDF there, got a remote asset that …"],
      means: "A remote asset is asked for over https, without credentials.",
      todo: "Give an address that anybody can read, or a file.",
    },
    {
      id: "pdf-moved",
      says: [
        "the PDF changed while it was being sent, so nothing was created…",
        "the PDF … is no longer at hand, so nothing was created…",
      ],
      means: "Something wrote to the file meanwhile.",
      todo: "Run `pulumi up` again once nothing does.",
    },
  ],
};
