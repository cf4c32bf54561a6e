import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Values } from "../../kit/values.js";
import { dueAfter, intervalIn } from "../../provider/resources/reminder/declaration.js";
import { HOUR, REMINDER, remindersIn, setStage, uploaded } from "../gates/support.js";
import { nda, type Scene, scene } from "../lifecycle/scene.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { type Machine, startMachine } from "../support/machine.js";
import { wantsAll } from "../support/sample.js";
import type { Goal } from "../support/simulated-engine.js";

const DAY = 24 * HOUR;
const ANA = "ana@example.com";
const BOB = "bob@example.org";

/** A number from 0 up to 1, another for each call and each seed. */
function chance(): () => number {
  let last = (fc.readConfigureGlobal().seed ?? 1) >>> 0;
  return () => {
    last = (Math.imul(last, 1_664_525) + 1_013_904_223) >>> 0;
    return last / 2 ** 32;
  };
}

function pass({ service, machine }: Pick<Scene, "service"> & { machine: Machine }, milliseconds: number): void {
  service.clock.advance(milliseconds);
  machine.pass(milliseconds);
}

const everyone = [
  { email: ANA, name: "Ana" },
  { email: BOB, name: "Bob" },
];

const WEEKS = wantsAll("DOCSIGN_TEST_REMINDERS") ? 52 : 3;

describe(`${WEEKS} weeks`, () => {
  test.each([
    ["of one document", false],
    ["of a list of documents", true],
  ])("with `up` at random times of day, %s: each person is reminded once a week", async (_, isListed) => {
    await using s = await scene();
    const random = chance();
    const document = nda({ inputs: { invitations: everyone } });
    await s.stack.up([document]);
    const about = isListed ? { documentIds: [s.id()] } : { documentId: s.id() };
    const weekly: Goal = { name: "weekly", type: REMINDER, inputs: { ...about, every: "7d" } };
    const invited = s.service.clock.now();
    const midnight = invited - (invited % DAY);
    const days: Record<string, number[]> = { [ANA]: [], [BOB]: [] };
    for (let day = 1; day <= 7 * WEEKS; day++) {
      const at = midnight + day * DAY + Math.floor(random() * (DAY - HOUR));
      pass(s, at - s.service.clock.now());
      const before = s.service.ledger.mails("reminder").length;
      const { error, previewLines } = await s.stack.up([document, weekly]);
      expect(error).toBeUndefined();
      const reminded = s.service.ledger.mails("reminder").slice(before);
      expect(previewLines.some(line => line.includes("will mail"))).toBe(reminded.length > 0);
      for (const { to } of reminded) days[to]?.push(day);
      // Once more on that day, where that isn't the next one.
      if (day % 5 === 0) {
        pass(s, Math.floor(random() * HOUR * 0.9));
        await s.stack.up([document, weekly], { skipPreview: true });
        expect(s.service.ledger.mails("reminder").length - before).toBe(reminded.length);
      }
    }
    const weeks = Array.from({ length: WEEKS }, (_each, week) => 7 * (week + 1));
    expect(days).toEqual({ [ANA]: weeks, [BOB]: weeks });
  });

  test("with a machine whose clock is days off: the service's clock decides", async () => {
    await using s = await scene();
    const document = nda({ inputs: { invitations: everyone } });
    await s.stack.up([document]);
    const weekly: Goal = { name: "weekly", type: REMINDER, inputs: { documentId: s.id(), every: "7d" } };
    const reminded = async () => {
      await s.stack.up([document, weekly]);
      return s.service.ledger.mails("reminder").length;
    };
    expect(await reminded()).toBe(0);
    s.machine.pass(30 * DAY);
    expect(await reminded()).toBe(0);
    s.service.clock.advance(8 * DAY);
    s.machine.pass(-60 * DAY);
    expect(await reminded()).toBe(2);
    expect(await reminded()).toBe(2);
  });
});

