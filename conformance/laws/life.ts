import { CallError, type Connection, type Existing } from "../connection.js";
import { accepted, expect, type ResourceLaw, Skipped } from "../law.js";
import type { Values } from "../values.js";
import { begun, died, patched, refused, unchanged, within } from "./steps.js";

export const lifeLaws: readonly ResourceLaw[] = [
  {
    name: "update-is-made",
    level: "must",
    claim: "After Update, Diff with the new inputs reports no change.",
    breaks: "Each `up` makes the same update again.",
    async run(trial, connection) {
      const { update } = trial.fixture;
      if (!update) throw new Skipped("the fixture has no update");
      const existing = await trial.create();
      const program = patched(trial, existing, update);
      const { inputs } = await connection.check(existing.urn, program, existing.inputs);
      await trial.compare(existing, program);
      const { outputs } = await connection.update(existing, inputs);
      await unchanged(trial, { ...existing, inputs, outputs }, "after its update");
    },
  },
  {
    name: "delete-twice-succeeds",
    level: "must",
    claim: "Delete of what is gone already succeeds.",
    breaks: "A destroy that was interrupted can never be finished.",
    async run(trial, connection) {
      const existing = await trial.create();
      await connection.delete(existing);
      await connection.delete(existing);
    },
  },
  {
    name: "a-life-takes-a-process-for-each-call",
    level: "must",
    claim:
      "Check, Create, Read, Diff after its Check, Update and Delete work where the provider is killed and started again between any two. Create and Update may refuse what their process hasn't checked, and then change nothing.",
    breaks: "The engine starts a plugin for each command: what it remembers is gone at the next one.",
    async run(trial) {
      const alone = async <T>(call: (connection: Connection) => Promise<T>): Promise<T> => {
        const { process, connection } = await begun(trial);
        if (!process.child) throw new Skipped("it was started by somebody else");
        const answer = await call(connection);
        await process.kill("SIGKILL");
        return answer;
      };
      const urn = trial.urn(trial.token, "restarted");
      const checked = async (program: Values, olds?: Values): Promise<Values> => {
        return accepted(await alone(connection => connection.check(urn, program, olds)));
      };
      const held = async (): Promise<string> => (trial.observes ? trial.observe() : "");
      /** Once more after a Check in the same process, where it was refused without one. */
      const retried = async <T>(
        program: Values,
        olds: Values | undefined,
        call: (connection: Connection) => Promise<T>,
      ): Promise<T> => {
        const before = await held();
        const answer = await alone(call).catch(refusal);
        if (answer !== undefined) return answer;
        expect(before === (await held()), "expected a refused call to change nothing, and the service has changed");
        return alone(async connection => {
          await connection.check(urn, program, olds);
          return call(connection);
        });
      };
      const compared = (existing: Existing, program: Values) =>
        alone(connection => trial.compare(existing, program, connection));
      const found = (existing: Existing) => alone(connection => connection.read(existing));

      const inputs = await checked(trial.program());
      const created = await retried(trial.program(), undefined, connection => connection.create(urn, inputs));
      let existing: Existing = { urn, inputs, ...created };
      const { id } = await found(existing);
      expect(id === created.id, `expected Read to find ${created.id}, got ${JSON.stringify(id)}`);
      const same = await compared(existing, existing.inputs);
      expect(same.changes !== "some", "expected no change after Create, got one");
      const { update } = trial.fixture;
      if (update) {
        const program = patched(trial, existing, update);
        const news = await checked(program, existing.inputs);
        const { changes } = await compared(existing, program);
        expect(changes === "some", `expected the fixture's update to be a change, got ${changes}`);
        const { outputs } = await retried(program, existing.inputs, connection => connection.update(existing, news));
        existing = { ...existing, inputs: news, outputs };
        const after = await compared(existing, program);
        expect(after.changes !== "some", "expected no change after Update, got one");
      }
      await alone(connection => connection.delete(existing));
      if (trial.fixture.forgets) return;
      const { id: left } = await found(existing);
      expect(left === "", `expected Read to find nothing after Delete, got ${left}`);
    },
  },
  {
    name: "a-forced-replacement-loses-nothing",
    level: "must",
    claim:
      "A replacement that Diff didn't ask for is made, or refused while the old resource is still there. It comes as Check without old inputs, then Create and Delete in either order.",
    breaks:
      "`--target-replace`, `state taint` and `replacementTrigger` replace without Diff: the program's resource is gone, and the state says that it is there.",
    async run(trial, connection) {
      const there = async (existing: Existing, which: string): Promise<void> => {
        const { id } = await connection.read(existing);
        expect(id === existing.id, `expected the ${which} resource to be there, got ${JSON.stringify(id)} from Read`);
      };
      for (const first of ["create", "delete"] as const) {
        const existing = await trial.create(connection, trial.program({}, true));
        const { urn } = existing;
        const program = trial.program();
        if (trial.engine === "newest") await connection.check(urn, program, existing.inputs);
        const { inputs, failures } = await connection.check(urn, program);
        const isRefused = failures.length > 0;
        const gone = () => connection.delete(existing);
        const made = async (): Promise<Existing> => ({ urn, inputs, ...(await connection.create(urn, inputs)) });
        if (first === "delete") {
          if (isRefused || (await refused(gone()))) await there(existing, "old");
          else await there(await made(), "new");
          continue;
        }
        const created = isRefused ? undefined : await made().catch(refusal);
        if (!created) {
          await there(existing, "old");
          continue;
        }
        await refused(gone());
        await there(created, "new");
      }
    },
  },
  {
    name: "cancel-ends-calls",
    level: "must",
    claim: "Calls that wait for a service which doesn't answer end soon after Cancel.",
    breaks: "Ctrl-C waits until the service answers, or the engine kills the plugin and can't know what was made.",
    async run(trial) {
      if (!trial.stalls) throw new Skipped("the fixture has no `stall` and `resume`");
      const existing = await trial.create();
      const { connection } = await begun(trial);
      const urn = trial.urn(trial.token, "stalled");
      const { inputs } = await connection.check(urn, trial.program({}, true));
      await trial.command("stall");
      try {
        let open = 0;
        const calls = [connection.create(urn, inputs, { timeoutMs: STALL_MS }), connection.read(existing)].map(
          async call => {
            open++;
            await refused(call);
            open--;
          },
        );
        // Its answer comes after they were received.
        await connection.pluginVersion();
        if (open === 0) throw new Skipped("the calls ended although the service was made to hang");
        await refused(connection.cancel(trial.soonMs));
        expect(
          await within(trial.soonMs, Promise.all(calls)),
          `expected every call to end within ${trial.soonMs / 1000} s of Cancel, and one goes on`,
        );
      } finally {
        await trial.command("resume");
      }
    },
  },
];

