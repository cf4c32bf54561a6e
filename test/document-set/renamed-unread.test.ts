import { expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { DocumentSetResource } from "../../provider/resources/document-set/document-set.js";
import { PartialFailure } from "../../provider/resources/resource.js";
import { base64, type Scene, scene } from "../lifecycle/scene.js";
import type { Givens, StatusError } from "../support/engine-client.js";
import type { Goal } from "../support/simulated-engine.js";
import { rowsOf, TYPE } from "./team.js";

const set = (people: Record<string, string>): Goal => {
  const documents = Object.fromEntries(
    Object.entries(people).map(([key, who]) => [
      key,
      { name: `NDA of ${who}`, invitations: [{ email: `${who}@example.com` }] },
    ]),
  );
  return { name: "ndas", type: TYPE, inputs: { documents, defaults: { base64File: base64("one") } } };
};
const idsOf = (s: Scene) => Object.entries(rowsOf(s)).map(([key, row]) => `${key} ${String(row["documentId"])}`);

test.each([true, false])(
  "a row whose key is renamed while its document can't be read stays in state, hidden since its create: %s",
  async sinceCreate => {
    await using s = await scene();
    const hide = () =>
      s.service.faults.push({ kind: "status", when: "before", status: 404 }, "getDocument", { times: 9999 });
    if (sinceCreate) hide();
    expect((await s.stack.up([set({ ana: "ana", bob: "bob" })])).error).toBeUndefined();
    if (!sinceCreate) hide();
    const before = idsOf(s);
    s.sent();
    for (const skipPreview of [false, true]) {
      const { error, lines, previewLines } = await s.stack.up([set({ anna: "ana", bob: "bob" })], { skipPreview });
      expect(error).toContain("[docsign/duplicate-unconfirmed]");
      const said = [...lines, ...previewLines].join("\n");
      expect(said).toContain(`ana: document ${s.id()} stays under this key`);
      expect(said).not.toContain("is removed from state");
      expect(idsOf(s)).toEqual(before);
    }
    expect((await s.stack.up([set({ ana: "ana", bob: "bob" })])).error).toBeUndefined();
    s.service.faults.clear();
    expect((await s.stack.up([set({ anna: "ana", bob: "bob" })])).error).toBeUndefined();
    expect(idsOf(s)).toEqual([`anna ${s.id()}`, `bob ${s.id(1)}`]);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  },
);

test("a row whose document another resource has taken doesn't stay, though the row under its new key failed", async () => {
  await using s = await scene();
  const before = set({ ana: "ana", bob: "bob" });
  expect((await s.stack.up([before])).error).toBeUndefined();
  const { id, inputs, outputs, urn } = s.stack.entry("ndas");
  await using door = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:7", pid: 7 });
  const checked = await door.check({ urn, olds: inputs, news: set({ anna: "ana", bob: "bob" }).inputs as Givens });
  const wanted = { urn, id, olds: outputs, oldInputs: inputs, news: checked.inputs };
  await door.diff({ ...wanted, ignoreChanges: [] });
  const single = s.stack.urn("nda");
  const contract = { name: "NDA of ana", invitations: [{ email: "ana@example.com" }], base64File: base64("one") };
  const taken = await door.create({
    urn: single,
    inputs: (await door.check({ urn: single, news: contract })).inputs,
    preview: false,
  });
  expect(taken.id).toBe(s.id());
  s.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument", { times: 9 });
  const failed = await door.update({ ...wanted, preview: false }).catch((error: StatusError) => error);
  const { partial } = failed as StatusError;
  expect(Object.keys(partial?.outputs.values["documents"] ?? {})).toEqual(["bob"]);
});

test("Ctrl-C while rows under new keys are taken keeps their documents in state", async () => {
  await using s = await scene();
  expect((await s.stack.up([set({ ana: "ana", bob: "bob" })])).error).toBeUndefined();
  const { id, urn, ...entry } = s.stack.entry("ndas");
  const [oldInputs, olds] = [entry.inputs as Values, entry.outputs as Values];
  const run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const resource = new DocumentSetResource(run.runtime.context);
  const stop = new AbortController();
  const call = run.call("ndas", { urn, signal: stop.signal });
  const news = set({ anna: "ana", bobby: "bob" }).inputs as Values;
  const { inputs } = await resource.check(call, { olds: oldInputs, news });
  await resource.diff(call, { id, olds, oldInputs, news: inputs });
  const gate = s.service.gate("processed", "getDocument");
  const over = resource.update(call, { id, olds, news: inputs }).catch((error: unknown) => error);
  await gate.reached;
  stop.abort();
  gate.open();
  const failure = await over;
  await run.end();
  if (!(failure instanceof PartialFailure)) throw failure;
  const ids = Object.values(failure.outputs["documents"] as Values).map(row => (row as Values)["documentId"]);
  expect(ids.toSorted()).toEqual([s.id(), s.id(1)]);
  expect(s.sent()).toEqual({ creates: 2, mails: 2 });
});
