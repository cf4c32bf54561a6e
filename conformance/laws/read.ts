import { expect, type ResourceLaw, Skipped } from "../law.js";
import { get } from "../schema.js";
import { bareValues, difference, isSecret } from "../values.js";
import { died, refused, state, unchanged, withSecrets } from "./steps.js";

export const readLaws: readonly ResourceLaw[] = [
  {
    name: "read-answers-what-was-created",
    level: "must",
    claim: "Read answers the id and the inputs that Create was given.",
    breaks: "A refresh forgets the resource, or writes other inputs to the state than the program's.",
    async run(trial, connection) {
      const existing = await trial.create();
      const { id, inputs } = await connection.read(existing);
      expect(id === existing.id, `expected ${existing.id}, got ${JSON.stringify(id)}`);
      const apart = difference(bareValues(state(existing.inputs)), bareValues(state(inputs)));
      expect(apart === "", `expected the same inputs, got others in ${apart}`);
    },
  },
  {
    name: "import-shows-no-difference",
    level: "must",
    claim:
      "What Read answers for an id alone shows no change with the inputs that it answers. What can't be imported is refused, or answered without inputs.",
    breaks: "`pulumi import` ends with a change that nobody has made, and may replace what was imported.",
    async run(trial, connection) {
      const existing = await trial.create();
      const urn = trial.urn(trial.token, "imported");
      if (trial.fixture.importId === null) {
        const error = await refused(
          connection.import(urn, existing.id).then(({ hasInputs }) => {
            expect(!hasInputs, "expected an import to be refused, got inputs");
          }),
        );
        expect(!died(error), `expected an answer, got ${error?.message}`);
        return;
      }
      const read = await connection.import(urn, trial.importId(existing));
      expect(read.id !== "", `expected to import ${trial.importId(existing)}, got nothing`);
      expect(read.inputs.size > 0, "expected inputs from an import, got none");
      await unchanged(trial, { urn, id: read.id, inputs: read.inputs, outputs: read.outputs }, "after its import");
    },
  },
  {
    name: "import-keeps-secrets",
    level: "must",
    claim: "What the schema calls secret comes back secret from Read of an id alone.",
    breaks: "`pulumi import` writes it to the state as plain text, and the next `up` may show it as changed.",
    async run(trial, connection) {
      withSecrets(connection);
      if (trial.fixture.importId === null) throw new Skipped("it can't be imported");
      const { resource } = trial;
      const existing = await trial.create();
      const { inputs, outputs } = await connection.import(trial.urn(trial.token, "imported"), trial.importId(existing));
      for (const [what, values, specs] of [
        ["input", inputs, resource.inputProperties],
        ["output", outputs, resource.properties],
      ] as const)
        for (const [key, value] of values) {
          const open = get(specs, key)?.secret === true && value !== null && !isSecret(value);
          expect(!open, `expected the ${what} ${key} to be secret, got it as plain text`);
        }
    },
  },
  {
    name: "read-of-nothing-is-answered",
    level: "must",
    claim: "Read of what isn't there answers an empty id without outputs, or an error.",
    breaks:
      "An import of a wrong id puts a resource into the state that doesn't exist: with outputs, even empty ones, the engine takes the id that it was given.",
    async run(trial, connection) {
      const { missingId } = trial.fixture;
      if (missingId === undefined) throw new Skipped("the fixture has no missingId");
      const error = await refused(
        connection.import(trial.urn(trial.token, "missing"), missingId).then(({ id, hasOutputs }) => {
          expect(id === "", `expected an empty id for ${missingId}, got ${id}`);
          expect(!hasOutputs, `expected no outputs for ${missingId}, got some, if empty`);
        }),
      );
      expect(!died(error), `expected an answer, got ${error?.message}`);
    },
  },
  {
    name: "import-ids-are-checked",
    level: "must",
    claim: "An id that a person mistyped is refused, or not found, and reaches no other address of the service.",
    breaks: "`pulumi import` reads, or shows, something that isn't the resource.",
    async run(trial, connection) {
      for (const wrong of ["../users", "a b", "1?x=1", "1\r\nx: y", " ", "\u0000"]) {
        const error = await refused(
          connection.import(trial.urn(trial.token, "mistyped"), wrong).then(({ id }) => {
            // Where an import takes something else than the id, it may be any text.
            const isOther = id !== "" && id !== wrong && trial.fixture.importId === undefined;
            expect(!isOther, `expected no resource for ${JSON.stringify(wrong)}, got ${id}`);
          }),
        );
        expect(error?.code !== "UNAVAILABLE", `expected an answer to ${JSON.stringify(wrong)}, got ${error?.message}`);
      }
      await connection.pluginVersion();
    },
  },
  {
    name: "read-after-delete-finds-nothing",
    level: "should",
    claim:
      "Read of what was deleted answers an empty id. A Delete that only forgets, by the fixture's word, changes nothing at the service.",
    breaks: "A refresh keeps what somebody has deleted, and the next `up` doesn't create it again.",
    async run(trial, connection) {
      const existing = await trial.create();
      const before = trial.fixture.forgets ? await trial.observe() : "";
      await connection.delete(existing);
      if (trial.fixture.forgets) {
        expect(before === (await trial.observe()), "expected the service to be as it was, and it changed");
        return;
      }
      const { id } = await connection.read(existing);
      expect(id === "", `expected an empty id, got ${id}`);
    },
  },
];
