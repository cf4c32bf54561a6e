import { join } from "node:path";

/** The engine's own default on two cores, and our `maxConcurrency`. */
const AT_ONCE = 8;

export const bareLoop = {
  phases: ["up", "refresh"],
  async open({ kit, service, pdfs, cell }) {
    const script = join(kit.programs, "bare-loop.mjs");
    const args = [service.url, pdfs.folder, cell.count, AT_ONCE].map(String);
    return {
      command: phase => ({ command: kit.node, args: [script, phase, ...args], cwd: kit.programs, env: kit.env }),
      stateBytes: () => undefined,
    };
  },
};
