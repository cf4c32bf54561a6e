import { existsSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { propertyMetadata } from "../../kit/property.js";
import { configInputs } from "../../provider/config.js";
import { packageDeclaration } from "../../scripts/docgen/package-schema.js";
import { root } from "../support/engine/found.js";
import { pages, read, textOf } from "./support/pages.js";

/** As GitHub makes an anchor of a heading. */
const slug = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

function anchorsOf(page: string): string[] {
  const { prose } = read(page);
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => slug(heading));
  const again = headings.map((each, at) => {
    const before = headings.slice(0, at).filter(other => other === each).length;
    return before === 0 ? each : `${each}-${before}`;
  });
  return [...again, ...[...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id)];
}

const anchors = new Map(pages.map(page => [page, anchorsOf(page)]));

/** The links and pictures of a page that stay in the repository. Code isn't one. */
function linksOf(page: string): string[] {
  const prose = read(page).prose.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "code");
  const found = [...prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)|(?:src|href)="([^"]+)"/g)].map(
    ([, a, b]) => a ?? b ?? "",
  );
  return found.filter(link => link.startsWith(OWN) || !/^[a-z]+:/.test(link));
}

/** Pages that others publish link to this repository as a whole. */
const OWN = "https://github.com/pulumi-docsign/pulumi-docsign/";

function wrongWith(page: string, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const within = /^(?:blob|tree)\/main\/(.+)/.exec(path.startsWith(OWN) ? path.slice(OWN.length) : "")?.[1];
  const target = within ?? (path === "" ? page : posix.normalize(posix.join(dirname(page), path)));
  if (target.startsWith("..") || !existsSync(join(root, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined) return undefined;
  const known = anchors.get(statSync(join(root, target)).isDirectory() ? posix.join(target, "README.md") : target);
  return known?.includes(anchor) ? undefined : `${link}: ${target} has no #${anchor}`;
}

describe.each(pages)("%s", page => {
  it("links to what is there", () => {
    expect(linksOf(page).flatMap(link => wrongWith(page, link) ?? [])).toEqual([]);
  });

  it("names settings, variables, resources and functions there are", () => {
    const text = textOf(page);
    const { resources, functions, config } = packageDeclaration;
    const members = [...resources, ...functions].map(({ token }) => token.split(":").at(-1));
    const types = ["BlockchainCertificates", "index"];
    const known = [...Object.keys(config.shape), ...members, ...types];
    const names = [...text.matchAll(/\bdocsign:(\w+)/g)].map(([, name = ""]) => name);
    expect(names.filter(name => !known.includes(name))).toEqual([]);
    const variables = [
      ...Object.values(configInputs.shape).flatMap(input => propertyMetadata.get(input)?.env ?? []),
      ...OTHERS,
    ];
    expect((text.match(/\bDOCSIGN_[A-Z_]+\b/g) ?? []).filter(name => !variables.includes(name))).toEqual([]);
  });

  it("names no path of somebody's machine", () => {
    expect(textOf(page)).not.toMatch(/\/(root|home|Users|tmp|work)\/\w/);
  });
});

/** Variables that are no settings. */
const OTHERS = [
  "DOCSIGN_ADOPT",
  "DOCSIGN_TEST_DIALECTS",
  "DOCSIGN_TEST_GUARD",
  "DOCSIGN_TEST_PROTOCOL",
  "DOCSIGN_TEST_REMINDERS",
  "DOCSIGN_TEST_HISTORIES",
  "DOCSIGN_TEST_SEED",
  "DOCSIGN_FLEET_DATABASE",
  "DOCSIGN_FLEET_DIR",
  "DOCSIGN_STATE_DIR",
  "DOCSIGN_SCRATCH",
  "DOCSIGN_SHOW_VALUES",
  "DOCSIGN_FORGET",
  "DOCSIGN_CHANGED",
];

it("a dead link and a dead anchor are found", () => {
  expect(wrongWith("README.md", "docs/lunch.md")).toBe("docs/lunch.md: there is no docs/lunch.md");
  expect(wrongWith("docs/ci.md", "people.md#lunch")).toBe("people.md#lunch: docs/people.md has no #lunch");
  expect(wrongWith("docs/ci.md", "people.md#reminders")).toBe(undefined);
});
