import { hash } from "node:crypto";
import type { Bytes } from "../../client/service.js";
import { Asset, isUnknown, UNKNOWN, type Unknown, type Values } from "../../schema/values.js";
import { UserError } from "../resource.js";
import { fileBytes, localPath } from "./asset-source.js";
import { hashInMark, markOf } from "./base64.js";
import type { PdfSources } from "./pdf-input.js";
import { requestFor, templateIdentity } from "./template-input.js";

/** The PDF of a document's checked inputs. */
export interface PdfSource {
  /** What Diff compares: the same identity is the same PDF. Nothing is rendered to know it. */
  readonly identity: string;
  /** The SHA-256 of the PDF. A template is rendered for it. */
  sha256(): Promise<string>;
  /** The PDF, to be sent. */
  open(): Promise<Bytes>;
}

/** The PDF's hash where it was given as a file or in base64; undefined where it is rendered or missing. */
export function pdfHashOf(inputs: Values): string | Unknown | undefined {
  const { file, base64File } = inputs;
  if (isUnknown(file) || isUnknown(base64File)) return UNKNOWN;
  if (file instanceof Asset) return file.hash;
  return hashInMark(base64File);
}

/** The identity of the PDF in checked inputs; undefined where there is none. */
export const pdfIdentityOf = (inputs: Values): string | Unknown | undefined =>
  templateIdentity(inputs) ?? pdfHashOf(inputs);

/**
 * Whether the PDF of checked inputs, which are at hand, is the one with this hash. Earlier versions rendered a template with
 * the blank end that it was written with.
 */
export async function isPdf(inputs: Values, sha256: string, sources: PdfSources): Promise<boolean> {
  const source = pdfSourceOf(inputs, sources);
  if (!source || (await source.sha256()) === sha256) return source !== undefined;
  const request = requestFor(inputs, sources.templates);
  if (request?.source.kind !== "markdown") return false;
  for (const text of request.source.written) {
    const before = { ...request, source: { ...request.source, text } };
    const answer = await sources.templates.render(`${source.identity} as written: ${text}`, before);
    if ("sha256" in answer && answer.sha256 === sha256) return true;
  }
  return false;
}

/** What earlier versions knew the PDF of checked inputs by: they kept the blank end of its template. */
export function formerIdentities(inputs: Values, { templates }: PdfSources): (string | Unknown | undefined)[] {
  const source = requestFor(inputs, templates)?.source;
  if (source?.kind !== "markdown") return [];
  return source.written.map(text =>
    templateIdentity({ ...inputs, template: new Asset({ hash: hash("sha256", text, "hex") }) }),
  );
}

/** The PDF of checked inputs; undefined while it isn't known, and where there is none. */
export function pdfSourceOf(inputs: Values, sources: PdfSources): PdfSource | undefined {
  const identity = pdfIdentityOf(inputs);
  if (typeof identity !== "string") return undefined;
  if (templateIdentity(inputs) === undefined) {
    return { identity, sha256: async () => identity, open: async () => givenBytes(inputs, identity, sources) };
  }
  const rendered = async () => {
    const request = requestFor(inputs, sources.templates);
    if (request === undefined) {
      throw new UserError("the content of `template` or `fonts` is no longer at hand. Run `pulumi up` again.");
    }
    const answer = await sources.templates.render(identity, request);
    if ("problems" in answer) {
      throw new UserError(
        ["the template can't be rendered:", ...answer.problems.map(line => `  - ${line}`)].join("\n"),
      );
    }
    return answer;
  };
  return {
    identity,
    sha256: async () => (await rendered()).sha256,
    open: async () => {
      const { bytes } = await rendered();
      return { size: bytes.length, open: () => whole(bytes) };
    },
  };
}

/** Whether a document's PDF can be rendered or read here: a Diff of a refresh is shown hashes without contents. */
export const isAtHand = (inputs: Values, { templates }: PdfSources): boolean =>
  templateIdentity(inputs) === undefined || requestFor(inputs, templates) !== undefined;

async function* whole(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** The bytes of checked inputs, to be sent. */
function givenBytes(inputs: Values, hash: string, { held }: PdfSources): Bytes {
  const asset = inputs["file"] instanceof Asset ? inputs["file"] : undefined;
  const path = asset?.path ?? (asset?.uri === undefined ? undefined : localPath(asset.uri));
  const bytes = path === undefined ? held.get(hash) : fileBytes(path, hash);
  if (!bytes)
    throw new UserError(
      `the PDF ${markOf(hash)} is no longer at hand, so nothing was created. Run \`pulumi up\` again.`,
    );
  return bytes;
}
