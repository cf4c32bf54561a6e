import { describe, expect, test } from "vitest";
import type { DocumentBody } from "../../provider/client/service.js";
import type { CreationPolicy } from "../../provider/resources/context.js";
import { type Candidate, candidateOf, type KnownDocument } from "../../provider/resources/document/candidates.js";
import { nameHash } from "../../provider/resources/document/content.js";
import type { LookupResult } from "../../provider/resources/document/lookup.js";
import {
  type CreatePlan,
  type Predecessor,
  planCreate,
  planFromMemory,
  type RememberedFacts,
  type SeenAttempt,
  type ServiceFacts,
} from "../../provider/resources/document/plan.js";
import type { Attempt, Owned } from "../../provider/resources/journal/contract.js";
import type { Finding } from "../../provider/resources/replace-guard.js";

const NOW = 1_800_000_000_000;
const RESEND_AFTER = 120_000;

const content = { fingerprint: "same", name: "n", sha256: "s", invitees: "i", description: "d" };
const policy: CreationPolicy = {
  duplicatePolicy: "refuse",
  creationMarker: false,
  reconcileTimeoutMs: 10_000,
  resendAfterMs: RESEND_AFTER,
  uploadTimeoutMs: 300_000,
  folderPlacement: "warn",
  unconfirmedFolder: "create",
};
const memory: RememberedFacts = {
  urn: "urn:pulumi:dev::contracts::docsign:index:Document::nda",
  preview: false,
  origin: "https://sign.example.com",
  spec: { name: "NDA", folderId: undefined, content },
  situation: { kind: "new", exists: false, inState: [] },
  wanted: undefined,
  earlierCreate: undefined,
  predecessors: [],
  shownElsewhere: [],
  maybeMoved: [],
  atOtherServices: [],
};
const service: ServiceFacts = {
  ownAttempt: undefined,
  attemptsOfOtherRuns: [],
  documents: [],
  marked: [],
  successors: undefined,
  basis: { owned: [], before: new Set(), listedAt: NOW },
  now: NOW,
  serviceNow: undefined,
  policy,
};

const body = (id: string, status = "unsigned"): DocumentBody =>
  ({
    id,
    name: "NDA",
    description: null,
    status,
    ownerId: null,
    folderId: null,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: null,
    lastVersion: null,
    certificates: null,
    nom151: null,
    files: [],
    invitations: [],
  }) as unknown as DocumentBody;

const known = (body: DocumentBody, standing: Candidate["standing"], about: Partial<Candidate> = {}) => ({
  id: body.id,
  body,
  source: "name" as const,
  isNamed: false,
  owner: undefined,
  holder: "nobody" as Candidate["holder"],
  isLetGo: false,
  madeOf: "other content" as Candidate["madeOf"],
  isChanging: false,
  isInProgram: false,
  isReplacedIfDeleted: false,
  isOwnElsewhere: false,
  isAlike: about.asOurs === "doubtful" || about.likeness === "same",
  standing,
  ...about,
});
const exact = (body: DocumentBody, about: Partial<Candidate> = {}) =>
  known(body, "exact match", { likeness: "same", ...about });

const finding = (kind: "replaceable" | "signed" | "unconfirmed"): Finding => ({
  replaceable: kind === "replaceable",
  confirmed: kind !== "unconfirmed",
  headline: `it is ${kind}`,
  details: [],
  remedies: [],
});
const predecessor = (kind: "replaceable" | "signed" | "unconfirmed", isInState = true, id = "7"): Predecessor => ({
  id,
  supersedes: ["5"],
  isInState,
  isLost: false,
  because: "",
  remedies: [],
  finding: finding(kind),
});
const owned = (fingerprint: string): Owned => ({
  id: "9",
  token: "0badcafe",
  urn: "urn",
  elsewhere: false,
  fingerprint,
  supersedes: ["7"],
  shown: false,
  replaced: false,
  released: false,
  run: "earlier",
});
const created = (fingerprint: string, replaced?: Parameters<typeof finding>[0]) => ({
  created: owned(fingerprint),
  replaced: replaced && finding(replaced),
});
const attempt = (age: number, fingerprint = "same"): Attempt => ({
  ...content,
  fingerprint,
  token: "0badcafe",
  urn: "urn",
  run: "earlier",
  startedAt: NOW - age,
  hints: [],
  supersedes: ["5"],
});

