import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { markedFor, specOf } from "../../provider/resources/document/content.js";
import { hashesOf, inputsIn } from "../../provider/resources/document/declaration.js";
import { unpacked } from "../../provider/resources/document-set/declaration.js";
import { base64, nda, people, scene, sceneWith } from "../lifecycle/scene.js";

/** What a journal or a state holds was written by an earlier version, so what is worked out anew has to be the same. */

const SHA256 = "a".repeat(64);
const LEAST: Values = {
  name: "NDA",
  invitations: [{ email: "ana@example.com" }],
  base64File: `sha256:${SHA256}`,
};
const EVERYTHING: Values = {
  ...LEAST,
  description: "Mutual",
  folderId: "12",
  invitations: [
    { email: "ana@example.com", name: "Ana", message: "Hello", allowedSignatureTypes: "advanced", stage: 1 },
    { email: "bob@example.org" },
  ],
  extraParameters: { also: ["a", { b: 1 }], kyc: true },
};
const PRINTED: Values = {
  ...{ name: "NDA", invitations: [{ email: "ana@example.com" }] },
  template: new Asset({ hash: SHA256 }),
  variables: { term: "2 years", names: ["Ana", "Bob"] },
  pageSize: "Letter",
};

describe("what a create is known by stays", () => {
  test.each([
    [
      "of everything",
      EVERYTHING,
      {
        name: "d9672a608d96f2a6f5d25d2ce277c9947715fdc951b520025ccbb8c7e6b3ca25",
        sha256: SHA256,
        invitees: "07a7e291fd4e717ee085401307f235ec9fd7fa6a36698bfa6c0c1d34eb2cb733",
        description: "1f363d2087d5ed6d507200438263dc8f4feb401845dec9230c3fcf0ac55052c4",
        extra: "b9d2aca3b480c7cb",
        fingerprint: "6a601c35d64cee6fd7a70aeaf2831df3",
        marker: "bdfe56e4d035",
      },
    ],
    [
      "of the least",
      LEAST,
      {
        name: "d9672a608d96f2a6f5d25d2ce277c9947715fdc951b520025ccbb8c7e6b3ca25",
        sha256: SHA256,
        invitees: "8e43ca37701228e74983efdbd0cff5c16b3b1e5d4e29a7c05626d4d25a018e11",
        description: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        fingerprint: "7635d2c64f333d70177b6afb2c35e0ae",
        marker: "1b3d9c332c63",
      },
    ],
  ])("%s", async (_, inputs, content) => {
    await using s = await scene();
    await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
    const unmarked = await specOf(inputsIn(inputs), run.runtime.context.pdfs);
    const spec = unmarked && markedFor("urn", unmarked);
    expect(spec?.content).toEqual(content);
  });
});

describe("what a row is compared by stays", () => {
  test.each([
    [EVERYTHING, "gw2i4vf0vB-U.CPHR8P68Ie8i.-crPPLkaEuA7.DWR12PYoSz0z.ZZGErIGCJ6iG.udKso7SAx8su"],
    [LEAST, "gw2i4vf0vB-U...ScF9mxy2DSrf.ZZGErIGCJ6iG."],
    [PRINTED, "gw2i4vf0vB-U...ScF9mxy2DSrf.5u8JQOv9FzLB."],
  ])("%j", (inputs, content) => {
    expect(hashesOf(inputsIn(inputs))).toEqual(unpacked(content));
  });
});

/** A line may gain a name, and loses none. */
const LINES = {
  begin:
    "description fingerprint hints inFolder invitees key knows lasts name older owned run service serviceTime sha256 startedAt supersedes token urn",
  hint: "id key service token urn",
  claim: "at fingerprint id key name run service supersedes urn",
  show: "at besides id imported key run service supersedes urn",
  replace: "at id key run service supersedes urn",
  release: "at id key run service supersedes urn",
};

