import { expect, type ResourceLaw, Skipped } from "../law.js";
import { asInState, bare, bareValues, hasUnknown, same, unknown } from "../values.js";
import { inPreview, patched, taken } from "./steps.js";

export const previewLaws: readonly ResourceLaw[] = [
  {
    name: "preview-creates-nothing",
    level: "must",
    claim: "Check, Diff, Create and Update in a preview change nothing at the service.",
    breaks: "`pulumi preview` does what nobody has agreed to.",
    async run(trial, connection) {
      inPreview(connection);
      const before = await trial.observe();
      const urn = trial.urn(trial.token, "preview");
      const inputs = await taken(trial, trial.program(), urn);
      await connection.create(urn, inputs, { preview: true });
      const after = await trial.observe();
      expect(before === after, "expected the service to be as it was, and it changed");
    },
  },
  {
    name: "preview-tells-the-truth",
    level: "must",
    claim: "What a preview's Create answers as known is what Create then answers.",
    breaks: "Other resources are previewed with a value that they never get, and may be replaced for it.",
    async run(trial, connection) {
      inPreview(connection);
      const urn = trial.urn(trial.token, "truth");
      const inputs = await taken(trial, trial.program(), urn);
      const { outputs: promised } = await connection.create(urn, inputs, { preview: true });
      const { outputs } = await connection.create(urn, inputs);
      for (const [key, value] of bareValues(promised)) {
        if (hasUnknown(value)) continue;
        const real = bare(outputs.get(key) ?? null);
        expect(same(asInState(value), asInState(real)), `expected ${key} as in the preview, got another value`);
      }
    },
  },
  {
    name: "preview-names-every-output",
    level: "should",
    claim: "A preview's Create answers each required output, unknown where it must be.",
    breaks: "An output that is left out is undefined in the program's `apply`, where the type says that it is there.",
    async run(trial, connection) {
      inPreview(connection);
      const urn = trial.urn(trial.token, "outputs");
      const inputs = await taken(trial, trial.program(), urn);
      const { outputs } = await connection.create(urn, inputs, { preview: true });
      const missing = (trial.resource.required ?? []).filter(key => !outputs.has(key));
      expect(missing.length === 0, `expected all required outputs, missing ${missing.join(", ")}`);
    },
  },
  {
    name: "preview-takes-unknowns",
    level: "must",
    claim: "Create in a preview takes inputs that aren't known yet.",
    breaks: "A program in which one resource feeds another can't be previewed.",
    async run(trial, connection) {
      inPreview(connection);
      for (const key of trial.program().keys()) {
        const urn = trial.urn(trial.token, `preview-${key}`);
        const inputs = await taken(trial, new Map([...trial.program(), [key, unknown]]), urn);
        await connection.create(urn, inputs, { preview: true });
      }
    },
  },
  {
    name: "preview-updates-nothing",
    level: "must",
    claim: "Update in a preview changes nothing at the service.",
    breaks: "`pulumi preview` does what nobody has agreed to.",
    async run(trial, connection) {
      const { update } = trial.fixture;
      if (!update) throw new Skipped("the fixture has no update");
      inPreview(connection);
      const existing = await trial.create();
      const before = await trial.observe();
      const program = patched(trial, existing, update);
      const { inputs } = await connection.check(existing.urn, program, existing.inputs);
      await trial.compare(existing, program);
      await connection.update(existing, inputs, { preview: true });
      expect(before === (await trial.observe()), "expected the service to be as it was, and it changed");
    },
  },
];
