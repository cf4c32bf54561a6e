import { CallError } from "../connection.js";
import { expect, type FunctionLaw } from "../law.js";
import { get } from "../schema.js";
import { unknown, type Value } from "../values.js";
import { died, refused } from "./steps.js";

export const functionLaws: readonly FunctionLaw[] = [
  {
    name: "a-function-answers-what-it-declares",
    level: "must",
    claim: "A function answers the outputs that the schema requires, and none that it doesn't have.",
    breaks: "Typed languages fail on what is missing, and never see what isn't declared.",
    async run(trial, connection) {
      const { result, failures } = await connection.invoke(trial.token, trial.args);
      const [failure] = failures;
      expect(!failure, `expected an answer, got: ${failure?.property}: ${failure?.reason}`);
      const outputs = get(trial.spec.functions, trial.token)?.outputs;
      const missing = (outputs?.required ?? []).filter(key => (result.get(key) ?? null) === null);
      expect(missing.length === 0, `expected required outputs, missing ${missing.join(", ")}`);
      const extra = [...result.keys()].filter(key => outputs?.properties && get(outputs.properties, key) === undefined);
      expect(extra.length === 0, `expected declared outputs, got ${extra.join(", ")} besides`);
    },
  },
  {
    name: "a-function-changes-nothing",
    level: "must",
    claim: "A function changes nothing at the service.",
    breaks: "Functions run in each preview, as often as the program asks.",
    async run(trial, connection) {
      const before = await trial.observe();
      await connection.invoke(trial.token, trial.args, { preview: true });
      await connection.invoke(trial.token, trial.args);
      expect(before === (await trial.observe()), "expected the service to be as it was, and it changed");
    },
  },
  {
    name: "a-function-names-what-is-missing",
    level: "must",
    claim: "Without an argument that the schema requires, a function fails with its name.",
    breaks: "YAML programs aren't type-checked: the error comes from somewhere else, or not at all.",
    async run(trial, connection) {
      for (const key of get(trial.spec.functions, trial.token)?.inputs?.required ?? []) {
        const args = new Map([...trial.args].filter(([each]) => each !== key));
        const answer = await connection.invoke(trial.token, args).catch((error: unknown) => error);
        if (!(answer instanceof CallError)) {
          const { failures } = answer as { failures: readonly { property: string; reason: string }[] };
          expect(failures.length > 0, `expected a failure without ${key}, got none`);
          expect(
            failures.some(({ property, reason }) => `${property} ${reason}`.includes(key)),
            `expected a failure that names ${key}`,
          );
        } else
          expect(
            answer.code !== "UNAVAILABLE" && answer.text.includes(key),
            `expected an error that names ${key}, got ${answer.message}`,
          );
      }
    },
  },
  {
    name: "a-function-takes-any-argument",
    level: "must",
    claim: "Any value for any argument is answered, if with an error, and the process lives on.",
    breaks: "One wrong value in a program ends the plugin, and with it every resource of the deployment.",
    async run(trial, connection) {
      const odd: readonly Value[] = [null, "", "☃\u0000", -1, -0, 0.1, 2 ** 53, 1e308, [], new Map(), unknown];
      for (const key of Object.keys(get(trial.spec.functions, trial.token)?.inputs?.properties ?? {}))
        for (const value of odd) {
          const error = await refused(connection.invoke(trial.token, new Map([...trial.args, [key, value]])));
          expect(!died(error), `expected an answer to ${JSON.stringify(value)} as ${key}, got ${error?.message}`);
        }
    },
  },
];
