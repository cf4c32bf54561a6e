import { expect, it as test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene } from "../support/engine/scene.js";

const it = test.skipIf(missingEngine);

const project = {
  resources: {
    ndas: {
      type: "docsign:DocumentSet",
      properties: {
        table: { "fn::fileAsset": "./team.csv" },
        key: "{{email}}",
        defaults: {
          name: "NDA of {{name}}",
          template: { "fn::fileAsset": "./nda.md" },
          variables: { name: "{{name}}", start: "{{start}}" },
          invitations: [{ email: "{{email}}", name: "{{name}}" }],
        },
      },
    },
  },
  outputs: { waitingFor: `\${ndas.waitingFor}`, summary: `\${ndas.summary}` },
};

it("a table and a template are a document for each row, and one row more is one mail", async () => {
  const table = "email,name,start\nana@example.com,Ana,1 March\nbob@example.org,Bob,2 March\n";
  const files = { "team.csv": table, "nda.md": "# NDA\n\nWith {{name}}, from {{start}} on.\n" };
  await using scene = await openScene({ yaml: project, files });
  const notice = (email: string, name: string) => `will mail ${email}: document "NDA of ${name}"`;

  const preview = await scene.stack.preview();
  expect(preview.steps).toEqual(["create ndas"]);
  expect(preview.notes).toEqual([
    `info ndas: ${notice("ana@example.com", "Ana")}\n${notice("bob@example.org", "Bob")}\nin all: 2 people will be mailed (2 new documents)`,
  ]);
  await scene.stack.up();
  expect(scene.mailed().toSorted()).toEqual(["ana@example.com", "bob@example.org"]);
  scene.asked();
  await scene.stack.preview("--expect-no-changes");
  expect(scene.asked()).toEqual([]);

  scene.stack.write("team.csv", `${table}cy@example.net,Cy,3 March\n`);
  expect((await scene.stack.preview()).notes).toEqual([
    `info ndas: ${notice("cy@example.net", "Cy")}\nin all: 1 person will be mailed (1 new document)`,
  ]);
  scene.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument");
  const failed = await scene.stack.refused(["up", "--yes", "--skip-preview"]);
  expect(failed.text).toContain("* 2 of 3 rows are done, 1 is not.");
  expect(failed.text.match(/^\s*\* /gm)).toHaveLength(1);
  expect(failed.text).toMatch(/^\s*cy@example\.net: .* answered 422/m);
  await scene.stack.up();
  expect(scene.mailed()).toEqual(["cy@example.net"]);
  expect(scene.stack.outputs()["summary"]).toMatchObject({ total: 3, unsigned: 3 });

  scene.service.people.sign(scene.id(), scene.service.ledger.mails()[0]?.to ?? "");
  scene.stack.edit("nda.md", text => `${text}And so on.\n`);
  const refused = await scene.stack.refused(["preview"]);
  expect(refused.text).toContain("1 of 3 changed rows can't be replaced, so nothing was sent");
  await scene.stack.destroy();
  expect(scene.mailed()).toEqual([]);
});

