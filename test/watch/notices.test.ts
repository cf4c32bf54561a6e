import { describe, expect, test } from "vitest";
import { messageFor, type Notice } from "../../commands/watch/notices.js";
import { openDesk } from "./desk.js";

const SECRET = "https://hooks.example.com/services/T0/B0/secret-of-the-hook";
const [ANA, BOB] = ["ana@example.com", "bob@example.org"];
const DAY = 86_400_000;

/** A desk with one document of two people, and a channel for it that has had its first look. */
async function begun(more: object = {}) {
  const channel = { name: "chat", documents: ["5001"], to: "webhook", urlFrom: "HOOK", ...more };
  const desk = await openDesk({ notify: [channel] });
  desk.sandbox.seed({ documents: [{ name: "Lease", invitations: [{ email: ANA }, { email: BOB }] }] });
  const look = (env: Record<string, string> = {}) =>
    desk.command(["--once", "watch.json"], { env: { HOOK: SECRET, ...env } });
  const told = () => desk.woken().posted.map(({ body }) => (body as Notice).event);
  expect(await look()).toBe(0);
  expect(told()).toEqual([]);
  return Object.assign(desk, { look, told });
}

describe("docsign watch --once with notify", () => {
  test("tells the first signature and the last, each once", async () => {
    await using desk = await begun();
    desk.sandbox.sign(5001, ANA);
    expect(await desk.look()).toBe(0);
    expect(desk.woken().posted).toEqual([
      {
        url: SECRET,
        body: {
          ...{ event: "first", documentId: "5001", name: "Lease", signed: 1, of: 2, people: [] },
          text: '"Lease" (document 5001): 1 of 2 signed',
        },
      },
    ]);
    await desk.look();
    expect(desk.told()).toEqual([]);
    desk.sandbox.sign(5001, BOB);
    await desk.look();
    expect(desk.told()).toEqual(["last"]);
    const asked = desk.asked().length;
    await desk.look();
    expect(desk.told()).toEqual([]);
    // What is signed by everybody isn't read again.
    expect(desk.asked()).toHaveLength(asked);
  });

  test("tells the last alone where both came between two looks", async () => {
    await using desk = await begun();
    desk.sandbox.signAll(5001);
    await desk.look();
    expect(desk.told()).toEqual(["last"]);
  });

  test("tells who refused, and who is late, once for each deadline", async () => {
    await using desk = await begun({ deadline: "3d" });
    desk.sandbox.decline(5001, BOB);
    await desk.look();
    expect(desk.woken().posted.map(({ body }) => (body as { text: string }).text)).toEqual([
      `"Lease" (document 5001) was refused by ${BOB}`,
    ]);
    desk.sandbox.clock.advance(4 * DAY);
    await desk.look();
    await desk.look();
    expect(desk.woken().posted.map(({ body }) => (body as { text: string }).text)).toEqual([
      `"Lease" (document 5001) is past its deadline, and ${ANA}, ${BOB} haven't signed`,
    ]);
  });

  test("tells only what it is asked for, and nothing that was there at its first look", async () => {
    await using desk = await openDesk({
      notify: [{ name: "chat", documents: [5001, 5002], to: "webhook", urlFrom: "HOOK", on: ["last"] }],
    });
    const invitations = [{ email: ANA }, { email: BOB }];
    desk.sandbox.seed({
      documents: [
        { name: "One", invitations, signed: "all" },
        { name: "Two", invitations },
      ],
    });
    const look = () => desk.command(["--once", "watch.json"], { env: { HOOK: SECRET } });
    await look();
    desk.sandbox.sign(5002, ANA);
    await look();
    expect(desk.woken().posted).toEqual([]);
    desk.sandbox.sign(5002, BOB);
    await look();
    expect(desk.woken().posted).toMatchObject([{ body: { event: "last", documentId: "5002" } }]);
  });

  test.each([
    ["one document", { inputs: {}, outputs: { documentId: "5001" } }],
    ["several", { inputs: { documentIds: ["5001", "5002"] }, outputs: { satisfiedIds: ["5002"] } }],
  ])("of a stack, asks its state which documents there are, and which deadline a gate of %s sets", async (_, gate) => {
    await using desk = await openDesk({
      notify: [{ name: "chat", documentsOf: { cwd: ".", stack: "prod" }, to: "webhook", urlFrom: "HOOK" }],
    });
    desk.sandbox.seed({ documents: [{ name: "Lease", invitations: [{ email: ANA }] }] });
    const deadlineAt = new Date(desk.sandbox.clock.now() + DAY).toISOString();
    const resources = [
      { urn: "urn:1", type: "docsign:index:Document", id: "5001" },
      { urn: "urn:2", type: "docsign:index:SignatureGate", ...gate, outputs: { ...gate.outputs, deadlineAt } },
    ];
    desk.answers.output = JSON.stringify({ deployment: { resources } });
    const look = () => desk.command(["--once", "watch.json"], { env: { HOOK: SECRET } });
    await look();
    desk.sandbox.clock.advance(2 * DAY);
    await look();
    expect(desk.woken().posted).toMatchObject([{ body: { event: "deadline", people: [ANA] } }]);
  });

  test("two that look at the same moment tell it once", async () => {
    await using desk = await begun();
    desk.sandbox.sign(5001, ANA);
    expect(await Promise.all([desk.look(), desk.look(), desk.look()])).toEqual([0, 0, 0]);
    expect(desk.told()).toEqual(["first"]);
  });

  test.each([
    ["an answer that isn't 2xx", 503, ["first"]],
    ["a connection that was never made", Object.assign(new Error("fetch failed"), { code: "ECONNREFUSED" }), ["first"]],
    ["an answer that was lost: it may have arrived", Object.assign(new Error(SECRET), { code: "ECONNRESET" }), []],
  ])("after %s, the next run tells what surely didn't arrive", async (_, answer, later) => {
    await using desk = await begun();
    desk.sandbox.sign(5001, ANA);
    desk.answers.post = answer;
    expect(await desk.look()).toBe(1);
    expect(desk.told()).toEqual(["first"]);
    desk.answers.post = 200;
    expect(await desk.look()).toBe(0);
    expect(desk.told()).toEqual(later);
    const { out, err } = desk.said();
    expect(err).toContain("not all could be told: chat. The next run goes on");
    expect(out + err).not.toContain("secret-of-the-hook");
  });

  test("one that was killed before its answer doesn't tell it again", async () => {
    await using desk = await begun();
    desk.sandbox.sign(5001, ANA);
    let arrived = () => {};
    const posting = new Promise<void>(resolve => {
      arrived = resolve;
    });
    // The first look never ends: the request is on its way, and the journal knows.
    desk.answers.hang = arrived;
    void desk.look();
    await posting;
    desk.answers.hang = undefined;
    expect(await desk.look()).toBe(0);
    expect(desk.told()).toEqual(["first"]);
  });

  test("a document that can't be read keeps no other from being told, and the run fails", async () => {
    await using desk = await openDesk({
      notify: [{ name: "chat", documents: ["4999", "5001"], to: "webhook", urlFrom: "HOOK" }],
    });
    desk.sandbox.seed({ documents: [{ name: "Lease", invitations: [{ email: ANA }] }] });
    const look = () => desk.command(["--once", "watch.json"], { env: { HOOK: SECRET } });
    expect(await look()).toBe(1);
    desk.sandbox.signAll(5001);
    expect(await look()).toBe(1);
    expect(desk.woken().posted).toMatchObject([{ body: { event: "last", documentId: "5001" } }]);
    expect(desk.said().out).toContain("chat: document 4999: ");
  });

  test.each([
    ["none", "", "expected an address in HOOK, got none"],
    ["something else", "hooks.example.com/secret-of-the-hook", "expected an https address in HOOK, got something else"],
    [
      "plain http",
      "http://hooks.example.com/secret-of-the-hook",
      "expected an https address in HOOK, got something else",
    ],
    ["another machine", "http://127.0.0.1.example.com/secret-of-the-hook", "expected an https address in HOOK"],
  ])("with %s for an address nothing is asked, and it isn't printed", async (_, address, why) => {
    await using desk = await begun();
    const asked = desk.asked().length;
    expect(await desk.look({ HOOK: address })).toBe(1);
    expect(desk.said().out).toContain(why);
    expect(desk.said().out + desk.said().err).not.toContain("secret-of-the-hook");
    expect(desk.asked()).toHaveLength(asked);
  });

  test("wants --once, and documents", async () => {
    await using desk = await begun();
    expect(await desk.command(["watch.json"])).toBe(2);
    expect(desk.said().err).toContain("expected --once with `notify`");
    await using other = await openDesk({ notify: [{ name: "chat", to: "slack", urlFrom: "HOOK" }] });
    expect(await other.command(["--once", "watch.json"])).toBe(1);
    expect(other.said().err).toContain("notify.0: expected either `documents` or `documentsOf`");
  });
});

