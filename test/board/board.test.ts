import { describe, expect, test } from "vitest";
import {
  boardJsonSchema,
  boardMarkdown,
  boardOf,
  boardPage,
  boardSchema,
  readExport,
} from "../../commands/board/index.js";
import { options } from "./support/options.js";
import { document, exported, type Made, manyContracts, secret } from "./support/states.js";

const board = (...resources: Made[]) => boardOf([readExport(exported("sales/prod", resources))], options);
const ana = { email: "ana@example.com", name: "Ana Torres" };
const bob = { email: "bob@example.org", name: "Bob Lindqvist" };

describe("who is waiting", () => {
  test("a person with a blank name, and a contract with one, have another heading", () => {
    const blank = { ...ana, name: " \u200b" };
    const made = document("1", "", [blank, { email: "", name: "" }], { createdAt: "2026-11-19T09:00:00Z" });
    const found = board({ ...made, name: "nda" });
    expect(found.people.map(({ email, name }) => ({ email, name }))).toEqual([
      { email: "", name: undefined },
      { email: "ana@example.com", name: undefined },
    ]);
    const page = boardPage(found);
    expect(page).toContain("<h3><bdi>ana@example.com</bdi></h3>");
    expect(page).toContain("<h3><bdi>address not shown</bdi></h3>");
    expect(page).not.toMatch(/<bdi>\s*<\/bdi>/);
    expect(page).toContain(' class="figures"');
    // Seven noughts say no more than the heading does.
    const none = boardPage(board());
    expect(none).not.toContain(' class="figures"');
    expect(none).toContain("There is no contract yet");
  });

  test("documents that a set's rows replaced are counted as alive", () => {
    const one = { documentId: "7", status: "unsigned", pendingSigners: [ana.email], supersedes: ["5", "6"] };
    const set = { type: "docsign:index:DocumentSet", name: "ndas", outputs: { documents: { "ana-1": one } } };
    expect(board(set).totals.superseded).toBe(2);
  });

  test("only those whose stage is open, the longest wait first", () => {
    const { people } = board(
      document(
        "1",
        "NDA",
        [
          { ...ana, stage: 1, signed: true },
          { ...bob, stage: 2 },
        ],
        { createdAt: "2026-11-19T09:00:00Z" },
      ),
      document(
        "2",
        "Lease",
        [
          { ...ana, stage: 1 },
          { ...bob, stage: 2 },
        ],
        { createdAt: "2026-11-12T09:00:00Z" },
      ),
    );
    expect(people).toEqual([
      {
        ...ana,
        late: false,
        since: "2026-11-12T09:00:00Z",
        contracts: [{ documentId: "2", stack: "sales/prod", name: "Lease" }],
      },
      {
        ...bob,
        late: false,
        since: "2026-11-19T09:00:00Z",
        contracts: [{ documentId: "1", stack: "sales/prod", name: "NDA" }],
      },
    ]);
  });

  test("stages come from the program where the service doesn't return them", () => {
    const basic = document("1", "NDA", [ana, bob]);
    const inputs = {
      invitations: [
        { email: "ANA@example.com", stage: 2 },
        { email: bob.email, stage: 1 },
      ],
    };
    expect(board({ ...basic, inputs }).people.map(({ email }) => email)).toEqual([bob.email]);
  });

  test("one person is one row, however their address is written", () => {
    const { people } = board(document("1", "NDA", [ana]), document("2", "Lease", [{ email: "Ana@Example.com" }]));
    expect(people.map(({ contracts }) => contracts.length)).toEqual([2]);
  });

  test("their last reminder, and the next deadline of a gate that isn't satisfied", () => {
    const reminder = (at: string) => ({
      type: "docsign:index:Reminder",
      name: `r${at}`,
      outputs: { documentId: "1", lastSentAt: { "10": at } },
    });
    const gate = (name: string, satisfied: boolean, deadline: unknown) => ({
      type: "pulumi-nodejs:dynamic/docsign:SignatureGate",
      name,
      outputs: { documentId: "1", satisfied, deadline: "14d", deadlineAt: deadline },
    });
    const { people, contracts } = board(
      document("1", "NDA", [ana]),
      reminder("2026-11-15T09:00:00Z"),
      reminder("2026-11-13T09:00:00Z"),
      gate("a", false, "2026-12-01T00:00:00Z"),
      gate("b", false, "2026-11-25T00:00:00Z"),
      gate("c", true, "2026-11-01T00:00:00Z"),
      gate("d", false, "soon"),
    );
    expect(people[0]).toMatchObject({
      lastReminderAt: "2026-11-15T09:00:00Z",
      nextDeadline: "2026-11-25T00:00:00Z",
      late: false,
    });
    expect(contracts[0]).toMatchObject({ lastReminderAt: "2026-11-15T09:00:00Z", deadline: "2026-11-25T00:00:00Z" });
  });

  test.each([
    ["sent 15 days ago", { createdAt: "2026-11-06T11:00:00Z" }, true],
    ["sent 13 days ago", { createdAt: "2026-11-08T13:00:00Z" }, false],
    ["past its deadline", { createdAt: "2026-11-20T00:00:00Z", deadline: "2026-11-21T11:59:00Z" }, true],
    ["old, and before its deadline", { createdAt: "2026-01-01T00:00:00Z", deadline: "2026-11-22T00:00:00Z" }, false],
    ["of an unknown age", { createdAt: undefined }, false],
  ])("a contract %s: late is %o %s", (_, more, late) => {
    expect(board(document("1", "NDA", [ana], more)).contracts[0]?.late).toBe(late);
  });
});

