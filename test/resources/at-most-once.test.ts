import { describe, expect, test } from "vitest";
import {
  AmbiguousWriteError,
  CancelledError,
  RateLimitedError,
  RefusedError,
  type ServiceError,
  ServiceFaultError,
  TooLateError,
} from "../../provider/client/errors.js";
import { type NewLine, type Sending, sendAtMostOnce } from "../../provider/resources/at-most-once.js";
import { failure } from "../client/setup.js";

type Steps = Sending<string, "turn", string>;
const LASTS = 120_000;
const NOW = 1_800_000_000_000;
const lost = new AmbiguousWriteError("lost", "lost");

/** Effects that record their order; `takes`: how long each of them takes, by this machine's clock. */
function effects(over: Partial<Steps> = {}, takes: Record<string, number> = {}) {
  const order: string[] = [];
  const lines: NewLine[] = [];
  const clock = { now: NOW, service: NOW as number | undefined };
  const pass = (ms = 0) => {
    clock.now += ms;
    if (clock.service !== undefined) clock.service += ms;
  };
  const step = (name: string) => {
    order.push(name);
    pass(takes[name]);
  };
  const sending: { -readonly [Name in keyof Steps]: Steps[Name] } = {
    clock: { now: () => clock.now },
    serviceNow: () => clock.service,
    async turn(work) {
      step("turn");
      return work("turn").finally(() => void order.push("leave"));
    },
    async begin(line) {
      lines.push(line);
      step("begin");
      return `line ${lines.length}`;
    },
    async owns() {
      step("owns");
      return true;
    },
    async send(_, line, mayLeave) {
      step("send");
      if (!mayLeave()) throw new TooLateError("late", false);
      return `sent ${line}`;
    },
    async withdraw(line) {
      step(`withdraw ${line}`);
    },
    ...over,
  };
  return { sending, order, lines, clock, pass, run: () => sendAtMostOnce(sending, { lasts: LASTS }) };
}

const throws = (error: Error) => async () => {
  throw error;
};

test("the turn is taken before the line is written, and the request leaves in it", async () => {
  const { run, order, lines } = effects({}, { turn: 3_600_000 });
  expect(await run()).toEqual({ kind: "answered", line: "line 1", answer: "sent line 1" });
  expect(order).toEqual(["turn", "begin", "send", "leave"]);
  expect(lines).toEqual([{ startedAt: NOW + 3_600_000, serviceTime: NOW + 3_600_000, lasts: LASTS }]);
});

test("what would be replaced is asked about after the line, and then whose the line is", async () => {
  const asked: string[] = [];
  const { run, order } = effects({ assertReplaceable: async turn => void asked.push(turn) });
  await run();
  expect(asked).toEqual(["turn"]);
  expect(order).toEqual(["turn", "begin", "owns", "send", "leave"]);
});

test("what may not be replaced any more withdraws the line, and sends nothing", async () => {
  const { run, order } = effects({ assertReplaceable: throws(new Error("signed")) });
  expect((await failure(run())).message).toBe("signed");
  expect(order).toEqual(["turn", "begin", "withdraw line 1", "leave"]);
});

test("another line that counts sends nothing, and withdraws nothing", async () => {
  const { run, order } = effects({ begin: async () => undefined });
  expect(await run()).toEqual({ kind: "forestalled" });
  expect(order).toEqual(["turn", "leave"]);
});

test("a line that doesn't count any more after a while is withdrawn, and nothing is sent", async () => {
  const { run, order } = effects({ owns: async () => false }, { begin: 1_000 });
  expect(await run()).toEqual({ kind: "forestalled" });
  expect(order).toEqual(["turn", "begin", "withdraw line 1", "leave"]);
});

