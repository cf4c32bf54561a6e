import * as pulumi from "@pulumi/pulumi";
import type { DocumentOutputs } from "../provider/resources/document/declaration.js";
import { dynamicTypeOf } from "./front-end.js";
import { base64Of, briefTraces, isOfKind, optionsOf, outputNames, propsOf } from "./inputs.js";
import type {
  BlockchainCertificates,
  DocumentVersion,
  Nom151Certificate,
  Organization,
  PageSizes,
  SignatureTypes,
  Signer,
  TemplateVariable,
} from "./types.js";

/** A person invited to sign. */
export interface InvitationArgs {
  /** Address of the person invited to sign, of at most 1000 characters. An address given twice in a stage is mailed twice, after a warning. */
  email: pulumi.Input<string>;
  /** Name of the person invited to sign, of at most 10000 characters. */
  name?: pulumi.Input<string>;
  /**
   * Text sent with the invitation, of at most 100000 characters. It is used at creation only and can't be read back, so
   * changing it alone changes nothing and mails no one.
   */
  message?: pulumi.Input<string>;
  /** How this person may sign: `all`, `autograph` or `advanced`. Left out, the service decides. */
  allowedSignatureTypes?: pulumi.Input<SignatureTypes>;
  /** Signing stage of this person, from 0 to 1000000: those of a later stage are asked after those of an earlier one. */
  stage?: pulumi.Input<number>;
}

export interface DocumentArgs {
  /** Title of the document, of 1 to 10000 characters. */
  name: pulumi.Input<string>;
  /** Description of the document, of at most 100000 characters. */
  description?: pulumi.Input<string>;
  /**
   * Id of the folder the document is created in, such as `folder.folderId`. The service's public interface doesn't show
   * this parameter: it is sent, and verified afterwards.
   */
  folderId?: pulumi.Input<string | number>;
  /** Who is invited to sign, at least one person. Creating the document mails each of them. */
  invitations: pulumi.Input<pulumi.Input<InvitationArgs>[]>;
  /**
   * The PDF as an asset: `new pulumi.asset.FileAsset("nda.pdf")`, a string asset or a remote one. Give one of
   * this, `base64File` and `template`. Its content never enters state: two PDFs are the same when their SHA-256 is.
   */
  file?: pulumi.Input<pulumi.asset.Asset>;
  /**
   * The PDF in base64, as a data URI (`data:application/pdf;base64,…`) or bare; or its bytes, as a `Buffer` or
   * `Uint8Array`. Give one of this, `file` and `template`. State keeps `sha256:<hex>` instead.
   */
  base64File?: pulumi.Input<string | Uint8Array>;
  /**
   * A Markdown contract or a PDF form (AcroForm) as an asset: `new pulumi.asset.FileAsset("nda.md")`. The provider renders
   * the PDF, the same bytes as `renderTemplate`. What changes the document is a change of the template, of `variables` or
   * of an option: nothing is rendered to find that out, and state keeps no content.
   */
  template?: pulumi.Input<pulumi.asset.Asset>;
  /**
   * Text for every `{{name}}` of a Markdown template, or for every field of a PDF form; a list for every `{{#each}}`, of texts
   * or of texts by name; `true` or `false` where there is only an `{{#if}}`. A value is printed as it is: nothing in it is
   * Markdown. A missing variable and one that the template doesn't use are errors at preview.
   */
  variables?: pulumi.Input<Record<string, pulumi.Input<TemplateVariable>>>;
  /**
   * TrueType or OpenType fonts for characters that the built-in fonts lack, in order of preference. Only with `template`.
   */
  fonts?: pulumi.Input<pulumi.Input<pulumi.asset.Asset>[]>;
  /** Page size of a Markdown template: `A4` (default) or `Letter`. Only with `template`. */
  pageSize?: pulumi.Input<PageSizes>;
  /** Whether the pages of a Markdown template are numbered (default `true`). Only with `template`. */
  pageNumbers?: pulumi.Input<boolean>;
  /**
   * Title in the properties of the rendered PDF (default: the first heading of a Markdown template), of 1 to 1000
   * characters on one line. Only with `template`; the document's own title is `name`.
   */
  title?: pulumi.Input<string>;
  /**
   * Passed through into the create request as it is, for options the service's public interface doesn't list. May not
   * name a field the provider sets (`name`, `description`, `folder_id`, `invitations_attributes`, `base64_file`).
   */
  extraParameters?: pulumi.Input<Record<string, unknown>>;
  /**
   * The day from which the contract holds, such as `2027-03-01`. The service knows nothing of it: it is kept in state, and a
   * change mails no one.
   */
  effectiveFrom?: pulumi.Input<string | undefined>;
  /**
   * The last day on which the contract holds, after `effectiveFrom`. The service knows nothing of it: it is kept in state,
   * and a change mails no one.
   */
  expiresAt?: pulumi.Input<string | undefined>;
  /**
   * How long before its end the contract is to be renewed, such as `30d`. Only with `expiresAt`. It is kept in state, and a
   * change mails no one.
   */
  renewBefore?: pulumi.Input<string | undefined>;
}