test("lines of the journal keep their names", async () => {
  await using s = await sceneWith([nda()]);
  await s.stack.up([nda({ inputs: { name: "Other" } })]);
  await s.stack.up([]);
  const [lines = []] = readdirSync(s.machine.folder, { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith("log-1.jsonl"))
    .map(name => readFileSync(join(s.machine.folder, name), "utf8").split("\n").filter(Boolean));
  const names = new Map<string, string[]>(
    lines.map(line => JSON.parse(line)).map(({ op, ...line }) => [op, Object.keys(line)]),
  );
  for (const [op, known] of Object.entries(LINES))
    expect(names.get(op), op).toEqual(expect.arrayContaining(known.split(" ")));
});

/** What is another in each run, by the name of its type. */
const OTHER = new Set([
  "content",
  "createdAt",
  "since",
  "updatedAt",
  "ownerId",
  "signerId",
  "invitationId",
  "url",
  "fileUrl",
]);

test("state of a Document and of a set stays", async () => {
  const row = { name: "NDA", base64File: base64("one"), invitations: people };
  const set = {
    name: "ndas",
    type: "docsign:index:DocumentSet",
    inputs: { documents: { one: { ...row, name: "Row" } } },
  };
  await using s = await sceneWith([nda(), set]);
  const outputs = (name: string): unknown =>
    JSON.parse(
      JSON.stringify(s.stack.entry(name).outputs).replaceAll(s.service.url, "https://example.com"),
      (key, value: unknown) => (OTHER.has(key) ? typeof value : value),
    );
  expect(outputs("nda")).toMatchInlineSnapshot(`
    {
      "allSigned": false,
      "certificates": {
        "btcUrl": null,
        "ethUrl": null,
        "ready": false,
        "status": "",
      },
      "certificatesNeedKey": null,
      "createdAt": "string",
      "description": "Mutual",
      "documentId": "90210021",
      "drift": [],
      "fileUrl": "string",
      "imported": false,
      "lastVersion": "1",
      "name": "NDA",
      "nom151": {
        "dataUri": null,
        "fileName": null,
        "ready": false,
        "sha256": null,
      },
      "ownerId": "string",
      "pendingSigners": [
        "ana@example.com",
        "bob@example.org",
      ],
      "service": "https://example.com",
      "sha256": "cd5ea944a6a76e046701b7147089e5fb593458cc877b4c982050710c5a56241f",
      "signedFileUrl": null,
      "signedSha256": null,
      "signers": [
        {
          "email": "ana@example.com",
          "invitationId": "string",
          "invitationStatus": "accepted",
          "name": "Ana",
          "signatureType": "advanced",
          "signerId": "string",
          "status": "unsigned",
        },
        {
          "email": "bob@example.org",
          "invitationId": "string",
          "invitationStatus": "accepted",
          "name": "Bob",
          "signatureType": "advanced",
          "signerId": "string",
          "status": "unsigned",
        },
      ],
      "status": "unsigned",
      "supersedes": [],
      "updatedAt": "string",
      "versions": [
        {
          "sha256": "cd5ea944a6a76e046701b7147089e5fb593458cc877b4c982050710c5a56241f",
          "status": "unsigned",
          "url": "string",
          "version": "1",
        },
      ],
    }
  `);
  expect(outputs("ndas")).toMatchInlineSnapshot(`
    {
      "certificatesNeedKey": null,
      "documentIds": [
        "90210077",
      ],
      "documents": {
        "one": {
          "certificates": {
            "btcUrl": null,
            "ethUrl": null,
            "ready": false,
            "status": "",
          },
          "content": "string",
          "documentId": "90210077",
          "pendingSigners": [
            "ana@example.com",
            "bob@example.org",
          ],
          "sha256": "cd5ea944a6a76e046701b7147089e5fb593458cc877b4c982050710c5a56241f",
          "signedFileUrl": null,
          "stages": {
            "ana@example.com": 1,
            "bob@example.org": 2,
          },
          "status": "unsigned",
          "waiting": {
            "emails": [
              "ana@example.com",
            ],
            "since": "string",
          },
        },
      },
      "drift": [],
      "kept": [],
      "service": "https://example.com",
      "summary": {
        "forgotten": 0,
        "partiallySigned": 0,
        "signed": 0,
        "total": 1,
        "unsigned": 1,
      },
      "waitingFor": [
        {
          "email": "ana@example.com",
          "key": "one",
          "since": "string",
        },
      ],
    }
  `);
});
