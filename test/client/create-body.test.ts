import fc from "fast-check";
import { expect, test } from "vitest";
import { createBody } from "../../provider/client/documents.js";
import type { NewDocument, NewInvitation } from "../../provider/client/service.js";
import { contract, documentBody, failure, pdfOf, testService } from "./setup.js";
import { drain, ok, stub } from "./stub.js";

const text = fc.string({ unit: "binary", maxLength: 20 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const invitation = fc.record({
  email: text,
  name: maybe(text),
  message: maybe(text),
  allowedSignatureTypes: maybe(fc.constantFrom("all", "autograph", "advanced")),
  stage: maybe(fc.nat()),
});
const extras = fc.dictionary(
  text.map(key => `x${key}`),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 },
);

async function written(document: Parameters<typeof createBody>[0]) {
  const body = createBody(document);
  const parts: Uint8Array[] = [];
  for await (const part of body.open()) parts.push(part);
  const bytes = Buffer.concat(parts);
  expect(bytes.length).toBe(body.length);
  return bytes.toString();
}

test("the stream is what JSON.stringify would write, and as long as announced", async () => {
  const given = fc.record({
    name: text,
    description: maybe(text),
    folder: maybe(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    invitations: fc.array(invitation, { maxLength: 3 }),
    extraParameters: maybe(extras),
    pdf: fc.uint8Array({ maxLength: 300 }),
    chunk: fc.integer({ min: 1, max: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ name, description, folder, invitations, extraParameters, pdf, chunk }) => {
      const folderId = folder === undefined ? undefined : String(folder);
      const body = await written({ name, description, folderId, invitations, extraParameters, pdf: pdfOf(pdf, chunk) });
      const expected = [
        ["name", name],
        ["description", description],
        ["folder_id", folder],
        [
          "invitations_attributes",
          invitations.map(one => ({
            invite_email: one.email,
            invite_name: one.name,
            message: one.message,
            allowed_signature_types: one.allowedSignatureTypes,
            stage: one.stage,
          })),
        ],
        ...Object.entries(extraParameters ?? {}),
        ["base64_file", `data:application/pdf;base64,${Buffer.from(pdf).toString("base64")}`],
      ];
      expect(body).toBe(JSON.stringify(Object.fromEntries(expected)));
    }),
  );
});

const person: Required<NewInvitation> = {
  email: "ana@example.com",
  name: "Ana",
  message: "Please sign",
  allowedSignatureTypes: "advanced",
  stage: 2,
};
const personSent = {
  invite_email: "ana@example.com",
  invite_name: "Ana",
  message: "Please sign",
  allowed_signature_types: "advanced",
  stage: 2,
};
/** Each field as given and as sent, by the interface's names. It doesn't show `folder_id`. */
const SENT: { readonly [Name in keyof Required<NewDocument>]: [given: NonNullable<NewDocument[Name]>, sent: object] } =
  {
    name: ["Lease", { name: "Lease" }],
    description: ["Ground floor", { description: "Ground floor" }],
    folderId: ["3", { folder_id: 3 }],
    invitations: [[person], { invitations_attributes: [personSent] }],
    pdf: [pdfOf(Buffer.from("pdf"), 3), { base64_file: "data:application/pdf;base64,cGRm" }],
    extraParameters: [{ cc: "x" }, { cc: "x" }],
  };
const { extraParameters: _, ...own } = SENT;

test("each field is sent by the service's name", async () => {
  const given = Object.fromEntries(Object.entries(SENT).map(([field, [value]]) => [field, value]));
  const sent = Object.values(SENT).map(([, fields]) => fields);
  expect(JSON.parse(await written(given as unknown as NewDocument))).toEqual(Object.assign({}, ...sent));
});

test("a folder id above 2^53 is written with all its digits", async () => {
  expect(await written({ ...contract, folderId: "9223372036854775807" })).toContain('"folder_id":9223372036854775807,');
});

test("a source may fill its buffer again", async () => {
  const buffer = Buffer.alloc(5);
  const pdf = {
    size: 10,
    async *open() {
      yield buffer.fill("a");
      yield buffer.fill("b");
    },
  };
  expect(await written({ ...contract, pdf })).toContain(Buffer.from("aaaaabbbbb").toString("base64"));
});

test.each(Object.values(own).flatMap(([, fields]) => Object.keys(fields)))("extraParameters may not name %s", key => {
  expect(() => createBody({ ...contract, extraParameters: { [key]: 1 } })).toThrow(`"${key}"`);
});

test("a parameter JSON can't hold is refused without its value", () => {
  expect(() => createBody({ ...contract, extraParameters: { big: 1n } })).toThrow(/extraParameters.*"big"/);
});

test.each<[string, () => AsyncIterable<Uint8Array>, RegExp]>([
  [
    "shrinks",
    async function* () {
      yield Buffer.alloc(900_000);
    },
    /had 1000000 bytes, then only 900000/,
  ],
  [
    "grows",
    async function* () {
      for (let n = 0; n < 3; n++) yield Buffer.alloc(400_000);
    },
    /had 1000000 bytes, then more/,
  ],
  [
    "can't be read",
    async function* () {
      yield Buffer.alloc(10);
      throw new Error("EIO: i/o error");
    },
    /EIO/,
  ],
])(
  "a PDF that %s while it's sent: a definite failure, and the service never has a whole body",
  async (_name, open, message) => {
    await using server = await stub(response => ok(response, documentBody()));
    await using service = testService(server.url);
    const error = await failure(service.createDocument({ ...contract, pdf: { size: 1_000_000, open } }));
    expect(error).toMatchObject({ name: "SourceError", message: expect.stringMatching(message) });
    expect(error.message).toContain("nothing was created");
    expect(server.seen).toEqual([]);
    expect(await service.createDocument(contract)).toMatchObject({ hints: ["7"] });
  },
);

test("the PDF is read no faster than it's sent", async () => {
  const size = 200_000_000;
  let received = 0;
  let ahead = 0;
  await using server = await drain(bytes => {
    received += bytes;
  });
  await using service = testService(server.url);
  const piece = Buffer.alloc(64 * 1024);
  const pdf = {
    size,
    async *open() {
      for (let at = 0; at < size; at += piece.length) {
        ahead = Math.max(ahead, at * (4 / 3) - received);
        yield piece.subarray(0, Math.min(size - at, piece.length));
      }
    },
  };
  await service.createDocument({ ...contract, pdf });
  expect(received).toBeGreaterThan(size * 1.33);
  // What the system's socket buffers may hold.
  expect(ahead).toBeLessThan(16_000_000);
});
