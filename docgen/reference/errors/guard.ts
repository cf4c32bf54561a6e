import type { Section } from "./error.js";

export const guard: Section = {
  title: "Replacing",
  about: "Who asks, and when: [the replace guard](replace-guard.md).",
  at: ["Document", "Folder"],
  rows: [
    {
      id: "not-replaced",
      says: [
        "…, so it is not replaced. It stays as it is, and no one was mailed about it.",
        "… … can't be shown to be free to replace",
      ],
      means:
        "A change would replace a document that somebody has signed, or a folder with documents in it; or the service couldn't be asked.",
      todo: 'Take the change back; or keep a signed document while its PDF moves on, with `ignoreChanges: ["file", "base64File"]`; or declare the new contract as a resource of its own.',
    },
    {
      id: "other-service",
      says: [
        "… lives at …, and the provider is configured for …. Nothing of another service is read or replaced.",
        "this resource holds … … at …, as this machine remembers, and the provider is configured for …. Nothing was created.",
      ],
      means: "`docsign:baseUrl` was changed under a stack that has documents at the old address.",
      todo: "Set it back, or give these resources an explicit provider. The message has the commands.",
      at: ["Document", "Folder", "SignatureGate", "Reminder"],
    },
    {
      id: "unknown-predecessor",
      says: [
        "this create would replace a …, and the engine didn't tell which, so the service can't be asked about it. Nothing was created.",
      ],
      means: "A forced replacement, on a machine that doesn't know the resource yet.",
      todo: "`pulumi refresh`, or the resource option `deleteBeforeReplace: true`; then `pulumi up`.",
    },
    {
      id: "maybe-replaced",
      says: [
        "… … known yet, so document … may have to be replaced. That is decided once the value is there, and nothing but an unsigned document is replaced.",
        "name isn't known yet, so folder … may have to be replaced. That is decided once it is there, and only an empty folder is replaced.",
      ],
      means: "A changed value comes from a resource that isn't there yet.",
      todo: "Nothing: the service is asked once the value is known.",
      warning: true,
    },
    {
      id: "half-replaced",
      says: [
        "Document …, which the new one was to replace, is alive at the service: with the program reverted, `pulumi up` keeps it in the stack and mails no one.",
        "an earlier run began to create another document in place of document … and was interrupted….",
        "Unless this stack shows it, it may be alive at the service and in no state: look on the platform.",
        "It may be alive at the service: look on the platform. Asking for that replacement again takes it over, and mails no one; to hear no more of it: …",
        "It may be alive at the service: look on the platform. Asking for that replacement again takes it over, and mails no one.",
      ],
      means: "A replacement stopped between its two halves.",
      todo: "Revert the program and run `pulumi up`, or run it again as it is: either way nobody is mailed twice. Where it says so, look on the platform.",
      at: ["Document"],
    },
  ],
};
