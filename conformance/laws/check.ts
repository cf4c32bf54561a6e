import { CallError, type Checked, checked } from "../connection.js";
import { Broken, expect, type ResourceLaw, type ResourceTrial, Skipped } from "../law.js";
import type { Rpc } from "../messages.js";
import { get, type PackageSpec, rootOf, type TypeSpec, typeToken } from "../schema.js";
import {
  bare,
  bareValues,
  deep,
  difference,
  fromJson,
  hasUnknown,
  isList,
  isSecret,
  isValues,
  Secret,
  same,
  unknown,
  type Value,
  type Values,
} from "../values.js";
import { reversed } from "../wire.js";
import { died, refused, taken, withSecrets } from "./steps.js";

/** Values that a program may hold by accident. */
const ODD: readonly [string, Value][] = [
  ["null", null],
  ["a text", "☃ \u202e\u0000 \n"],
  ["an empty text", ""],
  ["a number", 2 ** 53 - 1],
  ["a huge number", 1e308],
  ["a fraction", 0.1],
  ["true", true],
  ["an empty list", []],
  ["an empty object", new Map()],
  ["an object with the key __proto__", new Map([["__proto__", new Map([["polluted", true]])]])],
  ["a list 200 deep", deep(200)],
  ["a text of 1 MB", "x".repeat(1 << 20)],
];