/** Outputs of a {@link Document}. */
const OUTPUTS = outputNames<DocumentOutputs, Document>({
  documentId: true,
  name: true,
  description: true,
  folderId: true,
  status: true,
  allSigned: true,
  signers: true,
  pendingSigners: true,
  lastVersion: true,
  versions: true,
  sha256: true,
  fileUrl: true,
  signedFileUrl: true,
  signedSha256: true,
  certificates: true,
  certificatesNeedKey: true,
  nom151: true,
  createdAt: true,
  updatedAt: true,
  ownerId: true,
  organization: true,
  effectiveFrom: true,
  expiresAt: true,
  renewBefore: true,
  supersedes: true,
  supersededContents: true,
  sentPdfHash: true,
  drift: true,
  imported: true,
  service: true,
});

/**
 * A PDF sent out to be signed.
 *
 * Creating a document uploads the PDF and mails an invitation to everyone in `invitations`. The service can change nothing
 * of a document afterwards, so every changed input, but for the terms (`effectiveFrom`, `expiresAt`, `renewBefore`), is a
 * replacement: a new document, and new mail. A replacement goes ahead only while the service says the document is `unsigned`; anything signed, even in part, is never replaced.
 *
 * Deleting the resource forgets it: the service has no way to delete a document, and invitations stay open there.
 *
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import * as docsign from "pulumi-docsign/dynamic";
 *
 * const nda = new docsign.Document("nda", {
 *   name: "NDA with Acme",
 *   file: new pulumi.asset.FileAsset("contracts/nda.pdf"),
 *   invitations: [{ email: "ana@example.com", name: "Ana" }, { email: "bob@example.org", stage: 2 }],
 * });
 *
 * export const status = nda.status;
 * export const pendingSigners = nda.pendingSigners;
 * ```
 */
