import { expect, test } from "vitest";
import { wholeDocument } from "../../provider/client/bodies.js";
import { allSigned, isUnsigned } from "../../provider/client/files.js";
import { outputsOf } from "../../provider/resources/document/state.js";
import { pendingIn, signerRows } from "../../provider/resources/signers.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const ana = { id: 1, invite_email: ANA, user: { user_id: 11, email: ANA } };
const bob = { id: 2, invite_email: BOB, user: { user_id: 12 } };

function read(status: string, signers: object[], invitations: object[] = [ana, bob]) {
  const body = wholeDocument.parse({
    ...{ id: 7, name: "Lease", status, last_version: "1", invitations },
    files: [{ id: 70, version: "1", signers: signers.map((signer, index) => ({ id: 100 + index, ...signer })) }],
  });
  const rows = signerRows(body);
  return {
    statuses: Object.fromEntries(rows.map(row => [row.email, row.status])),
    pending: pendingIn(rows),
    rows,
    allSigned: allSigned(body),
    isUnsigned: isUnsigned(body),
  };
}

test.each<[string, object, object]>([
  ["by address", { email: ANA }, { email: BOB.toUpperCase() }],
  ["by the user's address", { user: { email: ANA } }, { user: { email: BOB } }],
  ["by user_id", { user_id: 11 }, { user_id: 12 }],
  ["by user.user_id", { user: { user_id: 11 } }, { user: { user_id: 12 } }],
  ["one by address, the other by user_id", { email: ANA }, { user: { user_id: 12 } }],
  ["by user_id where the addresses differ", { email: "ana@new.example", user_id: 11 }, { email: BOB }],
  ["in the other order", { email: ANA, id: 300 }, { user_id: 12, id: 200 }],
  ["without ids of the signers", { id: undefined, email: ANA }, { id: null, user_id: 12 }],
])("signers are joined %s", (_name, first, second) => {
  const { statuses, pending, allSigned } = read("partially_signed", [
    { ...first, status: "signed" },
    { ...second, status: "unsigned" },
  ]);
  expect(statuses).toEqual({ [ANA]: "signed", [BOB]: "unsigned" });
  expect(pending).toEqual([BOB]);
  expect(allSigned).toBe(false);
});

const nobody = { user: { user_id: null } };

test.each<[string, string, object[], [string, string], string[]]>([
  [
    "one of two anonymous signers",
    "partially_signed",
    [
      { ...nobody, status: "signed" },
      { ...nobody, status: "unsigned" },
    ],
    ["unknown", "unknown"],
    [],
  ],
  [
    "two anonymous signers, both signed",
    "signed",
    [
      { ...nobody, status: "signed" },
      { ...nobody, status: "signed" },
    ],
    ["signed", "signed"],
    [],
  ],
  [
    "two anonymous signers, none signed",
    "unsigned",
    [
      { ...nobody, status: "unsigned" },
      { ...nobody, status: "unsigned" },
    ],
    ["unsigned", "unsigned"],
    [ANA, BOB],
  ],
  [
    "one anonymous signer beside one with an address",
    "partially_signed",
    [
      { ...nobody, status: "signed" },
      { email: BOB, status: "unsigned" },
    ],
    ["signed", "unsigned"],
    [BOB],
  ],
  [
    "signers that are left out, in a document that some signed",
    "partially_signed",
    [{ email: ANA, status: "signed" }],
    ["signed", "unsigned"],
    [BOB],
  ],
  ["signers that are left out, in a signed document", "signed", [], ["unknown", "unknown"], []],
  ["signers that are left out, in an unsigned document", "unsigned", [], ["unsigned", "unsigned"], [ANA, BOB]],
  [
    "a signer without a status",
    "partially_signed",
    [{ email: ANA, status: "signed" }, { email: BOB }],
    ["signed", "unknown"],
    [],
  ],
  [
    "an anonymous signature in a document that calls itself unsigned",
    "unsigned",
    [{ ...nobody, status: "signed" }],
    ["unknown", "unknown"],
    [],
  ],
  [
    "a status of its own",
    "partially_signed",
    [
      { email: ANA, status: "signed" },
      { email: BOB, status: "viewed" },
    ],
    ["signed", "viewed"],
    [BOB],
  ],
])("%s", (_name, status, signers, [ofAna, ofBob], pending) => {
  const found = read(status, signers);
  expect(found.statuses).toEqual({ [ANA]: ofAna, [BOB]: ofBob });
  expect(found.pending).toEqual(pending);
});

test("two invitations of one person take one signer each", () => {
  const twice = [ana, { ...ana, id: 3 }];
  const { rows } = read(
    "partially_signed",
    [
      { user_id: 11, status: "signed" },
      { user_id: 11, status: "unsigned" },
    ],
    twice,
  );
  expect(rows.map(row => [row.invitationId, row.signerId, row.status])).toEqual([
    ["1", "100", "signed"],
    ["3", "101", "unsigned"],
  ]);
});

test("a signature by nobody known is a signature all the same", () => {
  expect(read("unsigned", [{ ...nobody, status: "signed" }]).isUnsigned).toBe(false);
  expect(read("unsigned", [{ email: ANA }]).isUnsigned).toBe(false);
  expect(
    read("signed", [
      { ...nobody, status: "signed" },
      { ...nobody, status: "signed" },
    ]).allSigned,
  ).toBe(true);
  expect(read("signed", [{ ...nobody, status: "signed" }]).allSigned).toBe(false);
});

test.each([
  ["nobody has signed", "unsigned", "unsigned", undefined],
  ["somebody has signed", "partially_signed", "signed", "https://sign.example.com/s"],
])("a signed PDF's address, where %s", (_, status, first, expected) => {
  const signers = [{ status: first }, { status: "unsigned" }].map((each, index) => ({ id: 100 + index, ...each }));
  const file = { id: 70, version: "1", signed_file_url: "https://sign.example.com/s", signers };
  const body = wholeDocument.parse({ id: 7, name: "Lease", status, last_version: "1", invitations: [], files: [file] });
  const service = { origin: "https://sign.example.com", baseUrl: "https://sign.example.com" };
  const outputs = outputsOf(body, service);
  expect([outputs.signedFileUrl, outputs.versions[0]?.signedFileUrl]).toEqual([expected ?? null, expected]);
});
