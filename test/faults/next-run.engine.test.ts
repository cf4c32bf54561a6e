import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startObjectServer } from "../journal/support/object-server.js";
import { missingEngine } from "../support/engine/found.js";
import { type IndependentService, startIndependentService } from "../support/independent-service/index.js";
import { Project, pluginOf, untilGone } from "./support/engine-run.js";
import { sawOf } from "./support/rig.js";

const EIGHT = 8;

/** What the service holds is what state holds, and nobody was mailed twice. */
function expectOnce(service: IndependentService, project: Project, contracts: number): void {
  expect(project.ids().sort()).toEqual(
    service.ledger
      .documents()
      .map(({ id }) => id)
      .sort(),
  );
  expectSent(service, contracts);
}

const expectSent = ({ ledger }: IndependentService, contracts: number): void =>
  expect(sawOf(ledger)).toMatchObject({ documents: contracts, mails: 2 * contracts });

/** A service and a stack for the tests of a block, each of which begins where the one before ended. */
function shared(contracts: number) {
  const block = {} as { service: IndependentService; project: Project };
  beforeAll(async () => {
    if (missingEngine) return;
    block.service = await startIndependentService();
    block.project = await Project.open(block.service, contracts);
  });
  afterAll(async () => {
    block.project?.[Symbol.dispose]();
    await block.service?.[Symbol.asyncDispose]();
  });
  return block;
}

describe.skipIf(missingEngine)("after the plugin was killed with its document made, and its answer lost", () => {
  const block = shared(1);
  beforeAll(async () => {
    const { service, project } = block;
    const gate = service.gate("processed", "createDocument");
    const { child, ended } = project.up();
    await gate.reached;
    const plugin = pluginOf(child.pid ?? 0, service);
    process.kill(plugin, "SIGKILL");
    gate.cut();
    await ended;
    await untilGone(plugin);
    expect(project.ids()).toEqual([]);
  });

  test("a machine that remembers nothing refuses to send it again", async () => {
    const { service, project } = block;
    const { code, output } = await project.up(project.machine("another")).ended;
    expect([code === 0, output]).toEqual([false, expect.stringContaining("[docsign/duplicate]")]);
    expectSent(service, 1);
  });

  test("the backend's URL with a trailing slash is the same backend: the document is taken over", async () => {
    const { service, project } = block;
    const { code, output } = await project.up({ PULUMI_BACKEND_URL: `${project.backend}/` }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("mails no one: an earlier run created it")]);
    expectOnce(service, project, 1);
  });
});

describe.skipIf(missingEngine)("after Ctrl-C with eight creates in flight that are never answered", () => {
  const block = shared(EIGHT);
  beforeAll(async () => {
    const { service, project } = block;
    const gates = Array.from({ length: EIGHT }, () => service.gate("processed", "createDocument"));
    const { child, ended } = project.up();
    await Promise.all(gates.map(({ reached }) => reached));
    child.kill("SIGINT");
    await ended;
    for (const gate of gates) gate.cut();
    project.unlock();
    expect(project.ids()).toEqual([]);
  });

  test("a machine that remembers nothing refuses to send any of them again", async () => {
    const { service, project } = block;
    const { code, output } = await project.up(project.machine("another")).ended;
    expect([code === 0, output]).toEqual([false, expect.stringContaining("[docsign/duplicate]")]);
    expectSent(service, EIGHT);
  });

  test("the next up takes over all eight", async () => {
    const { service, project } = block;
    const { code, output } = await project.up().ended;
    expect([code, output]).toEqual([0, expect.stringContaining("mails no one: an earlier run created it")]);
    expectOnce(service, project, EIGHT);
  });
});

test.skipIf(missingEngine)("eight creates that are answered after Ctrl-C are in state", async () => {
  await using service = await startIndependentService();
  using project = await Project.open(service, EIGHT);
  const gates = Array.from({ length: EIGHT }, () => service.gate("processed", "createDocument"));
  const { child, said, ended } = project.up();
  await Promise.all(gates.map(({ reached }) => reached));
  child.kill("SIGINT");
  await said("waiting up to 4 s for the answer");
  for (const gate of gates) gate.open();
  await ended;
  expectOnce(service, project, EIGHT);
});

test.skipIf(missingEngine)(
  "two machines at once after `pulumi cancel`, with one journal: the second sends nothing while the first waits for its answer",
  async () => {
    await using service = await startIndependentService();
    await using store = await startObjectServer();
    using project = await Project.open(service);
    project.configure("reconcileTimeout", "1s");
    const journal = {
      DOCSIGN_JOURNAL: `s3://contracts?endpoint=${store.endpoint}`,
      AWS_ACCESS_KEY_ID: "docsign",
      AWS_SECRET_ACCESS_KEY: "docsign-secret",
    };
    const gate = service.gate("received-body", "createDocument");
    const first = project.up({ ...journal, ...project.machine("first") });
    await gate.reached;
    const cancelled = await project.start(["cancel", "--yes", "--stack", "dev"]).ended;
    expect(cancelled.code, cancelled.output).toBe(0);

    const second = await project.up({ ...journal, ...project.machine("second") }).ended;
    expect([second.code === 0, second.output]).toEqual([
      false,
      expect.stringMatching(/\[docsign\/create-(unconfirmed|elsewhere)\]/),
    ]);
    gate.open();
    const { code, output } = await first.ended;
    expect(code, output).toBe(0);
    expectOnce(service, project, 1);
  },
);
