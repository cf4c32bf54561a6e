import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingEngine, root } from "../support/engine/found.js";
import { openScene } from "../support/engine/scene.js";
import { contractLife } from "./life.js";

const quickstart = readFileSync(join(root, "examples/quickstart/Pulumi.yaml"), "utf8");

/** What the quickstarts in other languages have on top of the one in YAML. */
const functions = `  stillToSign: \${signers.pendingSigners}
  inFolder:
    - \${listed.documents[0].documentId}

variables:
  signers:
    fn::invoke:
      function: docsign:getSigners
      arguments: { documentId: "\${nda.documentId}" }
  listed:
    fn::invoke:
      function: docsign:getDocuments
      arguments: { folderId: "\${nda.folderId}" }
`;

contractLife("YAML", {
  program: "examples/quickstart",
  language: "yaml",
  files: { "Pulumi.yaml": `${quickstart}${functions}` },
});

describe.skipIf(missingEngine)("a program without functions", () => {
  it("costs no request at all while nothing changes, also from another folder on another machine", async () => {
    await using scene = await openScene({ program: "examples/quickstart" });
    await scene.stack.up();
    scene.asked();
    await scene.stack.preview("--expect-no-changes");
    await scene.stack.up("--expect-no-changes");
    expect(scene.asked()).toEqual([]);
    scene.stack.move();
    await scene.stack.preview("--expect-no-changes");
    await scene.stack.up("--expect-no-changes");
    expect(scene.asked()).toEqual([]);
  });
});
