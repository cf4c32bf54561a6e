import { expect, test } from "vitest";
import { boardMarkdown, boardOf, planMarkdown, readExport, readPreview } from "../../board/index.js";
import { options } from "./support/options.js";
import { document, exported, secret } from "./support/states.js";

const urn = (name: string, type = "docsign:index:Document") => `urn:pulumi:prod::sales::${type}::${name}`;
const inputs = (name: string, ...emails: string[]) => ({ name, invitations: emails.map(email => ({ email })) });
const step = (op: string, name: string, given: object = inputs(name)) => ({
  op,
  urn: urn(name),
  newState: { inputs: given },
});

test("a preview: who would be mailed, what is replaced, what stays, what is refused and why", () => {
  const markdown = planMarkdown(
    readPreview({
      steps: [
        step("create", "lease", inputs("Lease 9", "legal@example.net", "ana@example.com")),
        step("replace", "nda", inputs("NDA", "ana@example.com", "bob@example.org")),
        step("create-replacement", "nda", inputs("NDA", "ana@example.com", "bob@example.org")),
        ...Array.from({ length: 212 }, (_, index) => step("same", `kept-${index}`)),
        { op: "same", urn: urn("f", "docsign:index:Folder") },
        step("delete", "old"),
      ],
      diagnostics: [
        {
          urn: urn("msa"),
          severity: "error",
          message:
            'error: document 5006 "MSA" is partially_signed, so it is not replaced. No one was mailed. [docsign/replace-signed]\n  signed: sales@example.com (advanced), 2026-11-21T21:09:20.036-06:00\n  waiting: hr@example.org\n',
        },
      ],
      changeSummary: { same: 213, create: 1 },
    }),
  );
  expect(markdown).toBe(`<!-- docsign-board -->

### Contracts in \`sales/prod\`

**3 people will be mailed**, 1 contract replaced, 212 contracts unchanged, 1 contract let go of, **1 refused**: \`msa\`, signed by sales@\u200bexample.com.

| Contract | What happens | Who is mailed |
| --- | --- | --- |
| Lease 9 | sent for the first time | \`legal@example.net\`, \`ana@example.com\` |
| NDA | replaced; the old one stays alive at the service | \`ana@example.com\`, \`bob@example.org\` |

> **Refused:** document 5006 "MSA" is partially&#95;signed, so it is not replaced. No one was mailed. &#91;docsign/replace-signed&#93;

The preview ends at a refusal, so there may be more changes than these.
`);
});

test("a set that is refused counts as refused, and everyone who signed is named", () => {
  const { refused, failures } = readPreview({
    steps: [],
    diagnostics: [
      {
        urn: urn("ndas", "docsign:index:DocumentSet"),
        severity: "error",
        message: `error: 2 of 3 changed rows can't be replaced, so nothing was sent. [docsign/replace-signed]
  ana: document 7 "NDA" is partially_signed; changed: description; signed: ana@example.com (advanced), 2026-11-21T21:09:20.036-06:00; waiting: eve@example.net
  bob: document 8 "NDA" is signed; changed: description; signed: bob@example.org (advanced), 2026-11-21T21:09:20.036-06:00
What you can do:
  - keep them and replace the others: set whenSigned: "keep"
`,
      },
    ],
  });
  expect(failures).toEqual([]);
  expect(refused).toMatchObject([
    {
      resource: "ndas",
      reason: "2 of 3 changed rows can't be replaced, so nothing was sent. [docsign/replace-signed]",
      signedBy: [expect.stringMatching(/^ana@example\.com \(/), expect.stringMatching(/^bob@example\.org \(/)],
    },
  ]);
});

test("a preview that mails nobody says so", () => {
  expect(planMarkdown(readPreview({ steps: [step("same", "nda")], changeSummary: { same: 2 } }))).toContain(
    "Nobody will be mailed, 1 contract unchanged.",
  );
});

test("without --show-sames nothing is said of what stays", () => {
  const plan = readPreview({
    steps: [step("create", "nda", inputs("NDA", "a@example.com"))],
    changeSummary: { same: 9, create: 1 },
  });
  expect(plan.unchanged).toBeUndefined();
  expect(planMarkdown(plan)).not.toContain("unchanged");
});

test("signers that are kept secret aren't shown, and are counted as unknown", () => {
  const plan = readPreview({ steps: [step("create", "nda", { name: "NDA", invitations: secret("v1:x") })] });
  expect(plan.mails[0]?.people).toBeUndefined();
  expect(planMarkdown(plan)).toContain("who are kept secret or aren't known yet will be mailed");
});

test("a reminder's preview says whom it would mail", () => {
  const message = "will mail bob@example.org: a reminder of document 5001 (changed: triggers)\n";
  const plan = readPreview({
    steps: [],
    diagnostics: [{ urn: urn("weekly", "docsign:index:Reminder"), severity: "info", message }],
  });
  expect(plan.mails).toEqual([{ resource: "weekly", name: "weekly", kind: "reminder", people: ["bob@example.org"] }]);
});

test("from state: who has to sign, since when, and when they were reminded", () => {
  const made = document("1", "NDA", [{ email: "ana@example.com", name: "Ana Torres" }], {
    createdAt: "2026-11-01T09:00:00Z",
  });
  const state = readExport(exported("sales/prod", [made]), "acme/sales/prod");
  expect(boardMarkdown(boardOf([state], options))).toBe(`<!-- docsign-board -->

### Contracts: 0 of 1 signed

1 person to sign, **1 contract late**.

| Who | Contracts | Waiting | Last reminder | Deadline |
| --- | --- | --- | --- | --- |
| Ana Torres (\`ana@example.com\`) | NDA | **20 days, late** | none |  |

<sub>\`acme/sales/prod\`: state of 20 Nov 2026, 03:00</sub>
`);
});

test("names are text: no link, no image, no mention, no row of their own", () => {
  const hostile = "[x](https://e.example) ![i](//e) @team <b>|\n| # `c` **d** \u202egnp";
  const made = document("1", hostile, [{ email: "a`|b@example.com", name: hostile }]);
  const markdown = boardMarkdown(boardOf([readExport(exported("sales/prod", [made]))], options));
  expect(markdown.split("\n").filter(line => line.startsWith("| "))).toHaveLength(3);
  expect(markdown).not.toMatch(/\[x\]\(|!\[|@team|<b>|https:\/\/|\u202e/);
});
