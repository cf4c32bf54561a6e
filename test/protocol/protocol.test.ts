import { beforeAll, describe, expect, test } from "vitest";
import type { MemoryTable } from "../journal/support/memory-table.js";
import { wantsAll } from "../support/sample.js";
import { type Explored, explore } from "./explore.js";
import { type MachineOptions, machine, remind, up, urn, usedTable } from "./machine.js";
import { type Event, plainText, World, type WorldOptions } from "./world.js";

const DAY = 24 * 3_600_000;
/** Longer than anybody waits before sending again. */
const LONG = 130_000;
const UPLOAD_MS = 55_000;
/** Documents that there are: one of another stack, and the one that is replaced. */
const OTHER = "1001";
const OLD = "1002";

interface Story extends MachineOptions {
  readonly urn?: string;
  readonly folderId?: string;
  readonly replaces?: readonly string[];
  /** The document whose people it reminds: it creates none. */
  readonly reminds?: string;
  /** How far its clock is ahead. */
  readonly ahead?: number;
  /** It begins where the one before has ended, and state holds nothing. */
  readonly isNext?: boolean;
}

interface Bounded extends Partial<WorldOptions> {
  readonly budget?: number;
  /** The journal may lose so much, while no create is under way. */
  readonly loses?: "everything" | "what nobody has read";
  /** Only until something is found. */
  readonly first?: boolean;
}

let fresh: () => MemoryTable;
beforeAll(async () => {
  fresh = await usedTable(OTHER);
});

/** All that may become of `pulumi up` of one contract or reminder on these machines, started at any moment. */
async function explored(
  stories: readonly Story[],
  { budget = wantsAll("DOCSIGN_TEST_PROTOCOL") ? 3 : 2, loses, first = false, ...options }: Bounded,
): Promise<Explored & { readonly ends: ReadonlySet<string> }> {
  const ends = new Set<string>();
  const start = () => {
    const table = fresh();
    const world = new World({
      uploadMs: UPLOAD_MS,
      stored: all => all.named(plainText(table.rows), ""),
      ...(loses ? { events: () => lost(table, loses === "everything" ? [] : fresh().rows) } : {}),
      ...options,
    });
    world.existing("other");
    world.existing("other old");
    // With one more the list has as many rows as no page: what it doesn't show, it proves not to be there.
    world.existing("another");
    for (const [
      nth,
      { urn: name = urn("one"), folderId, replaces = [], reminds, ahead, isNext, ...rest },
    ] of stories.entries())
      world.process(
        "abc"[nth] ?? "",
        async process => {
          const before = world.processes[nth - 1]?.outcome;
          if (isNext && (before === undefined || before.startsWith("created"))) return "isn't needed";
          const context = machine(process, table, rest);
          const end = await (reminds === undefined
            ? up(process, context, name, "nda", { replaces, folderId }).then(id => `created ${id}`)
            : remind(context, name, reminds)
          ).catch((error: Error) => error.message.split("\n")[0] ?? "");
          ends.add(`${process.name}: ${end}`);
          return end;
        },
        ahead,
      );
    return world;
  };
  const all = await explore(start, { budget, first });
  // Nothing was explored where nobody has sent it.
  if (!first) expect([...ends]).toContain(stories[0]?.reminds ? "a: reminded sent" : "a: created 1004");
  return { ...all, ends };
}

const nothing = new Map();
const LATE = 10 * LONG;

describe("nothing is sent twice, whoever stands still, is killed or loses an answer:", () => {
  /** Each in its own folder. */
  const TWO_STACKS = [
    { urn: urn("one"), folderId: "11" },
    { urn: urn("two"), folderId: "12" },
  ];

  test("two stacks with the same contract", async () => {
    const { found } = await explored(TWO_STACKS, { pauses: [LONG] });
    expect(found).toEqual(nothing);
  });

  test("two stacks with the same contract, where one is killed and lists are late", async () => {
    const { found } = await explored(TWO_STACKS, { kills: true, lagMs: 30_000 });
    expect(found).toEqual(nothing);
  });

  test("two back ends of one stack", async () => {
    const { found } = await explored([{ backend: "file://a" }, { backend: "file://b" }], { pauses: [LONG], budget: 1 });
    expect(found).toEqual(nothing);
  });

  test("two machines with one stack, where one is killed and lists are late", async () => {
    const { found } = await explored([{}, {}], { pauses: [LONG], kills: true, lagMs: 30_000 });
    expect(found).toEqual(nothing);
  });

  test("two machines with one stack, a connection that is lost, and late lists", async () => {
    const { found } = await explored([{}, {}], { pauses: [LONG], losses: true, lagMs: 30_000 });
    expect(found).toEqual(nothing);
  });

  test("clocks that are more than a day apart", async () => {
    const { found } = await explored([{}, { ahead: DAY + LONG }], { kills: true, lagMs: 30_000 });
    expect(found).toEqual(nothing);
  });

  test("clocks that are more than a day apart, at a service whose `Date` stands still", async () => {
    const date = "still";
    const { found } = await explored([{ date }, { date, ahead: DAY + LONG }], {
      kills: true,
      lagMs: 30_000,
      budget: 1,
    });
    expect(found).toEqual(nothing);
  });

  test("clocks that are apart, at a service without a `Date`", async () => {
    const date = "none";
    const { found } = await explored([{ date }, { date, ahead: DAY + LONG }], { kills: true, lagMs: 30_000 });
    expect(found).toEqual(nothing);
  });

  test("a journal that is away for a moment after a yes, and lists that show nothing", async () => {
    const { found } = await explored([{ outages: true }, { isNext: true }], { pauses: [LONG], lagMs: LATE });
    expect(found).toEqual(nothing);
  });

  test("a journal that was restored, and has as many rows again", async () => {
    const { found } = await explored([{ urn: urn("one") }, { urn: urn("two") }], { loses: "everything" });
    expect(found).toEqual(nothing);
  });
});

