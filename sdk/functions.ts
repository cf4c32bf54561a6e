import * as pulumi from "@pulumi/pulumi";
import type {
  GetCertificatesArgs,
  GetCertificatesResult,
  GetDocumentArgs,
  GetDocumentResult,
  GetDocumentsArgs,
  GetDocumentsByDateRangeArgs,
  GetDocumentsByDateRangeResult,
  GetDocumentsResult,
  GetEvidenceArgs,
  GetEvidenceResult,
  GetSignersArgs,
  GetSignersResult,
  GetUnmanagedDocumentsArgs,
  GetUnmanagedDocumentsResult,
} from "./function-types.js";

/** Arguments of a function as its `…Output` twin takes them. */
export type Inputs<T> = {
  [K in keyof T]: pulumi.Input<T[K] extends (infer E)[] | undefined ? pulumi.Input<E>[] : T[K]>;
};

/**
 * Everything the service returns of a document: what the `Document` resource shows, and beyond that every version with its
 * signers, comments and certificates. Works for any document the key can see, whoever created it.
 *
 * @example
 * ```ts
 * const nda = await docsign.getDocument({ documentId: "4711" });
 * ```
 */
export function getDocument(args: GetDocumentArgs): Promise<GetDocumentResult> {
  return invoke("getDocument", args);
}

/**
 * {@link getDocument} with inputs that may be outputs of other resources. It is asked once they are known.
 *
 * @example
 * ```ts
 * const full = docsign.getDocumentOutput({ documentId: nda.documentId });
 * ```
 */
export const getDocumentOutput = outputOf(getDocument);

/**
 * The documents the key can see, of one folder or organization where asked for. The service doesn't show whether its list
 * is cut into pages: `truncated` says what is known of that.
 *
 * @example
 * ```ts
 * const { documents } = await docsign.getDocuments({ folderId: "12" });
 * ```
 */
export function getDocuments(args: GetDocumentsArgs = {}): Promise<GetDocumentsResult> {
  return invoke("getDocuments", args);
}

/**
 * {@link getDocuments} with inputs that may be outputs of other resources. It is asked once they are known.
 *
 * @example
 * ```ts
 * const inFolder = docsign.getDocumentsOutput({ folderId: folder.folderId });
 * ```
 */
