import { expect, test } from "vitest";
import { Stage } from "../faults/support/front-ends.js";
import { team } from "./team.js";

const RESEND_AFTER_MS = 125_000;
const names = (count: number) => Array.from({ length: count }, (_, nth) => `Person${nth}`);

test.each(["oldest", "newest", "shuffled"] as const)(
  "a set killed -9 in the middle goes on by itself after resendAfter, lists %s first",
  async order => {
    await using stage = await Stage.open("plugin", { taste: { order } });
    const all = names(60);
    expect((await stage.up([team(all.slice(0, 51))])).error).toBeUndefined();
    await stage.killed([team(all)], { at: "received-body" });
    expect(stage.saw().documents.length).toBeLessThan(60);
    // What arrived is taken over, what was under way stays open.
    await stage.up([team(all)]);
    stage.pass(RESEND_AFTER_MS);
    expect((await stage.up([team(all)])).error).toBeUndefined();
    expect(stage.saw()).toMatchObject({ mails: 60 });
    expect(stage.saw().documents).toHaveLength(60);
  },
);
