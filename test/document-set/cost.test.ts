import { expect, test, vi } from "vitest";
import type { Values } from "../../kit/values.js";
import { DocumentSetResource } from "../../provider/resources/document-set/document-set.js";
import { DeploymentLog } from "../../provider/resources/journal/deployment-log.js";
import { LocalLog } from "../../provider/resources/journal/local-log.js";
import { base64, nda, scene, sceneWith } from "../lifecycle/scene.js";
import { NDA, TYPE, team } from "./team.js";

const pdfs = (names: readonly string[]): Values => ({
  documents: Object.fromEntries(
    names.map(name => [name, { name: `NDA of ${name}`, invitations: [{ email: `${name}@example.com` }] }]),
  ),
  defaults: { base64File: base64("one") },
});
const people = (count: number): string[] => Array.from({ length: count }, (_, index) => `P${index}`);

test("a Check of 1,000 rows renders and asks nothing, and passes over what state has", async () => {
  await using s = await scene();
  await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const { templates } = run.runtime.context.pdfs;
  const render = vi.spyOn(templates.renderer, "render");
  const problemsOf = vi.spyOn(templates.renderer, "problemsOf");
  const set = new DocumentSetResource(run.runtime.context);
  const call = run.call("ndas", { type: TYPE });
  const news = team(people(1000)).inputs as Values;

  const first = await set.check(call, { olds: undefined, news });
  expect(first.failures).toEqual([]);
  expect(problemsOf).toHaveBeenCalledTimes(1000);
  const again = await set.check(call, { olds: first.inputs, news });
  expect(again.failures).toEqual([]);
  // What state has was checked then.
  expect(problemsOf).toHaveBeenCalledTimes(1000);
  expect(render).not.toHaveBeenCalled();
  expect(s.asked()).toEqual([]);
});

test("a preview of many new rows reads journal and deployment log as often as one of few", async () => {
  // Nobody else has a turn in between, however slow the machine is.
  vi.spyOn(performance, "now").mockReturnValue(0);
  const journal = vi.spyOn(LocalLog.prototype, "exchange");
  const situations = vi.spyOn(DeploymentLog.prototype, "situations");
  const readsFor = async (count: number) => {
    await using s = await scene();
    await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
    const set = new DocumentSetResource(run.runtime.context);
    const call = run.call("ndas", { type: TYPE, preview: true });
    const { inputs } = await set.check(call, { olds: undefined, news: pdfs(people(count)) });
    journal.mockClear();
    situations.mockClear();
    await set.create(call, { inputs });
    return [journal.mock.calls.length, situations.mock.calls.length];
  };
  const few = await readsFor(25);
  expect(await readsFor(250)).toEqual(few);
});

test("rows of one name cost no more requests each, however many there are", async () => {
  const same = { defaults: { ...NDA, name: "NDA" } };
  await using s = await sceneWith([team(people(30), same)]);
  const outcome = await s.stack.up([team(people(32), same)], { skipPreview: true });
  expect(outcome.error).toBeUndefined();
  const asked = s.asked();
  expect(asked.filter(request => request.startsWith("POST"))).toHaveLength(2);
  expect(asked.filter(request => /^GET \/v1\/documents\/\d+$/.test(request))).toHaveLength(2);
});

test("a set and single documents look at the service once between them", async () => {
  await using s = await scene();
  const set = team(people(3));
  const single = (name: string) => nda({ name, inputs: { name } });
  const lists = () => s.asked().filter(request => !/^(POST|GET \/v1\/documents\/\d+$)/.test(request));
  expect((await s.stack.up([single("one"), single("two")], { skipPreview: true })).error).toBeUndefined();
  const alone = lists();
  expect(alone.length).toBeGreaterThan(0);
  const together = [single("one"), single("two"), single("three"), set];
  expect((await s.stack.up(together, { skipPreview: true })).error).toBeUndefined();
  expect(lists()).toHaveLength(alone.length);
});
