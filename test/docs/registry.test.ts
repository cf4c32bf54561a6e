import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/engine/found.js";
import { pages, textOf } from "./support/pages.js";

const PUBLISHED = ["docs/_index.md", "docs/installation-configuration.md"];
const LANGUAGES = ["typescript", "python", "go", "csharp", "java", "yaml"];

describe("what the Pulumi Registry reads", () => {
  it.each(PUBLISHED)("%s has its front matter, and no title of its own", page => {
    const [, head = ""] = /^---\n(.*?)\n---\n/s.exec(textOf(page)) ?? [];
    const fields = Object.fromEntries(head.split("\n").map(line => line.split(/: (.*)/).slice(0, 2)));
    expect(fields).toEqual({
      title: expect.stringMatching(/^Docsign/),
      meta_desc: expect.any(String),
      layout: "package",
    });
    expect(fields["meta_desc"].length).toBeLessThan(161);
    expect(textOf(page).replace(/^```.*?^```/gms, "")).not.toMatch(/^# /m);
  });

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

  // `scripts/ci/community-package/doc_lint.py` and `scripts/lint/check-shortcode-delimiters.js` of the Registry's repository.
  const LINT = [
    /<img[^>]+src=["'](\.|\/|[^hH])/,
    /!\[[^\]]*\]\((\.|\/)/,
    /<a[^>]+href="(\.|\/)/,
    /\]\((?!https?:\/\/)[^)]*\.md[)#]/,
    /\{\{[ \t]+[<%]/,
  ];

  it.each(PUBLISHED)("%s has nothing that its lint finds, and no other link that leads nowhere there", page => {
    const text = textOf(page);
    expect(text.split("\n").filter(line => LINT.some(rule => rule.test(line)))).toEqual([]);
    const links = [...text.replace(/^```.*?^```/gms, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter(link => !/^(https:\/\/|#)/.test(link))).toEqual([]);
  });

  it("says in 60 lines how each language installs it, and which package its SDK is", () => {
    const [, installation = ""] =
      /^## Installation\n(.*?)^## /ms.exec(textOf("docs/installation-configuration.md")) ?? [];
    expect(installation.split("\n").length).toBeLessThanOrEqual(60);
    const headings = [...installation.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(["TypeScript", "Python", "Go", "Java", "C#", "YAML", "A first contract"]);
    const { nodejs, go } = JSON.parse(textOf("schema.json")).language;
    for (const name of [
      `\`${nodejs.packageName}\` at npm`,
      "`pulumi_docsign` at PyPI",
      `\`${go.importBasePath}\` for Go`,
      "`docsign` of `io.github.pulumi-docsign` at Maven Central",
      "`PulumiDocsign.Docsign` at NuGet",
    ])
      expect(installation).toContain(name);
  });

  // `tools/resourcedocsgen/cmd/metadata.go` and `sdk_install_probe.py`: what a schema is refused without, or that is shown.
  it("takes the schema, and can install what it names", () => {
    const schema = JSON.parse(textOf("schema.json"));
    const { version } = JSON.parse(textOf("package.json"));
    expect(schema).toMatchObject({
      name: "docsign",
      version,
      displayName: "Docsign",
      publisher: expect.stringMatching(/\S/),
      repository: expect.stringMatching(/^https:\/\/github\.com\/[\w-]+\/pulumi-docsign$/),
      homepage: expect.stringMatching(/^https:/),
      logoUrl: expect.stringMatching(/^https:\/\/raw\.githubusercontent\.com\/.+\.svg$/),
      pluginDownloadURL: expect.stringMatching(/^(https|github|gitlab):\/\/[A-Za-z0-9._~:/?#@!$&()*+,;=-]+$/),
    });
    const [category = ""] = schema.keywords.filter((word: string) => word.startsWith("category/"));
    expect(CATEGORIES).toContain(category.replace("category/", ""));
    // With an attribution, a package counts as bridged unless it says that it isn't.
    expect(schema.keywords).toContain("kind/native");
    const { nodejs, python, go } = schema.language;
    for (const name of [schema.name, nodejs.packageName, python.packageName, go.importBasePath])
      expect(name).toMatch(/^[A-Za-z0-9._@/-]+$/);
    expect(Object.keys(schema.language).sort()).toEqual(["csharp", "go", "java", "nodejs", "python"]);
    expect(existsSync(join(root, "docs", "images", schema.logoUrl.split("/").at(-1)))).toBe(true);
  });
});

const CATEGORIES = ["cloud", "database", "infrastructure", "monitoring", "network", "utility", "vcs"];
