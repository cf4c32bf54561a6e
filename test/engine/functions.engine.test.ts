import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it as test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene } from "../support/engine/scene.js";

const it = test.skipIf(missingEngine);

it("getEvidence says in a preview what it says in an up, and writes nothing", async () => {
  await using scene = await openScene({ yaml: { resources: {} } });
  const { people } = scene.service;
  const id = people.upload("first", {
    name: "Lease",
    pdf: Buffer.from("%PDF-1.7\n%%EOF\n"),
    emails: ["ana@example.com"],
  });
  people.sign(id, "ana@example.com");
  scene.stack.declare({
    resources: {},
    variables: {
      evidence: { "fn::invoke": { function: "docsign:getEvidence", arguments: { documentId: id } } },
    },
    outputs: { complete: `\${evidence.complete}`, sha256: `\${evidence.sha256}` },
  });
  const { program, folder } = scene.stack;
  const files = () =>
    [program, join(folder, "tmp")].map(path => readdirSync(path, { recursive: true }).map(String).sort());
  const before = files();
  await scene.stack.preview();
  expect(files()).toEqual(before);
  expect(scene.asked().filter(request => !request.startsWith("GET "))).toEqual([]);
  await scene.stack.up();
  expect(files()).toEqual(before);
  expect(scene.stack.outputs()).toEqual({ complete: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});
