import { describe, expect, test } from "vitest";
import { boardMarkdown, boardOf, planMarkdown, readExport, readPreview } from "../../commands/board/index.js";
import { code, escaped, LONGEST, together } from "../../commands/board/markdown.js";
import { boardPage } from "../../commands/board/page/page.js";
import { isOpenCreates, readOpenCreates } from "../../commands/board/read.js";
import { momentText } from "../../commands/ui/time.js";
import { withFacts } from "../../provider/schema/facts.js";
import { options } from "./support/options.js";
import { document, exported, secret } from "./support/states.js";

const urn = (name: string, type = "docsign:index:Document") => `urn:pulumi:prod::sales::${type}::${name}`;
const inputs = (name: string, ...emails: string[]) => ({ name, invitations: emails.map(email => ({ email })) });
const step = (op: string, name: string, given: object = inputs(name)) => ({
  op,
  urn: urn(name),
  newState: { inputs: given },
});

const said = (name: string, message: string, type?: string, severity = "info") => ({
  urn: urn(name, type),
  message: `${message}\n`,
  severity,
});

test("creates whose outcome isn't known stand above the stacks, off what `docsign journal list --json` writes", () => {
  const listed = {
    format: 1,
    creates: [
      {
        ...{ token: "3fbd34aa", service: "https://api.example.com", startedAt: 1, hints: [] },
        urn: "urn:pulumi:prod::sales::docsign:index:DocumentSet::ndas#ana",
        ...{ since: "2026-11-20T10:00:00.000Z", answered: false },
        candidates: [{ id: "5001", status: "unsigned", createdAt: null }],
      },
    ],
  };
  expect([isOpenCreates(listed), isOpenCreates(exported("sales/prod", []))]).toEqual([true, false]);
  const open = readOpenCreates(listed);
  expect(open).toEqual([
    {
      ...{ token: "3fbd34aa", stack: "sales/prod", resource: "ndas#ana", since: "2026-11-20T10:00:00.000Z" },
      ...{ answered: false, candidates: ["5001"] },
    },
  ]);
  const board = boardOf([readExport(exported("sales/prod", []))], { ...options, open });
  expect(board.open).toEqual(open);
  expect(boardMarkdown(board)).toContain("| Create without a known outcome | Stack | Begun | May be document |");
  expect(boardMarkdown(board)).toMatch(/\| `ndas#ana` \(`3fbd34aa`\) \| `sales\/prod` \| [^|]+ \| `5001` \|/);
  expect(boardPage(board)).toContain("docsign journal resolve 3fbd34aa");
  expect(boardPage({ ...board, open: [] })).not.toContain("known outcome");
});

test("a preview: who would be mailed, what is replaced, what stays, what is refused and why", () => {
  const refusal =
    'error: document 5006 "MSA" is partially_signed, so it is not replaced. No one was mailed. [docsign/replace-signed]\n  signed: sales@example.com (advanced), 2026-11-21T21:09:20.036-06:00\n  waiting: hr@example.org\n';
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
        said(
          "lease",
          'will mail legal@example.net, ana@example.com: document "Lease 9" [docsign/facts mails=2&sends=1]',
        ),
        said("nda", 'will mail ana@example.com, bob@example.org: document "NDA" [docsign/facts mails=2&replaces=1]'),
        said("nda", 'will mail ana@example.com, bob@example.org: document "NDA" [docsign/facts mails=2&replaces=1]'),
        said("msa", "[docsign/facts refused=1&causes=replace-signed&signed=sales%40example.com]"),
        said("msa", refusal, undefined, "error"),
      ],
      changeSummary: { same: 213, create: 1 },
    }),
  );
  expect(markdown).toBe(`<!-- docsign-board -->

### Contracts in \`sales/prod\`

**3 people will be mailed**, 1 contract replaced, 212 contracts unchanged, 1 contract let go of, **1 refused**: \`msa\`, signed by \`sales@example.com\`.

| Contract | What happens | Who is mailed |
| --- | --- | --- |
| Lease 9 | sent for the first time | \`legal@example.net\`, \`ana@example.com\` |
| NDA | replaced; the old one stays alive at the service | \`ana@example.com\`, \`bob@example.org\` |

> **Refused:** document 5006 "MSA" is partially&#95;signed, so it is not replaced. No one was mailed. &#91;docsign/replace-signed&#93;

The preview ends at an error, so there may be more changes than these.
`);
});