export const checkLaws: readonly ResourceLaw[] = [
  {
    name: "check-is-idempotent",
    level: "must",
    claim: "Check of its own answer answers the same.",
    breaks: "The engine compares what Check answered: an unchanged program shows a change at each `up`.",
    async run(trial, connection) {
      const urn = trial.urn(trial.token);
      const program = trial.program();
      const once = await taken(trial, program);
      const { inputs: twice } = await connection.check(urn, program, once);
      expect(
        same(once, twice),
        `expected the same inputs with old ones at hand, got others in ${difference(once, twice)}`,
      );
      const { inputs: again } = await connection.check(urn, once, once);
      expect(
        same(once, again),
        `expected a checked input to be checked to itself, got others in ${difference(once, again)}`,
      );
    },
  },
  {
    name: "check-keeps-unknowns",
    level: "must",
    claim: "An input that isn't known yet is taken, and stays unknown.",
    breaks:
      "A program that takes an input from another resource can't be previewed, or is previewed with a wrong value.",
    async run(trial, connection) {
      const program = trial.program();
      // What begins with two underscores is between the SDK and the provider.
      for (const key of [...program.keys()].filter(each => !each.startsWith("__"))) {
        const { inputs, failures } = await connection.check(
          trial.urn(trial.token, `unknown-${key}`),
          new Map([...program, [key, unknown]]),
        );
        const [failure] = failures;
        expect(!failure, `expected ${key} to be taken while it isn't known, got: ${failure?.reason}`);
        expect(hasUnknown(inputs.get(key)), `expected ${key} to stay unknown, got ${JSON.stringify(inputs.get(key))}`);
      }
    },
  },
  {
    name: "check-keeps-secrets",
    level: "must",
    claim: "An input that is secret comes back secret.",
    breaks: "It is written to the state as plain text, and shown in previews.",
    async run(trial, connection) {
      withSecrets(connection);
      const program = trial.program();
      for (const [key, value] of program) {
        const { inputs, failures } = await connection.check(
          trial.urn(trial.token, `secret-${key}`),
          new Map([...program, [key, new Secret(bare(value))]]),
        );
        if (failures.length > 0)
          throw new Broken(`expected ${key} to be taken as a secret, got: ${failures[0]?.reason}`);
        const answer = inputs.get(key);
        expect(answer === undefined || isSecret(answer), `expected ${key} to stay secret, got it as plain text`);
      }
    },
  },
  {
    name: "check-names-what-is-missing",
    level: "must",
    claim: "Without an input that the schema requires, Check fails.",
    breaks: "YAML programs aren't type-checked: what is missing comes out in the middle of `up`.",
    async run(trial, connection) {
      for (const key of trial.resource.requiredInputs ?? []) {
        const program = new Map([...trial.program()].filter(([each]) => each !== key));
        const error = await refused(
          connection.check(trial.urn(trial.token, `without-${key}`), program).then(({ inputs, failures }) => {
            expect(failures.length > 0 || inputs.has(key), `expected a failure without ${key}, got none`);
          }),
        );
        expect(error?.code !== "UNAVAILABLE", `expected an answer without ${key}, got ${error?.message}`);
      }
    },
  },
  {
    name: "check-failures-name-their-property",
    level: "should",
    needsSchema: true,
    claim: "A failure names a property that the schema has, or none, and says why.",
    breaks: "The engine prints the failure without a place, or with a value that has nothing to do with it.",
    async run(trial) {
      for (const answer of await failures(trial)) {
        expect(!(answer instanceof CallError), `expected a failure, got an error: ${(answer as Error).message}`);
        const { property, reason } = answer;
        const known = property === "" || get(trial.resource.inputProperties, rootOf(property)) !== undefined;
        expect(known, `expected a property of ${trial.token}, got ${property}`);
        expect(reason.trim() !== "", `expected a reason for ${property}, got none`);
      }
    },
  },
  {
    name: "check-refuses-what-is-wrong",
    level: "must",
    claim: "Check refuses what the fixture calls wrong.",
    breaks: "The mistake comes out in the middle of `up`, after other resources were made.",
    async run(trial) {
      await failures(trial);
    },
  },
  {
    name: "check-takes-any-value",
    level: "must",
    claim: "Any value for any input is answered, if with a failure or an error, and the process lives on.",
    breaks: "One wrong value in a program ends the plugin, and with it every resource of the deployment.",
    async run(trial, connection) {
      for (const key of Object.keys(trial.resource.inputProperties ?? {}))
        for (const [name, value] of ODD) {
          const program = new Map([...trial.program(), [key, value]]);
          const error = await refused(connection.check(trial.urn(trial.token, "odd"), program));
          expect(!died(error), `expected an answer to ${name} as ${key}, got ${error?.message}`);
        }
      await connection.pluginVersion();
    },
  },
  {
    name: "check-keeps-numbers",
    level: "must",
    needsSchema: true,
    claim:
      "A number comes back as it was sent, or is refused: 2^53, a negative zero, a fraction, the largest and the smallest.",
    breaks: "The service gets another number than the program says, and each `up` shows a change.",
    async run(trial, connection) {
      const places = [...numbersIn(trial.spec, trial.resource.inputProperties ?? {}, trial.program())];
      if (places.length === 0) throw new Skipped("its inputs have no number");
      for (const { path, at } of places)
        for (const number of NUMBERS) {
          const urn = trial.urn(trial.token, "number");
          const answer = await connection.check(urn, at(number)).catch((error: unknown) => error);
          expect(!died(answer), `expected an answer to ${text(number)} as ${path}, got ${(answer as Error).message}`);
          if (answer instanceof CallError) continue;
          const { inputs, failures } = answer as Checked;
          // What was wrong without it is told as well.
          if (failures.length > 0) continue;
          const numbers = [...leaves(bareValues(inputs))];
          expect(
            numbers.some(each => Object.is(each, number) || (number === 0 && each === 0)),
            `expected ${text(number)} as ${path} to come back or to be refused, got neither`,
          );
        }
    },
  },
  {
    name: "check-ignores-the-order-of-fields",
    level: "must",
    claim: "The order in which inputs come changes nothing.",
    breaks: "Languages send maps in different orders: a stack that is run from another language shows changes.",
    async run(trial, connection) {
      const urn = trial.urn(trial.token);
      const program = trial.program();
      const request = Buffer.from(connection.checkRequest(urn, program).serializeBinary());
      const forth = await connection.check(urn, program);
      const back = checked((await connection.raw("check", reversed(request))) as Rpc.CheckResponse);
      expect(
        same(forth.inputs, back.inputs),
        `expected the same inputs in another order, got others in ${difference(forth.inputs, back.inputs)}`,
      );
      expect(
        forth.failures.length === back.failures.length,
        `expected ${forth.failures.length} failures in another order, got ${back.failures.length}`,
      );
    },
  },
  {
    name: "checks-at-once-dont-mix",
    level: "must",
    claim: "Checks of several resources at the same time get their own answers.",
    breaks: "The engine calls in parallel: one resource gets another's inputs.",
    async run(trial, connection) {
      const programs = Array.from({ length: 20 }, () => trial.program({}, true));
      // What the program leaves out may be made of the resource's name.
      const given = (inputs: Values, index: number): Values =>
        new Map([...inputs].filter(([key]) => programs[index]?.has(key)));
      const alone: Values[] = [];
      for (const [index, program] of programs.entries()) {
        const { inputs } = await connection.check(trial.urn(trial.token, `alone-${index}`), program);
        alone.push(given(inputs, index));
      }
      const together = await Promise.all(
        programs.map((program, index) => connection.check(trial.urn(trial.token, `together-${index}`), program)),
      );
      for (const [index, { inputs }] of together.entries()) {
        const [got, expected = new Map()] = [given(inputs, index), alone[index]];
        expect(
          same(got, expected),
          `expected the inputs of resource ${index}, got others in ${difference(got, expected)}`,
        );
      }
    },
  },
  {
    name: "defaults-are-what-the-schema-says",
    level: "should",
    claim: "An input that is left out is filled in with the default that the schema states, or compared as if it were.",
    breaks: "The documented default isn't what happens, and writing it into the program shows a change.",
    async run(trial, connection) {
      const properties = Object.entries(trial.resource.inputProperties ?? {});
      const defaults = new Map(
        properties.flatMap(([key, spec]) => (spec.default === undefined ? [] : [[key, fromJson(spec.default)]])),
      );
      if (defaults.size === 0) throw new Skipped("the schema states no default");
      const program = new Map([...trial.program()].filter(([key]) => !defaults.has(key)));
      const urn = trial.urn(trial.token, "defaults");
      const inputs = await taken(trial, program, urn);
      const open = [...defaults].filter(([key, value]) => !same(bare(inputs.get(key) ?? null), value));
      if (open.length === 0) return;
      const { id, outputs } = await connection.create(urn, inputs);
      const given = new Map([...program, ...open]);
      const { changes } = await trial.compare({ urn, id, inputs, outputs }, given);
      const named = open.map(([key]) => key).join(", ");
      expect(changes !== "some", `expected the stated default of ${named} to change nothing, got a change`);
    },
  },
];