export class Document extends pulumi.CustomResource {
  /** Id of the document. */
  declare readonly documentId: pulumi.Output<string>;
  /** Title, as the service holds it. */
  declare readonly name: pulumi.Output<string>;
  /** Description, as the service holds it. */
  declare readonly description: pulumi.Output<string | undefined>;
  /** Id of the folder the document is in. */
  declare readonly folderId: pulumi.Output<string | undefined>;
  /** `unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is. */
  declare readonly status: pulumi.Output<string>;
  /** Whether every signer of the latest version has signed, counted from the signers themselves. */
  declare readonly allSigned: pulumi.Output<boolean>;
  /** One row for each person invited, in order of stage and invitation. Secret where `invitations` are. */
  declare readonly signers: pulumi.Output<Signer[]>;
  /** Addresses of those who haven't signed the latest version. Secret where `invitations` are. */
  declare readonly pendingSigners: pulumi.Output<string[]>;
  /** Number of the latest version. */
  declare readonly lastVersion: pulumi.Output<string | undefined>;
  /** Every version of the document's file. */
  declare readonly versions: pulumi.Output<DocumentVersion[]>;
  /** SHA-256 of the latest version's PDF. */
  declare readonly sha256: pulumi.Output<string | undefined>;
  /** Address of the latest version's original PDF; null where the service names none. */
  declare readonly fileUrl: pulumi.Output<string | null>;
  /** Address of the latest version's signed PDF; null where the service names none. */
  declare readonly signedFileUrl: pulumi.Output<string | null>;
  /** SHA-256 of the signed PDF, to check a download against; null until the service states it. */
  declare readonly signedSha256: pulumi.Output<string | null>;
  /** The blockchain certificates of the latest version. */
  declare readonly certificates: pulumi.Output<BlockchainCertificates>;
  /**
   * Whether the addresses of the blockchain certificates want the account's key (`x-api-key`), found out by trying once.
   * Null while they aren't ready, and where neither way leads to a PDF.
   */
  declare readonly certificatesNeedKey: pulumi.Output<boolean | null>;
  /** The NOM151 certificate of the latest version. */
  declare readonly nom151: pulumi.Output<Nom151Certificate>;
  /** When the document was created. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the document last changed. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** Id of the account that owns the document. */
  declare readonly ownerId: pulumi.Output<string | undefined>;
  /** The organization the document belongs to. */
  declare readonly organization: pulumi.Output<Organization | undefined>;
  /** The day from which the contract holds, as the program says it. */
  declare readonly effectiveFrom: pulumi.Output<string | undefined>;
  /** The last day on which the contract holds, as the program says it: what a gate or a reminder may take. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  /** How long before its end the contract is to be renewed, as the program says it. */
  declare readonly renewBefore: pulumi.Output<string | undefined>;
  /** Ids of the documents this resource held before. They are still alive at the service. */
  declare readonly supersedes: pulumi.Output<string[]>;
  /** Short hashes of what the documents in `supersedes` were made of, by their ids, as far as they are known. A program that goes back to one of them gets it back. */
  declare readonly supersededContents: pulumi.Output<Record<string, string> | undefined>;
  /**
   * Short hash of the PDF that was sent, where it was rendered, or the service shows none or another one's. A program that
   * gives the same PDF in another way changes nothing.
   */
  declare readonly sentPdfHash: pulumi.Output<string | undefined>;
  /** Names of the inputs whose value at the service is no longer what the program says. */
  declare readonly drift: pulumi.Output<string[]>;
  /**
   * Whether this resource was imported. What the service doesn't return of an imported document (stages and signature
   * types in its basic form) is compared with what the program said of it before, if it did.
   */
  declare readonly imported: pulumi.Output<boolean>;
  /** Origin of the service that holds the document. */
  declare readonly service: pulumi.Output<string>;

  /**
   * @param name - Name of the resource in the program. It must be unique in the stack.
   * @param args - What the document is and who signs it.
   * @param opts - Pulumi's resource options. `deleteBeforeReplace` is set unless you set it, so that nothing signed is
   *   replaced by force either. `import` takes a document that is already there by its id, and mails no one. To keep a
   *   signed document while the PDF in git moves on, set `ignoreChanges: ["file", "base64File"]`, both.
   */
  constructor(name: string, args: DocumentArgs, opts: pulumi.CustomResourceOptions = {}) {
    const back = briefTraces();
    try {
      const props = propsOf("Document", name, { ...args, base64File: base64Of(args?.base64File) }, OUTPUTS, opts);
      super(dynamicTypeOf("Document"), name, props, optionsOf("Document", opts));
      // In a preview of an update the engine knows no other output, and what depends on the document would look replaced.
      if (pulumi.runtime.isDryRun()) this.documentId = this.id;
    } finally {
      back();
    }
  }

  /**
   * A document that is already there, to read and not to manage.
   *
   * @param name - Name of the resource in the program.
   * @param id - Id of the document at the service.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: pulumi.CustomResourceOptions = {}): Document {
    return new Document(name, {} as DocumentArgs, { ...opts, id });
  }

  /** Whether this is a Document, also where the SDK is loaded twice. */
  static override isInstance(value: unknown): value is Document {
    return isOfKind("Document", value);
  }
}
