import { CallError, type Connection } from "../connection.js";
import { accepted, expect, type ProviderLaw, type ResourceLaw, Skipped, type Trial } from "../law.js";
import { difference, hasUnknown, same, toJson, unknown, type Values } from "../values.js";
import { begun, died } from "./steps.js";

export const configurationLaws: readonly ProviderLaw[] = [
  {
    name: "handshake-agrees-with-configure",
    level: "must",
    claim: "Handshake and Configure answer the same flags.",
    breaks: "The engine believes Handshake and sends secrets and assets in a form that the provider doesn't read.",
    async run(trial) {
      const { connection, host } = await trial.launch();
      const shaken = await connection.handshake(host.address);
      if (!shaken) throw new Skipped("the provider has no Handshake");
      const configured = await connection.configure(given(trial));
      for (const [name, one, other] of [
        ["acceptSecrets", shaken.acceptSecrets, configured.acceptsecrets],
        ["acceptResources", shaken.acceptResources, configured.acceptresources],
        ["acceptOutputs", shaken.acceptOutputs, configured.acceptoutputs],
        ["autonaming", shaken.supportsAutonamingConfiguration, configured.supportsAutonamingConfiguration],
      ] as const)
        expect(one === other, `expected the same flags, got ${name} ${one} and ${other}`);
    },
  },
  {
    name: "configure-without-check-config",
    level: "must",
    claim: "Configure works without a CheckConfig before it.",
    breaks: "`pulumi destroy`, `refresh` and `import` configure a provider from state without checking.",
    async run(trial) {
      await begun(trial, given(trial));
    },
  },
  {
    name: "check-config-is-idempotent",
    level: "must",
    claim: "CheckConfig of its own answer answers the same.",
    breaks: "A provider's state changes at each `up`, and with it everything that depends on it.",
    async run(trial) {
      const connection = await trial.connect();
      const config = given(trial);
      const once = await configChecked(connection, config);
      const twice = await configChecked(connection, once, config);
      expect(same(once, twice), `expected the same configuration, got another: ${difference(once, twice)}`);
    },
  },
  {
    name: "check-config-takes-unknowns",
    level: "must",
    claim: "CheckConfig takes a value that isn't known yet, and keeps it.",
    breaks: "A provider that is configured from another resource's output can't be previewed.",
    async run(trial) {
      const connection = await trial.connect();
      for (const key of given(trial).keys()) {
        const { inputs, failures } = await optional(() =>
          connection.checkConfig(new Map([...trial.config, [key, unknown]])),
        );
        const own = failures.filter(({ property }) => property === key);
        expect(own.length === 0, `expected ${key} to be taken while it isn't known, got: ${own[0]?.reason}`);
        expect(hasUnknown(inputs.get(key)), `expected ${key} to stay unknown`);
      }
    },
  },
  {
    name: "diff-config-of-the-same-is-none",
    level: "must",
    claim: "DiffConfig of an unchanged configuration reports no change and replaces nothing.",
    breaks: "A provider that wants to be replaced replaces every resource that it manages.",
    async run(trial) {
      const connection = await trial.connect();
      const config = given(trial);
      const { changes, replaces } = await optional(() => connection.diffConfig(config, config));
      expect(replaces.length === 0, `expected no replacement, got one for ${replaces.join(", ")}`);
      expect(changes !== "some", "expected no change, got one");
    },
  },
  {
    name: "secrets-stay-out-of-errors",
    level: "should",
    claim: "No error and no line of the log holds the text of a secret setting.",
    breaks: "The engine prints errors as they are: CI logs hold the key.",
    async run(trial) {
      const canary = "conformance-canary-5c1e";
      const secrets = Object.entries(trial.spec.config?.variables ?? {})
        .filter(([, { secret }]) => secret)
        .map(([key]) => key);
      if (secrets.length === 0) throw new Skipped("the configuration has no secret");
      const { connection, host, process } = await trial.launch();
      const config: Values = new Map([...trial.config, ...secrets.map(key => [key, `${canary}\n`] as const)]);
      const said: string[] = [];
      const heard = async (call: Promise<unknown>) => {
        await call.catch((error: unknown) => said.push(String(error)));
      };
      await heard(
        connection.checkConfig(config).then(({ failures }) => said.push(...failures.map(({ reason }) => reason))),
      );
      await heard(connection.configure(config));
      for (const token of Object.keys(trial.spec.functions ?? {})) await heard(connection.invoke(token, new Map()));
      said.push(...host.log, ...process.errors);
      const leak = said.find(text => text.includes(canary));
      expect(
        leak === undefined,
        `expected no secret in messages, found one in: ${leak?.replaceAll(canary, "…").slice(0, 200)}`,
      );
    },
  },
  {
    name: "configured-again-answers-the-same",
    level: "should",
    claim: "A process that is configured a second time answers as it did the first time.",
    breaks: "A provider that runs already, as PULUMI_DEBUG_PROVIDERS names one, is configured by each command.",
    async run(trial) {
      const config = given(trial);
      const { connection, host } = await begun(trial, config);
      const first = connection.flags;
      const checked = await configChecked(connection, config);
      await connection.begin(host.address, config);
      expect(
        first.acceptSecrets === connection.flags.acceptSecrets &&
          first.supportsPreview === connection.flags.supportsPreview,
        "expected the same flags from a second Configure, got others",
      );
      const again = await configChecked(connection, config);
      expect(same(checked, again), `expected the same configuration, got another: ${difference(checked, again)}`);
    },
  },
];

export const configuredAgainLaws: readonly ResourceLaw[] = [
  {
    name: "the-last-configuration-holds",
    level: "should",
    claim: "In a process that is configured with another configuration and then with this one, this one holds alone.",
    breaks:
      "A provider that runs already, as PULUMI_DEBUG_PROVIDERS names one, serves one stack with another's credentials.",
    async run(trial, shared) {
      const { otherConfig } = trial;
      if (!otherConfig) throw new Skipped("the fixture has no `otherConfig`");
      const existing = await trial.create();
      const { connection, host } = await trial.launch();
      const under = async (config: Values): Promise<string> => {
        await connection.begin(host.address, config);
        const read = connection.read(existing);
        return read.then(
          ({ id, inputs, outputs }) => JSON.stringify([id, toJson(inputs), toJson(outputs)]),
          (error: unknown) => {
            if (error instanceof CallError && !died(error)) return error.code;
            throw error;
          },
        );
      };
      const apart = await under(otherConfig);
      const { id, inputs, outputs } = await shared.read(existing);
      const alone = JSON.stringify([id, toJson(inputs), toJson(outputs)]);
      if (apart === alone) throw new Skipped("Read answers the same under the fixture's `otherConfig`");
      expect(alone === (await under(trial.config)), "expected the answers of the last configuration, got others");
      expect(apart === (await under(otherConfig)), "expected the answers of the other configuration again, got others");
    },
  },
];

/** The fixture's configuration, for laws that say nothing without one. */
function given({ config }: Trial): Values {
  if (config.size === 0) throw new Skipped("the fixture has no `config`");
  return config;
}

async function configChecked(connection: Connection, news: Values, olds?: Values): Promise<Values> {
  return accepted(await optional(() => connection.checkConfig(news, olds)), "the fixture's config");
}

/** A call that older providers don't know. */
async function optional<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CallError && error.code === "UNIMPLEMENTED")
      throw new Skipped("the provider doesn't implement it");
    throw error;
  }
}
