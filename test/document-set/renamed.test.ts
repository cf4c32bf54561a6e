import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { base64, forgetMachine, healed, nda, type Scene, sceneWith } from "../lifecycle/scene.js";
import type { Givens } from "../support/engine-client.js";
import { type Goal, pluginFrontEnd } from "../support/simulated-engine.js";
import { addressOf, CHANGED, rowsOf, TYPE, team } from "./team.js";

const people = ["Ana", "Bob", "Cy"];
const nobody = { creates: 0, mails: 0 };

const renamed = (goal: Goal): Goal => ({ ...goal, name: "agreements" });

/** The same entry under another URN, as an alias leaves it. */
function rename(s: Scene, goal: Goal): void {
  s.stack.entries = [{ ...s.stack.entry("ndas"), urn: s.stack.urn("agreements", TYPE), goal: renamed(goal) }];
}

async function signedByBob(goal: Goal): Promise<Scene> {
  const s = await sceneWith([goal]);
  const id = String(rowsOf(s)[addressOf("Bob")]?.["documentId"]);
  s.service.people.sign(id, addressOf("Bob"));
  return s;
}

const memories: [string, (s: Scene) => Promise<void>][] = [
  ["kept", async () => {}],
  ["wiped", forgetMachine],
];
const orders: [string, Partial<Goal>][] = [
  ["as the engine likes", {}],
  ["with deleteBeforeReplace", { deleteBeforeReplace: true }],
];
const forced: [string, (s: Scene) => { replace?: string[] }][] = [
  ["replaced by force", () => ({ replace: ["agreements"] })],
  [
    "tainted",
    s => {
      s.stack.taint("agreements");
      return {};
    },
  ],
];

const cases = memories.flatMap(([memory, forget]) =>
  orders.flatMap(([order, option]) =>
    forced.map(([how, force]) => ({ memory, forget, order, option, how, force }) as const),
  ),
);

