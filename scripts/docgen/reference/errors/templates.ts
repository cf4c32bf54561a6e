import type { Section } from "./error.js";

export const templates: Section = {
  title: "Templates",
  about:
    "`template` of a `Document` is checked at preview, and everything wrong is said at once, with the line. `renderTemplate` throws the same as `TemplateError`. Most say what is expected; these take more: [templates](templates.md).",
  at: [],
  rows: [
    {
      id: "template-variables",
      says: [
        "{{…}} has no value in …",
        "… has no variable",
        "variable … isn't used by the template",
        "{{…}}: expected text, got a list…",
      ],
      means: "The template's places and the program's variables don't fit together.",
      todo: "Give each place its variable, and no variable without a place.",
    },
    {
      id: "template-parts",
      says: [
        "{{#… …}} isn't closed by {{/…}}",
        "expected a file inside the project's folder, got one outside",
        "can't be read (…)",
      ],
      means: "A clause or an image isn't there, or a part isn't closed.",
      todo: "Paths begin at the folder of the file they stand in.",
    },
    {
      id: "template-markdown",
      says: ["… can't be printed…"],
      means: "The Markdown has something a contract can't show.",
      todo: "Say it in text, lists and tables.",
    },
    {
      id: "template-fonts",
      says: ["no font has …"],
      means: "The fonts that come along lack a character.",
      todo: "Add a font with `fonts`.",
    },
    {
      id: "template-form",
      says: [
        "expected a PDF form with AcroForm fields only, got an XFA form",
        "the form is signed already…",
        "field …: the text (… characters) doesn't fit…",
      ],
      means: "The PDF form, or a value for one of its fields, can't be used.",
      todo: "Change the form, or the value.",
    },
  ],
};
