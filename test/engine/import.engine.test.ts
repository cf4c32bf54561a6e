import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";

const pdf = Buffer.from("%PDF-1.4\na lease\n%%EOF\n");
const sha256 = "sha256:";

describe.skipIf(missingEngine)("import", () => {
  let scene: Scene;
  let id: string;
  beforeEach(async () => {
    scene = await openScene({ yaml: { resources: {} } });
    const emails = ["ana@example.com", "bob@example.org"];
    id = scene.service.people.upload("first", { name: "Lease 12", description: "Ground floor", pdf, emails });
    scene.mailed();
  });
  afterEach(() => scene?.[Symbol.asyncDispose]());

  const imported = (type: string, name: string, what: string) =>
    // Older YAML hosts can't write programs: what the engine would print is what state holds as inputs.
    scene.stack.run([
      "import",
      type,
      name,
      what,
      "--yes",
      "--skip-preview",
      "--generate-code=false",
      "--protect=false",
    ]);

  it("takes a document by its id alone; a program with the inputs it found changes nothing and mails no one", async () => {
    expect((await imported("docsign:index:Document", "lease", id)).steps).toEqual(["import lease"]);
    expect(scene.asked()).toEqual([`GET /v1/documents/${id}`]);
    const { lease } = scene.stack.entries();
    expect(lease?.inputs).toEqual({
      name: "Lease 12",
      description: "Ground floor",
      invitations: [
        { email: "ana@example.com", name: "ana@example.com" },
        { email: "bob@example.org", name: "bob@example.org" },
      ],
      base64File: `${sha256}${scene.service.ledger.documents()[0]?.uploadedSha256}`,
    });
    scene.stack.declare({ resources: { lease: { type: "docsign:Document", properties: lease?.inputs } } });
    await scene.stack.preview("--expect-no-changes");
    await scene.stack.up("--expect-no-changes");
    await scene.stack.refresh("--expect-no-changes");
    expect(scene.mailed()).toEqual([]);
  });

  it("the PDF itself may stand for its hash from then on, and for another PDF the preview says who will be mailed and what stays behind", async () => {
    await imported("docsign:index:Document", "lease", id);
    const { lease } = scene.stack.entries();
    const { base64File, ...others } = lease?.inputs ?? {};
    const withPdf = (bytes: Buffer) =>
      scene.stack.declare({
        resources: {
          lease: { type: "docsign:Document", properties: { ...others, base64File: bytes.toString("base64") } },
        },
      });
    withPdf(pdf);
    await scene.stack.preview("--expect-no-changes");
    withPdf(Buffer.from("%PDF-1.4\nanother lease\n%%EOF\n"));
    const preview = await scene.stack.preview();
    expect(preview.steps).toEqual(["delete-replaced lease", "replace lease", "create-replacement lease"]);
    expect(preview.notes).toEqual([
      `info lease: will mail ana@example.com, bob@example.org: document "Lease 12"
  it replaces document ${id}, which stays at the service with its invitations open
  the PDF changes: sha256:531046060091… → sha256:4040d863c138…`,
    ]);
    expect(scene.mailed()).toEqual([]);
  });

  it.each([
    [
      "an id that is a path",
      "../users/api_key",
      `error lease: a document's id must be 1 to 20 digits not starting with 0, got "../users/api_key"`,
      [],
    ],
    [
      "an id nobody has",
      "5",
      "error lease: document 5 can't be imported: the service doesn't show it to this account. [docsign/not-shown]",
      ["GET /v1/documents/5", "GET /v1/documents/5"],
    ],
  ])("refuses %s", async (_, wanted, words, asked) => {
    const refused = await scene.stack.refused([
      "import",
      "docsign:index:Document",
      "lease",
      wanted,
      "--yes",
      "--skip-preview",
    ]);
    expect(refused.notes[0]?.split("\n")[0]).toBe(words);
    expect(scene.asked()).toEqual(asked);
    expect(scene.stack.entries()).toEqual({});
  });
});