describe("a set with a signed row that an alias renames", () => {
  test.each(cases)("isn't replaced when it is $how, $order, with memory $memory", async ({ forget, option, force }) => {
    const goal = { ...team(people), ...option };
    await using s = await signedByBob(goal);
    rename(s, goal);
    await forget(s);
    for (const skipPreview of [false, true]) {
      const refused = await s.stack.up([renamed(goal)], { ...force(s), skipPreview });
      expect(refused.error).toMatch(/rows can't be replaced|\[docsign\/(duplicate|replace-signed)\]/);
      expect(s.sent()).toEqual(nobody);
    }
  });

  test("goes on under its new name, and is asked about like before", async () => {
    await using s = await signedByBob(team(people));
    rename(s, team(people));
    await healed(s, [renamed(team(people))]);
    const refused = await s.stack.up([renamed(team(people, { defaults: CHANGED }))]);
    expect(refused.error).toContain("1 of 3 changed rows can't be replaced, so nothing was sent");
    expect(s.sent()).toEqual(nobody);
  });

  const inOneRun = memories.flatMap(([memory, forget]) =>
    [true, false].map(deletes => ({ memory, forget, deletes, first: deletes ? "deletes first" : "creates first" })),
  );

  test.each(inOneRun)(
    "isn't replaced by force in the run that renames it, when the engine $first, with memory $memory",
    async ({ forget, deletes }) => {
      await using s = await signedByBob(team(people));
      const { id, inputs, outputs } = s.stack.entry("ndas");
      await forget(s);
      await using door = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:7", pid: 7 });
      const urn = s.stack.urn("agreements", TYPE);
      const checked = await door.check({ urn, news: team(people).inputs as Givens });
      const refused = deletes
        ? door.delete({ urn: s.stack.urn("ndas", TYPE), id, outputs, inputs })
        : door.create({ urn, inputs: checked.inputs, preview: false });
      await expect(refused).rejects.toThrow(deletes ? "1 of 3 rows can't be replaced" : "[docsign/duplicate]");
      expect(s.sent()).toEqual(nobody);
    },
  );
});

const inNextRun = async (s: Scene, goal: Goal): Promise<void> => {
  expect((await s.stack.up([{ ...renamed(goal), alias: "ndas" }])).error).toBeUndefined();
};

describe.each([
  ["plugin", pluginFrontEnd, "documents"],
  ["dynamic provider", dynamicFrontEnd, "documentRows"],
] as const)("through the %s, an unsigned set that an alias renames", (_, frontEnd, property) => {
  const of = (names: readonly string[]): Goal => ({
    name: "ndas",
    type: TYPE,
    deleteBeforeReplace: true,
    inputs: {
      [property]: Object.fromEntries(names.map(name => [addressOf(name), { ...nda().inputs, name: `NDA of ${name}` }])),
    } as Goal["inputs"],
  });

  test.each([
    ["once it was renamed", inNextRun],
    ["in the run that renames it", async () => {}],
  ])("is replaced by force %s: each row is sent once more", async (_when, prepare) => {
    const goal = of(people);
    await using s = await sceneWith([goal], { frontEnd });
    await s.stack.up([goal], { replace: ["ndas"], skipPreview: true });
    const held = Object.values(rowsOf(s)).map(row => row["documentId"]);
    await prepare(s, goal);
    s.sent();
    const again = { ...renamed(goal), alias: "ndas" };
    const outcome = await s.stack.up([again], { replace: ["agreements"], skipPreview: true });
    expect(outcome.error).toBeUndefined();
    expect(s.sent().creates).toBe(3);
    const rows = Object.values((s.stack.entry("agreements").outputs as Values)["documents"] as Record<string, Values>);
    expect(rows.flatMap(row => row["supersedes"])).toEqual(expect.arrayContaining(held));
    await healed(s, [renamed(goal)]);
  });

  test.each([
    ["once it was renamed", inNextRun],
    ["in the run that renames it", async () => {}],
  ])("is replaced by force %s beside a new set: each keeps to its own rows", async (_when, prepare) => {
    const goal = of(people);
    await using s = await sceneWith([goal], { frontEnd });
    await prepare(s, goal);
    const program = [
      { ...of(["Dee"]), name: "others" },
      { ...renamed(goal), alias: "ndas" },
    ];
    const outcome = await s.stack.up(program, { replace: ["agreements"], skipPreview: true });
    expect(outcome.error).toBeUndefined();
    expect(s.sent().creates).toBe(4);
  });
});

test.each([
  ["plugin", pluginFrontEnd, "documents"],
  ["dynamic provider", dynamicFrontEnd, "documentRows"],
] as const)(
  "through the %s, a renamed set that is empty keeps its documents when it is replaced by force",
  async (_, frontEnd, property) => {
    const of = (rows: Values): Goal => ({
      name: "ndas",
      type: TYPE,
      deleteBeforeReplace: true,
      inputs: { [property]: rows } as Goal["inputs"],
    });
    const full = of({ ana: { ...nda().inputs } as Values });
    await using s = await sceneWith([full], { frontEnd });
    await inNextRun(s, full);
    s.sent();
    for (const alias of [{}, { alias: "ndas" }]) {
      const empty = { ...renamed(of({})), ...alias };
      const { error } = await s.stack.up([empty], { replace: ["agreements"], skipPreview: true });
      expect(error).toContain("[docsign/emptied-set]");
    }
    expect(s.sent()).toEqual(nobody);
    await healed(s, [renamed(full)]);
  },
);

/** State has the old name until the dynamic provider writes its outputs again. */
describe.each([
  ["document", (name: string, inputs: Goal["inputs"]): Goal => nda({ name, inputs })],
  [
    "set",
    (name: string, inputs: Goal["inputs"]): Goal => ({
      name,
      type: TYPE,
      inputs: { documentRows: { ana: { ...nda().inputs, ...inputs } } } as unknown as Goal["inputs"],
    }),
  ],
])("a dynamic %s that was renamed, signed, and whose old name another one has", (_, of) => {
  test.each([
    ["with another PDF", {}],
    ["with nothing in common", { name: "Lease", invitations: [{ email: "dee@example.com" }] }],
  ])("isn't replaced by force on another machine by one %s", async (_, other) => {
    const contract = (name: string, file: string, more: Goal["inputs"] = {}): Goal => ({
      ...of(name, { base64File: base64(file), ...more }),
      deleteBeforeReplace: true,
    });
    await using s = await sceneWith([contract("a", "one")], { frontEnd: dynamicFrontEnd });
    expect((await s.stack.up([{ ...contract("b", "one"), alias: "a" }])).error).toBeUndefined();
    expect((await s.stack.up([contract("a", "two"), contract("b", "one")])).error).toBeUndefined();
    s.service.people.signAll(s.id());
    await forgetMachine(s);
    s.sent();
    const { error } = await s.stack.up([contract("a", "two"), contract("b", "three", other)], {
      replace: ["b"],
      skipPreview: true,
    });
    expect(error).toContain("[docsign/replace-signed]");
    expect(s.sent()).toEqual(nobody);
    await healed(s, [contract("a", "two"), contract("b", "one")], { skipPreview: true });
  });
});

/** The engine creates what depends on nothing in parallel: both sets are checked before either is created. */
test.each([
  ["the same people", people],
  ["others", ["Dee", "Ed"]],
  ["one of them", ["Ana"]],
])(
  "a dynamic set that was renamed isn't replaced by force on another machine while a new one with its old name has %s",
  async (_, names) => {
    const of = (keys: readonly string[], part: string): Goal => ({
      name: "a",
      type: TYPE,
      deleteBeforeReplace: true,
      inputs: {
        documentRows: Object.fromEntries(
          keys.map(key => [key, { ...nda().inputs, name: `${part} of ${key}`, base64File: base64(part) }]),
        ),
      } as unknown as Goal["inputs"],
    });
    await using s = await sceneWith([of(people, "NDA")], { frontEnd: dynamicFrontEnd });
    expect((await s.stack.up([{ ...of(people, "NDA"), name: "b", alias: "a" }])).error).toBeUndefined();
    const { id, outputs, inputs } = s.stack.entry("b");
    s.service.people.signAll(String(Object(Object(outputs["documents"])["Bob"])["documentId"]));
    await forgetMachine(s);
    s.sent();
    await using door = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:7", pid: 7 });
    const [urn, old] = [s.stack.urn("b", TYPE), s.stack.urn("a", TYPE)];
    await door.check({ urn, news: of(people, "Lease").inputs as Givens });
    await door.check({ urn: old, news: of(names, "Offer").inputs as Givens });
    await expect(door.delete({ urn: old, id, outputs, inputs })).rejects.toThrow("1 of 3 rows can't be replaced");
    expect(s.sent()).toEqual(nobody);
  },
);

describe("renamed without an alias", () => {
  test.each([
    ["a document", nda(), "docsign:index:Document::nda"],
    ["a set", team(people), "docsign:index:DocumentSet::ndas"],
  ])("%s is refused once, with the alias to paste, and mails nobody", async (_, goal, old) => {
    await using s = await sceneWith([goal]);
    const { error } = await s.stack.up([renamed(goal)]);
    expect(error).toContain(`\`${goal.name}\` holds it. Nothing was created`);
    const [first] = (error ?? "").split("What you can do:\n")[1]?.split("\n") ?? [];
    expect(first).toBe(
      `  - if you renamed or moved it: set the resource option aliases: ["urn:pulumi:dev::contracts::${old}"]`,
    );
    expect(error).not.toContain("adopt");
    expect(error?.match(/- .*pulumi import/g)).toEqual([
      expect.stringContaining(`- if neither the program nor state has \`${goal.name}\` any more: `),
    ]);
    expect(s.sent()).toEqual(nobody);
  });

  test("a dynamic document is named as the engine knows it", async () => {
    await using s = await sceneWith([nda()], { frontEnd: dynamicFrontEnd });
    const { error } = await s.stack.up([renamed(nda())]);
    expect(error).toContain('aliases: ["urn:pulumi:dev::contracts::pulumi-nodejs:dynamic/docsign:Document::nda"]');
    expect(s.sent()).toEqual(nobody);
  });
});
