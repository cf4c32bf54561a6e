import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { measureCell } from "../../scripts/bench/cell.mjs";
import { CONTENDERS } from "../../scripts/bench/contenders.mjs";
import { prepareKit } from "../../scripts/bench/kit.mjs";
import { onLinux } from "../../scripts/bench/process-tree.mjs";
import { machine, missingEngine, pulumi, root } from "../support/engine/found.js";

const contenders = ["plugin-yaml", "idle-yaml", "loop"].map(key => CONTENDERS.find(one => one.key === key));

it.skipIf(missingEngine)(
  "one document through the plugin, the engine alone and a bare loop: every phase has its figures",
  async () => {
    const home = mkdtempSync(join(tmpdir(), "docsign-bench-"));
    try {
      const path = [machine.node, machine.engine, process.env.PATH].join(":");
      const env = { ...process.env, PATH: path };
      const engine = { pulumi: pulumi(), binDir: dirname(pulumi()), from: "path" };
      const kit = await prepareKit({ root, home, engine, peers: {}, env, typescript: false });
      const cell = { count: 1, size: 20_000, latency: 0 };
      const measured = await measureCell({ cell, contenders, repeats: 1, limitMs: 60_000, kit, home, quiet: true });

      const [ours, idle, loop] = measured.rounds;
      const statuses = ({ phases }) =>
        Object.fromEntries(Object.entries(phases).map(([name, { status }]) => [name, status]));
      const whole = { up: "ok", preview: "ok", refresh: "ok", changed: "ok" };
      expect([ours, idle, loop].map(statuses)).toEqual([whole, whole, { up: "ok", refresh: "ok" }]);

      expect(ours.phases.up.requests).toEqual({
        "GET /v1/documents": 1,
        "GET /v1/documents/by_date_range": 3,
        "POST /v1/documents": 1,
      });
      expect(ours.phases.up.documents).toBe(1);
      expect(ours.phases.preview.requests).toEqual({});
      expect(ours.phases.refresh.requests).toEqual({ "GET /v1/documents/:id": 1 });
      expect(idle.phases.up.requests).toEqual({});
      expect(loop.phases.up.requests).toEqual({ "POST /v1/documents": 1 });
      expect(loop.phases.up.bytesIn).toBeGreaterThan(26_000);
      expect(ours.state).toBeGreaterThan(1000);
      if (onLinux) expect(Object.keys(ours.phases.up.processes)).toEqual(expect.arrayContaining(["pulumi", "plugin"]));
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    }
  },
);
