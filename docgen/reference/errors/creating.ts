import type { Section } from "./error.js";

export const creating: Section = {
  title: "Creating",
  about: "What is sent, and when it is sent again: [creating at most once](at-most-once.md).",
  at: ["Document"],
  rows: [
    {
      id: "duplicate",
      says: [
        "document … (…) …. Nothing was created and no one was mailed.",
        "has the same name, PDF and invitees, and docsign:duplicatePolicy is `refuse`",
        "has the same name, PDF and invitees, and docsign:duplicatePolicy is `adopt`, which takes unsigned ones only",
        "carries this resource's creation marker",
        "carries this resource's creation marker, but is for other people or has another PDF",
        "several documents carry this resource's creation marker, and none is taken over by guessing. Nothing was created and no one was mailed.",
      ],
      means: "A document like this one is at the service already.",
      todo: "`pulumi import` it, or change the name or the PDF of the new one.",
    },
    {
      id: "not-created",
      says: ["the document was not created, as far as the service shows: …"],
      means: "The answer was lost, and the document didn't appear within `docsign:reconcileTimeout`.",
      todo: "Run `pulumi up` again: it looks once more before it sends anything.",
    },
    {
      id: "unknown-whether-created",
      says: [
        "it isn't known whether the document was created, and looking for it failed: …",
        "it isn't known whether the document was created: about then the service got one that may be it, told a little differently than it was sent (its name, description, people or PDF).",
        "it isn't known which document this create led to: the service has several that fit, and none is taken over by guessing.",
        "the service didn't answer when asked by date",
      ],
      means: "Looking can't settle what became of the create.",
      todo: "Run `pulumi up` again once the service answers. Where it lists documents, `pulumi import` the right one with the line it prints.",
    },
    {
      id: "earlier-run",
      says: [
        "an earlier run created document … for this resource with other content and never saw the answer. It is alive at the service, so nothing more was created.",
        "an earlier run created … … for this resource with other content, and was interrupted before state knew of it. It is alive at the service, so nothing more was created.",
      ],
      means: "A run that was interrupted created a document, and the program has changed since.",
      todo: "Take it over with the `pulumi import` line, or have the journal forget it with the `rm` line, which mails people again.",
      at: ["Document", "Folder"],
    },
    {
      id: "earlier-outcome",
      says: [
        "An earlier create of this document has no known outcome. `pulumi up` looks for the document first, and sends nothing that has already arrived.",
        "An earlier run created … … for this resource and was interrupted before state knew.",
      ],
      means: "A preview after an interrupted run.",
      todo: "Nothing: `pulumi up` looks first.",
      warning: true,
      at: ["Document", "Folder"],
    },
    {
      id: "cancelled-create",
      says: [
        "cancelled while the document was being created, so it isn't known whether the service has it. Run `pulumi up` again: it is looked for before anything is sent.",
        "cancelled while looking for the document. Run `pulumi up` again: it is looked for before anything is sent.",
      ],
      means: "Ctrl-C during a create.",
      todo: "Run `pulumi up` again.",
    },
    {
      id: "not-read-back",
      says: ["document … was created and its invitations are out, but it couldn't be read back: …"],
      means: "The document exists, and state keeps it as partly created.",
      todo: "Run `pulumi up` again: it is read then, and no one is mailed.",
    },
    {
      id: "wrong-folder",
      says: ["document … was created, but the service put it into … instead of folder …."],
      means: "The service ignored `folderId`, which its public interface doesn't show.",
      todo: "Move the document on the platform and run `pulumi up`, or take `folderId` out of the program.",
    },
    {
      id: "folder-unknown",
      says: ["it isn't known whether the folder was created: …."],
      means: "The answer was lost, and the service can't list folders.",
      todo: "Look on the platform. If it is there, `pulumi import` it; if not, delete the journal's entry with the line it prints.",
      at: ["Folder"],
    },
    {
      id: "journal",
      says: [
        "the journal in … can't be written or read (…), and without it nothing is created: a crash would mail people twice.",
        "what this machine remembers of this resource can't be read, so it isn't known whether an earlier run created it. Nothing was sent.",
      ],
      means: "The folder the journal lies in is read-only, full or damaged.",
      todo: "Make it writable, or set `DOCSIGN_STATE_DIR` to a folder that is.",
      at: ["Document", "Folder", "Reminder"],
    },
    {
      id: "journal-unavailable",
      says: ["… can't be used (…), and without it nothing is created: a crash would mail people twice. …"],
      means:
        "The journal's folder is read-only or full, its data base or bucket can't be reached, or `docsign:journal` names none. Previews, refreshes and destroys go on.",
      todo: "See to the reason in brackets, or choose another place with `docsign:journal` or `DOCSIGN_JOURNAL`.",
      at: ["Document", "Folder", "Reminder"],
    },
    {
      id: "journal-reason",
      says: [
        "expected an answer within … s, got none",
        'expected "local", "postgres://…" or "s3://…"',
        "expected a service that keeps If-None-Match and If-Match, got one that ignores them",
        "expected a line this version can read, got one of a newer version: upgrade the provider",
      ],
      means: "Why the journal can't be used: the reason in brackets.",
      todo: "Look at the network, the setting, the S3 service or the provider's version.",
    },
    {
      id: "journal-note",
      says: ["document … was created, and this machine can't note it: …"],
      means: "The journal can't be written just after a create.",
      todo: "Make its folder writable. State has the document.",
      warning: true,
    },
  ],
};