/** A plan in a word: what is done, and the cause where it is refused. */
const word = (plan: CreatePlan | undefined): string => {
  if (!plan) return "ask";
  if (plan.kind === "refuse") return plan.refusal.cause ?? "";
  if (plan.kind === "keep") return `keep ${plan.id}`;
  if (plan.kind === "send") return "send";
  const how = plan.candidates.some(({ why }) => why !== undefined) ? "adopt" : "take back";
  return `${how} ${plan.candidates.map(({ body: { id } }) => id).join()}`;
};

const keeps = { id: "8", supersedes: ["6"] };
const exists = { kind: "exists", exists: true, inState: [] } as const;
const atOtherServices = [{ service: "https://other.example.com", id: "3", token: "feedbeef" }];

describe("what memory settles alone", () => {
  const kinds = ["replaceable", "signed", "unconfirmed"] as const;
  const rows: [string, Partial<RememberedFacts>, string][] = [
    ["nothing is remembered", {}, "ask"],
    ["an input isn't known yet", { spec: undefined }, "ask"],
    ["a replacement was interrupted", { wanted: keeps }, "keep 8"],
    ["an earlier run's document wasn't shown, content the same", { earlierCreate: created("same") }, "keep 9"],
    ["the same, what it replaced is unsigned", { earlierCreate: created("same", "replaceable") }, "keep 9"],
    ["the same, what it replaced is signed", { earlierCreate: created("same", "signed") }, "replace-signed"],
    [
      "the same, what it replaced can't be read",
      { earlierCreate: created("same", "unconfirmed") },
      "replace-unconfirmed",
    ],
    [
      "an earlier run's document wasn't shown, other content",
      { earlierCreate: created("other") },
      "created-with-other-content",
    ],
    ["the same, and an input isn't known yet", { earlierCreate: created("other"), spec: undefined }, "ask"],
    [
      "the same, and state has it",
      { earlierCreate: created("other"), spec: undefined, situation: { kind: "exists", exists: true, inState: [] } },
      "ask",
    ],
    ["the engine showed no id of a resource that exists", { situation: exists }, "replace-unknown-predecessor"],
    ["the same, and an input isn't known yet", { situation: exists, spec: undefined }, "replace-unknown-predecessor"],
    ["it lives at another service", { atOtherServices }, "other-service"],
    [
      "it lives at another service, and something here is replaced",
      { atOtherServices, predecessors: [predecessor("replaceable")] },
      "ask",
    ],
    ...kinds.flatMap(kind =>
      [true, false].map((shown): [string, Partial<RememberedFacts>, string] => [
        `what it replaces is ${kind} and ${shown ? "was shown" : "is only remembered"}`,
        { predecessors: [predecessor(kind, shown)], ...(shown && { situation: exists }) },
        { replaceable: "ask", signed: "replace-signed", unconfirmed: "replace-unconfirmed" }[kind],
      ]),
    ),
    [
      "one of two that it replaces is signed",
      { predecessors: [predecessor("replaceable"), predecessor("signed", false, "8")] },
      "replace-signed",
    ],
    [
      "what it replaces is signed, and an input isn't known yet",
      { predecessors: [predecessor("signed")], spec: undefined },
      "replace-signed",
    ],
  ];
  test.each(rows)("%s: %s", (_, facts, plan) => {
    expect(word(planFromMemory({ ...memory, ...facts }))).toBe(plan);
  });

  test("an interrupted replacement comes before everything else", () => {
    const all = {
      wanted: keeps,
      earlierCreate: created("other"),
      atOtherServices,
      predecessors: [predecessor("signed")],
    };
    expect(word(planFromMemory({ ...memory, ...all }))).toBe("keep 8");
  });
});

