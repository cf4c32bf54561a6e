import { createHash } from "node:crypto";
import type { Bytes } from "../../client/service.js";
import { Archive, Asset, isUnknown, UNKNOWN, type Unknown, type Value, type Values } from "../../schema/values.js";
import { type Failure, UserError } from "../resource.js";
import { type FetchRemote, fileBytes, hashOfFile, localPath, remoteBytes, wrongWithFile } from "./asset-source.js";
import { decodePdf, hashInMark, markOf, wrongWith } from "./base64.js";
import type { HeldPdfs } from "./held-pdfs.js";

export interface PdfSources {
  readonly held: HeldPdfs;
  readonly fetchRemote: FetchRemote;
}

const IGNORE_BOTH = 'ignoreChanges: ["file", "base64File"]';

/** The engine prints a failing property's whole value, so these name theirs in the reason alone. */
const failure = (reason: string): Failure => ({ property: "", reason });

interface Checked {
  readonly inputs: Values;
  readonly failures: Failure[];
}

const isGiven = (value: Value | undefined): value is Value => value !== undefined && value !== null;

/** The PDF's inputs as state will keep them, and what is wrong with them. Bytes are kept only where a create can follow. */
export async function checkPdf(olds: Values | undefined, news: Values, sources: PdfSources): Promise<Checked> {
  const { file, base64File } = news;
  if (isGiven(file) && isGiven(base64File)) return { inputs: {}, failures: [bothGiven(olds, base64File)] };
  if (isGiven(file)) return checkFile(olds, file, sources);
  if (isGiven(base64File)) return checkBase64(olds, base64File, sources);
  const hadOne = isGiven(olds?.["file"]) || isGiven(olds?.["base64File"]);
  // Imported while the service kept the PDF to itself. No create can follow a Check with old inputs.
  if (olds !== undefined && !hadOne) return { inputs: {}, failures: [] };
  return {
    inputs: {},
    failures: [
      failure(
        hadOne
          ? `the PDF is missing: the program gives neither \`file\` nor \`base64File\`, and the document has one. If only one of the two is ignored, ignore both: ${IGNORE_BOTH}`
          : "the PDF is missing: give `file` (an asset) or `base64File` (its text in base64)",
      ),
    ],
  };
}

function bothGiven(olds: Values | undefined, base64File: Value): Failure {
  const onlyOneIgnored = olds !== undefined && hashInMark(base64File) !== undefined;
  return failure(
    onlyOneIgnored
      ? `\`base64File\` is ignored and \`file\` isn't, so both reach the provider. Ignore both: ${IGNORE_BOTH}. \`pulumi do … patch\` can't change a document's PDF: create a new document`
      : `given both \`file\` and \`base64File\`; wanted one of them${olds === undefined ? "" : `. If one of the two is ignored, ignore both: ${IGNORE_BOTH}`}`,
  );
}

async function checkBase64(olds: Values | undefined, given: Value, { held }: PdfSources): Promise<Checked> {
  if (isUnknown(given)) return { inputs: { base64File: UNKNOWN }, failures: [] };
  const text = String(given);
  const marked = hashInMark(text);
  if (marked !== undefined) {
    if (olds !== undefined || held.get(marked)) return { inputs: { base64File: text }, failures: [] };
    return { inputs: {}, failures: [failure(hashIsNoPdf("base64File", marked))] };
  }
  const decoded = decodePdf(text);
  if ("wrong" in decoded) return { inputs: {}, failures: [failure(`base64File: ${decoded.wrong}`)] };
  const wrong = wrongWith(decoded.bytes.subarray(0, 5), decoded.bytes.length);
  if (wrong !== null) return { inputs: {}, failures: [failure(`base64File: ${wrong}`)] };
  return { inputs: { base64File: markOf(hashAndHold(olds, decoded.bytes, held)) }, failures: [] };
}

async function checkFile(olds: Values | undefined, given: Value, sources: PdfSources): Promise<Checked> {
  const wrong = (reason: string): Checked => ({ inputs: {}, failures: [failure(`file: ${reason}`)] });
  const kept = (asset: Asset): Checked => ({ inputs: { file: asset }, failures: [] });
  if (isUnknown(given)) return { inputs: { file: UNKNOWN }, failures: [] };
  if (given instanceof Archive) return wrong("given an archive; wanted an asset with one PDF");
  if (!(given instanceof Asset)) return wrong("wanted an asset: a file, a string or a remote address");

  if (given.text !== undefined) {
    const bytes = Buffer.from(given.text, "utf8");
    const problem = wrongWith(bytes.subarray(0, 5), bytes.length);
    return problem === null ? kept(new Asset({ hash: hashAndHold(olds, bytes, sources.held) })) : wrong(problem);
  }
  const unchanged = olds !== undefined && given.hash !== undefined && given.hash === pdfHashOf(olds);
  const path = given.path ?? (given.uri === undefined ? undefined : localPath(given.uri));
  if (path !== undefined) {
    if (unchanged) return kept(given);
    const problem = wrongWithFile(path);
    return problem === null
      ? kept(new Asset({ ...given, hash: given.hash ?? (await hashOfFile(path)) }))
      : wrong(problem);
  }
  if (given.uri !== undefined) {
    if (unchanged) return kept(given);
    const fetched = await remoteBytes(given, sources.fetchRemote);
    if ("wrong" in fetched) return wrong(fetched.wrong);
    return kept(new Asset({ uri: given.uri, hash: hashAndHold(olds, fetched.bytes, sources.held) }));
  }
  if (given.hash === undefined) return wrong("given an empty asset; wanted one with a PDF");
  if (olds !== undefined || sources.held.get(given.hash)) return kept(given);
  return { inputs: {}, failures: [failure(hashIsNoPdf("file", given.hash))] };
}

const hashIsNoPdf = (name: string, hash: string): string =>
  `${name}: given ${markOf(hash)}, and a hash is not a PDF. Creating the document needs the PDF itself`;

/** Only a Check without old inputs can be followed by a create, so only then are bytes worth keeping. */
function hashAndHold(olds: Values | undefined, bytes: Uint8Array, held: HeldPdfs): string {
  return olds === undefined ? held.hold(bytes) : createHash("sha256").update(bytes).digest("hex");
}

/** The PDF's hash in checked inputs, whichever way it was given; undefined where there is none. */
export function pdfHashOf(inputs: Values): string | Unknown | undefined {
  const { file, base64File } = inputs;
  if (isUnknown(file) || isUnknown(base64File)) return UNKNOWN;
  if (file instanceof Asset) return file.hash;
  return hashInMark(base64File);
}

/** The bytes of checked inputs, to be sent. */
export function pdfBytes(inputs: Values, { held }: PdfSources): Bytes {
  const hash = pdfHashOf(inputs);
  if (typeof hash !== "string") throw new UserError("the PDF isn't known, so nothing was created");
  const asset = inputs["file"] instanceof Asset ? inputs["file"] : undefined;
  const path = asset?.path ?? (asset?.uri === undefined ? undefined : localPath(asset.uri));
  const bytes = path === undefined ? held.get(hash) : fileBytes(path, hash);
  if (!bytes)
    throw new UserError(
      `the PDF ${markOf(hash)} is no longer at hand, so nothing was created. Run \`pulumi up\` again.`,
    );
  return bytes;
}
