import { escapeText, quote, shorten } from "../core/text.js";
import { InvalidArgumentError, ServiceError, SourceError } from "./errors.js";
import { parseId } from "./ids.js";
import type { Bytes, NewDocument, NewInvitation } from "./service.js";
import type { StreamedBody } from "./transport.js";

/** Base64 without padding in between: every piece but the last has a multiple of three bytes. */
const PIECE = 24 * 1024;
const DATA_URI = "data:application/pdf;base64,";

type Written = Omit<NewDocument, "pdf" | "extraParameters">;

/** What the body calls each field, and its JSON. A field that NewDocument or NewInvitation gains doesn't compile before it is here. */
const FIELDS: { readonly [Name in keyof Required<Written>]: [string, (value: NonNullable<Written[Name]>) => string] } =
  {
    name: ["name", JSON.stringify],
    description: ["description", JSON.stringify],
    folderId: ["folder_id", id => parseId(id, "folderId")],
    invitations: ["invitations_attributes", people => JSON.stringify(people.map(invitationOf))],
  };
const PERSON: Readonly<Record<keyof NewInvitation, string>> = {
  email: "invite_email",
  name: "invite_name",
  message: "message",
  allowedSignatureTypes: "allowed_signature_types",
  stage: "stage",
};
const PDF = "base64_file";

/** What the create body calls things: `extraParameters` may not speak for one of them. */
export const BODY_FIELDS: readonly string[] = [...Object.values(FIELDS).map(([name]) => name), PDF];

/** The JSON of a new document, its length known beforehand and the PDF never in memory as a whole. */
export function createBody(document: NewDocument): StreamedBody {
  const { pdf, ...fields } = document;
  const head = Buffer.from(`${headOf(fields)},"${PDF}":"${DATA_URI}`);
  const tail = Buffer.from('"}');
  return {
    length: head.length + 4 * Math.ceil(pdf.size / 3) + tail.length,
    async *open() {
      yield head;
      yield* base64(pdf);
      yield tail;
    },
  };
}

function headOf({ extraParameters = {}, ...fields }: Omit<NewDocument, "pdf">): string {
  const written = [
    ...Object.entries(FIELDS).flatMap(([field, [name, write]]): [string, string][] => {
      const value = fields[field as keyof Written];
      return value === undefined ? [] : [[name, write(value as never)]];
    }),
    ...Object.entries(extraParameters).map(([name, value]): [string, string | undefined] => [name, extra(name, value)]),
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${JSON.stringify(name)}:${value}`]));
  return `{${written.join(",")}`;
}

function extra(key: string, value: unknown): string | undefined {
  if (BODY_FIELDS.includes(key))
    throw new InvalidArgumentError(`extraParameters may not name ${quote(key)}: it has an input of its own`);
  try {
    return JSON.stringify(value);
  } catch {
    throw new InvalidArgumentError(`extraParameters.${quote(key)} can't be written as JSON`);
  }
}

const invitationOf = (person: NewInvitation): Record<string, unknown> =>
  Object.fromEntries(Object.entries(PERSON).map(([field, name]) => [name, person[field as keyof NewInvitation]]));

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
