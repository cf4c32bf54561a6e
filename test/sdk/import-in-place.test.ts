import { expect, test } from "vitest";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { base64, nda, scene } from "../lifecycle/scene.js";
import { startMachine } from "../support/machine.js";
import { PROVIDER, startHost } from "./support/host.js";

const skipPreview = { skipPreview: true };
const contract = (text: string, more = {}) =>
  nda({ deleteBeforeReplace: true, inputs: { base64File: base64(text), ...more } });

test("an import in place of a replacement that was interrupted says what it supersedes, and the first is taken back later", async () => {
  await using s = await scene({ frontEnd: dynamicFrontEnd });
  const up = async (...args: Parameters<typeof contract>) => {
    const { error } = await s.stack.up([contract(...args)], skipPreview);
    expect(error).toBeUndefined();
    return s.stack.entry("nda").outputs;
  };
  await up("one");
  s.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  s.service.faults.push({ kind: "status", status: 503, when: "before" }, "listDocuments", { times: 500, skip: 1 });
  expect((await s.stack.up([contract("two")], skipPreview)).error).toContain("[docsign/create-unconfirmed]");
  s.service.faults.clear();
  expect(s.sent().creates).toBe(2);

  const taken = await up("two", { __import: s.id(1) });
  expect(taken).toMatchObject({ documentId: s.id(1), supersedes: [s.id(0)] });
  expect(JSON.stringify(taken["supersededContents"])).toContain(s.id(0));
  expect(await up("two")).toMatchObject({ documentId: s.id(1), supersedes: [s.id(0)] });
  expect(await up("one")).toMatchObject({ documentId: s.id(0), supersedes: [s.id(1)] });
  expect(await up("three")).toMatchObject({ documentId: s.id(2), supersedes: [s.id(1), s.id(0)] });
  expect(s.sent().creates).toBe(1);
});

test("a dynamic resource under an alias of the plugin's is refused, and told to import", async () => {
  using machine = startMachine();
  await using run = machine.run({ baseUrl: "http://127.0.0.1:1", apiKey: "key" });
  const host = startHost(run);
  const written = { name: "NDA", documentId: "7", service: "http://127.0.0.1:1" };
  const refused = host.frontEnd.diff("7", written, host.program("nda", { name: "NDA", __provider: PROVIDER }));
  await expect(refused).rejects.toThrow("leave it out, and set the resource option import to the document's id");
});