test("a title is no markup, wherever it is read", () => {
  const notice: Notice = {
    ...{ event: "first", key: "document 7 first", documentId: "7", signed: 1, of: 2, people: [] },
    name: "<!channel> *bold* [x](https://evil.example) :tada:\nsecond line",
  };
  const slack = JSON.parse(messageFor("slack", notice)).text;
  expect(slack).not.toMatch(/<|\n|(?<!\u200b)\*/);
  expect(slack).toContain("&lt;!channel&gt;");
  expect(slack).toMatch(/ :\u200btada:/);
  const [attachment] = JSON.parse(messageFor("teams", notice)).attachments;
  expect(attachment.content.body[0].text).toContain("\\[x\\]\\(https:\u200b//evil.example\\)");
  expect(JSON.parse(messageFor("webhook", notice))).toMatchObject({ event: "first", documentId: "7" });
});

test.each(["slack", "teams", "webhook"] as const)(
  "%s: a title is no address that leads elsewhere, and says nothing for us",
  to => {
    const notice: Notice = {
      ...{ event: "refusal", key: "document 7 refusal 1", documentId: "7", signed: 1, of: 2 },
      people: ["https://evil.example/?for=ana@example.com"],
      name: 'x" (document 8) is signed by everybody, see HTTPS://evil.example or www.evil.example, and "y',
    };
    const message = JSON.parse(messageFor(to, notice));
    const text: string = to === "teams" ? message.attachments[0].content.body[0].text : message.text;
    expect(text).not.toMatch(/:\/\/|www\./i);
    expect(text.match(/"/g)).toHaveLength(2);
  },
);