describe("contracts", () => {
  test("a signed one has its signed PDF and certificates, one that isn't has none", () => {
    const certificates = {
      status: "sended",
      ready: true,
      btcUrl: "https://s.example/b.pdf",
      ethUrl: "https://s.example/e.pdf",
    };
    const [signed, open] = board(
      document("1", "NDA", [{ ...ana, signed: true }], { certificates, nom151: { ready: true, dataUri: "data:…" } }),
      document("2", "Lease", [ana]),
    ).contracts;
    expect(signed).toMatchObject({
      allSigned: true,
      signedAt: "2026-11-18T12:00:00.000-06:00",
      signedUrl: expect.stringMatching(/signed\.pdf$/),
      bitcoinCertificateUrl: "https://s.example/b.pdf",
      nom151: true,
    });
    expect(open).not.toHaveProperty("signedUrl");
    expect(JSON.stringify(signed)).not.toContain("data:");
  });

  test("those of a set are named after the set and their key", () => {
    const one = document("7", "Policy", [ana]).outputs;
    const set = { type: "docsign:index:DocumentSet", name: "policies", outputs: { documents: { "ana-1": one } } };
    expect(board(set).contracts).toMatchObject([{ documentId: "7", resource: "policies/ana-1", name: "Policy" }]);
  });

  test("a set whose outputs only list who is pending is enough", () => {
    const documents = { a: { documentId: 7, status: "unsigned", pendingSigners: ["ana@example.com"] } };
    const { contracts, people } = board({
      type: "docsign:index:DocumentSet",
      name: "s",
      outputs: { documents, waitingFor: [{ key: "a", email: "ana@example.com", since: "2026-11-12T09:00:00Z" }] },
    });
    expect([contracts[0]?.name, people[0]?.email, people[0]?.since]).toEqual([
      "a",
      "ana@example.com",
      "2026-11-12T09:00:00Z",
    ]);
  });

  test("of a set whose rows have stages only those are named whose turn it is", () => {
    const documents = {
      a: {
        documentId: "7",
        status: "unsigned",
        pendingSigners: ["ana@example.com", "bob@example.org"],
        waiting: { emails: ["ana@example.com"], since: "2026-11-12T09:00:00Z" },
        createdAt: "2026-11-12T09:00:00Z",
      },
    };
    const { contracts, people } = board({ type: "docsign:index:DocumentSet", name: "s", outputs: { documents } });
    expect(people.map(({ email, since }) => [email, since])).toEqual([["ana@example.com", "2026-11-12T09:00:00Z"]]);
    expect(contracts[0]?.signers.map(({ email, turn }) => [email, turn])).toEqual([
      ["ana@example.com", true],
      ["bob@example.org", false],
    ]);
  });

  test("those of a set that differ from the program count as drifted", () => {
    const documents = { a: { documentId: "7", status: "unsigned" }, b: { documentId: "8", status: "unsigned" } };
    const { totals, contracts } = board({
      type: "docsign:index:DocumentSet",
      name: "s",
      outputs: { documents, drift: ["b"] },
    });
    expect(totals.drifted).toBe(1);
    expect(contracts.map(({ documentId, drift }) => [documentId, drift])).toEqual(
      expect.arrayContaining([
        ["7", []],
        ["8", ["content"]],
      ]),
    );
  });

  test("an unknown status is carried and counted apart", () => {
    const { totals, contracts } = board(document("1", "NDA", [ana], { status: "archived" }));
    expect([totals.other, contracts[0]?.status]).toEqual([1, "archived"]);
  });

  test("words of the service's own turn no other around, wherever the page shows them", () => {
    const word = "\u05d0\u202e";
    const signers = [{ email: word, name: word, invitationId: "1", status: word }];
    const page = boardPage(board(document("1", word, [ana], { status: word, signers })));
    // A choice in a list is a box of its own, and takes no elements.
    const shown = page.replaceAll(/<option .*?<\/option>/gs, "");
    expect(shown.match(/<bdi>\u05d0\u202e<\/bdi>/g)?.length).toBeGreaterThan(3);
    expect(shown.replaceAll(/<bdi>\u05d0\u202e<\/bdi>/g, "")).not.toMatch(/[\u05d0\u202e]/);
  });

  test("a signer of unknown status isn't counted as waiting, and is shown as unknown", () => {
    const signers = [
      { email: ana.email, invitationId: "1", status: "unknown" },
      { email: bob.email, invitationId: "2", status: "unsigned" },
    ];
    const made = board(document("1", "NDA", [ana, bob], { signers }));
    expect(made.people.map(({ email }) => email)).toEqual([bob.email]);
    expect(boardPage(made)).toContain("<bdi>ana@example.com</bdi> <bdi>unknown");
  });

  test("one that is only waiting to be deleted isn't shown", () => {
    expect(board({ ...document("1", "NDA", [ana]), delete: true }).contracts).toEqual([]);
  });
});

