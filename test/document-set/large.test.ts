import { expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { factsIn, sumOf } from "../../provider/schema/facts.js";
import { Stage } from "../faults/support/front-ends.js";
import { CHANGED, NDA, team } from "./team.js";

const names = Array.from({ length: 30 }, (_, nth) => `Person${nth}`);
const WITNESSES = 7;
/** Long enough for the state of these rows not to fit beside an error. */
const witnessed = (defaults: Values): Values => ({
  ...defaults,
  invitations: [
    { email: "{{email}}", name: "{{name}}" },
    ...Array.from({ length: WITNESSES }, (_, nth) => ({ email: `witness${nth}-${"x".repeat(180)}@example.com` })),
  ],
});
const rows = (count: number, defaults = NDA) => [team(names.slice(0, count), { defaults: witnessed(defaults) })];
const MAILS = WITNESSES + 1;

test.each([
  ["as they are sent", [], rows(30), 30],
  ["as some are added", rows(28), rows(30), 30],
  ["as they are replaced", rows(30), rows(30, CHANGED), 60],
])(
  "a set whose rows don't fit beside an error loses none where one fails %s",
  async (_, before, program, documents) => {
    await using stage = await Stage.open("plugin");
    if (before.length > 0) expect((await stage.up(before)).error).toBeUndefined();
    stage.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument", { times: 1 });
    expect((await stage.up(program)).error).toContain("answered 422");
    expect(stage.saw()).toMatchObject({ mails: (documents - 1) * MAILS });
    const { error, previewLines } = await stage.up(program);
    expect(error).toBeUndefined();
    expect(sumOf(previewLines.flatMap(line => factsIn(line) ?? []))).toMatchObject({ mails: MAILS });
    expect(stage.saw()).toMatchObject({ mails: documents * MAILS });
    expect(Object.keys(stage.entries[0]?.outputs["documents"] ?? {})).toHaveLength(30);
    const again = await stage.up(program);
    expect(again.error).toBeUndefined();
    expect(again.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
  },
);
