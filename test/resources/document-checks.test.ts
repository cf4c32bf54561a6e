import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Archive, Asset, UNKNOWN, type Values } from "../../kit/values.js";
import { checkDocument } from "../../provider/resources/document/check.js";
import { newDocument, specOf } from "../../provider/resources/document/content.js";
import { checkSet } from "../../provider/resources/document-set/rows.js";
import { base64, nda, pdf, scene } from "../lifecycle/scene.js";
import { secret } from "../support/engine-client.js";
import { checking, failures, good, urn, withoutPdf } from "./checking.js";

const folder = mkdtempSync(join(tmpdir(), "docsign-hostile-"));
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every problem is reported at once, each at its path, as expected and got", async () => {
  const found = await failures({
    name: "",
    description: "x".repeat(100_001),
    folderId: "../users",
    invitations: [
      { email: "ana@example.com", stage: 1.5 },
      { email: "no address", allowedSignatureTypes: "scribble", colour: "red" },
      { name: "Nobody" },
      "bob@example.org",
      { email: "cleo@example.net", name: 7 },
    ],
    base64File: base64("one").slice(0, -3),
    extraParameters: { name: "stolen" },
    nmae: "x",
  });
  expect(found.map(({ reason }) => reason.split(":")[0])).toEqual(
    expect.arrayContaining([
      "name",
      "description",
      "folderId",
      "invitations[0].stage",
      "invitations[1].email",
      "invitations[1].allowedSignatureTypes",
      "invitations[1].colour",
      "invitations[2].email",
      "invitations[3]",
      "invitations[4].name",
      "base64File",
      "extraParameters",
      "nmae",
    ]),
  );
  for (const { reason } of found) expect(reason).toMatch(/: expected |is required|no such property/);
  expect(found.find(({ reason }) => reason.startsWith("folderId"))?.reason).toContain(', got "../users"');
  expect(found.find(({ reason }) => reason.startsWith("nmae"))?.reason).toContain("did you mean name?");
});

test("a parameter named __proto__ is refused, of a document and of a row: parsing would drop it without a word", async () => {
  const extraParameters = JSON.parse('{ "__proto__": { "a": 1 }, "watermark": true }') as Values;
  await using s = await scene();
  const { pdfs } = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey }).runtime.context;
  const news = { ...good, extraParameters };
  const reason = 'extraParameters: expected another name than "__proto__", which would be lost';
  const wrong = [expect.objectContaining({ reason })];
  expect((await checkDocument({ olds: undefined, news, secrets: new Set() }, pdfs)).failures).toEqual(wrong);
  const set = { olds: undefined, given: { documents: { ana: news } }, secrets: new Set<string>() };
  expect((await checkSet(set, pdfs)).failures).toEqual([
    expect.objectContaining({ reason: `documents["ana"]: ${reason}` }),
  ]);
});

test.each([[{ name: "" }], [{ invitations: [{ email: "ana@example.com" }, {}] }], [{ invitations: [] }]])(
  "no create request is made of %j, whatever led to it",
  async hole => {
    await using s = await scene();
    await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
    const { pdfs } = run.runtime.context;
    const { checked } = await checkDocument({ olds: undefined, news: { ...good, ...hole } }, pdfs);
    const spec = await specOf(checked, pdfs);
    await expect(spec && newDocument(spec)).rejects.toThrow("expected a title, and an address of each person");
  },
);