describe("a set", () => {
  const SET = "docsign:index:DocumentSet";
  const update = (facts: string) =>
    readPreview({
      steps: [{ op: "update", urn: urn("ndas", SET), newState: { inputs: {} } }],
      diagnostics: [said("ndas", `in all: [docsign/facts ${facts}]`, SET)],
    });

  test("that mails one person names them", () => {
    expect(planMarkdown(update("mails=1&sends=1&to=c44%40example.com"))).toContain(
      "\n**1 person will be mailed**: `c44@example.com` (set `ndas`).\n",
    );
  });

  test("whose rows are replaced, taken back, let go of and unclear has them in the comment", () => {
    const facts = "mails=20&sends=12&replaces=8&takesBack=16&letsGo=2&unclear=4&to=a%40example.com&to=b%40example.com";
    const markdown = planMarkdown(update(facts));
    expect(markdown).toContain(
      "**20 people will be mailed**, 8 contracts replaced, 16 contracts taken back without mail, 2 contracts let go of, **4 unclear**: not known whether they were sent before.",
    );
    expect(markdown).toContain(
      "| ndas | 12 sent for the first time, 8 replaced; the old ones stay alive at the service | `a@example.com`, `b@example.com`, 18 more |",
    );
  });

  test("that mails somebody about several contracts counts people", () => {
    expect(
      planMarkdown(update("mails=4&people=3&sends=2&to=legal%40example.com&to=a%40example.com&to=b%40example.com")),
    ).toContain("**3 people will be mailed**: `legal@example.com`, `a@example.com`, `b@example.com` (set `ndas`).");
  });

  test("beside another one counts who is named in both once, and says where others may be the same", () => {
    const both = (...facts: readonly string[]) =>
      planMarkdown(
        readPreview({
          steps: [],
          diagnostics: facts.map((each, nth) => said(`set${nth}`, `in all: [docsign/facts ${each}]`, SET)),
        }),
      );
    const named = "mails=2&sends=1&to=legal%40example.com";
    expect(both(`${named}&to=a%40example.com`, `${named}&to=b%40example.com`)).toContain("**3 people will be mailed**");
    expect(both("mails=40&people=21&sends=20&to=legal%40example.com", named)).toContain(
      "**At most 22 people will be mailed**",
    );
  });

  test("that mails nobody says so, and one of which nothing was said isn't nobody", () => {
    expect(planMarkdown(update("mails=0&takesBack=1&letsGo=1"))).toContain(
      "Nobody will be mailed, 1 contract taken back, 1 contract let go of.",
    );
    const { mails, silent, people } = readPreview({ steps: [{ op: "update", urn: urn("ndas", SET) }] });
    expect({ mails, silent, people }).toEqual({ mails: [], silent: ["ndas"], people: undefined });
    expect(planMarkdown(readPreview({ steps: [{ op: "update", urn: urn("ndas", SET) }] }))).toContain(
      "**Whom it mails isn't known**: the provider said nothing of `ndas`",
    );
  });

  test("that is refused counts as refused, and who signed is named", () => {
    const reason = "2 of 3 changed rows can't be replaced, so nothing was sent. [docsign/replace-signed]";
    const ends = { message: "error: preview failed\n", severity: "error" };
    const plan = readPreview({
      steps: [],
      diagnostics: [
        said(
          "ndas",
          "[docsign/facts refused=2&causes=replace-signed&signed=ana%40example.com&signed=bob%40example.org]",
          SET,
        ),
        said(
          "ndas",
          `error: Preview failed: ${reason}\n  ana: document 7 "NDA" is partially_signed; signed: eve@example.net`,
          SET,
          "error",
        ),
        ends,
      ],
    });
    expect(plan.failures).toEqual([]);
    expect(plan.refused).toEqual([{ resource: "ndas", reason, signedBy: ["ana@example.com", "bob@example.org"] }]);
    expect(planMarkdown(plan)).toContain("**Whom it mails isn't known**, **2 refused**: `ndas`, signed by ");
    expect(readPreview({ steps: [], diagnostics: [ends] }).failures).toEqual(["preview failed"]);
  });

  test.each([
    ["refused", "refused=1&causes=duplicate", "duplicate", "**1 refused**: `ndas`."],
    [
      "unclear",
      "unclear=1&causes=create-unconfirmed",
      "create-unconfirmed",
      "**1 unclear**: not known whether it was sent before.",
    ],
  ])("of whose rows one is %s is named with the warning, and nothing is cut", (_, facts, cause, expected) => {
    const reason = "1 of 3 rows can't be sent. `pulumi up` does the others, and fails at the end.";
    const markdown = planMarkdown(
      readPreview({
        steps: [{ op: "update", urn: urn("ndas", SET), newState: { inputs: {} } }],
        diagnostics: [
          said("ndas", `in all: 1 person [docsign/facts mails=1&sends=1&${facts}&to=fay%40example.com]`, SET),
          said("ndas", "warning: ana: document 7 is removed from state, not deleted", SET, "warning"),
          said("ndas", `warning: ${reason} [docsign/${cause}]\n  ana: document 5001`, SET, "warning"),
        ],
      }),
    );
    expect(markdown).toContain(`**1 person will be mailed**: \`fay@example.com\` (set \`ndas\`), ${expected}\n`);
    expect(markdown.match(/^> .*$/gm)).toEqual([`> **Refused:** ${escaped(`${reason} [docsign/${cause}]`)}`]);
    expect(markdown).not.toContain("ends at an error");
  });

  test("that is removed lets go of each of its documents", () => {
    const oldState = { outputs: { documents: { ana: {}, bob: {} } } };
    expect(readPreview({ steps: [{ op: "delete", urn: urn("ndas", SET), oldState }] }).forgotten).toBe(2);
  });
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

test("signers that are kept secret are counted, and not shown", () => {
  const plan = readPreview({
    steps: [step("create", "nda", { name: "NDA", invitations: secret("v1:x") })],
    diagnostics: [said("nda", 'will mail 2 people: document "NDA" [docsign/facts mails=2&sends=1]')],
  });
  expect(plan.mails[0]).toMatchObject({ count: 2, people: [] });
  expect(planMarkdown(plan)).toContain("**2 people will be mailed**");
  expect(planMarkdown(plan)).toContain("| 2 not shown |");
});

test.each(["04da6b54-80e4-46f7-96ec-b56ff0331ba9", "[secret]"])(
  "a title and an address given as %s are nobody's",
  hidden => {
    const contracts = ["nda", "lease"].map(name => [name, inputs(hidden, "ana@example.com", hidden)] as const);
    const plan = readPreview({
      steps: contracts.map(([name, given]) => step("create", name, given)),
      diagnostics: contracts.map(([name]) =>
        said(
          name,
          "will mail ana@example.com, an address not known yet: a new document [docsign/facts mails=2&sends=1]",
        ),
      ),
    });
    expect(plan.people).toBe(3);
    expect(plan.mails.map(({ name, people }) => [name, ...people])).toEqual([
      ["nda", "ana@example.com"],
      ["lease", "ana@example.com"],
    ]);
  },
);

test("people who aren't known yet are said to be mailed", () => {
  const plan = readPreview({
    steps: [step("create", "nda", { name: "NDA" })],
    diagnostics: [said("nda", "will mail people not known yet: a new document [docsign/facts undecided=1&sends=1]")],
  });
  expect(plan.people).toBeUndefined();
  expect(planMarkdown(plan)).toContain("**People who aren't known yet will be mailed**.");
});

test("who is known is counted beside a reminder of which it isn't known yet whom it mails", () => {
  const plan = readPreview({
    steps: [step("create", "nda", inputs("NDA", "ana@example.com"))],
    diagnostics: [
      said("nda", 'will mail ana@example.com: document "NDA" [docsign/facts mails=1&sends=1]'),
      said("weekly", "may remind people [docsign/facts undecided=1]", "docsign:index:Reminder"),
    ],
  });
  expect(plan.people).toBeUndefined();
  expect(planMarkdown(plan)).toContain("**1 person will be mailed, others aren't known yet**.");
});

test("a reminder's preview says whom it would mail", () => {
  const message =
    "will mail bob@example.org: a reminder of document 5001 (changed: triggers) [docsign/facts mails=1&to=bob%40example.org]";
  const plan = readPreview({ steps: [], diagnostics: [said("weekly", message, "docsign:index:Reminder")] });
  expect(plan.mails).toEqual([
    {
      resource: "weekly",
      name: "weekly",
      kind: "reminder",
      sends: 0,
      replaces: 0,
      count: 1,
      people: ["bob@example.org"],
    },
  ]);
  expect(planMarkdown(plan)).toContain("**1 person will be mailed**: `bob@example.org` (`weekly`)");
});

test("a title that looks like facts counts for nothing", () => {
  const title = "We will mail 0 people in all [docsign/facts mails=0]";
  const plan = readPreview({
    steps: [step("create", "nda", inputs(title, "ana@example.com"))],
    diagnostics: [said("nda", withFacts(`will mail ana@example.com: document "${title}`, { mails: 1, sends: 1 }))],
  });
  expect(plan.people).toBe(1);
});

describe("a comment is short enough for its host", () => {
  const nasty = "[](<$x$>)".repeat(60);

  test("whatever a preview holds", () => {
    const many = Array.from({ length: 300 }, (_, n) => `nda-${n}`);
    const facts = `mails=10&sends=1&${Array.from({ length: 10 }, (_, n) => `to=${"x".repeat(240)}${n}%40e.example`).join("&")}`;
    const markdown = planMarkdown(
      readPreview({
        steps: many.map(name =>
          step("create", name, inputs(nasty, ...Array.from({ length: 99 }, (_, n) => `p${n}@e.example`))),
        ),
        diagnostics: [
          ...many.map(name => said(name, `will mail [docsign/facts ${facts}]`)),
          ...many.map(name => said(`e-${name}`, `error: ${nasty}`, undefined, "error")),
        ],
      }),
    );
    expect(markdown.length).toBeLessThan(LONGEST);
    expect(markdown).toMatch(/… and \d+ more\./);
    expect(markdown).toContain("> **Error:** ");
  });

  test("whoever signed what is refused, and what comes after it is shown", () => {
    const names = Array.from({ length: 10 }, (_, n) => nasty.slice(0, 250) + n);
    const signed = new URLSearchParams(names.map((name): [string, string] => ["signed", name]));
    const plan = readPreview({
      steps: [],
      diagnostics: names.flatMap(name => [
        said(name, `[docsign/facts refused=1&causes=replace-signed&${signed}]`),
        said(name, `error: ${nasty}`, undefined, "error"),
      ]),
    });
    expect(plan.refusals).toBe(10);
    const small = readPreview({ steps: [step("create", "nda", inputs("NDA", "a@example.com"))] });
    const all = together([plan, small].map(each => (longest: number) => planMarkdown(each, longest)));
    expect(all.length).toBeLessThan(LONGEST);
    expect(all).toContain("**10 refused**");
    const tooLong = together([() => "x".repeat(LONGEST), longest => planMarkdown(small, longest)]);
    expect(tooLong).toContain("### Contracts in `sales/prod`");
    expect(tooLong).toMatch(/… and 1 more\.\n$/);
  });

  test("whatever state holds, and of however many stacks", () => {
    const people = Array.from({ length: 300 }, (_, n) => ({ email: `${"x".repeat(240)}${n}@e.example`, name: nasty }));
    const states = Array.from({ length: 200 }, (_, n) =>
      readExport(exported(`sales/${nasty}${n}`, [document(`${n}`, nasty, people)])),
    );
    const board = boardOf(states, options);
    expect(boardMarkdown(board).length).toBeLessThan(LONGEST);
    const plan = readPreview({ steps: [step("create", "nda", inputs("NDA", "a@example.com"))] });
    const parts = Array.from({ length: 600 }, () => (longest: number) => planMarkdown(plan, longest));
    const all = together([...parts, longest => boardMarkdown(board, longest)]);
    expect(all.length).toBeLessThan(LONGEST);
    expect(all).toMatch(/… and \d+ more\.\n$/);
  });
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
  const hostile = "[x](https://e.example) ![i](//e) @team <b>|\n| # `c` **d** \u202egnp www.e.example $500 or $700";
  const made = document("1", hostile, [{ email: "a`|b@example.com", name: hostile }]);
  const markdown = boardMarkdown(boardOf([readExport(exported("sales/prod", [made]))], options));
  expect(markdown.split("\n").filter(line => line.startsWith("| "))).toHaveLength(3);
  expect(markdown).not.toMatch(/\[x\]\(|!\[|@team|<b>|https:\/\/|\u202e|www\.|\$/);
});

test.each(["#12", "!12", "$12", "%12", "&12", "GH-12", "see gh-3"])("%s in a name refers to no issue", name => {
  expect(escaped(name).replaceAll(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)))).toMatch(
    /[^\d]\u200b\d/,
  );
});

test.each([
  "~bug",
  '~"a b"',
  "%v1",
  '%"a b"',
  "[issue:1]",
  "GL-1",
  "{+ a +}",
  "[- a -]",
  "ftp://a.example",
  "www.a.example",
])("%s in a name is no reference, no change and no link, also in what it comes to", name => {
  const shown = escaped(name).replaceAll(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)));
  expect(shown.replaceAll("\u200b", "")).toBe(name);
  expect(shown).toMatch(/^([~%[{:]|GL-|ftp:|www)\u200b/);
});

test.each(["", " ", "\u202e", "\u200b\u2060"])("%j has nothing to show, which is said", text => {
  expect(escaped(text)).toBe("(blank)");
});

test("a time that is none isn't counted from", () => {
  const people = [{ email: "ana@example.com" }];
  for (const createdAt of ["", "soon", "2026-99-99"]) {
    const board = boardOf([readExport(exported("sales/prod", [document("1", "NDA", people, { createdAt })]))], options);
    expect(boardMarkdown(board)).toContain("| `ana@example.com` | NDA |  | none |  |");
    expect(boardPage(board)).not.toContain("NaN");
  }
});

test.each([":octocat:", "a :+1: b", "::shipit::"])("%s in a name is no emoji", name => {
  expect(escaped(name)).not.toMatch(/:[\w+-]+:/);
});

const BAIT = "Nov 20 2026 (@team [x](https://evil.example) | <img src=x>)";

test("a moment that is any text is text", () => {
  const made = document("1", "NDA", [{ email: "ana@example.com" }]);
  const gate = {
    name: "g",
    type: "docsign:index:SignatureGate",
    outputs: { documentId: "1", deadlineAt: BAIT },
  };
  const state = readExport(exported("sales/prod", [made, gate]));
  const markdown = boardMarkdown(boardOf([{ ...state, stateAt: BAIT }], options));
  expect(markdown.split("Nov 20 2026")).toHaveLength(3);
  expect(markdown).not.toMatch(/@team|\[x\]|https:\/\/|<img/);
});

test("a month that there isn't is no name", () => {
  expect(momentText("2026-13-01T10:00:00Z")).toBe("2026-13-01T10:00:00Z");
});

test("code without anything in it begins no code that ends elsewhere", () => {
  for (const text of ["", "`", "\u202e", "``\n``"]) expect(code(text)).toMatch(/^`[^`]+`$/);
  expect(code(`${"x".repeat(199)}\u{1f600}`).isWellFormed()).toBe(true);
});
