import { escapeText, quote, shorten } from "../core/text.js";
import { InvalidArgumentError, ServiceError, SourceError } from "./errors.js";
import { parseId } from "./ids.js";
import type { Bytes, NewDocument, NewInvitation } from "./service.js";
import type { StreamedBody } from "./transport.js";

/** Base64 without padding in between: every piece but the last has a multiple of three bytes. */
const PIECE = 24 * 1024;
const DATA_URI = "data:application/pdf;base64,";
const KNOWN = new Set(["name", "description", "folder_id", "invitations_attributes", "base64_file"]);

/** The JSON of a new document, its length known beforehand and the PDF never in memory as a whole. */
export function createBody(document: NewDocument): StreamedBody {
  const head = Buffer.from(`${headOf(document)},"base64_file":"${DATA_URI}`);
  const tail = Buffer.from('"}');
  const { pdf } = document;
  return {
    length: head.length + 4 * Math.ceil(pdf.size / 3) + tail.length,
    async *open() {
      yield head;
      yield* base64(pdf);
      yield tail;
    },
  };
}

function headOf(document: NewDocument): string {
  const { name, description, folderId, extraParameters = {} } = document;
  const fields: [string, string | undefined][] = [
    ["name", JSON.stringify(name)],
    ["description", JSON.stringify(description)],
    ["folder_id", folderId === undefined ? undefined : parseId(folderId, "folderId")],
    ...Object.entries(extraParameters).map(([key, value]): [string, string | undefined] => [key, extra(key, value)]),
    ["invitations_attributes", JSON.stringify(document.invitations.map(invitationOf))],
  ];
  const written = fields.flatMap(([key, value]) => (value === undefined ? [] : [`${JSON.stringify(key)}:${value}`]));
  return `{${written.join(",")}`;
}

function extra(key: string, value: unknown): string | undefined {
  if (KNOWN.has(key))
    throw new InvalidArgumentError(`extraParameters may not name ${quote(key)}: it has an input of its own`);
  try {
    return JSON.stringify(value);
  } catch {
    throw new InvalidArgumentError(`extraParameters.${quote(key)} can't be written as JSON`);
  }
}

function invitationOf(invitation: NewInvitation): Record<string, unknown> {
  return {
    invite_email: invitation.email,
    invite_name: invitation.name,
    message: invitation.message,
    allowed_signature_types: invitation.allowedSignatureTypes,
    stage: invitation.stage,
  };
}

async function* base64(pdf: Bytes): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of source(pdf)) {
    size += chunk.byteLength;
    if (size > pdf.size) break;
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const bytes = rest.length === 0 ? view : Buffer.concat([rest, view]);
    const even = bytes.length - (bytes.length % 3);
    for (let at = 0; at < even; at += PIECE) yield encode(bytes.subarray(at, Math.min(even, at + PIECE)));
    // A copy: whoever gave the chunk may fill it again.
    rest = Buffer.from(bytes.subarray(even));
  }
  if (size !== pdf.size) {
    const how = size > pdf.size ? "more" : `only ${size}`;
    throw new SourceError(
      `the PDF changed while it was sent: it had ${pdf.size} bytes, then ${how}. The request was cut off: nothing was created`,
    );
  }
  if (rest.length > 0) yield encode(rest);
}

async function* source(pdf: Bytes): AsyncGenerator<Uint8Array> {
  try {
    yield* pdf.open();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const said = shorten(escapeText(error instanceof Error ? error.message : String(error)));
    throw new SourceError(
      `the PDF couldn't be read while it was sent: ${said}. The request was cut off: nothing was created`,
    );
  }
}

function encode(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("base64"), "latin1");
}