export function getDocumentsOutput(
  args: Inputs<GetDocumentsArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetDocumentsResult> {
  return outputOf(getDocuments)(args, opts);
}

/**
 * The documents of a range of days, in one status or in any.
 *
 * The service answers for one status at a time: with `status` left out it is asked for each of the three, and for a day
 * more on both sides: rows are filtered by the date in their `createdAt`, at the offset given there. Rows don't show their folder, so `folderId` is looked up on the folder's own list, which is read as well.
 *
 * @example
 * ```ts
 * const signed = await docsign.getDocumentsByDateRange({ fromDate: "2026-01-01", toDate: "2026-03-31", status: "signed" });
 * ```
 */
export function getDocumentsByDateRange(args: GetDocumentsByDateRangeArgs): Promise<GetDocumentsByDateRangeResult> {
  return invoke("getDocumentsByDateRange", args);
}

/**
 * {@link getDocumentsByDateRange} with inputs that may be outputs of other resources. It is asked once they are known.
 *
 * @example
 * ```ts
 * const dated = docsign.getDocumentsByDateRangeOutput({ fromDate: config.require("from"), toDate: config.require("to") });
 * ```
 */
export const getDocumentsByDateRangeOutput = outputOf(getDocumentsByDateRange);

/**
 * Who is invited to sign a document, and who has signed its latest version.
 *
 * @example
 * ```ts
 * const { pendingSigners } = await docsign.getSigners({ documentId: "4711" });
 * ```
 */
export function getSigners(args: GetSignersArgs): Promise<GetSignersResult> {
  return invoke("getSigners", args);
}

/**
 * {@link getSigners} with inputs that may be outputs of other resources. It is asked once they are known.
 *
 * @example
 * ```ts
 * const waiting = docsign.getSignersOutput({ documentId: nda.documentId }).pendingSigners;
 * ```
 */
export const getSignersOutput = outputOf(getSigners);

/**
 * The certificates of a document's latest version: where the blockchain certificates can be downloaded, and the NOM151
 * certificate itself. Not being ready yet is an answer, not an error, unless `require` says what has to be there.
 *
 * @example
 * ```ts
 * const { certificates, nom151 } = await docsign.getCertificates({ documentId: "4711" });
 * ```
 */
export function getCertificates(args: GetCertificatesArgs): Promise<GetCertificatesResult> {
  return invoke("getCertificates", args);
}

/**
 * {@link getCertificates} with inputs that may be outputs of other resources. It is asked once they are known.
 *
 * @example
 * ```ts
 * const documentId = signing.requireOutput("documentId");
 * const { btcUrl } = docsign.getCertificatesOutput({ documentId, require: "blockchain" }).certificates;
 * ```
 */
export const getCertificatesOutput = outputOf(getCertificates);

/**
 * Checks what proves that a document was signed, and writes nothing: `docsign evidence pull` writes the files, and a script calls
 * `downloadEvidence` of `pulumi-docsign/evidence`. If a file isn't what the service says it is, the program ends with an error.
 *
 * @example
 * ```ts
 * const { files, complete } = await docsign.getEvidence({ documentId: "4711" });
 * ```
 */
export function getEvidence(args: GetEvidenceArgs): Promise<GetEvidenceResult> {
  return invoke<GetEvidenceResult>("getEvidence", args);
}

/**
 * {@link getEvidence} with inputs that may be outputs of other resources. It is asked once they are known.
 *
 * @example
 * ```ts
 * const { complete } = docsign.getEvidenceOutput({ documentId: nda.documentId });
 * ```
 */
export const getEvidenceOutput = outputOf(getEvidence);

/**
 * The documents that nobody manages: those the service lists, without those in `managedIds`. A function can't see state, so
 * the program says what it manages: its documents' `documentId`, and their `supersedes` where replaced ones count as managed.
 *
 * @example
 * ```ts
 * const { documents } = await docsign.getUnmanagedDocuments({ managedIds: ["4711"], folderId: "12" });
 * ```
 */
export function getUnmanagedDocuments(args: GetUnmanagedDocumentsArgs): Promise<GetUnmanagedDocumentsResult> {
  return invoke("getUnmanagedDocuments", args);
}

/**
 * {@link getUnmanagedDocuments} with inputs that may be outputs of other resources. It is asked once they are known.
 *
 * @example
 * ```ts
 * const strays = docsign.getUnmanagedDocumentsOutput({ managedIds: [nda.documentId] }).documents;
 * ```
 */
export const getUnmanagedDocumentsOutput = outputOf(getUnmanagedDocuments);

// ---- How they are asked ----

/** Asks in this process, with the stack's configuration. Under `pulumi.runtime.setMocks` the mocks are asked instead. */
async function invoke<R>(name: string, args: object): Promise<R> {
  const token = `docsign:index:${name}`;
  if (isMocked()) return (await pulumi.runtime.invoke(token, { ...args })) as R;
  const config = new pulumi.Config("docsign");
  const { answer } = await import("./runtime.js");
  const { info, warn, debug } = pulumi.log;
  const log = {
    info: (message: string) => void info(message),
    warn: (message: string) => void warn(message),
    progress: (message: string) => void debug(message),
    debug: (message: string) => void debug(message),
  };
  const answered = await answer({ token, args: { ...args }, setting: key => config.get(key), log });
  if ("problem" in answered) throw new pulumi.RunError(`${name}: ${answered.problem}`);
  return answered.result as R;
}

/**
 * A function's `…Output` twin. It waits for the arguments, and for `dependsOn`. What isn't known yet in a preview reaches nobody:
 * the answer is unknown too.
 */
function outputOf<A extends object, R>(fn: (args: A) => Promise<R>) {
  return (args: Inputs<A>, opts?: pulumi.InvokeOutputOptions): pulumi.Output<R> => {
    const ready = pulumi
      .output(opts?.dependsOn)
      .apply(given =>
        pulumi.all([given ?? []].flat().map(each => (pulumi.CustomResource.isInstance(each) ? each.id : each.urn))),
      );
    return pulumi.all([pulumi.output(args), ready]).apply(([known]) => fn(known as A)) as pulumi.Output<R>;
  };
}

function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
