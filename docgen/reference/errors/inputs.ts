import type { Section } from "./error.js";

export const inputs: Section = {
  title: "Inputs",
  about:
    "All that is wrong is said at once, at preview. Each message begins with the property. Values of secrets, and the PDF, are never shown.",
  at: ["Document"],
  rows: [
    {
      id: "bad-input",
      says: ["given …; wanted …", "is required: …"],
      means: "A property is missing, or has a value it doesn't take.",
      todo: "Give what the message wants. The limits of each property are on its resource's page.",
      at: ["Folder", "Document", "SignatureGate", "Reminder", "functions"],
    },
    {
      id: "no-such-property",
      says: ["…: no such property…", "no such property"],
      means: "A name is misspelt, or belongs to another resource.",
      todo: "Take the name it suggests.",
      at: ["Folder", "Document", "SignatureGate", "Reminder", "functions"],
    },
    {
      id: "bad-id",
      says: [
        "… must be a positive whole number, got …; write numbers above … as a string",
        "… must be 1 to 20 digits not starting with 0, got …",
        "… must be a string of digits, got …",
      ],
      means: "An id isn't one of the service's, which are digits.",
      todo: "Copy it from the platform, as a string.",
      at: ["Folder", "Document", "SignatureGate", "Reminder", "functions"],
    },
    {
      id: "own-marker",
      says: ["description: given one that ends in [docsign:…]; wanted one without"],
      means:
        "A description ends in what looks like a creation marker, which would hide the document from `docsign:creationMarker`.",
      todo: "Take the mark out: the provider writes its own.",
      at: ["Document"],
    },
    {
      id: "invited-twice",
      says: ["…: given …, which invitations[…] invites already in the same stage; wanted each address once in a stage"],
      means: "One address would be mailed twice at the same time.",
      todo: "Take one out, or give it another `stage`.",
    },
    {
      id: "pdf-missing",
      says: [
        "the PDF is missing: give `file` (an asset), `base64File` (its text in base64) or `template` (Markdown or a PDF form)",
        "expected one of `file`, `base64File` and `template`, got …",
      ],
      means: "A document needs its PDF once.",
      todo: "Give `file` or `base64File`.",
    },
    {
      id: "ignore-both",
      says: [
        "the PDF is missing: the program gives none of `file`, `base64File` and `template`, and the document has one. If only one of `file` and `base64File` is ignored, ignore both: …",
        ". If one of them is ignored, ignore all: ignoreChanges: …",
        "`base64File` is ignored and `file` isn't, so both reach the provider. Ignore both: …",
      ],
      means: "`ignoreChanges` names only one of the two ways to give a PDF.",
      todo: '`ignoreChanges: ["file", "base64File"]`.',
    },
    {
      id: "not-a-pdf",
      says: [
        "given an empty file; wanted a PDF",
        "given … bytes that don't begin with %PDF-; wanted a PDF",
        "given an archive; wanted an asset with one PDF",
        "wanted an asset: a file, a string or a remote address",
        "given an empty asset; wanted one with a PDF",
      ],
      means: "What is given for the PDF isn't one.",
      todo: "Look at the path: a Git LFS pointer or a web page saved as a PDF are the usual causes.",
    },
    {
      id: "file-unreadable",
      says: [
        "given a file asset that can't be opened (…); wanted a readable PDF file",
        "given a file asset that is …; wanted a PDF file",
        "given a file asset that can't be read (…); wanted a readable PDF file",
      ],
      means: "The path leads nowhere, to something else than a file, or may not be read.",
      todo: "Paths are relative to the program's folder.",
    },
    {
      id: "remote-asset",
      says: [
        "given a remote asset with a … address; wanted https",
        "given a remote asset that … answers with status …; wanted a PDF there",
        "given a remote asset behind more than … redirects; wanted the PDF's own address",
        "given a remote asset that can't be fetched (…); wanted a PDF there",
        "given a remote asset of more than … MB; wanted a smaller PDF, or a local file asset, which has no such limit",
        "given a remote asset whose content changed while it was being read; wanted the same bytes twice",
      ],
      means: "A remote asset can't be fetched. It is asked for without any of the provider's credentials.",
      todo: "Give an address that anybody can read, or a file.",
    },
    {
      id: "bad-base64",
      says: [
        "given a data URI of another kind; wanted `data:application/pdf;base64,` and the PDF in base64",
        "given an empty text; wanted the PDF in base64",
        "given the PDF itself; wanted it in base64 (or use `file` with an asset, which takes it as it is)",
        "given something that isn't base64; wanted the PDF in base64 (to give a file's path, use `file` with a file asset)",
        "given base64 that is cut off (… characters); wanted all of it",
      ],
      means: "`base64File` isn't a PDF in base64.",
      todo: "Encode the whole file once, without anything around it.",
    },
    {
      id: "hash-is-no-pdf",
      says: ["…: given …, and a hash is not a PDF. Creating the document needs the PDF itself"],
      means: "The program gives the mark that state keeps of a PDF, and a document has to be created.",
      todo: "Give the PDF.",
    },
    {
      id: "extra-parameters",
      says: [
        "extraParameters may not name …: it has an input of its own",
        "extraParameters.… can't be written as JSON",
      ],
      means: "`extraParameters` is for what the provider has no input for.",
      todo: "Use the input of that name.",
    },
    {
      id: "pdf-moved",
      says: [
        "file: the PDF changed while it was being sent, so nothing was created. Run `pulumi up` again once it is at rest.",
        "the PDF changed while it was sent: it had … bytes, then …. The request was cut off: nothing was created",
        "the PDF couldn't be read while it was sent: …. The request was cut off: nothing was created",
        "the PDF isn't known, so nothing was created",
        "the PDF … is no longer at hand, so nothing was created. Run `pulumi up` again.",
      ],
      means: "The PDF that was checked isn't the one that would have been sent.",
      todo: "Run `pulumi up` again, when nothing writes to the file.",
    },
  ],
};