const results = {
  found: { kind: "found", documents: [body("11")] },
  ambiguous: { kind: "ambiguous", documents: [body("11"), body("12")] },
  "absent, proven": { kind: "absent", proven: true },
  "absent, unproven": { kind: "absent", proven: false },
  "looking failed": { kind: "absent", proven: false, failed: "502" },
} satisfies Record<string, LookupResult>;

describe("an attempt without an outcome", () => {
  const rows = (Object.keys(results) as (keyof typeof results)[]).flatMap(found =>
    ["same", "other"].flatMap(fingerprint =>
      [RESEND_AFTER - 1, RESEND_AFTER].map(age => ({ found, fingerprint, age })),
    ),
  );
  test.each(rows)("$found, content $fingerprint, sent $age ms ago", ({ found, fingerprint, age }) => {
    const open = { attempt: attempt(age, fingerprint), result: results[found] };
    const wanted = {
      found: fingerprint === "same" ? "adopt 11" : "created-with-other-content",
      ambiguous: "create-ambiguous",
      "absent, proven": age >= RESEND_AFTER ? "send" : "create-unconfirmed",
      "absent, unproven": "create-unconfirmed",
      "looking failed": "create-unconfirmed",
    }[found];
    expect(word(planCreate(memory, { ...service, ownAttempt: open }))).toBe(wanted);
  });

  test.each([
    [new Date(NOW - 300_000).toISOString(), "too young to tell"],
    ["2020-01-01T00:00:00Z", "may leave documents out"],
    [undefined, "the service lists no document"],
  ])("lists whose oldest document is from %s say what they don't tell, and what to look for", (oldest, why) => {
    const open = (name: string) => ({
      attempt: { ...attempt(RESEND_AFTER), name: nameHash(name) },
      result: { kind: "absent", proven: false, oldest } as const,
    });
    const detailsOf = (plan: CreatePlan) => (plan.kind === "refuse" ? (plan.refusal.details ?? []) : []);
    const details = detailsOf(
      planCreate(
        { ...memory, spec: { name: "NDA of Ci 17", folderId: undefined, content } },
        { ...service, ownAttempt: open("NDA of Ci 17") },
      ),
    );
    expect(details[0]).toContain(why);
    expect(details[1]).toBe('look for "NDA of Ci 17" on the platform');
    // The program has another name by now: what was sent isn't called so.
    expect(detailsOf(planCreate(memory, { ...service, ownAttempt: open("Lease") }))[1]).toBe(
      "look for it on the platform",
    );
  });

  test.each([
    [{}, true],
    [{ answered: true }, false],
    [{ said: "11", saidBy: "Ana" }, false],
  ])("of an attempt that is %j, a longer list may tell: %s", (more, tells) => {
    const open = {
      attempt: { ...attempt(RESEND_AFTER), ...more },
      result: { kind: "absent", proven: false, oldest: "2020-01-01T00:00:00Z", page: 36 } as const,
    };
    const plan = planCreate(memory, { ...service, ownAttempt: open });
    const said = JSON.stringify(plan);
    expect(word(plan)).toBe("create-unconfirmed");
    expect(said.includes("the service's list shows 36 documents")).toBe(tells);
    expect(said.includes("once the account holds one more document")).toBe(tells);
  });

  test("what is taken over supersedes what the attempt was to replace", () => {
    const plan = planCreate(memory, { ...service, ownAttempt: { attempt: attempt(0), result: results.found } });
    expect(plan).toMatchObject({ kind: "take", supersedes: ["5"] });
  });

  test("a clock that went back proves no time", () => {
    const open = { attempt: attempt(-3_600_000), result: results["absent, proven"] };
    expect(word(planCreate(memory, { ...service, ownAttempt: open }))).toBe("create-unconfirmed");
  });

  test("what the service said yes to isn't sent again, though its lists don't show it", () => {
    const answered = { ...attempt(RESEND_AFTER * 100), answered: true };
    const open = { attempt: answered, result: results["absent, proven"] };
    const plan = planCreate(memory, { ...service, ownAttempt: open });
    expect(plan).toMatchObject({ kind: "refuse", refusal: { cause: "create-unconfirmed" } });
    expect(JSON.stringify(plan)).toContain("the service answered that it was created");
  });

  test("duplicatePolicy: create doesn't send it again", () => {
    const open = { attempt: attempt(RESEND_AFTER), result: results["absent, unproven"] };
    const plan = planCreate(memory, { ...service, ownAttempt: open, policy: { ...policy, duplicatePolicy: "create" } });
    expect(word(plan)).toBe("create-unconfirmed");
  });
});