/** What Check says to each of the fixture's wrong inputs: failures, or an error. */
async function failures(trial: ResourceTrial) {
  const { invalid } = trial.fixture;
  if (invalid.length === 0) throw new Skipped("the fixture has no invalid inputs");
  const connection = await trial.connect();
  const all = [];
  for (const patch of invalid) {
    const found = await connection
      .check(trial.urn(trial.token, "invalid"), trial.program(patch))
      .then(({ failures }) => failures)
      .catch((error: unknown) => {
        if (error instanceof CallError && error.code !== "UNAVAILABLE") return [error];
        throw error;
      });
    expect(found.length > 0, `expected a failure for ${JSON.stringify(patch)}, got none`);
    all.push(...found);
  }
  return all;
}

const NUMBERS = [2 ** 53 - 1, 2 ** 53, -(2 ** 53), -0, 0.1, -1.5, 1e308, 5e-324];
const text = (number: number): string => (Object.is(number, -0) ? "-0" : String(number));

function* leaves(value: Value): Generator<Value> {
  if (isList(value)) for (const each of value) yield* leaves(each);
  else if (isValues(value)) for (const each of value.values()) yield* leaves(each);
  else yield value;
}

// ---- Where a resource takes numbers ----

interface NumberProperty {
  readonly path: string;
  /** The program with another number there. */
  at(number: number): Values;
}

/** Where the schema has a number, and the program a value around it. */
function* numbersIn(
  spec: PackageSpec,
  properties: Readonly<Record<string, TypeSpec>>,
  values: Values,
): Generator<NumberProperty> {
  for (const [key, type] of Object.entries(properties))
    for (const { path, at } of numbersOf(spec, type, values.get(key)))
      yield { path: `${key}${path}`, at: number => new Map([...values, [key, at(number)]]) };
}

function* numbersOf(
  spec: PackageSpec,
  type: TypeSpec,
  value: Value | undefined,
): Generator<{ path: string; at(number: number): Value }> {
  if (type.type === "number" || type.type === "integer") yield { path: "", at: number => number };
  const { properties } = get(spec.types, typeToken(type.$ref ?? "") ?? "") ?? {};
  if (properties && isValues(value))
    for (const { path, at } of numbersIn(spec, properties, value)) yield { path: `.${path}`, at };
  if (type.items && isList(value)) {
    const [first, ...rest] = value;
    for (const { path, at } of numbersOf(spec, type.items, first))
      yield { path: `[0]${path}`, at: number => [at(number), ...rest] };
  }
  if (type.additionalProperties && isValues(value))
    for (const [key, each] of [...value].slice(0, 1))
      for (const { path, at } of numbersOf(spec, type.additionalProperties, each))
        yield { path: `[${JSON.stringify(key)}]${path}`, at: number => new Map([...value, [key, at(number)]]) };
}
