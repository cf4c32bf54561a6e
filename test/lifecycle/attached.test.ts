import { expect, test } from "vitest";
import { startServer } from "../../kit/server.js";
import { createProvider } from "../../provider/provider.js";
import { dial, peerIsOwn } from "../support/engine-client.js";
import type { Machine } from "../support/machine.js";
import { type FrontEnd, type OpenFrontEnd, viaGrpc } from "../support/simulated-engine/front-end.js";
import { base64, nda, pdf, type Scene, scene } from "./scene.js";

/** One process for all deployments, to which each engine attaches, as with PULUMI_DEBUG_PROVIDERS. */
function attachedFrontEnd(machine: Machine): OpenFrontEnd {
  const run = machine.run(undefined, { engine: undefined });
  const provider = createProvider({ runtime: run.runtime, env: {}, version: "0.0.0", schema: () => "{}" });
  const serving = startServer(provider, { peerOf: peerIsOwn, stderr: () => {} });
  return async (config): Promise<FrontEnd> => {
    const client = await dial((await serving).port, "", { config });
    return viaGrpc(client, [], async () => {
      await client.cancel();
      client.close();
    });
  };
}

const up = async ({ stack }: Scene, ...program: ReturnType<typeof nda>[]) => {
  const { error, calls } = await stack.up(program);
  expect(error).toBeUndefined();
  return calls;
};
const nobody = { creates: 0, mails: 0 };
const other = nda({ name: "other", inputs: { name: "Other" } });

test("what an attached plugin created is taken back after it was taken out, as by any plugin", async () => {
  await using s = await scene({ frontEnd: attachedFrontEnd });
  await up(s, nda(), other);
  expect(s.sent()).toEqual({ creates: 2, mails: 4 });
  await up(s, other);
  await up(s, nda(), other);
  expect(s.sent()).toEqual(nobody);
  expect((await s.stack.destroy()).error).toBeUndefined();
  await up(s, nda(), other);
  expect(s.sent()).toEqual(nobody);
  expect(s.stack.entry("nda").id).toBe(s.id());
});

test("an attached plugin looks anew in each deployment", async () => {
  await using s = await scene({ frontEnd: attachedFrontEnd });
  await up(s, other);
  const emails = ["ana@example.com", "bob@example.org"];
  s.service.people.upload("first", { name: "NDA", description: "Mutual", pdf: pdf("by hand"), emails });
  s.sent();
  const { error } = await s.stack.up([nda(), other]);
  expect(error).toContain("has the same name and people already");
  expect(s.sent()).toEqual(nobody);
});

test("an attached plugin replaces nothing that is signed, in whichever deployment", async () => {
  await using s = await scene({ frontEnd: attachedFrontEnd });
  await up(s, nda());
  await up(s, nda({ inputs: { base64File: base64("two") } }));
  s.sent();
  s.service.people.signAll(s.id(1));
  const { error } = await s.stack.up([nda({ inputs: { base64File: base64("three") } })]);
  expect(error).toContain("[docsign/replace-signed]");
  s.stack.taint("nda");
  const forced = await s.stack.up([nda({ deleteBeforeReplace: true, inputs: { base64File: base64("three") } })], {
    skipPreview: true,
  });
  expect(forced.error).toContain("[docsign/replace-signed]");
  expect(s.sent()).toEqual(nobody);
});

test("an attached plugin gives no provider the settings of another", async () => {
  await using s = await scene({ frontEnd: attachedFrontEnd, providers: { again: { duplicatePolicy: "create" } } });
  await up(s, nda());
  expect((await s.stack.destroy()).error).toBeUndefined();
  s.sent();
  const { error } = await s.stack.up([nda(), { ...other, provider: "again" }], { skipPreview: true });
  expect(error).toContain("the settings of another provider");
  expect(s.sent()).toEqual(nobody);
});

test("a second provider with the same settings doesn't end what the first one has under way", async () => {
  await using s = await scene({ frontEnd: attachedFrontEnd });
  const gate = s.service.gate("processed", "createDocument");
  const running = s.stack.up([nda()], { skipPreview: true });
  await gate.reached;
  await using _second = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:7", pid: 7 });
  gate.open();
  expect((await running).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 2 });
});
