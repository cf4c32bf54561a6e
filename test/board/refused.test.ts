import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { type SceneOptions, sceneWith } from "../lifecycle/scene.js";
import { secret } from "../support/engine-client.js";
import { urnOf } from "../support/machine.js";
import { type Goal, pluginFrontEnd } from "../support/simulated-engine.js";
import { repository } from "./support/repository.js";

let repo: ReturnType<typeof repository>;
beforeEach(() => {
  repo = repository();
  repo.write("Pulumi.yaml", "name: sales\n");
  repo.write("lease.md", LEASE);
  repo.commit();
});
afterEach(() => repo.remove());

const LEASE = "# Lease\n\n{{name}} rents the flat.\n\n## 1. Rent\n\nThe rent is {{rent}} euros, due on the first.\n";
const LATER = LEASE.replace("the first", "the tenth");

/** As the engine gives a file. */
function file(name: string): Asset {
  const path = repo.at(name);
  return new Asset({ path, hash: createHash("sha256").update(readFileSync(path)).digest("hex") });
}

const lease = (inputs: Values = {}): Goal => ({
  name: "lease",
  inputs: {
    name: "Lease",
    invitations: [{ email: "ana@example.com", name: "Ana" }, { email: "bob@example.com" }],
    template: file("lease.md"),
    variables: { name: "Ana", rent: "900" },
    ...inputs,
  } as Goal["inputs"],
});

const TEAM = "email,name,rent\nana@example.com,Ana,900\nbob@example.com,Bob,950\ncem@example.com,Cem,990\n";
const TYPE = "docsign:index:DocumentSet";
const leases = (): Goal => ({
  name: "leases",
  type: TYPE,
  inputs: {
    table: file("team.csv"),
    key: "{{email}}",
    defaults: {
      name: "Lease of {{name}}",
      template: file("lease.md"),
      variables: { name: "{{name}}", rent: "{{rent}}" },
      invitations: [{ email: "{{email}}" }],
    },
  } as Goal["inputs"],
});

const shown: SceneOptions = { frontEnd: machine => pluginFrontEnd(machine, { DOCSIGN_SHOW_VALUES: "true" }) };

/** The program as it was, signed by the first of its people, then a change of it. */
async function refusedBy(before: () => Goal, change: () => Goal, options: SceneOptions = {}) {
  await using s = await sceneWith([before()], options);
  s.service.people.sign(s.id(), "ana@example.com");
  const { error, previewLines } = await s.stack.up([change()]);
  const { creates, mails } = s.sent();
  expect([error, creates, mails]).toEqual([expect.stringContaining("[docsign/replace-signed]"), 0, 0]);
  const urn = urnOf(before().name, before().type);
  const notice = (severity: string) => (message: string) => ({ urn, severity, message });
  const diagnostics = [...previewLines.map(notice("info")), notice("error")(error ?? "")];
  return { preview: { steps: [], diagnostics }, lines: previewLines.join("\n"), id: s.id() };
}