/** A reminder on a stage: its updates, each in a run of its own. */
async function everyFor(more: Values) {
  const stage = await setStage();
  const id = uploaded(stage.service, ANA);
  const inputs: Values = { documentId: id, every: "7d", ...more };
  let outputs: Values | undefined;
  return {
    stage,
    inputs,
    outputs: () => outputs ?? {},
    /** The addresses reminded by an `up` after so many days. */
    async after(days: number): Promise<number> {
      stage.service.clock.advance(days * DAY);
      stage.machine.pass(days * DAY);
      const run = stage.again();
      const reminders = remindersIn(run.runtime.context);
      const call = run.call("weekly", { type: REMINDER });
      const before = stage.service.ledger.mails("reminder").length;
      if (outputs === undefined) ({ outputs } = await reminders.create(call, { inputs }));
      else {
        const { changes } = await reminders.diff(call, { olds: outputs, oldInputs: inputs, news: inputs });
        if (changes !== "none")
          outputs = await reminders.update(call, { id, olds: outputs, oldInputs: inputs, news: inputs });
      }
      await run.end();
      return stage.service.ledger.mails("reminder").length - before;
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

describe("every", () => {
  test("is deleted after many times with no more lines than the journal keeps", async () => {
    await using weekly = await everyFor({});
    for (let week = 0; week < 11; week++) await weekly.after(7);
    const run = weekly.stage.again();
    const { context } = run.runtime;
    const remind = vi.spyOn(context.journal, "remind");
    const reminder = { id: String(weekly.inputs["documentId"]), inputs: weekly.inputs, outputs: weekly.outputs() };
    const remove = () => remindersIn(context).delete(run.call("weekly", { type: REMINDER }), reminder);
    await remove();
    expect(remind).toHaveBeenCalledTimes(0);
    // On a machine that knows of none.
    vi.spyOn(context.journal, "reminded").mockResolvedValue([]);
    remind.mockResolvedValue("00000000");
    await remove();
    expect(remind).toHaveBeenCalledTimes(8);
  });

  test("ends after as many times as `until` says", async () => {
    await using weekly = await everyFor({ until: 2 });
    const sent: number[] = [];
    for (let week = 0; week < 5; week++) sent.push(await weekly.after(7));
    expect(sent).toEqual([1, 1, 0, 0, 0]);
    expect(weekly.outputs()).toMatchObject({
      skipped: [{ email: ANA, reason: "was reminded 2 times, as often as `until` says" }],
    });
    expect(Object.values(weekly.outputs()["timesSent"] as Values)).toEqual([2]);
  });

  test("ends with the day that `until` names, and asks nothing from then on", async () => {
    const stage = await setStage();
    const until = new Date(stage.service.clock.now() + 15 * DAY).toISOString().slice(0, 10);
    await stage[Symbol.asyncDispose]();
    await using weekly = await everyFor({ until });
    const sent: number[] = [];
    for (let week = 0; week < 4; week++) sent.push(await weekly.after(7));
    expect(sent).toEqual([1, 1, 0, 0]);
    const asked = weekly.stage.service.ledger.requests().length;
    expect(await weekly.after(7)).toBe(0);
    expect(weekly.stage.service.ledger.requests()).toHaveLength(asked);
  });

  test("state keeps one row for each person, with when they are due again", async () => {
    await using weekly = await everyFor({});
    for (let week = 0; week < 3; week++) await weekly.after(7);
    const { sent, skipped } = weekly.outputs() as { sent: Values[]; skipped: Values[] };
    expect(sent).toHaveLength(1);
    const midnight = Math.floor(Date.parse(String(sent[0]?.["at"])) / DAY) * DAY;
    expect(skipped).toMatchObject([{ email: ANA, dueAt: new Date(midnight + 7 * DAY).toISOString() }]);
  });
});

test("two machines with the same state send one reminder, whichever is faster", async () => {
  await using service = await startIndependentService();
  using machine = startMachine();
  const id = uploaded(service, ANA, BOB);
  const inputs: Values = { documentId: id, every: "7d" };
  const up = async (olds: Values | undefined) => {
    const run = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
    const reminders = remindersIn(run.runtime.context);
    const call = run.call("weekly", { type: REMINDER });
    const outputs =
      olds === undefined
        ? (await reminders.create(call, { inputs })).outputs
        : await reminders.update(call, { id, olds, oldInputs: inputs, news: inputs });
    return { run, outputs };
  };
  const first = await up(undefined);
  await first.run.end();
  for (let week = 1; week <= 3; week++) {
    service.clock.advance(7 * DAY);
    machine.pass(7 * DAY);
    // Neither learns the other's outputs: state is that of the first run.
    const both = await Promise.all([up(first.outputs), up(first.outputs)]);
    for (const { run, outputs } of both) {
      await run.end();
      expect((outputs["skipped"] as Values[]).map(({ email }) => email)).toEqual([ANA, BOB]);
      expect((outputs["skipped"] as Values[]).every(({ dueAt }) => typeof dueAt === "string")).toBe(true);
      expect(Object.values(outputs["timesSent"] as Values)).toEqual([week, week]);
    }
    expect(service.ledger.mails("reminder")).toHaveLength(2 * week);
  }
});

describe("when somebody is due", () => {
  const due = (last: string, inputs: Values, now = last) => {
    const interval = intervalIn({ every: "7d", ...inputs });
    return interval && new Date(dueAfter(Date.parse(last), Date.parse(now), interval)).toISOString();
  };

  test.each<[string, string, Values, string]>([
    ["from the start of the day a week later", "2027-01-04T15:00:00Z", {}, "2027-01-11T00:00:00.000Z"],
    ["of the time zone's day", "2027-01-05T03:00:00Z", { timeZone: "America/Mexico_City" }, "2027-01-11T06:00:00.000Z"],
    ["across a change of clocks", "2027-03-27T12:00:00Z", { timeZone: "Europe/Berlin" }, "2027-04-02T22:00:00.000Z"],
    [
      "on a day without midnight",
      "2026-09-05T12:00:00Z",
      { every: "1d", timeZone: "America/Santiago" },
      "2026-09-06T04:00:00.000Z",
    ],
    ["exactly after hours", "2027-01-04T15:00:00Z", { every: "36h" }, "2027-01-06T03:00:00.000Z"],
    ["on Monday instead of Saturday", "2027-01-02T15:00:00Z", { businessDays: true }, "2027-01-11T00:00:00.000Z"],
  ])("%s", (_, last, inputs, expected) => {
    expect(due(last, inputs)).toBe(expected);
  });

  test("a weekend is waited out also by who was due before it", () => {
    const inputs = { every: "1d", businessDays: true };
    expect(due("2027-01-07T15:00:00Z", inputs, "2027-01-09T12:00:00Z")).toBe("2027-01-11T00:00:00.000Z");
    expect(due("2027-01-07T15:00:00Z", inputs, "2027-01-08T12:00:00Z")).toBe("2027-01-08T12:00:00.000Z");
  });
});

test.each<[Values, string, string]>([
  [{ every: "7d", triggers: 1 }, "", "every: expected either every or triggers, got both"],
  [{ until: 3, timeZone: "UTC" }, "", "until, timeZone: expected every beside them, got none"],
  [{ every: "5m" }, "every", "an hour at least"],
  [{ every: "7d", until: "2027-02-30" }, "until", "a day such as 2027-03-01, or a number of times from 1 to 9999"],
  [{ every: "7d", until: "2027-13-01" }, "until", "a day such as 2027-03-01, or a number of times from 1 to 9999"],
  [{ every: "7d", until: 0 }, "until", "a number of times from 1 to 9999"],
  [{ every: "7d", timeZone: "Mars/Olympus" }, "timeZone", "the name of a time zone such as America/Mexico_City"],
])("%j is refused", async (given, property, reason) => {
  await using stage = await setStage();
  const reminders = remindersIn(stage.run.runtime.context);
  const { failures } = await reminders.check(stage.run.call("weekly", { type: REMINDER }), {
    news: { documentId: "7", ...given },
  });
  expect(failures).toMatchObject([{ property, reason: expect.stringContaining(reason) }]);
});
