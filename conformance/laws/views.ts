import { expect, type Law, Skipped } from "../law.js";
import { inState, patched, sentState, state } from "./steps.js";

export const viewLaws: readonly Law[] = [
  {
    name: "views-belong-to-their-call",
    level: "must",
    of: "resource",
    claim:
      "The views that a call publishes carry its token, a type of three parts and a name; and Update, Read and Delete take them back.",
    breaks: "The engine refuses the step, and the whole operation fails after the resource was made.",
    async run(trial) {
      if (!trial.engine.views) throw new Skipped("this engine has no views");
      const { connection, host } = await trial.launch();
      await connection.begin(host.address, trial.config);
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
      const old = trial.sent(state(existing.inputs));
      await connection.read(urn, existing.id, inState(trial, existing), oldViews);
      published("Read");
      const { update } = trial.fixture;
      if (update) {
        const { inputs } = await connection.check(urn, trial.sent(patched(trial, existing, update)), old);
        await connection.update(urn, sentState(trial, existing), old, trial.sent(inputs), { oldViews });
        published("Update");
      }
      await connection.delete(urn, sentState(trial, existing), old, oldViews);
      published("Delete");
    },
  },
];
