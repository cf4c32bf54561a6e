import { describe, expect, test } from "vitest";
import { createEarlier, EarlierJournal, RESEND_AFTER, remindEarlier, restore } from "./earlier.js";
import { type Explored, explore } from "./explore.js";
import { World, type WorldOptions } from "./world.js";

type Scene = (world: World, journal: EarlierJournal) => void;

interface Options extends Partial<WorldOptions> {
  readonly budget?: number;
  readonly outages?: boolean;
  /** The journal may lose all that it knows. */
  readonly loses?: boolean;
}

function explored({ budget = 2, outages, loses = false, ...options }: Options, scene: Scene): Promise<Explored> {
  const start = () => {
    const journal = new EarlierJournal(outages);
    const world = new World({
      uploadMs: 60_000,
      stored: () => JSON.stringify(journal.lines),
      ...options,
      ...(loses ? { events: restore(journal) } : {}),
    });
    scene(world, journal);
    return world;
  };
  return explore(start, { budget });
}

const DAY = 24 * 3_600_000;
const found = ({ found: things }: Explored) => [...things.keys()].sort();

describe("in the protocol that decided first and sent later, the explorer finds that", () => {
  test("two stacks with the same contract send it twice", async () => {
    const all = await explored({}, (world, journal) => {
      world.process("a", process => createEarlier(process, journal, { urn: "one", content: "nda" }));
      world.process("b", process => createEarlier(process, journal, { urn: "two", content: "nda" }));
    });
    expect(found(all)).toEqual(["nda sent twice"]);
  });

  test("a second machine sends what the first one, which waits for its turn, sends later", async () => {
    const all = await explored({ pauses: [RESEND_AFTER] }, (world, journal) => {
      world.process("a", process => createEarlier(process, journal, { urn: "one", content: "nda" }));
      world.process("b", process => createEarlier(process, journal, { urn: "one", content: "nda" }));
    });
    expect(found(all)).toEqual(["nda sent twice"]);
    expect(all.found.get("nda sent twice")).toContain(`${RESEND_AFTER / 1000} s pass`);
  });

  test("what is signed while its replacement waits is replaced", async () => {
    const all = await explored({ signs: ["1001"] }, (world, journal) => {
      world.existing("old");
      world.process("a", process =>
        createEarlier(process, journal, { urn: "one", content: "nda", replaces: ["1001"] }),
      );
    });
    expect(found(all)).toEqual(["a signed document replaced"]);
  });

  test("two back ends on one journal remind twice", async () => {
    const all = await explored({}, (world, journal) => {
      world.process("a", process => remindEarlier(process, journal, { urn: "one", invitation: "ana" }));
      world.process("b", process => remindEarlier(process, journal, { urn: "two", invitation: "ana" }));
    });
    expect(found(all)).toEqual(["reminded twice"]);
  });

  test("a second machine after `pulumi cancel` reminds twice", async () => {
    const all = await explored({}, (world, journal) => {
      world.process("a", process => remindEarlier(process, journal, { urn: "one", invitation: "ana" }));
      world.process("b", process => remindEarlier(process, journal, { urn: "one", invitation: "ana" }));
    });
    expect(found(all)).toEqual(["reminded twice"]);
  });

  test("a machine whose clock is a day ahead sends again at once what a killed one has sent", async () => {
    const all = await explored({ kills: true, lagMs: 30_000 }, (world, journal) => {
      const create = { urn: "one", content: "nda", hasDate: true };
      world.process("a", process => createEarlier(process, journal, create));
      world.process("b", process => createEarlier(process, journal, create), DAY + RESEND_AFTER);
    });
    expect(found(all)).toEqual(["nda sent twice"]);
  });

  test("a create answered with success is sent again where the journal was away for that moment", async () => {
    const all = await explored(
      { outages: true, pauses: [RESEND_AFTER], lagMs: 10 * RESEND_AFTER },
      (world, journal) => {
        const first = world.process("a", process => createEarlier(process, journal, { urn: "one", content: "nda" }));
        world.process("b", async process => {
          // The second run, once the first is over: only the journal's outage is to blame.
          if (first.isAlive) return "too early";
          return createEarlier(process, journal, { urn: "one", content: "nda" });
        });
      },
    );
    expect(found(all)).toEqual(["nda sent twice"]);
    expect(all.found.get("nda sent twice")).toContain("a writes hint: it can't be reached");
  });

  test("who has read a journal that was restored, and has as many lines again, doesn't see what others began", async () => {
    const all = await explored({ loses: true }, (world, journal) => {
      world.process("a", process => createEarlier(process, journal, { urn: "one", content: "nda" }));
      world.process("b", process => createEarlier(process, journal, { urn: "one", content: "nda" }));
    });
    expect(found(all)).toEqual(["nda sent twice"]);
    expect(all.found.get("nda sent twice")).toContain("the journal is restored");
  });

  test("one run alone, or one after the other, does nothing wrong", async () => {
    const all = await explored({ pauses: [1_000], losses: true, kills: true, budget: 3 }, (world, journal) => {
      const create = { urn: "one", content: "nda" };
      const first = world.process("a", process => createEarlier(process, journal, create));
      world.process("b", async process => (first.isAlive ? "too early" : createEarlier(process, journal, create)));
    });
    expect(found(all)).toEqual([]);
    expect(all.places).toBeGreaterThan(50);
  });
});
