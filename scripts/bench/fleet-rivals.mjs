// What a fleet is compared with, over the same stacks, as many at a time: a plain loop of `pulumi up`, and OpenTofu. Each
// has a service of its own; the loop's knows as many documents as the fleet's.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { must } from "../setup/child.mjs";
import { tofu } from "./contenders.mjs";
import { startService } from "./stand-in.mjs";
import { inTurns } from "./workload.mjs";

const QUIET = ["--non-interactive", "--color", "never"];

/** `database`: where the loop has its journal, as the fleet has its own. */
export async function rivals({ kit, home, scene, database }) {
  const services = [await startService(scene.latency), await startService(scene.latency)];
  const program = join(home, "loop", "program");
  mkdirSync(join(home, "loop", "state"), { recursive: true });
  cpSync(join(scene.fleet.folder, "program", "Pulumi.yaml"), join(program, "Pulumi.yaml"));
  const env = {
    ...kit.env,
    DOCSIGN_BASE_URL: services[0].url,
    DOCSIGN_JOURNAL: database,
    DOCSIGN_STATE_DIR: join(home, "loop", "journal"),
    PULUMI_BACKEND_URL: `file://${join(home, "loop", "state")}`,
  };
  const pulumi = args => must(kit.pulumi, [...args, ...QUIET], { cwd: program, env });
  let shard = 0;
  return {
    /** What brings these stacks up. */
    loop: (stacks, atOnce) => () =>
      inTurns(stacks, atOnce, async stack => {
        await pulumi(["stack", "init", stack]);
        await pulumi(["up", "--yes", "--skip-preview", "--stack", stack]);
      }),
    /** Opens so many shards, and answers with what brings them up, all at once. */
    async tofu(shards) {
      const opened = [];
      for (let i = 0; i < shards; i++) {
        const folder = join(home, `tofu-${++shard}`);
        const { pdfs, count } = scene;
        opened.push(await tofu.open({ kit, service: services[1], pdfs, cell: { count }, folder }));
      }
      return () =>
        inTurns(opened, shards, async stack => {
          const { command, args, ...where } = stack.command("up");
          await must(command, args, where);
        });
    },
    close: () => Promise.all(services.map(service => service.close())),
  };
}
