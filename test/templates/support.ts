import { join } from "node:path";
import { extractText, getDocumentProxy } from "unpdf";
import { type RenderTemplateArgs, renderTemplate } from "../../sdk/templates/index.js";

export const NDA = join(import.meta.dirname, "fixtures/nda.md");

export const PEOPLE = {
  company: "Zażółć & *Söhne* | GmbH",
  name: "Αλέξανδρος Παπαδόπουλος",
  address: "вулиця Хрещатик 1, Київ — Đà Nẵng",
  penalty: "**1 000 €** <b>",
  jurisdiction: "México",
  officer: "Łukasz Ñandú-Őrsi",
};

/** The text of each page, as a reader of PDFs finds it. */
export async function textsOf(pdf: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: false });
  return text;
}

export async function printed(markdown: string, more: Omit<RenderTemplateArgs, "template"> = {}): Promise<string> {
  const { pdf } = await renderTemplate({ template: { markdown }, ...more });
  return (await textsOf(pdf)).join("\n");
}

/** What is wrong, line by line. */
export async function problemsOf(args: RenderTemplateArgs): Promise<readonly string[]> {
  try {
    await renderTemplate(args);
  } catch (error) {
    if (error instanceof Error && "problems" in error) return error.problems as string[];
    throw error;
  }
  throw new Error("it was expected to fail, and didn't");
}
