import { degrees, PDFDocument, PDFName, PDFString, StandardFonts, TextAlignment } from "@cantoo/pdf-lib";
import { describe, expect, test } from "vitest";
import { renderTemplate } from "../../sdk/templates/index.js";
import { problemsOf, textsOf } from "./support.js";

type Draw = (form: ReturnType<PDFDocument["getForm"]>, page: ReturnType<PDFDocument["addPage"]>) => void;

async function formOf(draw: Draw): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const page = document.addPage([400, 400]);
  page.drawText("Form", { x: 20, y: 370, font: await document.embedFont(StandardFonts.Helvetica) });
  draw(document.getForm(), page);
  return document.save();
}

const whole = () =>
  formOf((form, page) => {
    form.createTextField("person.name").addToPage(page, { x: 20, y: 320, width: 250, height: 20 });
    const notes = form.createTextField("notes");
    notes.enableMultiline();
    notes.setAlignment(TextAlignment.Center);
    notes.addToPage(page, { x: 20, y: 220, width: 200, height: 80 });
    notes.setFontSize(10);
    const code = form.createTextField("code");
    code.setMaxLength(6);
    code.enableCombing();
    code.addToPage(page, { x: 20, y: 180, width: 120, height: 20 });
    form.createCheckBox("agrees").addToPage(page, { x: 20, y: 150, width: 12, height: 12 });
    const kind = form.createRadioGroup("kind");
    kind.addOptionToPage("one", page, { x: 20, y: 120, width: 12, height: 12 });
    kind.addOptionToPage("two", page, { x: 50, y: 120, width: 12, height: 12 });
    const state = form.createDropdown("state");
    state.addOptions(["Łódź", "Київ"]);
    state.addToPage(page, { x: 20, y: 80, width: 100, height: 20 });
    const fixed = form.createTextField("fixed");
    fixed.setText("printed already");
    fixed.enableReadOnly();
    fixed.addToPage(page, { x: 20, y: 40, width: 150, height: 20 });
  });

const VALUES = {
  "person.name": "Ñandú Αλέξης Ќиїв",
  notes: "several words, enough of them for more than one line of print",
  code: "AB12Ж",
  agrees: "yes",
  kind: "two",
  state: "Київ",
};

test("a form is filled in any alphabet, and has no fields left", async () => {
  const form = await whole();
  const { pdf, pages, sha256 } = await renderTemplate({ template: { form }, variables: VALUES });
  const [text = ""] = await textsOf(pdf);
  expect(pages).toBe(1);
  for (const value of ["Form", VALUES["person.name"], VALUES.state, "printed already"]) expect(text).toContain(value);
  expect(text.replace(/\s+/g, " ")).toContain(VALUES.notes);
  expect(text.replace(/\s/g, "")).toContain(VALUES.code);
  const read = await PDFDocument.load(pdf, { updateMetadata: false });
  expect(read.catalog.has(PDFName.of("AcroForm"))).toBe(false);
  expect(read.getPages().flatMap(page => page.node.Annots()?.asArray() ?? [])).toEqual([]);

  const again = await renderTemplate({ template: { form: await whole() }, variables: { ...VALUES } });
  expect(again.sha256).toBe(sha256);
  const other = await renderTemplate({ template: { form }, variables: { ...VALUES, kind: "one" } });
  expect(other.sha256).not.toBe(sha256);
});

test("an empty value leaves its field empty", async () => {
  const variables = { ...VALUES, notes: "", kind: "", state: "", code: "" };
  const { pdf } = await renderTemplate({ template: { form: await whole() }, variables });
  expect((await textsOf(pdf)).join()).not.toContain("Київ");
});

test("every problem with the values is reported at once", async () => {
  const variables = {
    notes: "",
    code: "TOO LONG",
    agrees: "maybe",
    kind: "three",
    state: "Paris",
    fixed: "x",
    other: "y",
  };
  expect(await problemsOf({ template: { form: await whole() }, variables })).toEqual([
    "field person.name has no variable",
    "variable fixed isn't used by the template",
    "variable other isn't used by the template",
    "field code: expected at most 6 characters, got 8",
    'field agrees: expected one of "yes", "no"',
    'field kind: expected one of "one", "two"',
    'field state: expected one of "Łódź", "Київ"',
  ]);
});

test("text that doesn't fit is an error, never cut off", async () => {
  const template = { form: await whole() };
  const variables = { ...VALUES, "person.name": "x".repeat(100), notes: "word ".repeat(300) };
  expect(await problemsOf({ template, variables })).toEqual([
    "field person.name: the text (100 characters) doesn't fit; make the field larger or the text shorter",
    "field notes: the text (1500 characters) doesn't fit; make the field larger or the text shorter",
  ]);
});

test("a character no font has is named", async () => {
  expect(await problemsOf({ template: { form: await whole() }, variables: { ...VALUES, notes: "山" } })).toEqual([
    'variable notes: no font has U+5C71 "山"; add one that does with fonts: ["path/to/font.ttf"]',
  ]);
});

describe("refused", () => {
  test.each([
    [
      "no PDF",
      async () => Buffer.from("no PDF"),
      "expected a PDF form without a password, got one that can't be read as a PDF",
    ],
    ["a PDF without fields", () => formOf(() => {}), "the form has no field to fill"],
  ])("%s", async (_name, make, message) => {
    expect(await problemsOf({ template: { form: await make() }, variables: {} })).toEqual([message]);
  });

  test("a form that is signed already", async () => {
    const document = await PDFDocument.load(await whole());
    const { context } = document;
    const signature = context.register(context.obj({ FT: "Sig", V: { Type: "Sig" }, T: PDFString.of("sig") }));
    document.getForm().acroForm.addField(signature);
    const form = await document.save();
    expect(await problemsOf({ template: { form }, variables: VALUES })).toEqual([
      "field sig: the form is signed already, and filling it would break that signature",
    ]);
  });

  test("a rotated field", async () => {
    const form = await formOf((fields, page) => {
      fields.createTextField("up").addToPage(page, { x: 50, y: 50, width: 100, height: 20, rotate: degrees(90) });
    });
    expect(await problemsOf({ template: { form }, variables: { up: "a" } })).toEqual([
      "field up is rotated, and can't be filled",
    ]);
  });
});
