import {
  PDFButton,
  PDFCheckBox,
  type PDFDocument,
  PDFDropdown,
  type PDFField,
  PDFName,
  PDFOptionList,
  type PDFPage,
  PDFRadioGroup,
  PDFSignature,
  PDFTextField,
} from "@cantoo/pdf-lib";
import { type Mark, Pen } from "./drawing.js";
import type { Faces } from "./faces.js";
import { type Box, placeText } from "./field-text.js";
import { openPdf, savePdf } from "./pdf.js";
import { refuse, TemplateProblemsError } from "./problems.js";

/** Text for each field. */
type FieldTexts = ReadonlyMap<string, string>;

interface Written {
  readonly page: PDFPage;
  readonly marks: readonly Mark[];
}

/** Fills a PDF form and flattens it: what was a field is print. */
export async function fillForm(
  faces: Faces,
  template: Uint8Array,
  variables: FieldTexts,
): Promise<{ pdf: Uint8Array; pages: number }> {
  const form = await openForm(template);
  refuse(form.problems(variables));
  const written = form.fill(faces, variables);
  const { document } = form;
  const all = written.flatMap(({ marks }) => marks);
  const pen = await Pen.for(document, all);
  for (const { page, marks } of written) pen.write(page, marks);
  return { pdf: await savePdf(document), pages: document.getPageCount() };
}

export const openForm = async (template: Uint8Array): Promise<Form> => new Form(await openPdf(template));

class Form {
  readonly #form: ReturnType<PDFDocument["getForm"]>;
  readonly #fields: readonly PDFField[];

  constructor(readonly document: PDFDocument) {
    this.#form = document.getForm();
    this.#fields = this.#form.getFields();
  }

  /** The fields that take a variable. */
  get names(): string[] {
    return this.#fields.filter(field => this.#isFillable(field)).map(field => field.getName());
  }

  /** What is wrong with it and the values for it, as far as that is known before they are printed. */
  problems(variables: FieldTexts, unknown: readonly string[] = []): string[] {
    if (this.#form.hasXFA()) return ["expected a PDF form with AcroForm fields only, got an XFA form"];
    const { names } = this;
    if (names.length === 0) return ["the form has no field to fill"];
    return [
      ...nameProblems(names, variables),
      ...this.#fields.flatMap(field => {
        const name = field.getName();
        return this.#valueProblems(field, unknown.includes(name) ? undefined : variables.get(name));
      }),
    ];
  }

  fill(faces: Faces, variables: FieldTexts): Written[] {
    const written: Written[] = [];
    const problems: string[] = [];
    for (const field of this.#fields) {
      const value = variables.get(field.getName()) ?? "";
      if (!this.#isFillable(field)) continue;
      if (this.#isText(field)) {
        try {
          written.push(...this.#text(faces, field, value));
        } catch (error) {
          if (!(error instanceof TemplateProblemsError)) throw error;
          problems.push(...error.problems);
        }
      } else this.#tick(field, value);
    }
    refuse(problems);
    this.#flatten();
    return written;
  }

  #isFillable(field: PDFField): boolean {
    return !(field instanceof PDFButton || field instanceof PDFSignature) && !field.isReadOnly();
  }

  #isText(field: PDFField): boolean {
    return [PDFTextField, PDFDropdown, PDFOptionList].some(kind => field instanceof kind);
  }

  #valueProblems(field: PDFField, value: string | undefined): string[] {
    const name = field.getName();
    if (field instanceof PDFSignature && field.acroField.dict.has(PDFName.of("V"))) {
      return [`field ${name}: the form is signed already, and filling it would break that signature`];
    }
    if (value === undefined || !this.#isFillable(field)) return [];
    if (field instanceof PDFTextField) {
      const longest = field.getMaxLength();
      const length = [...value].length;
      return longest !== undefined && length > longest
        ? [`field ${name}: expected at most ${longest} characters, got ${length}`]
        : [];
    }
    if (field instanceof PDFCheckBox) return this.#oneOf(name, value, ["yes", "no"]);
    if (field instanceof PDFDropdown && field.isEditable()) return [];
    if (field instanceof PDFDropdown || field instanceof PDFOptionList || field instanceof PDFRadioGroup) {
      return value === "" ? [] : this.#oneOf(name, value, field.getOptions());
    }
    return [];
  }

  #oneOf(name: string, value: string, options: readonly string[]): string[] {
    return options.includes(value)
      ? []
      : [`field ${name}: expected one of ${options.map(each => JSON.stringify(each)).join(", ")}`];
  }

  #tick(field: PDFField, value: string): void {
    if (field instanceof PDFCheckBox) value === "yes" ? field.check() : field.uncheck();
    if (field instanceof PDFRadioGroup) value === "" ? field.clear() : field.select(value);
  }

  /** The text itself, to be printed where the empty field is. */
  #text(faces: Faces, field: PDFField, value: string): Written[] {
    if (field instanceof PDFTextField) field.setText(undefined);
    if (field instanceof PDFDropdown || field instanceof PDFOptionList) field.clear();
    if (value === "") return [];
    const isText = field instanceof PDFTextField;
    return field.acroField.getWidgets().map(widget => {
      if ((widget.getAppearanceCharacteristics()?.getRotation() ?? 0) !== 0) {
        throw new TemplateProblemsError([`field ${field.getName()} is rotated, and can't be filled`]);
      }
      const box: Box = {
        name: field.getName(),
        rectangle: widget.getRectangle(),
        border: widget.getBorderStyle()?.getWidth() ?? 1,
        size: sizeIn(widget.getDefaultAppearance() ?? field.acroField.getDefaultAppearance() ?? ""),
        align: isText ? (["left", "center", "right"] as const)[field.getAlignment()] : "left",
        multiline: isText && field.isMultiline(),
        cells: isText && field.isCombed() ? field.getMaxLength() : undefined,
      };
      return {
        page: this.#form["findWidgetPage"](widget) as PDFPage,
        marks: placeText(faces, value, box),
      };
    });
  }

  /** As the library's own flatten, which prints what goes wrong instead of failing. */
  #flatten(): void {
    const font = this.#form.getDefaultFont();
    for (const field of this.#fields) {
      if (!(field instanceof PDFSignature)) {
        if (field.needsAppearancesUpdate()) field.defaultUpdateAppearances(font);
        for (const widget of field.acroField.getWidgets()) {
          const page = this.#form["findWidgetPage"](widget);
          this.#form["flattenWidgetOntoPage"](page, widget, this.#form["findWidgetAppearanceRef"](field, widget));
        }
      }
      this.#form.removeField(field);
    }
    this.document.catalog.delete(PDFName.of("AcroForm"));
  }
}

/** Variables on one side, what a form asks for on the other. */
function nameProblems(wanted: readonly string[], variables: FieldTexts): string[] {
  const asked = new Set(wanted);
  const missing = [...asked].filter(name => !variables.has(name));
  const unknown = [...variables.keys()].filter(name => !asked.has(name));
  return [
    ...missing.map(name => `field ${name} has no variable`),
    ...unknown.map(name => `variable ${name} isn't used by the template`),
  ];
}

/** The size in a field's default appearance; none or 0 is for the text to decide. */
function sizeIn(appearance: string): number | undefined {
  const size = Number(/(?<![\d.])([\d.]+)\s+Tf/.exec(appearance)?.[1] ?? 0);
  return size > 0 ? size : undefined;
}
