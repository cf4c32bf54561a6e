import type { Section } from "./error.js";

export const inputs: Section = {
  title: "Inputs",
  about:
    "Reported at preview, all at once. Each message begins with the property. Values of secrets, and the PDF, are never shown.",
  at: ["Document"],
  rows: [
    {
      id: "bad-input",
      says: ["expected …, got …", "is required: …"],
      means: "A property is missing, or has a value it doesn't take.",
      todo: "Give what the message expects. The limits of each property are on its resource's page.",
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
      id: "terms",
      says: ["expiresAt: expected a day after effectiveFrom…", "renewBefore: expected `expiresAt` beside it, got none"],
      means: "A contract would end before it begins, or is to be renewed without an end.",
      todo: "Give days in order; [terms](terms.md) says what each means.",
      at: ["Document"],
    },
    {
      id: "own-marker",
      says: ["description: expected one that doesn't end in [docsign:…]"],
      means:
        "A description ends in what looks like a creation marker, which would hide the document from `docsign:creationMarker`.",
      todo: "Take the mark out: the provider writes its own.",
      at: ["Document"],
    },
    {
      id: "invited-twice",
      says: ["… invited twice in the same stage: the service mails each invitation."],
      means: "One address is mailed twice at the same time.",
      todo: "Nothing, if that is meant. Otherwise take one out, or give it another `stage`.",
      warning: true,
    },
    {
      id: "domain-without-a-dot",
      says: ["…: expected a domain with a dot in it, such as example.com, got none. It is sent as it is."],
      means: "An address such as `ana@example` reaches nobody outside the service's own network.",
      todo: "Complete the address. If it is meant, nothing.",
      warning: true,
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
        "`base64File` is ignored and `file` isn't, so both reach the provider. Ignore both: …",
      ],
      means: "`ignoreChanges` names only one of the two ways to give a PDF.",
      todo: '`ignoreChanges: ["file", "base64File"]`.',
    },
    {
      id: "not-a-pdf",
      says: [
        "expected a PDF, got an empty file",
        "expected a PDF, got … bytes that don't begin with %PDF-",
        "expected a PDF, got a Git LFS pointer to it: run `git lfs pull`",
        "expected a PDF, got … bytes that look like a web page: the address may want a sign-in, or the download failed",
        "expected an asset with one PDF, got an archive",
        "expected an asset: a file, a string or a remote address",
        "expected one with a PDF, got an empty asset",
      ],
      means: "What is given for the PDF isn't one.",
      todo: "Look at the path in the message. The usual causes are a Git LFS pointer (`git lfs pull`) and a web page saved as a PDF.",
    },
    {
      id: "file-unreadable",
      says: [
        "expected a readable PDF file, got a file asset that can't be opened (…)",
        "expected a PDF file, got a file asset that is …",
        "expected a readable PDF file, got a file asset that can't be read (…)",
      ],
      means: "The path leads nowhere, to something else than a file, or may not be read.",
      todo: "Paths are relative to the program's folder.",
    },
    {
      id: "remote-asset",
      says: [
        "expected https, got a remote asset with a … address",
        "expected a PDF there, got a remote asset that … answers with status …",
        "expected the PDF's own address, got a remote asset behind more than … redirects",
        "expected a PDF there, got a remote asset that can't be fetched (…)",
        "expected a PDF of at most … MB, got a larger one from a remote asset; a local file asset has no such limit",
        "expected the same bytes twice, got a remote asset whose content changed while it was being read",
      ],
      means: "A remote asset can't be fetched. It is asked for without any of the provider's credentials.",
      todo: "Give an address that anybody can read, or a file.",
    },
    {
      id: "bad-base64",
      says: [
        "expected `data:application/pdf;base64,` and the PDF in base64, got a data URI of another kind",
        "expected the PDF in base64, got an empty text",
        "expected base64, got the PDF itself (or use `file` with an asset, which takes it as it is)",
        "expected the PDF in base64, got something else (to give a file's path, use `file` with a file asset)",
        "expected all of it, got base64 that is cut off (… characters)",
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
