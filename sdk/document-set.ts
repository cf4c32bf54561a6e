import * as pulumi from "@pulumi/pulumi";
import type { DocumentSetOutputs } from "../provider/resources/document-set/declaration.js";
import type { DocumentArgs } from "./document.js";
import { dynamicTypeOf } from "./front-end.js";
import { base64Of, briefTraces, isOfKind, mapped, optionsOf, outputNames, propsOf } from "./inputs.js";
import type { DocumentSetDocument, DocumentSetSummary, WaitingSigner, WhenSigned } from "./types.js";

/** What a Document takes, or a part of it. */
export type DocumentSetRow = Partial<DocumentArgs>;

export interface DocumentSetArgs {
  /**
   * The documents by key, each over `defaults`. The key is a document's identity: its name and its place may change. Give
   * either this or `table`.
   */
  documents?: pulumi.Input<Record<string, pulumi.Input<DocumentSetRow>>>;
  /**
   * The documents as a CSV asset with a header: comma, semicolon or tab, in UTF-8. Each row is one document, made of
   * `defaults` with the row's cells in them. Give either this or `documents`.
   */
  table?: pulumi.Input<pulumi.asset.Asset>;
  /**
   * The key of a table's row, as a text with `{{column}}` in it. The key is a document's identity: the order of rows
   * doesn't matter, and a row's name may change. Only with `table`.
   */
  key?: pulumi.Input<string>;
  /**
   * What holds for all documents. With `table`, each of its texts takes `{{column}}`, those of `invitations` and `variables`
   * too; `base64File`, `pageSize` and `title` hold for the whole set.
   */
  defaults?: pulumi.Input<DocumentSetRow>;
  /**
   * What happens when a row changes whose document is signed, even in part: `refuse` (default) refuses the whole update
   * before anything is sent, `keep` leaves those documents as they are, lists them in `kept` and replaces the others.
   */
  whenSigned?: pulumi.Input<WhenSigned>;
  /**
   * Whether the last rows may leave the set: `false` (default) refuses an update after which none is left, because a file
   * may have come out empty by accident.
   */
  allowEmpty?: pulumi.Input<boolean>;
}

/** Outputs of a {@link DocumentSet}. */
const OUTPUTS = outputNames<DocumentSetOutputs, DocumentSet>({
  documents: true,
  documentIds: true,
  waitingFor: true,
  summary: true,
  kept: true,
  drift: true,
  certificatesNeedKey: true,
  service: true,
});

/**
 * Many documents as one resource, one for each key.
 *
 * A new row is created, which mails the people in it. A changed row is replaced, under the same guard as a Document: only
 * while the service says that its document is `unsigned`. A removed row is forgotten, and its invitations stay open at the
 * service. Before anything is sent, the service is asked about every row that would be replaced.
 *
 * What was done before an error stays done, and the next `pulumi up` goes on with the rest: nobody is mailed twice.
 *
 * @example
 * ```ts
 * const ndas = new docsign.DocumentSet("ndas", {
 *   table: new pulumi.asset.FileAsset("team.csv"), // email,name,start
 *   key: "{{email}}",
 *   defaults: {
 *     name: "NDA of {{name}}",
 *     template: new pulumi.asset.FileAsset("nda.md"),
 *     variables: { name: "{{name}}", start: "{{start}}" },
 *     invitations: [{ email: "{{email}}", name: "{{name}}" }],
 *   },
 * });
 *
 * export const waitingFor = ndas.waitingFor;
 * ```
 */
export class DocumentSet extends pulumi.CustomResource {
  /** The documents by key. Secret where `documents`, `table` or `defaults` are. */
  declare readonly documents: pulumi.Output<Record<string, DocumentSetDocument>>;
  /** Ids of the documents, in order of their keys. */
  declare readonly documentIds: pulumi.Output<string[]>;
  /**
   * Whose turn it is to sign, by key. People of a later stage aren't mailed until it is open: `documents` has them in
   * `pendingSigners`. Secret where `documents`, `table` or `defaults` are.
   */
  declare readonly waitingFor: pulumi.Output<WaitingSigner[]>;
  /** How many documents stand where. */
  declare readonly summary: pulumi.Output<DocumentSetSummary>;
  /** Keys of documents that somebody has signed and a change left as they are, with `whenSigned: "keep"`. */
  declare readonly kept: pulumi.Output<string[]>;
  /** Keys of documents that are no longer, at the service, what the program says. */
  declare readonly drift: pulumi.Output<string[]>;
  /**
   * Whether the addresses of the rows' blockchain certificates want the account's key (`x-api-key`), found out by trying one
   * in a refresh. Null while none is ready, and where neither way leads to a PDF.
   */
  declare readonly certificatesNeedKey: pulumi.Output<boolean | null>;
  /** Origin of the service that holds the documents. */
  declare readonly service: pulumi.Output<string>;

  /**
   * @param name - Name of the resource in the program. It must be unique in the stack.
   * @param args - What the documents are and who signs them.
   * @param opts - Pulumi's resource options. `import: "folder/1234"` takes over the documents of a folder, keyed by id, and
   *   mails no one; `folder/1234/name`, `/description` and `/email` (the first person invited) key them by that. For
   *   `ignoreChanges`, the input `documents` is called `documentRows`.
   */
  constructor(name: string, args: DocumentSetArgs, opts: pulumi.CustomResourceOptions = {}) {
    const back = briefTraces();
    try {
      const given = {
        ...args,
        documents: mapped(args?.documents, rowsWithBase64),
        defaults: mapped(args?.defaults, rowWithBase64),
      };
      const props = propsOf("DocumentSet", name, given, OUTPUTS, opts);
      super(dynamicTypeOf("DocumentSet"), name, props, optionsOf("DocumentSet", opts));
    } finally {
      back();
    }
  }

  /**
   * The documents of a folder, to read and not to manage.
   *
   * @param name - Name of the resource in the program.
   * @param id - `folder/1234`, as for `import`.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: pulumi.CustomResourceOptions = {}): DocumentSet {
    return new DocumentSet(name, {}, { ...opts, id });
  }

  /** Whether this is a DocumentSet, also where the SDK is loaded twice. */
  static override isInstance(value: unknown): value is DocumentSet {
    return isOfKind("DocumentSet", value);
  }
}

function rowsWithBase64(rows: Record<string, pulumi.Input<DocumentSetRow>>) {
  // Pulumi's Node.js SDK drops such a key on its way to the engine, and the row with it.
  if (Object.hasOwn(rows, "__proto__"))
    throw new pulumi.RunError('documents["__proto__"]: expected another key, as Pulumi\'s Node.js SDK drops this one');
  return Object.fromEntries(Object.entries(rows).map(withBase64));
}

const withBase64 = ([key, row]: [string, pulumi.Input<DocumentSetRow>]) => [key, mapped(row, rowWithBase64)] as const;

function rowWithBase64(row: DocumentSetRow): DocumentSetRow {
  const base64File = base64Of(row?.base64File);
  return base64File === undefined ? row : { ...row, base64File };
}