describe("nothing that was signed while its replacement waited is replaced:", () => {
  const replaces = [OLD];
  const signs = { signs: [OLD], pauses: [LONG], guardMs: UPLOAD_MS };

  test("by one machine", async () => {
    const { found, ends } = await explored([{ replaces }], signs);
    expect(found).toEqual(nothing);
    expect([...ends]).toContainEqual(expect.stringMatching(/document 1002 .* is signed, so it is not replaced/));
  });

  test("by two machines", async () => {
    const { found } = await explored([{ replaces }, { replaces }], { ...signs, budget: 1 });
    expect(found).toEqual(nothing);
  });
});

describe("nobody is reminded twice, whoever stands still, is killed or loses an answer:", () => {
  const reminds = OTHER;

  test.each<[string, Story, Story]>([
    ["two back ends of one stack", { backend: "file://a" }, { backend: "file://b" }],
    ["a second machine after `pulumi cancel`", {}, {}],
    ["two stacks", { urn: urn("one") }, { urn: urn("two") }],
    ["clocks that are more than a day apart", {}, { ahead: DAY + LONG }],
  ])("%s", async (_, one, two) => {
    const stories = [
      { ...one, reminds },
      { ...two, reminds },
    ];
    const { found, ends } = await explored(stories, { pauses: [LONG], kills: true, losses: true });
    expect(found).toEqual(nothing);
    // The other one had its line first.
    expect([...ends]).toContainEqual(expect.stringMatching(/^a: reminded (unknown)?$/));
  });

  test("a journal that is away for a moment", async () => {
    const stories = [{ reminds, outages: true }, { reminds }];
    const { found } = await explored(stories, { pauses: [LONG], losses: true });
    expect(found).toEqual(nothing);
  });
});

describe("what is assumed is needed:", () => {
  const twice = ["nda sent twice"];

  test("a request that is on its way for longer than its line lasts arrives beside another", async () => {
    const { found } = await explored([{}, {}], { pauses: [LONG], uploadMs: LATE, first: true });
    expect([...found.keys()]).toEqual(twice);
  });

  test("lists that don't show a document until its line is over hide what has arrived", async () => {
    const { found } = await explored([{}, {}], { pauses: [LONG], lagMs: LATE, first: true });
    expect([...found.keys()]).toEqual(twice);
  });

  test("a line that is lost again before others have read on can't be missed by them", async () => {
    const two = [{ urn: urn("one") }, { urn: urn("two") }];
    const { found } = await explored(two, { loses: "what nobody has read", first: true });
    expect([...found.keys()]).toEqual(twice);
  });

  test("a signature between the last question and the request isn't seen", async () => {
    const { found } = await explored([{ replaces: [OLD] }], { signs: [OLD], pauses: [1_000], guardMs: 0, first: true });
    expect([...found.keys()]).toEqual(["a signed document replaced"]);
  });
});

/** An older backup, or a replica that lags behind, in place of what there was; no create is under way. */
function lost(table: MemoryTable, kept: MemoryTable["rows"]): Event[] {
  const lines = table.rows.flatMap(({ text = "" }) => [...text.matchAll(/"op":"(begin|claim|withdraw)"/g)]);
  const count = (...ops: readonly string[]) => lines.filter(([, op = ""]) => ops.includes(op)).length;
  // One was claimed before.
  if (count("begin") > count("claim", "withdraw") - 1) return [];
  const act = () => {
    table.rows = kept;
  };
  return [{ label: "the journal is restored", act }];
}
