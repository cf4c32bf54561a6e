import { expect, test } from "vitest";
import { Asset } from "../../kit/values.js";
import { type PdfSources, pdfSourceOf } from "../../provider/resources/pdf/pdf-input.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import type { RenderRequest } from "../../sdk/templates/render.js";
import { markdown } from "../../sdk/templates/source.js";

test("a contract is the same bytes whatever blank end its template has", async () => {
  const [first, ...others] = await Promise.all(
    ["", "\n", "\n\n", "\r\n", "  \n\t\n"].map(end =>
      renderTemplate({ template: { markdown: `# NDA\n\nText.${end}` } }),
    ),
  );
  expect(others.map(({ sha256 }) => sha256)).toEqual(others.map(() => first?.sha256));
});

test.each([
  ["as it is rendered now", "Text.", "now: Text.\n", true],
  ["of a template that was written with another end then", "Text.\n\n", "now: Text.", false],
])("a PDF is the template's %s", async (_, given, held, expected) => {
  const source = markdown(given);
  const templates = {
    sources: { get: () => source },
    render: async (_identity: string, { source: of }: RenderRequest) => ({
      bytes: new Uint8Array(),
      sha256: of.kind === "markdown" ? `now: ${of.text}` : "",
    }),
  };
  const inputs = { template: new Asset({ hash: "hash" }) };
  const sha256 = await pdfSourceOf(inputs, { templates } as unknown as PdfSources)?.sha256();
  expect(sha256 === held).toBe(expected);
});
