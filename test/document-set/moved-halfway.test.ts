import { afterEach, expect, test, vi } from "vitest";
import type { Values } from "../../kit/values.js";
import { DocumentSetResource } from "../../provider/resources/document-set/document-set.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { PartialFailure } from "../../provider/resources/resource.js";
import { base64, forgetMachine, type Scene, scene, sceneWith } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { addressOf, mailsOf, rowsOf, TYPE } from "./team.js";

/* Documents that move between rows, in a run that doesn't get through or is taken back. */

afterEach(() => vi.restoreAllMocks());

type People = Readonly<Record<string, string>>;

const rows = (people: People, more: Values = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  inputs: {
    documents: Object.fromEntries(
      Object.entries(people).map(([key, name]) => [
        key,
        { name: `NDA of ${name}`, base64File: base64(name), invitations: [{ email: addressOf(name), name }] },
      ]),
    ),
    ...more,
  } as unknown as Goal["inputs"],
});
const held = (s: Scene): People =>
  Object.fromEntries(
    Object.entries(rowsOf(s)).map(([key, { documentId }]) => {
      const document = s.service.ledger.documents().find(({ id }) => id === documentId);
      return [key, (document?.name ?? "").replace("NDA of ", "")];
    }),
  );
const idOf = (s: Scene, name: string): string =>
  s.service.ledger.documents().find(each => each.name === `NDA of ${name}`)?.id ?? "";
const sign = (s: Scene, ...names: string[]) => {
  for (const name of names) s.service.people.signAll(idOf(s, name));
};
const CUT = { dialect: { order: "oldest", pageSize: 2, decoys: 6 } } as const;

/** Before a row takes a document, in the journal. */
function beforeClaims(act: (urn: string) => void) {
  const { claim } = LoggedJournal.prototype;
  return vi.spyOn(LoggedJournal.prototype, "claim").mockImplementation(function (this: LoggedJournal, scope, ...rest) {
    act(scope.urn);
    return claim.call(this, scope, ...rest);
  });
}

const CYCLE = { a: "Ana", b: "Bob", c: "Cy" };
const ROUND = { a: "Cy", b: "Ana", c: "Bob" };

test.each(["a", "b", "c"])(
  "a cycle in which row %s fails: state has each document, and nobody is mailed",
  async failing => {
    await using s = await sceneWith([rows(CYCLE)], CUT);
    for (const { id } of s.service.ledger.documents()) s.service.people.signAll(id);
    const mails = mailsOf(s).length;
    const spy = beforeClaims(urn => {
      if (urn.endsWith(`#${failing}`)) throw new Error("no space left");
    });
    const first = await s.stack.up([rows(ROUND)]);
    expect(first.error).toBeDefined();
    spy.mockRestore();
    expect(Object.values(held(s)).toSorted()).toEqual(["Ana", "Bob", "Cy"]);
    await forgetMachine(s);
    expect((await s.stack.up([rows(ROUND)])).error).toBeUndefined();
    expect(held(s)).toEqual(ROUND);
    expect(mailsOf(s)).toHaveLength(mails);
  },
);

