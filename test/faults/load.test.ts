import { describe, expect, test } from "vitest";
import type { FaultFor } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { up } from "./support/engine.js";
import { madeIn, nda, pdf, startRig } from "./support/rig.js";

const many = (count: number, more: (nth: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, nth) => nda({ name: `Contract ${nth}`, ...more(nth) }, `nda${nth}`));

/** So many requests in each second that the client has waited; one more has to wait for the next. */
function limited(perSecond: number, waited: () => number): FaultFor & { refused: number } {
  const window = { second: 0, count: 0 };
  const faultFor = Object.assign(
    () => {
      const second = Math.round(waited() / 1000);
      if (second !== window.second) Object.assign(window, { second, count: 0 });
      if (++window.count <= perSecond) return undefined;
      faultFor.refused++;
      return { kind: "status", when: "before", status: 429, retryAfter: "1" } as const;
    },
    { refused: 0 },
  );
  return faultFor;
}

describe("load", () => {
  test("1,000 checks at once: each gets its own answer, and no request is sent", async context => {
    await using rig = await startRig();
    cell(context, { matrix: "G", row: "1,000 checks at once", column: "check" }, rig);
    const { frontEnd } = rig.process();
    const checks = many(1_000, nth => ({ base64File: pdf(String(nth)) })).map(wanted =>
      frontEnd.check(frontEnd.urn(wanted), undefined, wanted.inputs),
    );
    const checked = await Promise.all(checks);
    expect(checked.flatMap(({ failures }) => failures)).toEqual([]);
    expect(new Set(checked.map(({ inputs }) => inputs["base64File"])).size).toBe(1_000);
    expect(rig.saw()).toMatchObject({ requests: 0 });
  });

  test("300 creates against a service that limits its rate: each is made once", async context => {
    await using rig = await startRig({ dialect: { createAnswer: "whole" }, proving: true });
    cell(context, { matrix: "H", row: "300 creates, 50 requests a second", column: "up" }, rig);
    const { run, frontEnd } = rig.process();
    const limit = limited(50, () => run.runtime.context.clock.now() - Date.now());
    rig.service.faults.otherwise(limit);
    expect((await up(frontEnd, rig.state, many(300))).errors).toEqual({});
    expect(limit.refused).toBeGreaterThan(5);
    const made = madeIn(rig.service.ledger).map(({ id }) => id);
    expect(made).toHaveLength(300);
    expect(new Set([...rig.state.values()].map(({ id }) => id))).toEqual(new Set(made));
    expect(rig.saw().requests).toBeLessThan(1_800);
    await run.end();
  });

  test("200 reads share a handful of connections; each create has one of its own", async context => {
    await using rig = await startRig({ dialect: { createAnswer: "whole" } });
    cell(context, { matrix: "H", row: "sockets", column: "up, refresh" }, rig);
    const { run, frontEnd } = rig.process();
    await up(frontEnd, rig.state, many(200));
    const after = rig.service.connections;
    await Promise.all([...rig.state].map(([urn, held]) => frontEnd.read(urn, held.id, held)));
    expect(rig.service.connections - after).toBeLessThanOrEqual(8);
    expect(rig.service.ledger.requests("getDocument").filter(({ reused }) => reused).length).toBeGreaterThanOrEqual(
      192,
    );
    expect(rig.service.ledger.requests("createDocument").filter(({ reused }) => reused)).toEqual([]);
    await run.end();
  });
});
