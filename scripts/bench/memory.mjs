// How much memory documents take on their way through the plugin: peaks of its process, over one that does nothing.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tell } from "../setup/progress.mjs";
import { fileAsset, startEngine, startPlugin } from "./plugin-client.mjs";
import { onLinux, peakOf } from "./process-tree.mjs";
import { bytes } from "./report/figures.mjs";
import { startService } from "./stand-in.mjs";
import { INVITATIONS, pdf } from "./workload.mjs";

const MB = 1_000_000;
const URN = "urn:pulumi:dev::bench::docsign:index:Document::contract";

/** `at once` as the engine does by default on two cores. */
const LOADS = [
  { key: "idle", title: "idle: configured, nothing asked of it", count: 0, size: 0, by: "file" },
  { key: "small", title: "1 PDF of 20 KB, `file`", count: 1, size: 20_000, by: "file" },
  { key: "one", title: "1 PDF of 64 MB, `file`", count: 1, size: 64 * MB, by: "file" },
  { key: "eight", title: "8 PDFs of 64 MB at once, `file`", count: 8, size: 64 * MB, by: "file" },
  { key: "twenty", title: "20 PDFs of 20 MB at once, `file`", count: 20, size: 20 * MB, by: "file" },
  { key: "one-base64", title: "1 PDF of 64 MB, `base64File`", count: 1, size: 64 * MB, by: "base64File" },
  { key: "eight-base64", title: "8 PDFs of 20 MB at once, `base64File`", count: 8, size: 20 * MB, by: "base64File" },
];

export async function memory({ kit, home, options }) {
  if (!onLinux) return { missing: "a process's peak can be read on Linux only" };
  const loads = options.quick ? LOADS.filter(({ key }) => ["idle", "one", "eight"].includes(key)) : LOADS;
  const service = await startService(0);
  const rows = [];
  try {
    for (const load of loads) {
      const peak = await peakUnder(load, { kit, home, service });
      rows.push({ key: load.key, title: load.title, peak, over: peak - (rows[0]?.peak ?? peak) });
      tell(`memory, ${load.title}: peak ${bytes(peak)}, ${bytes(rows.at(-1).over)} over idle`);
      await service.forget();
    }
  } finally {
    await service.close();
  }
  return { rows };
}

export async function peakUnder({ count, size, by }, { kit, home, service }) {
  const folder = join(home, "memory");
  mkdirSync(folder, { recursive: true });
  const engine = await startEngine();
  const env = { ...kit.env, DOCSIGN_BASE_URL: service.url, DOCSIGN_STATE_DIR: join(folder, "journal") };
  const command = join(kit.plugin, "pulumi-resource-docsign");
  const plugin = await startPlugin({ command, env, cwd: folder, engine });
  try {
    await plugin.configure({});
    // One after another: what the bench itself holds is no concern of the plugin's, but it has to fit.
    const inputs = Array.from({ length: count }, (_, i) => inputsOf(folder, i, size, by));
    await Promise.all(
      inputs.map((make, i) =>
        plugin.create(`${URN}-${i}`, { name: `Contract ${i}`, invitations: INVITATIONS, ...make() }),
      ),
    );
    return peakOf(plugin.pid);
  } finally {
    await plugin.close();
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function inputsOf(folder, i, size, by) {
  const path = join(folder, `${i}.pdf`);
  writeFileSync(path, pdf(size, i));
  if (by === "file") {
    const file = fileAsset(path);
    return () => ({ file });
  }
  return () => ({ base64File: `data:application/pdf;base64,${readFileSync(path, "base64")}` });
}
