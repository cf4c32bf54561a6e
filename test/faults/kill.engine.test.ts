import { describe, expect, test } from "vitest";
import { within } from "../support/calibration.js";
import { missingEngine } from "../support/engine/found.js";
import {
  type IndependentService,
  type RequestRecord,
  startIndependentService,
} from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { Project, pluginOf, untilGone } from "./support/engine-run.js";
import { sawOf } from "./support/rig.js";

type KillPoint = "received-headers" | "received-body" | "processed" | "answered-headers";

const saw = ({ ledger }: IndependentService) => sawOf(ledger);

/** The promise, checked by the service's ledger and the engine's own state. */
async function expectOnce(service: IndependentService, project: Project, contracts = 1): Promise<void> {
  const made = service.ledger.documents().map(({ id }) => id);
  expect(project.ids().sort()).toEqual(made.sort());
  expect(saw(service)).toMatchObject({ documents: contracts, mails: 2 * contracts });
  for (const email of ["ana@example.com", "bob@example.org"])
    expect(service.ledger.mailsTo(email)).toHaveLength(contracts);
}

/** An up that is killed with a create at each of these points; answers the plugin's process. */
async function killed(
  service: IndependentService,
  project: Project,
  who: "plugin" | "engine",
  places: readonly (readonly [KillPoint, "cut" | "open"])[],
): Promise<number> {
  const gates = places.map(([place]) => service.gate(place, "createDocument"));
  const { child, ended } = project.up();
  await Promise.all(gates.map(({ reached }) => reached));
  const engine = child.pid ?? 0;
  const plugin = pluginOf(engine, service);
  process.kill(who === "plugin" ? plugin : engine, "SIGKILL");
  for (const [at, gate] of gates.entries())
    if (places[at]?.[1] === "open") gate.open();
    else gate.cut();
  expect((await ended).code).not.toBe(0);
  return plugin;
}

/** What the next run says: the document is found at the service, or the journal knows it already. */
const TAKEN_OVER = expect.stringMatching(
  /takes over document \d+, and mails no one|document \d+ is kept, no one is mailed/,
);

describe.skipIf(missingEngine)("with the real engine", () => {
  const places: readonly [KillPoint, "cut" | "open"][] = [
    ["received-headers", "cut"],
    ["received-body", "open"],
    ["processed", "cut"],
    ["answered-headers", "open"],
  ];
  test.for(["plugin", "engine"] as const)(
    "kill -9 the %s with creates at four places of their way: up again, and there is one document each",
    async (who, context) => {
      await using service = await startIndependentService();
      using project = await Project.open(service, places.length);
      for (const [place] of places)
        cell(
          context,
          { matrix: "B", row: `real engine, ${place}`, column: `kill -9 the ${who}` },
          { saw: () => saw(service) },
        );
      const plugin = await killed(service, project, who, places);
      await within(3_000, () => untilGone(plugin));
      if (who === "engine") project.unlock();
      expect(project.ids()).toEqual([]);

      // One of them never arrived, which the lists can't prove at once: nothing is sent, and a person lets it.
      project.configure("reconcileTimeout", "1s");
      const refused = await project.up().ended;
      expect([refused.code === 0, refused.output]).toEqual([
        false,
        expect.stringContaining("[docsign/create-unconfirmed]"),
      ]);
      expect(saw(service)).toMatchObject({ documents: 3, mails: 6 });
      const [, token = ""] = /DOCSIGN_FORGET=(\w+) pulumi up/.exec(refused.output) ?? [];
      const again = await project.up({ DOCSIGN_FORGET: token }).ended;
      expect([again.code, refused.output + again.output]).toEqual([0, TAKEN_OVER]);
      await expectOnce(service, project, places.length);
    },
  );

  test("kill -9 an engine that writes no checkpoints: up again takes over what state never knew of, and sends the rest", async context => {
    await using service = await startIndependentService({ dialect: { order: "newest" } });
    using project = await Project.open(service, 6);
    const place = { matrix: "B", row: "real engine, without checkpoints", column: "kill -9 the engine" } as const;
    cell(context, place, { saw: () => saw(service) });
    const env = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
    const creates = new Set<object>();
    const isFourth = (request: RequestRecord) =>
      request.operation === "createDocument" && creates.add(request).size === 4;
    const gate = service.gate("processed", isFourth);
    const { child, ended } = project.up(env, "--parallel", "1");
    await gate.reached;
    const plugin = pluginOf(child.pid ?? 0, service);
    process.kill(child.pid ?? 0, "SIGKILL");
    gate.cut();
    await ended;
    await within(3_000, () => untilGone(plugin));
    project.unlock();
    expect(project.ids()).toEqual([]);
    expect(saw(service)).toMatchObject({ documents: 4, mails: 8 });

    const { code, output } = await project.up(env).ended;
    expect([code, output]).toEqual([0, TAKEN_OVER]);
    expect(output).not.toContain("PULUMI_SKIP_CHECKPOINTS");
    await expectOnce(service, project, 6);
  });

  test("kill -9 the engine in a replacement, revert it, repeat it: the replacement that arrived is taken over", async context => {
    await using service = await startIndependentService();
    using project = await Project.open(service);
    const place = {
      matrix: "B",
      row: "real engine, processed",
      column: "kill -9 the engine in a replacement",
    } as const;
    cell(context, place, { saw: () => saw(service) });
    const up = async () => {
      const { code, output } = await project.up().ended;
      expect(code, output).toBe(0);
      return project.ids();
    };
    const [first] = await up();
    project.write("another clause");
    await untilGone(await killed(service, project, "engine", [["processed", "cut"]]));
    project.unlock();
    project.write("the contract");
    expect(await up()).toEqual([first]);
    project.write("another clause");
    expect(await up()).toEqual([service.ledger.documents().at(-1)?.id]);
    expect(saw(service)).toMatchObject({ documents: 2, mails: 4 });
  });

  test("Ctrl-C twice while the create waits for its answer: up again finds it", async context => {
    await using service = await startIndependentService();
    using project = await Project.open(service);
    cell(context, { matrix: "B", row: "real engine, processed", column: "Ctrl-C twice" }, { saw: () => saw(service) });
    const gate = service.gate("processed", "createDocument");
    const { child, ended } = project.up();
    await gate.reached;
    child.kill("SIGINT");
    child.kill("SIGINT");
    expect((await ended).code).not.toBe(0);
    gate.cut();
    project.unlock();
    const again = await project.up().ended;
    expect([again.code, again.output]).toEqual([0, TAKEN_OVER]);
    await expectOnce(service, project);
  });

  test("Ctrl-C once while the create waits for its answer: ends after its grace of four seconds, and up again finds it", async context => {
    await using service = await startIndependentService();
    using project = await Project.open(service);
    cell(context, { matrix: "B", row: "real engine, processed", column: "Ctrl-C" }, { saw: () => saw(service) });
    const gate = service.gate("processed", "createDocument");
    const { child, ended } = project.up();
    await gate.reached;
    const { code } = await within(6_000, () => {
      child.kill("SIGINT");
      return ended;
    });
    expect(code).not.toBe(0);
    gate.cut();
    const again = await project.up().ended;
    expect([again.code, again.output]).toEqual([0, TAKEN_OVER]);
    await expectOnce(service, project);
  });
});
