/** Markup that is safe to send as it is. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: text is escaped, false and nothing leave no trace. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** A template for markup. Every value is escaped unless a template made it. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) text += rendered(value) + (strings[index + 1] ?? "");
  return new Html(text);
}

function rendered(content: Content): string {
  if (content instanceof Html) return content.text;
  if (typeof content === "string" || typeof content === "number") return escaped(String(content));
  if (content === false || content === null || content === undefined) return "";
  return content.map(rendered).join("");
}

const ENTITIES = new Map(Object.entries({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }));

// Browsers drop control characters or refuse them in attributes; a lone surrogate can't be encoded.
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[&<>"']/g, found => ENTITIES.get(found) ?? "")
    .replace(/[^\P{Cc}\t\n\r]/gu, "\u{fffd}");

/** Text of unknown direction: what stands beside it keeps its own. */
export const bdi = (text: string): Html => html`<bdi>${text}</bdi>`;

/** An address that leads somewhere when it is clicked; anything but a web address is plain text. */
export function link(href: string | undefined, content: Content): Html {
  return href !== undefined && /^https?:\/\//i.test(href) ? html`<a href="${href}">${content}</a>` : html`${content}`;
}