describe("a change of a signed contract is refused, and its redline says what it would have changed for whom", () => {
  test("its template: names stand for what variables say, and no value is in the log", async () => {
    const { preview, lines } = await refusedBy(lease, () => {
      repo.write("lease.md", LATER);
      return lease();
    });
    expect(lines).not.toMatch(/900|Ana/);
    const { redlines, all } = await repo.reviewed(preview, "--pdfs", repo.at("pdfs"));
    expect(all).toContain("**1 refused**");
    expect(redlines).toBe(`
Compared with \`main\`: ~~what goes~~ **what comes**.

#### Lease: refused

**Refused**: signed by \`ana@example.com\`, so it stays as it is. This is what the change would have made of it.

A name in brackets, such as &#91;rent&#93;, stands for a value that the preview's log doesn't show.

**1. Rent**
> … is &#91;rent&#93; euros, due on the ~~first.~~ **tenth.**
`);
  });

  test("a variable: its clause, and what it says once a person wants that in the log", async () => {
    const change = () => lease({ variables: { name: "Ana", rent: "950" } });
    const named = await repo.reviewed((await refusedBy(lease, change)).preview);
    expect(named.redlines).toContain(
      "> The rent is ~~&#91;rent:old&#93;~~ **&#91;rent:new&#93;** euros, due on the first.",
    );
    const { redlines } = await repo.reviewed(
      (await refusedBy(lease, change, shown)).preview,
      "--pdfs",
      repo.at("pdfs"),
    );
    expect(redlines).toContain("#### Lease: refused, 1 page\n");
    expect(redlines).toContain("`01-lease.pdf`, `01-lease-before.pdf`");
    expect(redlines).toContain("> The rent is ~~900~~ **950** euros, due on the first.");
  });

  test("also by the dynamic provider", async () => {
    const nda = async (days: string) => {
      const { pdf, base64 } = await renderTemplate({ template: { markdown: `# NDA\n\nIt lasts ${days} days.\n` } });
      const { template: _, variables: __, ...inputs } = lease().inputs;
      return { pdf, goal: { name: "nda", inputs: { ...inputs, base64File: base64 } } };
    };
    const [before, after] = [await nda("ten"), await nda("nine")];
    repo.write("nda.pdf", "");
    writeFileSync(repo.at("nda.pdf"), before.pdf);
    repo.commit();
    const { preview } = await refusedBy(
      () => before.goal,
      () => after.goal,
      { frontEnd: dynamicFrontEnd },
    );
    writeFileSync(repo.at("nda.pdf"), after.pdf);
    const { redlines } = await repo.reviewed(preview);
    expect(redlines).toContain("#### Lease: refused, 1 page\n");
    expect(redlines).toContain("> It lasts ~~ten~~ **nine** days.");
  });

  test("a secret variable has a name in its place in any case", async () => {
    const inputs = (rent: string) => ({
      ...lease(),
      inputs: { ...lease().inputs, variables: { name: "Ana", rent: secret(rent) } },
    });
    const { preview, lines } = await refusedBy(
      () => inputs("900"),
      () => inputs("950"),
      shown,
    );
    expect(lines).not.toMatch(/900|950|Ana/);
    expect((await repo.reviewed(preview)).redlines).toContain("~~&#91;rent:old&#93;~~ **&#91;rent:new&#93;** euros");
  });

  test("a PDF that is given as one", async () => {
    const write = async (days: string) => {
      const { pdf } = await renderTemplate({ template: { markdown: `# NDA\n\nIt lasts ${days} days.\n` } });
      writeFileSync(repo.at("nda.pdf"), pdf);
    };
    const nda = (): Goal => {
      const { template: _, variables: __, ...inputs } = lease().inputs;
      return { name: "nda", inputs: { ...inputs, file: file("nda.pdf") } };
    };
    await write("ten");
    repo.commit();
    const before = nda();
    await write("nine");
    const after = nda();
    await write("ten");
    const { preview } = await refusedBy(
      () => before,
      () => after,
    );
    await write("nine");
    const { redlines } = await repo.reviewed(preview);
    expect(redlines).toContain("#### Lease: refused, 1 page\n");
    expect(redlines).toContain("> It lasts ~~ten~~ **nine** days.");
  });

  test("of a set its template once, and the rows that are refused", async () => {
    repo.write("team.csv", TEAM);
    repo.commit();
    const { preview, lines } = await refusedBy(leases, () => {
      repo.write("lease.md", LATER);
      return leases();
    });
    expect(lines).not.toMatch(/900|Ana/);
    const { redlines } = await repo.reviewed(preview);
    expect(redlines.match(/^#### .*$/gm)).toEqual([
      "#### leases, its template",
      "#### leases: ana@\u200bexample.com: refused, 1 page",
    ]);
    // A table is in git, and so is what its columns say.
    expect(redlines).toContain("> … is 900 euros, due on the ~~first.~~ **tenth.**");
  });

  test("of rows in the program as well", async () => {
    const rows = (rent: string): Goal => ({
      ...{ name: "leases", type: TYPE },
      inputs: {
        documents: {
          ana: { variables: { name: "Ana", rent }, invitations: [{ email: "ana@example.com" }] },
          bob: { variables: { name: "Bob", rent: "7" }, invitations: [{ email: "bob@example.com" }] },
        },
        defaults: { name: "Lease", template: file("lease.md") },
      } as Goal["inputs"],
    });
    const change = () => rows("950");
    const { preview, lines } = await refusedBy(() => rows("900"), change);
    expect(lines).not.toMatch(/900|950|Ana/);
    const { redlines } = await repo.reviewed(preview);
    expect(redlines.match(/^#### .*$/gm)).toEqual(["#### leases: ana: refused"]);
    expect(redlines).toContain("> The rent is ~~&#91;rent:old&#93;~~ **&#91;rent:new&#93;** euros");
    const full = await repo.reviewed((await refusedBy(() => rows("900"), change, shown)).preview);
    expect(full.redlines).toContain("> The rent is ~~900~~ **950** euros");
  });

  test("a template that is in git no more is compared with the text of the signed PDF", async () => {
    const { preview, id } = await refusedBy(
      () => lease({ template: new Asset({ text: LEASE.replace("on the first", "in advance") }) }),
      () => lease(),
      shown,
    );
    const missing = await repo.reviewed(preview);
    expect(missing.redlines).toContain("is no file of main. With --evidence it is read off the signed PDF.");
    const none = await repo.reviewed(preview, "--evidence", repo.at("nowhere"));
    expect(none.redlines).toContain(`has no signed PDF of document ${id}.`);
    const markdown = LEASE.replace("on the first", "in advance");
    const { pdf } = await renderTemplate({ template: { markdown }, variables: { name: "Ana", rent: "900" } });
    repo.write(`evidence/${id}/signed.pdf`, "");
    writeFileSync(repo.at(`evidence/${id}/signed.pdf`), pdf);
    const { redlines } = await repo.reviewed(preview, "--evidence", repo.at("evidence"), "--pdfs", repo.at("pdfs"));
    expect(redlines).toContain("Compared with the text of the signed PDF: its template");
    expect(redlines).toContain("> The rent is 900 euros, due ~~in advance.~~ **on the first.**");
    expect(readdirSync(repo.at("pdfs")).sort()).toEqual(["01-lease-before.pdf", "01-lease.pdf"]);
    expect(readFileSync(repo.at("pdfs/01-lease-before.pdf"))).toEqual(Buffer.from(pdf));
  });

  test("a replacement by force, whose step the preview has", async () => {
    const { template, ...others } = lease().inputs;
    const inputs = { ...others, template: { hash: "a".repeat(64) } };
    expect(template).toBeDefined();
    const urn = urnOf("lease");
    const message =
      "1 refused: the error says why [docsign/facts refused=1&causes=replace-signed&signed=ana@example.com]";
    const { redlines } = await repo.reviewed({
      steps: [{ op: "create-replacement", urn, newState: { inputs }, oldState: { inputs } }],
      diagnostics: [{ urn, severity: "info", message }],
    });
    expect(redlines).toContain("#### Lease: refused\n\n**Refused**: signed by `ana@example.com`");
  });
});

test.each([
  ["no JSON", "{"],
  ["no inputs", '{"ids":{},"isNamed":false}'],
  ["a list", "[]"],
])("what a preview says of a refused change is nothing where it is %s", async (_, change) => {
  const message = `1 refused [docsign/facts ${new URLSearchParams({ refused: "1", change })}]`;
  const { all, code } = await repo.reviewed({
    steps: [],
    diagnostics: [{ urn: urnOf("lease"), severity: "info", message }],
  });
  expect(all).not.toContain("What changes");
  expect(code).toBe(0);
});

test("an id that is no id names no file", async () => {
  const change = JSON.stringify({
    ...{ ids: { "": "../../secret" }, isNamed: false },
    ...{ before: { template: { hash: "a".repeat(64) } }, after: { name: "Lease" } },
  });
  repo.write("secret/signed.pdf", "%PDF-");
  const message = `1 refused [docsign/facts ${new URLSearchParams({ refused: "1", change })}]`;
  const diagnostics = [{ urn: urnOf("lease"), severity: "info", message }];
  const { redlines } = await repo.reviewed({ steps: [], diagnostics }, "--evidence", repo.at("a/b"));
  expect(redlines).toContain("is no file of main.");
  expect(redlines).not.toContain("signed PDF");
});

test("a change too long for a line of a log has names in place of values, or isn't said", async () => {
  const variables = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, `${text}${at}`]));
  const names = (count: number) => Object.keys(variables(count, "")).map(name => `{{${name}}}`);
  const long = (count: number, text: string) => () =>
    lease({ template: new Asset({ text: names(count).join("\n\n") }), variables: variables(count, text) });
  const values = await refusedBy(long(100, "x".repeat(200)), long(100, "y".repeat(200)), shown);
  expect(values.lines).toContain("v0:old");
  expect(values.lines).not.toContain("xxx");
  const nothing = await refusedBy(long(1_500, "x"), long(1_500, "y"), shown);
  expect(nothing.lines).toContain("[docsign/facts refused=1&causes=replace-signed&signed=ana@example.com]");
});

test("a change that leaves the text as it is says nothing of it in the log", async () => {
  const invitations = [
    { email: "ana@example.com", name: "Ana" },
    { email: "eve@example.com", name: "Eve" },
  ];
  for (const change of [{ name: "Lease 2" }, { invitations }]) {
    const { lines } = await refusedBy(lease, () => lease(change));
    expect(lines).toContain("[docsign/facts refused=1&causes=replace-signed&signed=ana@example.com]");
  }
});