test.each([false, true])(
  "Ctrl-C in a cycle: state has each document, and nobody is mailed; forgets: %s",
  async forgets => {
    const names = Array.from({ length: 30 }, (_, i) => `P${i}`);
    const before = Object.fromEntries(names.map((n, i) => [`k${i}`, n]));
    const after = Object.fromEntries(names.map((_, i) => [`k${i}`, `P${(i + 29) % 30}`]));
    await using s = await scene();
    expect((await s.stack.up([rows(before)])).error).toBeUndefined();
    for (const { id } of s.service.ledger.documents()) s.service.people.signAll(id);
    const mails = mailsOf(s).length;
    const { id, urn, ...entry } = s.stack.entry("ndas");
    const [oldInputs, olds] = [entry.inputs as Values, entry.outputs as Values];
    const run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
    const resource = new DocumentSetResource(run.runtime.context);
    const stop = new AbortController();
    const call = run.call("ndas", { urn, signal: stop.signal });
    const { inputs } = await resource.check(call, { olds: oldInputs, news: rows(after).inputs as Values });
    await resource.diff(call, { id, olds, oldInputs, news: inputs });
    const spy = beforeClaims(() => stop.abort());
    const failure = await resource.update(call, { id, olds, news: inputs }).catch((error: unknown) => error);
    await run.end();
    spy.mockRestore();
    if (!(failure instanceof PartialFailure)) throw failure;
    const ids = Object.values(failure.outputs["documents"] as Values).map(row => (row as Values)["documentId"]);
    expect(new Set(ids).size).toBe(30);
    Object.assign(s.stack.entry("ndas"), { inputs, outputs: failure.outputs });
    if (forgets) await forgetMachine(s);
    const { error } = await s.stack.up([rows(after)]);
    expect(error).toBeUndefined();
    expect(held(s)).toEqual(after);
    expect(mailsOf(s)).toHaveLength(mails);
  },
);

test("behind a row that keeps its own, a signed document moves to one whose own may be replaced", async () => {
  const KEEP = { whenSigned: "keep" };
  await using s = await sceneWith([rows(CYCLE, KEEP)]);
  sign(s, "Ana", "Cy");
  const mails = mailsOf(s).length;
  for (let runs = 0; runs < 2; runs++)
    expect((await s.stack.up([rows({ a: "Bob", b: "Cy", c: "Dan" }, KEEP)])).error).toBeUndefined();
  expect(held(s)).toEqual({ a: "Ana", b: "Cy", c: "Dan" });
  expect(mailsOf(s).slice(mails)).toEqual([addressOf("Dan")]);
});

test.each([{}, { whenSigned: "keep" }])(
  "a chain whose last row is signed after the guard has asked stays as it is, %j",
  async more => {
    await using s = await sceneWith([rows(CYCLE, more)]);
    sign(s, "Ana", "Cy");
    const mails = mailsOf(s).length;
    const goal = rows({ a: "Cy", b: "Ana", c: "Zed" }, more);
    let isSigned = false;
    const signedMeanwhile = (call: string) => {
      if (isSigned || !call.startsWith("update")) return;
      isSigned = true;
      sign(s, "Bob");
    };
    await s.stack.up([goal], { skipPreview: true, before: signedMeanwhile });
    expect(isSigned).toBe(true);
    await forgetMachine(s);
    await s.stack.up([goal]);
    expect(held(s)).toEqual(CYCLE);
    expect(mailsOf(s)).toHaveLength(mails);
  },
);

test.each([[[]], [["Ana"]]])(
  "a move that is taken back, each time on a machine that remembers nothing, %j signed: what it replaced is taken back",
  async signers => {
    const before = { a: "Ana", b: "Bob" };
    await using s = await sceneWith([rows(before)], CUT);
    sign(s, ...signers);
    const mails = mailsOf(s).length;
    for (const people of [{ a: "Zed", b: "Ana" }, before]) {
      await forgetMachine(s);
      expect((await s.stack.up([rows(people)])).error).toBeUndefined();
      expect(held(s)).toEqual(people);
    }
    expect(mailsOf(s).slice(mails)).toEqual([addressOf("Zed")]);
  },
);

test("a row takes its document back beside a signed one that is alike on purpose", async () => {
  const alike = { a: "Ana", b: "Ana", c: "Ana" };
  await using s = await sceneWith([rows(alike)]);
  s.service.people.signAll(s.id(1));
  const mails = mailsOf(s).length;
  for (const people of [{ a: "Zed", b: "Ana", c: "Ana", d: "Ana" }, alike])
    expect((await s.stack.up([rows(people)])).error).toBeUndefined();
  expect(held(s)).toEqual(alike);
  expect(mailsOf(s).slice(mails)).toEqual([addressOf("Zed")]);
});