describe("the service's clock", () => {
  const HOUR = 3_600_000;
  // The machine that sent it was an hour behind: by our clock it was sent an hour before it was.
  const sent = (ago: number) => ({ ...attempt(HOUR + ago), serviceTime: NOW - ago });

  test.each([
    [RESEND_AFTER, "send"],
    [RESEND_AFTER - 2_000, "send"],
    [RESEND_AFTER - 2_001, "create-unconfirmed"],
  ])("says that an attempt was sent %s ms ago, whatever the machine that sent it said: %s", (ago, plan) => {
    const open = { attempt: sent(ago), result: results["absent, proven"] };
    expect(word(planCreate(memory, { ...service, serviceNow: NOW, ownAttempt: open }))).toBe(plan);
  });

  test.each([
    [RESEND_AFTER, "send"],
    [RESEND_AFTER - 2_000, "send"],
    [RESEND_AFTER - 2_001, "create-elsewhere"],
  ])("says it of another run's attempt: %s ms ago: %s", (ago, plan) => {
    const attemptsOfOtherRuns = [{ attempt: sent(ago), absenceProven: true }];
    expect(word(planCreate(memory, { ...service, serviceNow: NOW, attemptsOfOtherRuns }))).toBe(plan);
  });

  test.each([2 * HOUR, 25 * HOUR, 50 * 365 * 24 * HOUR])(
    "holds an attempt of ten seconds ago, where a machine's own says that it was sent %s ms ago",
    ago => {
      const sentNow = { ...attempt(ago), serviceTime: NOW - 10_000 };
      const own = { attempt: sentNow, result: results["absent, proven"] };
      expect(word(planCreate(memory, { ...service, serviceNow: NOW, ownAttempt: own }))).toBe("create-unconfirmed");
      const attemptsOfOtherRuns = [{ attempt: sentNow, absenceProven: true }];
      expect(word(planCreate(memory, { ...service, serviceNow: NOW, attemptsOfOtherRuns }))).toBe("create-elsewhere");
    },
  );

  test("counts until the lists were asked for: what arrived since, they don't show", () => {
    const asked = (since: number) => ({ ...results["absent, proven"], askedAt: NOW - since });
    const plan = (since: number) =>
      planCreate(memory, {
        ...service,
        serviceNow: NOW,
        ownAttempt: { attempt: sent(RESEND_AFTER + HOUR), result: asked(since) },
      });
    expect(word(plan(HOUR))).toBe("send");
    expect(word(plan(HOUR + 2_001))).toBe("create-unconfirmed");
    const attemptsOfOtherRuns = [{ attempt: sent(RESEND_AFTER + HOUR), absenceProven: true }];
    const late = {
      ...service,
      serviceNow: NOW,
      attemptsOfOtherRuns,
      basis: { ...service.basis, listedAt: NOW - HOUR - 2_001 },
    };
    expect(word(planCreate(memory, late))).toBe("create-elsewhere");
  });

  test("that isn't shown leaves nothing to tell how long ago another machine sent it", () => {
    const seen = (ago: number) => ({ ...attempt(25 * HOUR), seenAt: NOW - ago });
    const plan = (open: SeenAttempt, serviceNow?: number) =>
      planCreate(memory, { ...service, serviceNow, ownAttempt: { attempt: open, result: results["absent, proven"] } });
    expect(word(plan(seen(RESEND_AFTER)))).toBe("send");
    expect(word(plan({ ...seen(0), serviceTime: NOW - RESEND_AFTER }, NOW))).toBe("send");
    const refused = plan(seen(RESEND_AFTER - 1));
    expect(word(refused)).toBe("create-unconfirmed");
    expect(JSON.stringify(refused)).toContain("its answers have no Date");
  });

  test("doesn't shorten the time that an upload may take", () => {
    const lasting = { ...attempt(RESEND_AFTER), lasts: 2 * RESEND_AFTER };
    const plan = (open: Attempt) =>
      planCreate(memory, { ...service, ownAttempt: { attempt: open, result: results["absent, proven"] } });
    expect(word(plan(lasting))).toBe("create-unconfirmed");
    expect(word(plan({ ...lasting, startedAt: NOW - 2 * RESEND_AFTER }))).toBe("send");
  });

  test("decides when the message says to try again", () => {
    const open = { attempt: sent(RESEND_AFTER - 60_000), result: results["absent, proven"] };
    const text = JSON.stringify(planCreate(memory, { ...service, serviceNow: NOW, ownAttempt: open }));
    expect(text).toContain(`again after ${new Date(NOW + 58_000).toISOString()}`);
  });

  test("that isn't known any more leaves this machine's", () => {
    const open = { attempt: sent(0), result: results["absent, proven"] };
    expect(word(planCreate(memory, { ...service, ownAttempt: open }))).toBe("send");
  });

  test("that was set forward since doesn't shorten the wait", () => {
    const open = { attempt: { ...attempt(1), serviceTime: NOW - HOUR }, result: results["absent, proven"] };
    expect(word(planCreate(memory, { ...service, serviceNow: NOW, ownAttempt: open }))).toBe("create-unconfirmed");
  });
});

