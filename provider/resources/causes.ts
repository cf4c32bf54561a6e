/** Why the provider refuses: each cause's name is at the end of its message's first line, as `[docsign/<name>]`. */
export const CAUSES = {
  "replace-signed": {
    means: "The document is not unsigned, so it is not replaced.",
    todo: "Take the change back, ignore it (`ignoreChanges`), or declare the changed contract as a new resource.",
  },
  "replace-unconfirmed": {
    means: "The service didn't confirm that the document may be replaced: it couldn't be read.",
    todo: "Check `docsign:baseUrl` and whose key is configured, and run `pulumi up` again once the service answers.",
  },
  "replace-unknown-predecessor": {
    means: "The engine replaces a resource without showing the provider which document it holds.",
    todo: "Set the resource option `deleteBeforeReplace: true`: the engine then shows the document before it is replaced.",
  },
  "folder-not-empty": {
    means: "The folder holds documents, and a new folder would replace them and mail people again.",
    todo: "Take the new name back, or declare the new folder as a resource of its own.",
  },
  "create-unconfirmed": {
    means:
      "A create was sent, and the service doesn't show whether it led to a document. Nothing is sent again without proof.",
    todo: "Run `pulumi up` again later: it looks first. If you have made sure that the document isn't there, let the provider forget the attempt with `DOCSIGN_FORGET`.",
  },
  "create-elsewhere": {
    means: "Another run has sent the same create, and its outcome isn't known yet.",
    todo: "Wait until that run has ended, and run `pulumi up` again.",
  },
  "create-ambiguous": {
    means: "Several documents may be the one that a lost create led to.",
    todo: "Look at them on the platform, and import the one that belongs to this resource.",
  },
  "created-with-other-content": {
    means: "An earlier run created a document with other content for this resource, and state doesn't hold it.",
    todo: "Import it, or let the provider forget it with `DOCSIGN_FORGET`.",
  },
  "created-before": {
    means: "An earlier run created this document, and state may have lost it.",
    todo: "Run `pulumi refresh` or import the document.",
  },
  duplicate: {
    means: "A document with the same name, PDF and people is at the service already, and isn't this resource's own.",
    todo: "Import it, take it over (`docsign:duplicatePolicy: adopt`), or create another one on purpose (`docsign:duplicatePolicy: create`).",
  },
  "other-service": {
    means: "The resource lives at another service than the one the provider is configured for.",
    todo: "Set `docsign:baseUrl` back, or give the resource a provider of its own.",
  },
  "not-shown": {
    means: "The service doesn't show the document to this account.",
    todo: "Check the id, `docsign:baseUrl` and whose key is configured.",
  },
  "other-document": {
    means: "The id in state names a document that isn't the one state describes: its outputs were imported or edited.",
    todo: "Remove the resource from state with `pulumi state delete`, and import the document that the program declares.",
  },
  "folder-unconfirmed": {
    means: "A folder's creation was sent, and its outcome isn't known. The service can't list folders.",
    todo: "Look on the platform. The next `pulumi up` goes on, unless `docsign:unconfirmedFolder` is `refuse`.",
  },
  "folder-placement": {
    means:
      "The service put the document into another folder than the program says, and `docsign:folderPlacement` is `require`.",
    todo: "Move it on the platform and run `pulumi up`, or take `folderId` out of the program.",
  },
  "cancelled-create": {
    means: "The run was cancelled while a create was on its way.",
    todo: "Run `pulumi up` again: the document is looked for before anything is sent.",
  },
  "update-replaces": {
    means: "The service can't change a document, so an update that would need a replacement is refused.",
    todo: "Change the program and run `pulumi up`, which replaces the document if it is unsigned.",
  },
} as const satisfies Record<string, { readonly means: string; readonly todo: string }>;

export type CauseName = keyof typeof CAUSES;
