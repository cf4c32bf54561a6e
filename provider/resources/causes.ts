interface Cause {
  /** The resources that report it. */
  readonly at: readonly ("Folder" | "Document" | "DocumentSet" | "SignatureGate" | "Reminder")[];
  readonly means: string;
  readonly todo: string;
  /** Nothing is wrong: whether the document was sent isn't known. */
  readonly unclear?: true;
}

/**
 * Why the provider refuses: each cause's name is at the end of its message's first line, as `[docsign/<name>]`.
 * docs/errors.md has a heading for each, written from these.
 */
export const CAUSES = {
  "replace-signed": {
    at: ["Document", "DocumentSet"],
    means: "Somebody has signed the document, or its status isn't `unsigned`, so it is not replaced.",
    todo: 'Take the change back, ignore it (`ignoreChanges`), or declare the changed contract as a new resource. Of a set: put the row back, set `whenSigned: "keep"`, or give the changed contract another key.',
  },
  "replace-unconfirmed": {
    at: ["Document", "DocumentSet", "Folder"],
    means: "The service didn't confirm that the document may be replaced: it couldn't be read.",
    todo: "Check `docsign:baseUrl` and whose key is configured, and run `pulumi up` again once the service answers. A document that isn't shown may still exist: only `pulumi state delete` lets go of it.",
  },
  "replace-unknown-predecessor": {
    at: ["Document"],
    means: "The engine replaces a resource without showing the provider which document it holds.",
    todo: "Set the resource option `deleteBeforeReplace: true`: the engine then shows the document before it is replaced.",
  },
  "folder-not-empty": {
    at: ["Folder"],
    means: "The folder holds documents, and a new folder would replace them and mail people again.",
    todo: "Take the new name back, or declare the new folder as a resource of its own.",
  },
  "emptied-set": {
    at: ["DocumentSet"],
    means:
      "The program gives the set no rows any more, and it holds documents: the table may have come out empty by accident.",
    todo: "Put the rows back. To let go of all of them on purpose, set `allowEmpty: true` or take the set out of the program: the documents stay at the service.",
  },
  "create-unconfirmed": {
    unclear: true,
    at: ["Document"],
    means:
      "A create was sent, and the service doesn't show whether it led to a document. Nothing is sent again without proof.",
    todo: "Run `pulumi up` again later: it looks first. If you have made sure that the document isn't there, let the provider forget the attempt with `DOCSIGN_FORGET`.",
  },
  "create-elsewhere": {
    unclear: true,
    at: ["Document"],
    means: "Another run has sent the same create, and its outcome isn't known yet.",
    todo: "Wait until that run has ended, and run `pulumi up` again.",
  },
  "create-ambiguous": {
    unclear: true,
    at: ["Document"],
    means: "Several documents may be the one that a lost create led to.",
    todo: "Look at them on the platform, and import the one that belongs to this resource.",
  },
  "created-with-other-content": {
    at: ["Document"],
    means: "An earlier run created a document with other content for this resource, and state doesn't hold it.",
    todo: "Import it, or let the provider forget it with `DOCSIGN_FORGET`: then a new one is created, which mails people again.",
  },
  duplicate: {
    at: ["Document"],
    means:
      "A document with the same name and people is at the service already, and this resource doesn't hold it. The message says who does as far as is known, and whether PDF and description are the same, too.",
    todo: "A resource that was renamed or moved: set `aliases` to the URN that it had. Otherwise import it, take it over (`DOCSIGN_ADOPT`, by its id), or create another one on purpose (`docsign:duplicatePolicy: create`). The setting holds for the whole stack: remove it afterwards.",
  },
  "duplicate-unconfirmed": {
    unclear: true,
    at: ["Document"],
    means:
      "The service lists a document of the same name that can't be read, so it isn't known whether an earlier run sent it for this resource.",
    todo: "Run `pulumi up` again once the service shows it, give the new document another name, or create it on purpose (`docsign:duplicatePolicy: create`). The setting holds for the whole stack: remove it afterwards.",
  },
  "other-service": {
    at: ["Document", "Folder", "SignatureGate", "Reminder"],
    means: "The resource lives at another service than the one the provider is configured for.",
    todo: "Set `docsign:baseUrl` back, or give the resource a provider of its own.",
  },
  "not-shown": {
    at: ["Document"],
    means: "The service doesn't show the document to this account.",
    todo: "Check the id, `docsign:baseUrl` and whose key is configured. To let go of a document in state: `pulumi state delete`.",
  },
  "other-document": {
    at: ["Document"],
    means: "The id in state names a document that isn't the one state describes: its outputs were imported or edited.",
    todo: "Remove the resource from state with `pulumi state delete`, and import the document that the program declares.",
  },
  "folder-unconfirmed": {
    at: ["Folder"],
    means: "A folder's creation was sent, and its outcome isn't known. The service can't list folders.",
    todo: "Look on the platform. The next `pulumi up` goes on, unless `docsign:unconfirmedFolder` is `refuse`.",
  },
  "folder-placement": {
    at: ["Document"],
    means:
      "The service put the document into another folder than the program says, and `docsign:folderPlacement` is `require`.",
    todo: "Move it on the platform and run `pulumi up`, or take `folderId` out of the program.",
  },
  "cancelled-create": {
    at: ["Document"],
    means: "The run was cancelled while a create was on its way.",
    todo: "Run `pulumi up` again: the document is looked for before anything is sent.",
  },
  "update-replaces": {
    at: ["Document", "Folder", "SignatureGate", "Reminder"],
    means:
      "The service can't change what the update asks for: that takes a new resource. `pulumi do … patch` is refused.",
    todo: "Create a new one with `pulumi do`, or change the program of the stack that manages it and run `pulumi up`.",
  },
} as const satisfies Record<string, Cause>;

export type CauseName = keyof typeof CAUSES;

export const isUnclear = (cause: CauseName | undefined): boolean =>
  cause !== undefined && (CAUSES[cause] as Cause).unclear === true;