describe("another run's attempt at the same content", () => {
  test.each([
    [true, RESEND_AFTER, "refuse", "send"],
    [true, RESEND_AFTER - 1, "refuse", "create-elsewhere"],
    [false, RESEND_AFTER, "refuse", "create-elsewhere"],
    [false, RESEND_AFTER - 1, "adopt", "create-elsewhere"],
    [false, RESEND_AFTER - 1, "create", "send"],
  ] as const)(
    "absence proven: %s, sent %s ms ago, duplicatePolicy: %s: %s",
    (absenceProven, age, duplicatePolicy, plan) => {
      const attemptsOfOtherRuns = [{ attempt: attempt(age), absenceProven }];
      expect(
        word(planCreate(memory, { ...service, attemptsOfOtherRuns, policy: { ...policy, duplicatePolicy } })),
      ).toBe(plan);
    },
  );

  test.each([
    [RESEND_AFTER, "refuse", "duplicate"],
    [RESEND_AFTER - 1, "refuse", "create-elsewhere"],
    [RESEND_AFTER, "adopt", "adopt 21"],
    [RESEND_AFTER - 1, "adopt", "create-elsewhere"],
  ] as const)("a document is there, sent %s ms ago, duplicatePolicy: %s: %s", (age, duplicatePolicy, plan) => {
    const attemptsOfOtherRuns = [{ attempt: attempt(age), absenceProven: false }];
    const documents = [exact(body("21"))];
    expect(
      word(planCreate(memory, { ...service, attemptsOfOtherRuns, documents, policy: { ...policy, duplicatePolicy } })),
    ).toBe(plan);
  });
});

