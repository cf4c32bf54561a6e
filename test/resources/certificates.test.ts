import { describe, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { nda } from "../lifecycle/scene.js";
import { secret } from "../support/engine-client.js";
import { startMachine } from "../support/machine.js";
import { pluginFrontEnd, Stack } from "../support/simulated-engine.js";

/** How often a read that isn't answered is tried. */
const ATTEMPTS = 5;

/** A document of the sandbox in state, and what its files were asked with. */
async function signing(certificatesNeedKey: boolean) {
  const sandbox = await startSandbox({ port: 0, seed: 1, certificatesNeedKey });
  const machine = startMachine();
  const stack = new Stack(pluginFrontEnd(machine), {
    default: { baseUrl: sandbox.url, apiKey: secret(sandbox.apiKey) },
  });
  const up = async (program = [nda()]) => {
    const { error } = await stack.up(program);
    if (error !== undefined) throw new Error(error);
  };
  await up();
  return {
    outputs: () => stack.entry("nda").outputs,
    id: sandbox.documents()[0]?.id ?? 0,
    tried: () => sandbox.history.filter(({ path }) => path.startsWith("/v3/")).length,
    ...{ sandbox, stack, up },
    async [Symbol.asyncDispose]() {
      machine[Symbol.dispose]();
      await sandbox.close();
    },
  };
}

describe("outputs for other stacks", () => {
  test("are there from the first up on: what isn't there yet is null", async () => {
    await using s = await signing(false);
    expect(s.outputs()).toMatchObject({
      status: "unsigned",
      signedSha256: null,
      certificates: { status: expect.any(String), ready: false, btcUrl: null, ethUrl: null },
      certificatesNeedKey: null,
      nom151: { ready: false, dataUri: null, fileName: null, sha256: null },
    });
    expect(Object.keys(s.outputs())).toEqual(expect.arrayContaining(["fileUrl", "signedFileUrl"]));
  });

  test.each([false, true])("say whether the certificates want the key (%s), tried once", async needed => {
    await using s = await signing(needed);
    for (const who of ["ana@example.com", "bob@example.org"]) s.sandbox.sign(s.id, who);
    s.sandbox.certify(s.id);
    await s.stack.refresh();
    expect(s.outputs()).toMatchObject({
      status: "signed",
      signedSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      certificates: { ready: true, btcUrl: expect.stringContaining("/v3/timestamps/") },
      certificatesNeedKey: needed,
      nom151: { ready: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(s.tried()).toBe(needed ? 2 : 1);
    await s.stack.refresh();
    expect(s.outputs()).toMatchObject({ certificatesNeedKey: needed });
    expect(s.tried()).toBe(needed ? 2 : 1);
  });

  test("say it of a signed document that is taken back, in the same run", async () => {
    await using s = await signing(true);
    for (const who of ["ana@example.com", "bob@example.org"]) s.sandbox.sign(s.id, who);
    s.sandbox.certify(s.id);
    await s.up([]);
    await s.up();
    expect(s.sandbox.documents()).toHaveLength(1);
    expect(s.outputs()).toMatchObject({ documentId: String(s.id), status: "signed", certificatesNeedKey: true });
  });

  test("don't say it while no address answers: a refresh stays clean, tries one document's, and another run tries again", async () => {
    await using s = await signing(false);
    const program = ["nda", "second", "third"].map(name => nda({ name, inputs: { name } }));
    await s.up(program);
    for (const { id } of s.sandbox.documents()) {
      for (const who of ["ana@example.com", "bob@example.org"]) s.sandbox.sign(id, who);
      s.sandbox.certify(id);
    }
    const found = () => program.map(({ name }) => s.stack.entry(name).outputs["certificatesNeedKey"]);
    s.sandbox.faults.next({ kind: "status", status: 503, times: "always", match: { path: "/v3/*" } });
    for (const runs of [1, 2]) {
      expect((await s.stack.refresh()).error).toBeUndefined();
      expect(found()).toEqual([null, null, null]);
      expect(s.tried()).toBe(runs * ATTEMPTS);
    }
    expect((await s.stack.up(program)).calls.filter(call => !/^(check|diff)/.test(call))).toEqual([]);
    s.sandbox.faults.clear();
    await s.stack.refresh();
    expect(found()).toEqual([false, false, false]);
  });
});