/** Of a call that was answered with an error. */
function refusal(error: unknown): undefined {
  if (!(error instanceof CallError) || died(error)) throw error;
}

/** Longer than a law waits for the end of a call. */
const STALL_MS = 600_000;

export const viewLaws: readonly ResourceLaw[] = [
  {
    name: "views-belong-to-their-call",
    level: "must",
    claim:
      "The views that a call publishes carry its token, a type of three parts and a name; and Update, Read and Delete take them back.",
    breaks: "The engine refuses the step, and the whole operation fails after the resource was made.",
    async run(trial) {
      if (trial.engine === "oldest") throw new Skipped("this engine has no views");
      const { connection, host } = await begun(trial);
      const published = (call: string) => {
        const views = host.views.splice(0);
        for (const { token, type, name } of views) {
          expect(token === connection.statusToken, `expected ${call} to publish with its token, got ${token}`);
          expect(/^[^:]+:[^:]*:[^:]+$/.test(type), `expected a view of type package:module:Name, got ${type}`);
          expect(name !== "", `expected a name of the view ${type}, got none`);
        }
        return views;
      };
      const existing = await trial.create(connection);
      const oldViews = published("Create");
      if (oldViews.length === 0) throw new Skipped("it publishes no views");
      const { urn } = existing;
      await connection.read(existing, oldViews);
      published("Read");
      const { update } = trial.fixture;
      if (update) {
        const { inputs } = await connection.check(urn, patched(trial, existing, update), existing.inputs);
        await connection.update(existing, inputs, { oldViews });
        published("Update");
      }
      await connection.delete(existing, oldViews);
      published("Delete");
    },
  },
];
