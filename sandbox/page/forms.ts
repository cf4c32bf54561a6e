import { type Content, type Html, html } from "../../commands/ui/html.js";

/** How the browser reads a field into the JSON of the action. */
export type FieldKind = "text" | "number" | "boolean" | "base64" | "json";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind?: FieldKind;
  readonly value?: string | number;
  readonly options?: readonly (string | { value: string; text: string })[];
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly long?: boolean;
}

export interface FormOptions {
  /** What the form says when it went well. */
  readonly done: string;
  readonly id: string;
  readonly label?: string;
  readonly class?: string;
}

/** A form whose fields become the JSON of `POST /_sandbox/<action>`. */
export function actionForm(action: string, options: FormOptions, body: Content): Html {
  const { id, done, label } = options;
  return html`<form id="${id}" class="${options.class ?? "stack"} needs-script" data-action="${action}" data-done="${done}"${
    label ? html` aria-label="${label}"` : ""
  }>${body}<p class="problem" role="alert"></p></form>`;
}

/** A value that the form sends without asking. */
export const fixed = (name: string, value: string | number | boolean, kind: FieldKind = kindOf(value)): Html =>
  html`<input type="hidden" name="${name}" value="${String(value)}" data-kind="${kind}">`;

const kindOf = (value: string | number | boolean): FieldKind =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";

export function field(form: string, spec: Field): Html {
  const { name, label, kind = "text", value = "", options, required, placeholder, long } = spec;
  const id = `${form}-${name.replace(/\W/g, "-")}`;
  const shared = html`id="${id}" name="${name}" data-kind="${kind}"${required ? html` required` : ""}`;
  const control = options
    ? html`<select ${shared}>${options.map(one => {
        const { value: its, text } = typeof one === "string" ? { value: one, text: one } : one;
        return html`<option value="${its}"${its === String(value) ? html` selected` : ""}>${text}</option>`;
      })}</select>`
    : long
      ? html`<textarea ${shared} rows="3"></textarea>`
      : kind === "base64"
        ? html`<input type="file" accept="application/pdf,.pdf" ${shared}>`
        : html`<input type="${kind === "number" ? "number" : "text"}" step="any" ${shared} value="${value}" placeholder="${placeholder ?? ""}">`;
  return html`<div class="field"><label for="${id}">${label}</label>${control}</div>`;
}

/** Something to look at where there is no program yet: one contract with two stages. */
export function sampleForm(): Html {
  const documents = [
    {
      name: "Mutual NDA (sample)",
      description: "Put here by the sandbox, to look around.",
      invitations: [
        { email: "ana@example.com", name: "Ana Torres", stage: 1, message: "Please sign by Friday." },
        { email: "bob@example.org", name: "Bob Lindqvist", stage: 2, allowedSignatureTypes: "advanced" },
      ],
    },
  ];
  return actionForm(
    "seed",
    { id: "sample", done: "A sample contract is there: Ana has a mail." },
    html`${fixed("documents", JSON.stringify(documents), "json")}<div><button class="main">Add a sample contract</button></div>`,
  );
}
