import { CallError } from "../connection.js";
import { expect, type ResourceLaw, Skipped } from "../law.js";
import { get } from "../schema.js";
import { bare, bareValues, difference, isSecret, Secret, toJson, type Value } from "../values.js";
import { refused, state, taken, unchanged, withSecrets } from "./steps.js";

export const createLaws: readonly ResourceLaw[] = [
  {
    name: "create-answers-an-id",
    level: "must",
    claim: "Create answers an id that isn't empty.",
    breaks: "The engine takes an empty id for a resource that doesn't exist, and forgets it.",
    async run(trial) {
      const { id } = await trial.create();
      expect(id !== "", "expected an id, got an empty one");
    },
  },
  {
    name: "outputs-are-declared",
    level: "must",
    needsSchema: true,
    claim: "Create answers the outputs that the schema requires, and none that it doesn't have.",
    breaks: "Typed languages fail on what is missing, and never see what isn't declared.",
    async run(trial) {
      const { outputs } = await trial.create();
      const missing = (trial.resource.required ?? []).filter(key => (outputs.get(key) ?? null) === null);
      expect(missing.length === 0, `expected required outputs, missing ${missing.join(", ")}`);
      const extra = [...outputs.keys()].filter(
        // Every resource has an id.
        key => get(trial.resource.properties, key) === undefined && key !== "id" && !key.startsWith("__"),
      );
      expect(extra.length === 0, `expected declared outputs, got ${extra.join(", ")} besides`);
    },
  },
  {
    name: "secret-outputs-are-secret",
    level: "must",
    claim: "What the schema calls secret, and what was secret as an input, comes back secret.",
    breaks: "It is written to the state as plain text, and shown by `pulumi stack output`.",
    async run(trial, connection) {
      withSecrets(connection);
      const urn = trial.urn(trial.token, "secrets");
      const [first] = [...trial.program()].filter(
        ([key, value]) => typeof value === "string" && get(trial.resource.properties, key),
      );
      const program = trial.program();
      if (first) (program as Map<string, Value>).set(first[0], new Secret(bare(program.get(first[0]) ?? null)));
      const inputs = await taken(trial, program, urn);
      const { outputs } = await connection.create(urn, inputs);
      for (const [key, value] of outputs) {
        const declared = get(trial.resource.properties, key)?.secret === true;
        if (!declared && !(first && key === first[0])) continue;
        expect(value === null || isSecret(value), `expected ${key} to be secret, got it as plain text`);
      }
    },
  },
  {
    name: "a-failed-create-leaves-nothing-unsaid",
    level: "must",
    claim: "A Create that fails has changed nothing, or says what it left with ErrorResourceInitFailed and an id.",
    breaks: "The engine forgets what was made, and the next `up` makes it a second time.",
    async run(trial, connection) {
      const before = await trial.observe();
      const urn = trial.urn(trial.token, "failed");
      for (const [index, patch] of trial.fixture.invalid.entries()) {
        const error = await refused(connection.create(`${urn}-${index}`, trial.program(patch)));
        if (!error) continue;
        const after = await trial.observe();
        expect(
          before === after || (error.partial?.id ?? "") !== "",
          "expected the id of what was made, got an error alone",
        );
      }
    },
  },
  {
    name: "a-partial-create-can-be-mended",
    level: "must",
    claim:
      "A Create that fails half-way answers an id with ErrorResourceInitFailed. Read finds it, and an update to inputs that work mends it.",
    breaks: "The engine keeps a resource that it can neither finish nor replace, or forgets one that exists.",
    async run(trial, connection) {
      const { partial } = trial.fixture;
      if (!partial) throw new Skipped("the fixture has no partial");
      const urn = trial.urn(trial.token, "partial");
      const olds = await taken(trial, trial.program(partial), urn);
      const error = await refused(connection.create(urn, olds));
      expect(error !== undefined, "expected the fixture's partial to fail in Create, got an answer");
      const { id = "", properties: outputs = new Map() } = error.partial ?? {};
      expect(id !== "", `expected the id of what was made, got ${error.message}`);
      const existing = { urn, id, inputs: olds, outputs };
      // Read may say once more that it isn't whole.
      const found = await connection.read(existing).catch((again: unknown) => {
        if (again instanceof CallError && again.partial) return again.partial;
        throw again;
      });
      expect(found.id === id, `expected Read to find ${id}, got ${JSON.stringify(found.id)}`);
      const { replaces } = await trial.compare(existing, trial.program());
      expect(replaces.length === 0, `expected an update, got a replacement for ${replaces.join(", ")}`);
      const { inputs } = await connection.check(urn, trial.program(), olds);
      const mended = await connection.update(existing, inputs);
      await unchanged(trial, { urn, id, inputs, outputs: mended.outputs }, "after it was mended");
    },
  },
  {
    name: "many-creates-at-once-dont-mix",
    level: "must",
    claim: "Creates of several resources at the same time each make their own.",
    breaks: "The engine calls in parallel: two resources of a program share an id, or hold each other's inputs.",
    async run(trial, connection) {
      const programs = Array.from({ length: MANY }, () => trial.program({}, true));
      const all = await Promise.all(programs.map(program => trial.create(connection, program)));
      const differ = new Set(programs.map(program => JSON.stringify(toJson(program)))).size === MANY;
      const ids = new Set(all.map(({ id }) => id)).size;
      expect(!differ || ids === MANY, `expected ${MANY} ids of ${MANY} resources, got ${ids}`);
      const read = await Promise.all(all.map(existing => connection.read(existing)));
      for (const [nth, { inputs }] of all.entries()) {
        const apart = difference(bareValues(state(inputs)), bareValues(state(read[nth]?.inputs ?? new Map())));
        expect(apart === "", `expected the inputs of resource ${nth} back from Read, got others in ${apart}`);
      }
    },
  },
];

const MANY = 16;
