import { expect, test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { live } from "./live.js";
import { real } from "./real.js";
import { ON_THE_ENGINE } from "./stories.js";

test.skipIf(missingEngine)(
  "through the real engine, a week of changes mails each person once a contract, and goes on",
  async () => {
    const { violation, story, figures } = await live({ ...ON_THE_ENGINE, frontEnd: "plugin" }, undefined, real);
    expect(violation && [...story, JSON.stringify(violation)].join("\n")).toBeUndefined();
    // 3 at first, 2 rows and 1 document of the second template; the rest is taken back.
    expect(figures).toMatchObject({ documents: 6, refusals: 1 });
  },
);
