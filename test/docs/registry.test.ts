import { describe, expect, it } from "vitest";
import { pages, textOf } from "./support/pages.js";

const LANGUAGES = ["typescript", "python", "go", "csharp", "java", "yaml"];

describe("what the Pulumi Registry reads", () => {
  it.each(["docs/_index.md", "docs/installation-configuration.md"])(
    "%s has its front matter, and no title of its own",
    page => {
      const [, head = ""] = /^---\n(.*?)\n---\n/s.exec(textOf(page)) ?? [];
      const fields = Object.fromEntries(head.split("\n").map(line => line.split(/: (.*)/).slice(0, 2)));
      expect(fields).toEqual({
        title: expect.stringMatching(/^Docsign/),
        meta_desc: expect.any(String),
        layout: "package",
      });
      expect(fields["meta_desc"].length).toBeLessThan(161);
      expect(textOf(page).replace(/^```.*?^```/gms, "")).not.toMatch(/^# /m);
    },
  );

  it("lets a reader choose between all languages, wherever it lets one choose", () => {
    const withChoice = pages.filter(page => textOf(page).includes("{{<"));
    expect(withChoice).toEqual(["docs/_index.md"]);
    for (const page of withChoice) {
      const marks = textOf(page).match(/\{\{[<%].*?[>%]\}\}/g);
      const choices = LANGUAGES.flatMap(language => [`{{% choosable language ${language} %}}`, "{{% /choosable %}}"]);
      expect(marks, page).toEqual([
        `{{< chooser language "${LANGUAGES.join(",")}" >}}`,
        ...choices,
        "{{< /chooser >}}",
      ]);
    }
  });
});