test("a gate over several documents sets a deadline for those that aren't done", () => {
  const gate = {
    type: "docsign:index:SignatureGate",
    name: "all",
    inputs: { documentIds: ["1", "2"] },
    outputs: { satisfied: false, satisfiedIds: ["1"], deadlineAt: "2026-11-25T00:00:00Z" },
  };
  const { contracts } = board(document("1", "NDA", [ana]), document("2", "Lease", [bob]), gate);
  expect(new Map(contracts.map(({ documentId, deadline }) => [documentId, deadline]))).toEqual(
    new Map([
      ["1", undefined],
      ["2", "2026-11-25T00:00:00Z"],
    ]),
  );
});

describe("when a contract ends", () => {
  const today = options.now.toISOString().slice(0, 10);
  const inDays = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
  const ending = (days: number, more: object = {}) => {
    const made = document("1", "NDA", [ana]);
    return board({ ...made, outputs: { ...made.outputs, expiresAt: inDays(days), ...more } });
  };

  test.each([
    [30, "ends in 30 days"],
    [1, "ends in 1 day"],
    [0, "ends today"],
    [-2, "ended 2 days ago"],
  ])("in %j days, the page says so", (days, text) => {
    const found = ending(days);
    expect(found.contracts[0]).toMatchObject({ expiresAt: inDays(days), endsInDays: days, toRenew: false });
    expect(boardPage(found)).toContain(` · ${text}`);
    expect(boardMarkdown(found).includes(text)).toBe(days >= 0);
  });

  test("one that is to be renewed is named from then on", () => {
    expect(boardMarkdown(ending(61, { renewBefore: "60d" }))).not.toContain("to renew");
    for (const days of [60, -1]) {
      const found = ending(days, { renewBefore: "60d" });
      expect(found.contracts[0]?.toRenew).toBe(true);
      expect(boardMarkdown(found)).toContain("**to renew**");
      expect(boardPage(found)).toContain("<b class=l>to renew</b>");
    }
  });

  test("a row's end is its own, and what isn't a day is none", () => {
    const row = { documentId: "7", status: "signed", pendingSigners: [], expiresAt: inDays(3) };
    const documents = { ana: row, bob: { ...row, documentId: "8", expiresAt: "soon" } };
    const set = { type: "docsign:index:DocumentSet", name: "ndas", outputs: { documents } };
    expect(board(set).contracts.map(({ endsInDays }) => endsInDays)).toEqual([3, undefined]);
  });
});

test("secrets stay out, decrypted ones too", () => {
  const plain = { ...secret(""), plaintext: '[{"email":"hidden@example.com"}]' };
  const made = document("1", "NDA", [ana], { signers: plain, pendingSigners: secret("v1:abc"), description: plain });
  const shown = board({ ...made, inputs: { ...made.inputs, invitations: plain } });
  expect(shown.contracts[0]).toMatchObject({ signers: [], signersSecret: true });
  expect(JSON.stringify(shown)).not.toMatch(/hidden|v1:abc|4dabf/);
});

test("a stack without resources, and one without a deployment, are empty", () => {
  const empty = [exported("sales/prod", []), { version: 3, deployment: null }].map(one => readExport(one));
  expect(boardOf(empty, options).stacks.map(({ name, contracts }) => [name, contracts])).toEqual([
    ["sales/prod", 0],
    ["an empty stack", 0],
  ]);
});

test("the JSON is what its published schema says", async () => {
  const made = boardOf([readExport(exported("leases/prod", manyContracts(60)))], options);
  expect(boardSchema.parse(made)).toEqual(made);
  await expect(`${JSON.stringify(boardJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    "../../commands/board/board.schema.json",
  );
});