it("what is renamed is refused with the alias to paste, which goes on and mails nobody", async () => {
  const pdf = { "fn::stringAsset": "%PDF-1.7\n%%EOF\n" };
  const invitations = [{ email: "ana@example.com" }];
  const resources = (suffix: string, aliases: readonly string[] = []) => ({
    [`nda${suffix}`]: {
      type: "docsign:Document",
      properties: { name: "NDA", file: pdf, invitations },
      options: { aliases: aliases.slice(0, 1) },
    },
    [`team${suffix}`]: {
      type: "docsign:DocumentSet",
      properties: { documents: { ana: { name: "Lease", file: pdf, invitations } } },
      options: { aliases: aliases.slice(1) },
    },
  });
  await using scene = await openScene({ yaml: { resources: resources("") } });
  await scene.stack.up();
  expect(scene.mailed()).toEqual(["ana@example.com", "ana@example.com"]);

  scene.stack.declare({ resources: resources("-of-2027") });
  const aliases = new Set<string>();
  const refused = await scene.stack.refused(["preview"]);
  for (const [, urn = ""] of refused.text.matchAll(/aliases: \["([^"]+)"\]/g)) aliases.add(urn);
  const pasted = [...aliases].sort();
  expect(pasted).toEqual([scene.stack.urn("nda"), scene.stack.urn("team", "docsign:index:DocumentSet")]);
  scene.stack.declare({ resources: resources("-of-2027", pasted) });
  await scene.stack.up();
  expect(scene.mailed()).toEqual([]);
  expect(scene.service.ledger.documentCount()).toBe(2);
});

it("of forty rows, twelve that fail for one cause and four for another are two lines each, and said once", async () => {
  const people = Array.from({ length: 40 }, (_, nth) => `p${nth + 1}@example.com`);
  const properties = {
    documents: Object.fromEntries(people.map(email => [email, { invitations: [{ email }] }])),
    defaults: { name: "NDA", file: { "fn::stringAsset": "%PDF-1.7\n%%EOF\n" } },
  };
  const yaml = {
    config: { "docsign:reconcileTimeout": { value: "1s" } },
    resources: { ndas: { type: "docsign:DocumentSet", properties } },
  };
  await using scene = await openScene({ yaml });
  scene.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument", { times: 12 });
  scene.service.faults.push({ kind: "reset", when: "before" }, "createDocument", { times: 4 });
  const { text } = await scene.stack.refused(["up", "--yes", "--skip-preview"]);
  expect(
    text
      .match(/^\s+\* [\s\S]*?(?=\n\n)/m)?.[0]
      .split("\n")
      .map(line => line.trim()),
  ).toEqual([
    "* 24 of 40 rows are done, 16 are not. Those that are done aren't sent again; `pulumi up` goes on with the others.",
    expect.stringMatching(/^p\d+@example\.com: POST \S+ answered 422 \(.*\): the service refuses this request$/),
    expect.stringMatching(/^and the same for 11 more rows: (p\d+@example\.com, ){2}p\d+@example\.com and 8 more$/),
    expect.stringMatching(/^p\d+@example\.com: the document was sent once, .* \[docsign\/create-unconfirmed\]$/),
    expect.stringMatching(/^and the same for 3 more rows: (p\d+@example\.com, ){2}p\d+@example\.com$/),
    "What you can do:",
    "- run `pulumi up` again once the account holds one more document: a longer list may tell",
    "- one is there: docsign journal list shows its row's TOKEN; docsign journal resolve TOKEN --is ID, then `pulumi up` takes it",
    expect.stringMatching(
      /^- it isn't there: send it again; the longer list may tell of others: DOCSIGN_FORGET=\w{8} /,
    ),
  ]);
  for (const said of [/What you can do:/g, /answered 422/g, /the document was sent once/g])
    expect(text.match(said)).toHaveLength(1);
  expect(text).not.toContain("the create's answer was lost");

  // Twelve are sent, and thirty-six may be a page as well; the debug log has each of the four.
  const debug = await scene.stack.refused(["up", "--yes", "--skip-preview", "--debug"]);
  expect(new Set(debug.text.match(/p\d+@example\.com(?=: another run began to send)/g)).size).toBe(4);
  expect(scene.mailed()).toHaveLength(36);
});

it("a set of hundreds of rows keeps in state what was sent where one fails, so that a machine that knows nothing sends the others alone", async () => {
  const people = Array.from({ length: 310 }, (_, nth) => `person${nth}@example.com`);
  const ndas = (count: number, description: string) => ({
    resources: {
      ndas: {
        type: "docsign:DocumentSet",
        properties: {
          documents: Object.fromEntries(people.slice(0, count).map(email => [email, { invitations: [{ email }] }])),
          defaults: { name: "NDA", description, file: { "fn::stringAsset": "%PDF-1.7\n%%EOF\n" } },
        },
      },
    },
  });
  const service = { lag: { list: Number.POSITIVE_INFINITY } };
  await using scene = await openScene({ yaml: ndas(300, "Of 2026"), service });
  for (const [count, description, mails] of [
    [300, "Of 2026", 300],
    [310, "Of 2026", 10],
    [310, "Of 2027", 310],
  ] as const) {
    scene.stack.declare(ndas(count, description));
    scene.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument");
    expect((await scene.stack.refused(["up", "--yes", "--skip-preview"])).text).toContain("answered 422");
    expect(scene.mailed()).toHaveLength(mails - 1);
    scene.stack.forget();
    await scene.stack.up();
    expect(scene.mailed()).toHaveLength(1);
    expect(scene.stack.entries()["ndas"]?.outputs["summary"]).toMatchObject({ total: count });
    await scene.stack.preview("--expect-no-changes");
  }
});

const swapping = (text: string, alias?: string) => ({
  type: "docsign:DocumentSet",
  properties: {
    documents: {
      ana: {
        name: "NDA",
        base64File: Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64"),
        invitations: [{ email: "ana@example.com" }],
      },
    },
  },
  options: { replaceOnChanges: ["documents"], deleteBeforeReplace: true, ...(alias && { aliases: [alias] }) },
});

it("two sets that are renamed, replaced and swap their rows mail nobody again, and keep them once that is undone", async () => {
  const before = { resources: { a: swapping("A"), b: swapping("B") } };
  await using scene = await openScene({ yaml: before });
  const urn = (name: string) => scene.stack.urn(name, "docsign:index:DocumentSet");
  await scene.stack.up();
  scene.stack.declare({ resources: { c: swapping("B", urn("a")), d: swapping("A", urn("b")) } });
  for (let time = 0; time < 2; time++)
    expect((await scene.stack.refused(["up", "--yes", "--skip-preview"])).text).toContain("[docsign/duplicate]");
  scene.stack.declare(before);
  await scene.stack.up();
  expect(scene.service.ledger.mails()).toHaveLength(2);
});