describe("no PDF", () => {
  const canary = "Canary-of-the-content";
  test.each<[string, Values, RegExp]>([
    ["nothing at all", {}, /the PDF is missing: give `file`/],
    [
      "both",
      { base64File: base64("one"), file: new Asset({ text: pdf("one").toString() }) },
      /got `file` and `base64File`/,
    ],
    ["an empty text", { base64File: "" }, /empty text/],
    ["white space", { base64File: " \n " }, /empty text/],
    ["the PDF itself", { base64File: pdf(canary).toString() }, /got the PDF itself/],
    ["a path", { base64File: `./${canary}.pdf` }, /expected the PDF in base64/],
    ["another data URI", { base64File: `data:text/plain;base64,${base64("one")}` }, /data URI of another kind/],
    ["base64 that is cut off", { base64File: base64("one").slice(0, 21) }, /cut off/],
    ["padding in the middle", { base64File: `JVBE=${base64("one")}` }, /expected the PDF in base64/],
    [
      "base64 of something else",
      { base64File: Buffer.from(canary).toString("base64") },
      /21 bytes that don't begin with %PDF-/,
    ],
    ["a mark", { base64File: `sha256:${"a".repeat(64)}` }, /a hash is not a PDF/],
    ["an asset of its hash alone", { file: new Asset({ hash: "a".repeat(64) }) }, /a hash is not a PDF/],
    ["an archive", { file: new Archive("a".repeat(64)) }, /got an archive/],
    ["a text for an asset", { file: `./${canary}.pdf` }, /expected an asset/],
    ["a text asset that is no PDF", { file: new Asset({ text: canary }) }, /don't begin with %PDF-/],
    [
      "an empty text asset",
      { file: new Asset({ text: "", hash: sha256("") }) },
      /^file: given sha256:e3b0c44\w+, and a hash is not a PDF/,
    ],
  ])("%s is refused without a property, and isn't echoed", async (_, inputs, says) => {
    const found = await failures({ ...withoutPdf, ...inputs });
    expect(found.map(({ property }) => property)).toEqual([""]);
    expect(found[0]?.reason).toMatch(says);
    expect(found[0]?.reason).not.toContain(canary);
    expect(found[0]?.reason).not.toContain(base64("one").slice(8, 20));
  });
});

describe("a file asset", () => {
  const asset = (path: string): Asset => new Asset({ path, hash: "b".repeat(64) });
  test.each<[string, () => string, RegExp]>([
    ["a directory", () => folder, /is a directory/],
    ["a device", () => "/dev/zero", /is a device/],
    ["a file that isn't there", () => at("missing.pdf"), /can't be opened \(ENOENT\)/],
    [
      "a pipe nobody writes to",
      () => {
        execFileSync("mkfifo", [at("pipe")]);
        return at("pipe");
      },
      /is a pipe/,
    ],
    [
      "an empty file",
      () => {
        writeFileSync(at("empty.pdf"), "");
        return at("empty.pdf");
      },
      /empty file/,
    ],
    [
      "a file that is no PDF",
      () => {
        writeFileSync(at("text.pdf"), "Canary text");
        return at("text.pdf");
      },
      /11 bytes that don't begin with %PDF-/,
    ],
    [
      "a web page",
      () => {
        writeFileSync(at("page.pdf"), "\n<!DOCTYPE html><title>Sign in</title>");
        return at("page.pdf");
      },
      /38 bytes that look like a web page.*page\.pdf/,
    ],
    [
      "a Git LFS pointer",
      () => {
        writeFileSync(at("pointer.pdf"), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
        return at("pointer.pdf");
      },
      /a Git LFS pointer to it: run `git lfs pull` \(.*pointer\.pdf/,
    ],
    ["a path with a NUL in it", () => "a\0b", /can't be opened/],
  ])("that is %s is refused at preview", async (_, path, says) => {
    const found = await failures({ ...withoutPdf, file: asset(path()) });
    expect(found).toEqual([{ property: "", reason: expect.stringMatching(says) }]);
    expect(found[0]?.reason).not.toContain("Canary");
  });

  const small = pdf("one");
  const large = Buffer.concat([small, Buffer.alloc(300_000, "one")]);
  test.each([
    ["grows", "of few bytes", small, Buffer.concat([small, small])],
    ["shrinks", "of few bytes", small, small.subarray(0, small.length - 1)],
    ["is rewritten", "of few bytes", small, Buffer.from(small).fill("two", 10)],
    ["grows", "of 300 KB", large, Buffer.concat([large, large])],
    ["shrinks", "of 300 KB", large, large.subarray(0, large.length - 1)],
    ["is rewritten", "of 300 KB", large, Buffer.from(large).fill("two", 10)],
  ])("that %s between check and create never becomes a document: one %s", async (_, _size, checked, sent) => {
    await using s = await scene();
    writeFileSync(at("changing.pdf"), checked);
    const before = (call: string) => call === "create nda" && writeFileSync(at("changing.pdf"), sent);
    const program = [nda({ inputs: { base64File: null, file: new Asset({ path: at("changing.pdf") }) } })];
    const changed = await s.stack.up(program, { skipPreview: true, before });
    expect(changed.error).toMatch(/the PDF changed while it was being sent, so nothing was created/);
    expect(s.service.ledger.documentCount()).toBe(0);
    expect(s.service.ledger.mails()).toEqual([]);
    expect((await s.stack.up(program)).error).toBeUndefined();
    expect(s.service.ledger.documentCount()).toBe(1);
  });
});

describe("only one of file and base64File under ignoreChanges", () => {
  const mark = `sha256:${"c".repeat(64)}`;
  const file = new Asset({ text: pdf("one").toString() });
  test.each<[string, Values, Values]>([
    ["base64File, and the program gives file", { base64File: mark }, { base64File: mark, file }],
    [
      "file, and the program gives base64File",
      { file: new Asset({ hash: "c".repeat(64) }) },
      { file: new Asset({ hash: "c".repeat(64) }), base64File: base64("one") },
    ],
    ["file, and the document came of a base64File", { base64File: mark }, {}],
  ])("%s: the failure says to ignore both", async (_, olds, news) => {
    const found = await failures({ ...withoutPdf, ...news }, { ...withoutPdf, ...olds });
    expect(found).toEqual([{ property: "", reason: expect.stringContaining('ignoreChanges: ["file", "base64File"]') }]);
  });

  test("both of them: another PDF in the program is no change", async () => {
    await using s = await scene();
    await s.stack.up([nda()]);
    s.service.people.signAll(s.id());
    const ignoring = nda({ ignoreChanges: ["file", "base64File"], inputs: { base64File: null, file } });
    expect((await s.stack.up([ignoring])).calls).toEqual(["check nda (olds)", `diff nda ${s.id()}`]);
    expect(s.service.ledger.documentCount()).toBe(1);
  });

  test("both of them, and another property changes: the notice says that the PDF changes as well", async () => {
    await using s = await scene();
    await s.stack.up([nda()]);
    const changed = nda({
      ignoreChanges: ["file", "base64File"],
      inputs: { name: "Other", base64File: base64("two") },
    });
    const up = await s.stack.up([changed]);
    expect(up.previewLines.join("\n")).toMatch(/the PDF changes: sha256:[0-9a-f]{12}… → sha256:[0-9a-f]{12}…/);
    expect(s.service.ledger.documents()[1]?.uploadedSha256).toBe(s.stack.entry("nda").outputs["sha256"]);
  });
});

test("null counts as left out, at the top and inside an invitation", async () => {
  const { inputs, failures: found } = await checking(frontEnd =>
    frontEnd.check({
      urn,
      news: {
        ...good,
        description: null,
        folderId: null,
        file: null,
        extraParameters: null,
        invitations: [
          { email: "ana@example.com", name: null, message: null, stage: null, allowedSignatureTypes: null },
        ],
      },
    }),
  );
  expect(found).toEqual([]);
  expect(Object.keys(inputs).sort()).toEqual(["base64File", "invitations", "name"]);
  expect(inputs["invitations"]).toEqual([{ email: "ana@example.com" }]);
});

test("one address in two stages is fine, twice in one is a warning at the first check, in whatever case", async () => {
  const row = (email: string, stage?: number) => ({ email, ...(stage === undefined ? {} : { stage }) });
  const given = (news: Values, olds?: Values) =>
    checking(async frontEnd => {
      const { failures } = await frontEnd.check({ urn, news, ...(olds && { olds }) });
      return { failures, lines: [...frontEnd.lines()] };
    });
  const twice = "warning: one address is invited twice in the same stage: the service mails each invitation.";
  const apart = { ...good, invitations: [row("a@b.example", 1), row("a@b.example", 2)] };
  expect(await given(apart)).toEqual({ failures: [], lines: [] });
  for (const stage of [1, undefined]) {
    const news = { ...good, invitations: [row("a@b.example", stage), row("A@B.example", stage)] };
    expect(await given(news)).toEqual({ failures: [], lines: [twice] });
    expect(await given(news, news)).toEqual({ failures: [], lines: [] });
  }
});

test("addresses lose the white space around them, and one without a dot in its domain is a warning", async () => {
  const check = (invitations: Values[], secrets = false) =>
    checking(async frontEnd => {
      const news = { ...good, invitations: secrets ? secret(invitations) : invitations };
      const { failures, inputs } = await frontEnd.check({ urn, news });
      return { failures, inputs, lines: [...frontEnd.lines()] };
    });
  const copied = await check([{ email: " ana@example.com\u00a0" }, { email: "\u200bbob@example.org\t" }]);
  expect(copied).toMatchObject({ failures: [], lines: [] });
  expect(copied.inputs["invitations"]).toEqual([{ email: "ana@example.com" }, { email: "bob@example.org" }]);

  const says = "expected a domain with a dot in it, such as example.com, got none. It is sent as it is.";
  const short = ["ana@example", "bob@example.", "cy@[192.0.2.1]", "dee@[IPv6:2001:db8::1]", "eve@a.example"];
  const { failures, lines } = await check(short.map(email => ({ email })));
  expect({ failures, lines }).toEqual({ failures: [], lines: [`warning: ana@example, bob@example.: ${says}`] });
  expect((await check([{ email: "ana@example" }], true)).lines).toEqual([`warning: one address: ${says}`]);
});

test("what state holds already is never refused, and anything else wrong still is", async () => {
  const held: Values = { ...good, name: "x".repeat(20_000), invitations: [{ email: "nobody at all" }] };
  expect(await failures(held, held)).toEqual([]);
  expect(await failures({ ...held, name: "y".repeat(20_000) }, held)).toEqual([
    { property: "", reason: expect.stringMatching(/^name: .*10000 characters/) },
  ]);
});

test("what isn't known yet is left for later, and the rest is checked all the same", async () => {
  const news: Values = {
    name: UNKNOWN,
    base64File: UNKNOWN,
    invitations: [{ email: UNKNOWN }, { email: "nobody" }],
    folderId: UNKNOWN,
  };
  expect(await failures(news)).toEqual([
    { property: "", reason: expect.stringMatching(/^invitations\[1\]\.email: .*e-mail/) },
  ]);
});

test("a failure never shows a secret input", async () => {
  const found = await checking(
    async frontEnd =>
      (
        await frontEnd.check({
          urn,
          news: {
            name: secret("Canary one".repeat(2_000)),
            description: secret("Canary two".repeat(20_000)),
            invitations: secret([{ email: "Canary three" }]),
            base64File: secret("Canary four"),
          },
        })
      ).failures,
  );
  expect(found.map(({ property }) => property)).toEqual(["", "", "", ""]);
  expect(JSON.stringify(found)).not.toContain("Canary");
});
