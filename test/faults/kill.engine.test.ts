import { describe, expect, test } from "vitest";
import { within } from "../support/calibration.js";
import { missingEngine } from "../support/engine/found.js";
import { type IndependentService, startIndependentService } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { Project, pluginOf, untilGone } from "./support/engine-run.js";
import { sawOf } from "./support/rig.js";

type Place = "received-headers" | "received-body" | "processed" | "answered-headers";

const saw = ({ ledger }: IndependentService) => sawOf(ledger);

/** The promise, checked by the service's ledger and the engine's own state. */
async function expectOnce(service: IndependentService, project: Project): Promise<void> {
  expect(project.ids()).toEqual(service.ledger.documents().map(({ id }) => id));
  expect(saw(service)).toMatchObject({ documents: 1, mails: 2 });
  for (const email of ["ana@example.com", "bob@example.org"]) expect(service.ledger.mailsTo(email)).toHaveLength(1);
}

/** An up that is killed at this point of its create; answers the plugin's process. */
async function killed(
  service: IndependentService,
  project: Project,
  who: "plugin" | "engine",
  place: Place,
  then: "cut" | "open",
): Promise<number> {
  const gate = service.gate(place, "createDocument");
  const { child, ended } = project.up();
  await gate.reached;
  const engine = child.pid ?? 0;
  const plugin = pluginOf(engine, service);
  process.kill(who === "plugin" ? plugin : engine, "SIGKILL");
  if (then === "open") gate.open();
  else gate.cut();
  expect((await ended).code).not.toBe(0);
  return plugin;
}

/** What the next run says: the document is found at the service, or the journal knows it already. */
const TAKEN_OVER = expect.stringMatching(
  /takes over document \d+, and mails no one|document \d+ is kept, no one is mailed/,
);

/** Nothing arrived, which the lists can't prove at once: the next run sends nothing, and says how a person lets it. */
async function sentAgainByHand(service: IndependentService, project: Project): Promise<void> {
  project.configure("reconcileTimeout", "1s");
  const refused = await project.up().ended;
  expect([refused.code === 0, refused.output]).toEqual([
    false,
    expect.stringContaining("[docsign/create-unconfirmed]"),
  ]);
  expect(saw(service)).toMatchObject({ documents: 0, mails: 0 });
  const [, token = ""] = /DOCSIGN_FORGET=(\w+) pulumi up/.exec(refused.output) ?? [];
  const again = await project.up({ DOCSIGN_FORGET: token }).ended;
  expect(again.code, again.output).toBe(0);
}

describe.skipIf(missingEngine)("with the real engine", () => {
  const places: readonly [Place, "cut" | "open"][] = [
    ["received-headers", "cut"],
    ["received-body", "open"],
    ["processed", "cut"],
    ["answered-headers", "open"],
  ];
  const rows = (["plugin", "engine"] as const).flatMap(who => places.map(place => [who, ...place] as const));

  test.for(rows)(
    "kill -9 the %s when the create is at %s: up again, and there is one document",
    async ([who, place, then], context) => {
      await using service = await startIndependentService();
      using project = await Project.open(service);
      const seen = { saw: () => saw(service) };
      cell(context, { matrix: "B", row: `real engine, ${place}`, column: `kill -9 the ${who}` }, seen);
      const plugin = await killed(service, project, who, place, then);
      await within(3_000, () => untilGone(plugin));
      if (who === "engine") project.unlock();
      expect(project.ids()).toEqual([]);
      if (place === "received-headers") await sentAgainByHand(service, project);
      else {
        const again = await project.up().ended;
        expect([again.code, again.output]).toEqual([0, TAKEN_OVER]);
      }
      await expectOnce(service, project);
    },
  );

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
    await untilGone(await killed(service, project, "engine", "processed", "cut"));
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

  test("Ctrl-C once while the create waits for its answer: quick, and up again finds it", async context => {
    await using service = await startIndependentService();
    using project = await Project.open(service);
    cell(context, { matrix: "B", row: "real engine, processed", column: "Ctrl-C" }, { saw: () => saw(service) });
    const gate = service.gate("processed", "createDocument");
    const { child, ended } = project.up();
    await gate.reached;
    const { code } = await within(3_000, () => {
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