describe("documents exactly alike", () => {
  const free = exact(body("21"));
  const signed = exact(body("22", "signed"));
  const unknown = exact(body("23", "embalmed"));
  const others = exact(body("24"), { holder: "another" });
  test.each([
    ["none", [], "send", "send", "send"],
    ["an unsigned one", [free], "send", "adopt 21", "duplicate"],
    ["two unsigned ones", [free, exact(body("25"))], "send", "adopt 21,25", "duplicate"],
    ["a signed one", [signed], "send", "duplicate", "duplicate"],
    ["one of a status nobody knows", [unknown], "send", "duplicate", "duplicate"],
    ["an unsigned and a signed one", [free, signed], "send", "duplicate", "duplicate"],
    ["another stack's", [others], "send", "duplicate", "duplicate"],
  ] as const)("%s", (_, documents, create, adopt, refuse) => {
    const plans = (["create", "adopt", "refuse"] as const).map(duplicatePolicy =>
      word(planCreate(memory, { ...service, documents: [...documents], policy: { ...policy, duplicatePolicy } })),
    );
    expect(plans).toEqual([create, adopt, refuse]);
  });
});

describe("documents that this journal's resources had before", () => {
  const our = (id: string, status = "unsigned") => known(body(id, status), "ours", { asOurs: "same" });
  const other = { likeness: "same name and people" } as const;
  const contract = body("51", "partially_signed");
  const signed = known(contract, "other", other);
  const earlier = { ...body("51", "signed"), createdAt: "2025-12-31T23:59:59Z" };
  const older = known(earlier, "other", other);
  const unread = { ...known(body("9"), "untold ours", { owner: owned("same"), asOurs: "untold" }), body: undefined };
  test.each([
    ["one", [our("41")], "take back 41"],
    ["a signed one", [our("41", "signed")], "take back 41"],
    ["several: the latest first", [our("9"), our("41")], "take back 41,9"],
    ["a signed one and a later one", [our("41"), our("9", "signed")], "take back 9,41"],
    ["one beside a stranger's", [our("41"), exact(body("7"))], "take back 41"],
    ["one beside a signed contract with other content", [our("41"), signed], "duplicate"],
    ["one beside a signed contract that is older", [our("41"), older], "take back 41"],
    [
      "an earlier one of a signed contract",
      [our("41"), { ...older, owner: { ...owned("other"), supersedes: ["41"] } }],
      "duplicate",
    ],
    ["one beside a signed one exactly alike that is older", [our("41"), exact(earlier)], "duplicate"],
    ["a signed one beside another", [our("41", "signed"), signed], "take back 41"],
    ["one that can't be read", [unread], "duplicate-unconfirmed"],
    ["one that can't be read, and another", [our("41"), unread], "take back 41"],
  ] as const)("%s", (_, documents, plan) => {
    for (const duplicatePolicy of ["adopt", "refuse"] as const)
      expect(
        word(planCreate(memory, { ...service, documents: [...documents], policy: { ...policy, duplicatePolicy } })),
      ).toBe(plan);
  });

  test.each([
    [false, "import"],
    [true, "advice"],
  ] as const)("a signed one in its place, held by another: %s: what to do begins with %s", (isOthers, kind) => {
    // What another resource has counts where it is exactly alike.
    const rival = isOthers ? exact(contract, { holder: "another" }) : signed;
    const plan = planCreate(memory, { ...service, documents: [our("41"), rival] });
    const remedies = plan.kind === "refuse" ? (plan.refusal.remedies ?? []) : [];
    expect(remedies[0]?.kind).toBe(kind);
    expect(remedies.filter(remedy => remedy.kind === "import")).toHaveLength(isOthers ? 0 : 1);
  });

  test.each([
    ["an unsigned one exactly alike", { documents: [exact(body("21")), signed] }],
    ["one with this resource's marker", { documents: [signed], marked: [{ body: body("21"), same: true }] }],
  ])("a stranger's: %s isn't taken over before a signed one of the same name and people", (_, found) => {
    const plan = planCreate(memory, { ...service, ...found, policy: { ...policy, duplicatePolicy: "adopt" } });
    expect(plan).toMatchObject({
      refusal: { cause: "duplicate", headline: expect.stringContaining("document 51 is") },
    });
  });
});

