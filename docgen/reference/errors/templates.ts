import type { Section } from "./error.js";

export const templates: Section = {
  title: "Templates",
  about: "`renderTemplate` throws these as `TemplateError`, all that is wrong at once: [templates](templates.md).",
  at: [],
  rows: [
    {
      id: "template-packages",
      says: [
        "the package … isn't installed",
        "the package … is there in version …; the same bytes on every machine need …",
        "install what templates need with: …",
      ],
      means: "Templates take four packages, in exact versions.",
      todo: "Run the `npm install` line it prints.",
    },
    {
      id: "template-source",
      says: [
        "template: wanted a path, { markdown: text } or { form: bytes }",
        "template: wanted a file ending in .md, .markdown or .pdf, given …; Markdown itself goes in { markdown: … }",
        "template: … can't be read (…)",
        "template: … isn't UTF-8 text",
        'pageSize: wanted "A4" or "Letter"',
      ],
      means: "The template, or an option, isn't one.",
      todo: "Give what the message wants. Paths are relative to the folder the program runs in.",
    },
    {
      id: "template-variables",
      says: [
        "… has no variable",
        "variable … isn't used by the template",
        "line …: {{… isn't closed by }}; write \\{{ for the braces themselves",
        "line …: {{…}} isn't a variable's name: a letter first, then letters, digits, _ . -",
        "…: … is a control or formatting character",
        "…: … is written from right to left, and templates are laid out from left to right only",
      ],
      means: "Places and variables don't fit together, or a value can't be printed.",
      todo: "Put right what it lists.",
    },
    {
      id: "template-markdown",
      says: [
        "a list of tasks ([ ]) can't be printed; use a plain list",
        "a code block can't be printed; the only one a contract has is ```signatures",
        "HTML can't be printed: …",
        "… can't be printed: …",
        "a table has too many columns, or a list is nested too deep, for the page",
        "a row of a table is higher than a page; split it",
      ],
      means: "The Markdown has something a contract can't show.",
      todo: "Say it in plain text, lists and tables.",
    },
    {
      id: "template-fonts",
      says: [
        '…: no font has …; add one that does with fonts: ["path/to/font.ttf"]',
        "… isn't a font that can be read; wanted a TrueType or OpenType file",
        "… is a collection of fonts; wanted a file with a single one",
        "fonts[…] can't be read (…): …",
      ],
      means: "A character has no font, or a font can't be read.",
      todo: "Add a font with `fonts`.",
    },
    {
      id: "template-form",
      says: [
        "the form …; wanted a PDF form without a password",
        "the form is an XFA form; wanted a PDF form with AcroForm fields only",
        "the form has no field to fill",
        "field …: the form is signed already, and filling it would break that signature",
        "field …: given … characters; it takes …",
        "field …: the text (… characters) doesn't fit; make the field larger or the text shorter",
        "field …: wanted one of …",
        "field … is rotated, and can't be filled",
      ],
      means: "The PDF form, or a value for one of its fields, can't be used.",
      todo: "Change the form, or the value.",
    },
  ],
};
