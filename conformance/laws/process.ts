import { CallError, type Connection } from "../connection.js";
import { Broken, expect, type ProviderLaw, Skipped } from "../law.js";
import { begun, within } from "./steps.js";

export const processLaws: readonly ProviderLaw[] = [
  {
    name: "stdout-holds-the-port-alone",
    level: "must",
    claim: "The port is the only line that the provider writes to stdout.",
    breaks: "The engine reads the first line as the port: a line before it, and the plugin can't be started.",
    async run(trial) {
      const { process, connection } = await trial.launch();
      await connection.pluginVersion();
      if (!process.child) throw new Skipped("it was started by somebody else");
      expect(
        process.extraOutput.length === 0,
        `expected nothing after the port, got ${JSON.stringify(process.extraOutput[0])}`,
      );
    },
  },
  {
    name: "two-processes-agree",
    level: "must",
    claim: "Two processes of the provider answer the same version, and neither disturbs the other.",
    breaks: "A program with two explicit providers starts two plugins at once.",
    async run(trial) {
      const [one, other] = await Promise.all([trial.launch(), trial.launch()]);
      const [first, second] = await Promise.all([one.connection.pluginVersion(), other.connection.pluginVersion()]);
      expect(first === second, "expected the same version from both, got two");
    },
  },
  {
    name: "cancel-is-answered-at-any-time",
    level: "must",
    claim: "Cancel is answered, before Configure too.",
    breaks: "Ctrl-C waits until the engine gives up, and the plugin is killed in the middle of a call.",
    async run(trial) {
      const { connection } = await trial.launch();
      await cancelled(connection, trial.soonMs);
      const { connection: configured } = await begun(trial);
      await cancelled(configured, trial.soonMs);
    },
  },
  {
    name: "ends-with-its-engine",
    level: "could",
    claim: "The provider ends soon after its engine.",
    breaks: "An engine that was killed leaves plugins behind that go on working.",
    async run(trial) {
      const { connection, process, host } = await trial.launch();
      if (!process.child) throw new Skipped("it was started by somebody else");
      if (trial.engine === "newest") await connection.handshake(host.address);
      // What has never met its engine can't miss it.
      await within(trial.soonMs, host.met);
      await connection.configure(trial.config);
      await connection.pluginVersion();
      await host.close();
      expect(await within(trial.soonMs, process.ended), "expected it to end, and it runs on");
    },
  },
];

async function cancelled(connection: Connection, soonMs: number): Promise<void> {
  try {
    await connection.cancel(soonMs);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.code === "DEADLINE_EXCEEDED")
      throw new Broken(`expected Cancel to be answered within ${soonMs / 1000} s`);
    // A provider may end instead of answering.
    if (!["UNAVAILABLE", "CANCELLED", "UNIMPLEMENTED"].includes(error.code)) throw error;
  }
}