describe("when the time is over", () => {
  test.each([
    ["writing the line", { begin: LASTS / 2 }],
    ["waiting to be sent", { send: LASTS / 2 }],
  ])("after %s, it begins again with twice the time", async (_, takes: Record<string, number>) => {
    const { run, order, lines } = effects({}, takes);
    expect(await run()).toMatchObject({ kind: "answered", line: "line 2" });
    expect(lines.map(({ lasts }) => lasts)).toEqual([LASTS, 2 * LASTS]);
    expect(order.filter(step => step !== "owns")).toEqual(
      expect.arrayContaining(["withdraw line 1", "leave", "turn", "begin", "send"]),
    );
  });

  test("a little less, it is sent", async () => {
    const { run, lines } = effects({}, { begin: LASTS / 2 - 1 });
    expect(await run()).toMatchObject({ kind: "answered", line: "line 1" });
    expect(lines).toHaveLength(1);
  });

  test.each([
    ["by the service's clock alone", { service: NOW + LASTS }],
    ["where this machine's was set back", { now: NOW - 1 }],
  ])("%s, too", async (_, clock) => {
    let looks = 0;
    const scene = effects({
      assertReplaceable: async () => {
        if (looks++ === 0) Object.assign(scene.clock, clock);
      },
    });
    expect(await scene.run()).toMatchObject({ kind: "answered", line: "line 2" });
    expect(scene.order).toContain("withdraw line 1");
  });

  test("what would be replaced is asked about again, however long its line lasts by then", async () => {
    const scene = effects({ assertReplaceable: async () => void scene.order.push("confirm") });
    const owns = [LASTS / 2, LASTS / 2];
    scene.sending.owns = async () => {
      scene.pass(owns.shift());
      return true;
    };
    expect(await scene.run()).toMatchObject({ kind: "answered", line: "line 3" });
    expect(scene.order.filter(step => step === "confirm")).toHaveLength(3);
    expect(scene.lines.map(({ lasts }) => lasts)).toEqual([LASTS, 2 * LASTS, 4 * LASTS]);
  });

  test("each time, it ends, and says that nothing was sent", async () => {
    const { run, lines } = effects({ assertReplaceable: throws(new TooLateError("late", false)) });
    expect((await failure(run())).message).toMatch(/^nothing was sent: each of 9 times/);
    expect(lines.map(({ lasts }) => lasts / LASTS)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  });

  test("in the middle of the body, what became of it isn't known", async () => {
    const cut = new AmbiguousWriteError("cut", "cut", new TooLateError("late", true));
    const { run, order } = effects({ send: throws(cut) });
    expect(await run()).toEqual({ kind: "lost", line: "line 1", error: cut });
    expect(order).not.toContain("withdraw line 1");
  });
});

describe("after the request", () => {
  const rows: [string, Error, boolean][] = [
    ["refused", new RefusedError("no", 422), true],
    ["cancelled before it left", new CancelledError("cancelled", false), true],
    ["cancelled after it left", new CancelledError("cancelled", true), false],
    ["ended by a mistake of our own", new Error("a bug"), false],
  ];
  test.each(rows)(
    "%s: the error is thrown, and only a line of what never happened is withdrawn",
    async (_, error, isNothing) => {
      const { run, order } = effects({ send: throws(error) });
      expect(await failure(run())).toBe(error);
      expect(order.includes("withdraw line 1")).toBe(isNothing);
    },
  );

  const busy = new RateLimitedError("busy", 429);
  const asks: [string, ServiceError][] = [
    ["429", busy],
    ["503 with a time to wait", new ServiceFaultError("busy", 503, { retryAt: new Date(NOW) })],
  ];
  test.each(asks)(
    "refused for now with %s, the line is withdrawn, and all begins again outside of the turn",
    async (_, error) => {
      const refused: string[] = [];
      const scene = effects({
        send: async (_, line, mayLeave) => {
          if (scene.lines.length < 3) throw error;
          return `${line} ${mayLeave()}`;
        },
        refused: async line => {
          refused.push(line);
          scene.order.push("refused");
          return true;
        },
      });
      expect(await scene.run()).toEqual({ kind: "answered", line: "line 3", answer: "line 3 true" });
      expect(scene.order.join(" ")).toBe(
        "turn begin withdraw line 1 leave refused turn begin withdraw line 2 leave refused turn begin leave",
      );
      expect(refused).toEqual(["line 1", "line 2"]);
      expect(scene.lines.map(({ lasts }) => lasts)).toEqual([LASTS, LASTS, LASTS]);
    },
  );

  test("refused for now, it isn't sent again where that isn't wanted, or for ever", async () => {
    const never = effects({ send: throws(busy) });
    expect(await failure(never.run())).toBe(busy);
    const once = effects({ send: throws(busy), refused: async () => false });
    expect(await once.run()).toEqual({ kind: "forestalled" });
    expect(once.lines).toHaveLength(1);
    const always = effects({ send: throws(busy), refused: async () => true }, { turn: 60_000 });
    expect(await failure(always.run())).toBe(busy);
    expect(always.lines).toHaveLength(11);
  });

  test("a fault without a time to wait isn't a refusal: its error is thrown", async () => {
    const fault = new AmbiguousWriteError("503", "503", new ServiceFaultError("503", 503));
    const { run, order } = effects({ send: throws(fault), refused: async () => true });
    expect(await run()).toEqual({ kind: "lost", line: "line 1", error: fault });
    expect(order).not.toContain("withdraw line 1");
  });

  test("that was lost, the line stays", async () => {
    const { run, order } = effects({ send: throws(lost) });
    expect(await run()).toEqual({ kind: "lost", line: "line 1", error: lost });
    expect(order).toEqual(["turn", "begin", "leave"]);
  });

  test("that never happened, a line that can't be withdrawn hides no error", async () => {
    const refused: ServiceError = new RefusedError("no", 422);
    const { run } = effects({ send: throws(refused), withdraw: throws(new Error("the journal is away")) });
    expect(await failure(run())).toBe(refused);
  });
});
