import { expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene } from "../support/engine/scene.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const DOCUMENT_ID = "nda.documentId";

const yaml = {
  resources: {
    nda: {
      type: "docsign:Document",
      properties: {
        name: "NDA",
        base64File: Buffer.from("%PDF-1.4\none\n%%EOF\n").toString("base64"),
        invitations: [{ email: ANA }, { email: BOB }],
      },
    },
    agreed: { type: "docsign:SignatureGate", properties: { documentId: `\${${DOCUMENT_ID}}` } },
    both: { type: "docsign:SignatureGate", properties: { documentIds: [`\${${DOCUMENT_ID}}`] } },
  },
};

it.skipIf(missingEngine)("a stack with open gates has no changes until somebody signs", async () => {
  await using scene = await openScene({ yaml });
  await scene.stack.run(["up", "--yes", "--skip-preview"]);
  scene.asked();
  const { text } = await scene.stack.run(["preview", "--expect-no-changes"]);
  expect(text).toContain(`document ${scene.id()} waits for ${ANA}, ${BOB} to sign (0 of 2 signed)`);
  expect(scene.asked()).toEqual(Array(2).fill(`GET /v1/documents/${scene.id()}`));

  scene.service.people.signAll(scene.id());
  const signed = await scene.stack.refused(["preview", "--expect-no-changes"]);
  expect(signed.text).toContain("2 to update");
  await scene.stack.run(["up", "--yes", "--skip-preview"]);
  scene.asked();
  await scene.stack.run(["preview", "--expect-no-changes"]);
  expect(scene.asked()).toEqual([]);
});
