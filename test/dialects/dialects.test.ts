import { describe, expect, test } from "vitest";
import { departures } from "../support/independent-service/index.js";
import { frontEnds, play } from "./story.js";

describe.each(frontEnds)("through the %s", frontEnd => {
  test.each(departures)("$name", async departure => {
    const results = await play(departure, frontEnd);
    (await import("node:fs")).appendFileSync("/tmp/d-results.jsonl", JSON.stringify({ departure: departure.name, frontEnd, results })+"\n");
    expect(results.flatMap(({ step, broken }) => broken.map(what => `${step}: ${what}`))).toEqual([]);
  });
});