test.each([
  ["has no more", false, true],
  ["still has", true, false],
])("a set that the program %s is an alias: %s", (_, isInProgram, isOffered) => {
  const set = (name: string) => `urn:pulumi:dev::contracts::docsign:index:DocumentSet::${name}`;
  const owner = { ...owned("same"), urn: `${set("ndas")}#bob` };
  const match = exact(body("21"), { holder: "another", owner, isInProgram });
  const plan = planCreate({ ...memory, urn: `${set("staff")}#bob` }, { ...service, documents: [match] });
  const remedies = plan.kind === "refuse" ? (plan.refusal.remedies ?? []) : [];
  expect(remedies.some(({ kind }) => kind === "alias")).toBe(isOffered);
  expect(JSON.stringify(remedies)).toContain("give this one the option `dependsOn` with that set");
});

test("what a stack of the same name in another back end holds is no alias, and isn't to be let go of by this program", () => {
  const urn = (name: string) => `urn:pulumi:dev::contracts::docsign:index:Document::${name}`;
  const held = { ...owned("same"), urn: `${urn("nda")} (s3://theirs)`, elsewhere: true };
  const documents = [exact(body("21"), { holder: "another", owner: held })];
  for (const name of ["nda", "lease"])
    expect(planCreate({ ...memory, urn: urn(name) }, { ...service, documents })).toMatchObject({
      refusal: {
        headline: expect.stringContaining(`\`${urn("nda")} (s3://theirs)\` holds it`),
        remedies: expect.not.arrayContaining([
          expect.objectContaining({ kind: "alias" }),
          expect.objectContaining({ text: expect.stringContaining("take it out there first") }),
        ]),
      },
    });
});

describe("documents with this resource's creation marker", () => {
  const mark = (id: string, status = "unsigned", same = true) => ({ body: body(id, status), same });
  test.each([
    ["one", [mark("31")], "adopt 31"],
    ["a signed one", [mark("31", "signed")], "duplicate"],
    ["one of other content", [mark("31", "unsigned", false)], "duplicate"],
    ["two", [mark("31"), mark("32")], "create-ambiguous"],
  ])("%s: %s", (_, marked, plan) => {
    for (const duplicatePolicy of ["create", "adopt", "refuse"] as const)
      expect(word(planCreate(memory, { ...service, marked, policy: { ...policy, duplicatePolicy } }))).toBe(plan);
  });

  test("beside another document exactly alike: refused by default, taken over otherwise", () => {
    const documents = ["31", "33"].map(id => exact(body(id)));
    const plans = (["create", "adopt", "refuse"] as const).map(duplicatePolicy =>
      word(planCreate(memory, { ...service, marked: [mark("31")], documents, policy: { ...policy, duplicatePolicy } })),
    );
    expect(plans).toEqual(["adopt 31", "adopt 31", "duplicate"]);
  });
});

test("beside a document of the same name and people, with other content: refused, once nothing else decides", () => {
  const documents = [known(body("51", "signed"), "same name")];
  expect(word(planCreate(memory, { ...service, documents }))).toBe("duplicate");
  const marked = [{ body: body("31"), same: true }];
  expect(word(planCreate(memory, { ...service, documents, marked }))).toBe("adopt 31");
});

describe("what may have replaced a document that only memory names", () => {
  const remembered = { ...memory, predecessors: [predecessor("replaceable", false)] };
  test.each([
    ["nothing newer, proven", [], true, "send"],
    ["nothing newer, unproven", [], false, "replace-unknown-predecessor"],
    ["a newer unsigned one, proven", [body("41")], true, "send"],
    ["a newer unsigned one, unproven", [body("41")], false, "replace-unknown-predecessor"],
    ["a newer signed one, proven", [body("41", "signed")], true, "replace-signed"],
    ["a newer signed one, unproven", [body("41", "partially_signed")], false, "replace-signed"],
  ])("%s: %s", (_, documents, proven, plan) => {
    const facts = { ...service, successors: { documents, proven } };
    expect(word(planCreate(remembered, facts))).toBe(plan);
    expect(word(planCreate({ ...remembered, preview: true }, facts))).toBe("send");
  });
});

test("no combination sends while a known document isn't free, or an outcome is open", () => {
  const kinds = ["replaceable", "signed", "unconfirmed"] as const;
  let sent = 0;
  for (const kind of kinds)
    for (const shown of [true, false])
      for (const found of Object.keys(results) as (keyof typeof results)[])
        for (const age of [0, RESEND_AFTER])
          for (const duplicatePolicy of ["create", "adopt", "refuse"] as const)
            for (const status of [undefined, "unsigned", "signed"])
              for (const proven of [true, false]) {
                const remembered = { ...memory, predecessors: [predecessor(kind, shown)] };
                const shownNow = {
                  ...service,
                  ownAttempt: { attempt: attempt(age), result: results[found] },
                  documents: status ? [exact(body("21", status))] : [],
                  successors: shown ? undefined : { documents: [], proven },
                  policy: { ...policy, duplicatePolicy },
                };
                const plan = planFromMemory(remembered) ?? planCreate(remembered, shownNow);
                if (plan.kind !== "send") continue;
                sent++;
                expect([kind, found, age]).toEqual(["replaceable", "absent, proven", RESEND_AFTER]);
                expect(shown || proven).toBe(true);
                expect(status === undefined || duplicatePolicy === "create").toBe(true);
                expect(plan).toMatchObject({ supersedes: ["5", "7"], replaces: [{ id: "7" }] });
              }
  expect(sent).toBeGreaterThan(0);
});

describe("what a document that may be the one is to a create", () => {
  const of = (likeness: KnownDocument["likeness"], about: Partial<KnownDocument> = {}) => {
    const { standing: _, isAlike: __, ...document } = known(body("21"), "other", { likeness, ...about });
    return document;
  };
  const stranger = { holder: "stranger" } as const;
  const named = { ...stranger, source: "person", isNamed: true } as const;
  test.each<[string, KnownDocument, Candidate["standing"]]>([
    ["ours, and it still is what the program says", of(undefined, { asOurs: "same", owner: owned("same") }), "ours"],
    ["ours, as far as the service shows it", of(undefined, { asOurs: "doubtful" }), "may be ours"],
    ["the same, and a person names it", of(undefined, { asOurs: "doubtful", isNamed: true }), "adopted"],
    ["ours, and not shown", of("unread", { asOurs: "untold", owner: owned("same") }), "untold ours"],
    ["ours, shown otherwise each time, and named", of("same", { asOurs: "untold", isNamed: true }), "adopted"],
    ["exactly alike", of("same", stranger), "exact match"],
    ["exactly alike, and named", of("same", named), "adopted"],
    ["exactly alike, and another's, and named", of("same", { ...named, holder: "another" }), "exact match"],
    ["exactly alike, and replaced before", of("same", { source: "history" }), "exact match"],
    ["a stranger's of the same name and people", of("same name and people", stranger), "same name"],
    ["one of the same name and people that the journal knows", of("same name and people"), "other"],
    ["the same, and ours in another backend", of("same name and people", { isOwnElsewhere: true }), "same name"],
    ["one that the journal knows and that may be alike", of("unclear", { owner: owned("same") }), "unclear"],
    ["one replaced before, of the same name and people", of("same name and people", { source: "history" }), "earlier"],
    ["similar", of("similar", stranger), "other"],
    ["similar, and named", of("similar", named), "similar"],
    ["a stranger's that can't be read", of("unread", { ...stranger, madeOf: "unknown" }), "unread"],
    ["one that the journal knows for another, and that can't be read", of("unread"), "other"],
    ["one that the journal has for this, and that can't be read", of("unread", { madeOf: "this" }), "unread"],
    ["another", of("other", stranger), "other"],
  ])("%s", (_, document, standing) => {
    expect(candidateOf(document, { isForced: false }).standing).toBe(standing);
  });

  test("what was replaced before is in nobody's way where a replacement is forced", () => {
    const earlier = of("same", { source: "history", isNamed: true });
    expect(candidateOf(earlier, { isForced: true })).toMatchObject({ standing: "earlier", isAlike: false });
    expect(candidateOf(of("same"), { isForced: true }).standing).toBe("exact match");
  });
});
