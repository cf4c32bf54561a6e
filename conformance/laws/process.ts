import { CallError, type Connection } from "../connection.js";
import { Broken, expect, type Law, Skipped } from "../law.js";
import { METHODS, rpc } from "../messages.js";
import { hasUnknown, same, toStruct, unknown, type Value, type Values } from "../values.js";

/** Calls that a plugin without state may be asked at any moment; List streams, and Construct builds components. */
const SINGLE = METHODS.filter(name => !["list", "construct", "attach", "handshake", "cancel"].includes(name));
const CANCEL_MS = 5_000;
const ORPHAN_MS = 15_000;
const MEET_MS = 5_000;

export const processLaws: readonly Law[] = [
  {
    name: "stdout-holds-the-port-alone",
    level: "must",
    of: "provider",
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
    name: "handshake-agrees-with-configure",
    level: "must",
    of: "provider",
    claim: "Handshake and Configure answer the same flags.",
    breaks: "The engine believes Handshake and sends secrets and assets in a form that the provider doesn't read.",
    async run(trial) {
      const { connection, host } = await trial.launch();
      const shaken = await connection.handshake(host.address);
      if (!shaken) throw new Skipped("the provider has no Handshake");
      const configured = await connection.configure(trial.config);
      const pairs = [
        ["acceptSecrets", shaken.acceptSecrets, configured.acceptsecrets],
        ["acceptResources", shaken.acceptResources, configured.acceptresources],
        ["acceptOutputs", shaken.acceptOutputs, configured.acceptoutputs],
        [
          "supportsAutonamingConfiguration",
          shaken.supportsAutonamingConfiguration,
          configured.supportsAutonamingConfiguration,
        ],
      ] as const;
      const apart = pairs
        .filter(([, one, other]) => one !== other)
        .map(([name, one, other]) => `${name} ${one} and ${other}`);
      expect(apart.length === 0, `expected the same flags, got ${apart.join("; ")}`);
    },
  },
  {
    name: "configure-without-check-config",
    level: "must",
    of: "provider",
    claim: "Configure works without a CheckConfig before it.",
    breaks: "`pulumi destroy`, `refresh` and `import` configure a provider from state without checking.",
    async run(trial) {
      const { connection, host } = await trial.launch();
      if (trial.engine.handshake) await connection.handshake(host.address);
      await connection.configure(trial.config);
    },
  },
  {
    name: "check-config-is-idempotent",
    level: "must",
    of: "provider",
    claim: "CheckConfig of its own answer answers the same.",
    breaks: "A provider's state changes at each `up`, and with it everything that depends on it.",
    async run(trial) {
      const connection = await trial.connect();
      const once = await configChecked(connection, trial.config);
      const twice = await configChecked(connection, once, trial.config);
      expect(same(once, twice), `expected the same configuration, got another: ${difference(once, twice)}`);
    },
  },
  {
    name: "check-config-takes-unknowns",
    level: "must",
    of: "provider",
    claim: "CheckConfig takes a value that isn't known yet, and keeps it.",
    breaks: "A provider that is configured from another resource's output can't be previewed.",
    async run(trial) {
      const connection = await trial.connect();
      for (const key of trial.config.keys()) {
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
    of: "provider",
    claim: "DiffConfig of an unchanged configuration reports no change and replaces nothing.",
    breaks: "A provider that wants to be replaced replaces every resource that it manages.",
    async run(trial) {
      const connection = await trial.connect();
      const { changes, replaces } = await optional(() => connection.diffConfig(trial.config, trial.config));
      expect(replaces.length === 0, `expected no replacement, got one for ${replaces.join(", ")}`);
      expect(changes !== "some", "expected no change, got one");
    },
  },
  {
    name: "unknown-token-is-refused",
    level: "must",
    of: "provider",
    claim: "A resource or function that the schema doesn't have is refused with an error that names it.",
    breaks: "A program for a newer version seems to work, and manages nothing.",
    async run(trial) {
      const connection = await trial.connect();
      const token = `${trial.spec.name}:index:ThereIsNoSuchThing`;
      const urn = trial.urn(token);
      for (const [what, call] of [
        ["Check", () => connection.check(urn, new Map())],
        ["Create", () => connection.create(urn, new Map())],
        ["Invoke", () => connection.invoke(token, new Map())],
      ] as const) {
        const error = await refused(call());
        expect(error !== undefined, `expected ${what} of ${token} to be refused, got an answer`);
        // A provider without functions, say, knows no such call.
        if (error.code === "UNIMPLEMENTED") continue;
        expect(error.text.includes("ThereIsNoSuchThing"), `expected an error that names ${token}, got: ${error.text}`);
      }
    },
  },
  {
    name: "empty-messages-are-answered",
    level: "should",
    of: "provider",
    claim: "A call without any field is answered, if with an error, and the process lives on.",
    breaks: "One odd call ends the plugin, and with it every resource of the deployment.",
    async run(trial) {
      const { connection, process } = await trial.launch();
      for (const method of SINGLE) {
        const answer = await connection.raw(method, Buffer.alloc(0)).catch((error: unknown) => error);
        const crashed = answer instanceof CallError && ["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(answer.code);
        expect(!crashed, `expected an answer to an empty ${method}, got ${(answer as Error).message}`);
      }
      await alive(connection, process.errors);
    },
  },
  {
    name: "garbage-is-answered",
    level: "must",
    of: "provider",
    claim: "A call whose bytes are no message is answered with an error, and the process lives on.",
    breaks: "What goes wrong on the way ends the plugin instead of one call.",
    async run(trial) {
      const { connection, process } = await trial.launch();
      for (const method of ["check", "create", "configure"]) {
        const error = await refused(connection.raw(method, Buffer.from("ffffffffffffffffffff01", "hex")));
        expect(
          error !== undefined && error.code !== "UNAVAILABLE",
          `expected an error for ${method}, got ${error?.message ?? "an answer"}`,
        );
      }
      await alive(connection, process.errors);
    },
  },
  {
    name: "unknown-fields-are-ignored",
    level: "must",
    of: "provider",
    claim: "A field that the provider doesn't know changes nothing.",
    breaks: "The provider stops working with the next engine, which sends more than today's.",
    async run(trial) {
      const { connection, host } = await trial.launch();
      const extra = Buffer.from([0xfa, 0xff, 0xff, 0xff, 0x0f, 0x03, 0x61, 0x62, 0x63]);
      const request = new rpc.ConfigureRequest()
        .setAcceptsecrets(true)
        .setAcceptresources(true)
        .setArgs(toStruct(trial.config));
      await connection.attach(host.address);
      const bytes = Buffer.from(request.serializeBinary());
      const plain = await connection.raw("configure", bytes);
      const { connection: another } = await trial.launch();
      await another.attach(host.address);
      const extended = await another.raw("configure", Buffer.concat([bytes, extra]));
      expect(
        JSON.stringify(plain.toObject()) === JSON.stringify(extended.toObject()),
        "expected the same answer with an unknown field, got another",
      );
      await another.raw("getPluginInfo", extra);
    },
  },
  {
    name: "calls-at-once-are-answered",
    level: "must",
    of: "provider",
    claim: "Calls that come at the same time get their own answers.",
    breaks: "The engine calls in parallel: resources get each other's answers, or wait for ever.",
    async run(trial) {
      const connection = await trial.connect();
      const answers = await Promise.all(Array.from({ length: 50 }, () => connection.pluginVersion()));
      expect(new Set(answers).size === 1, "expected fifty times the same version, got several");
    },
  },
  {
    name: "large-messages-are-answered",
    level: "must",
    of: "provider",
    claim: "A message of 16 MB is read.",
    breaks: "gRPC's own limit of 4 MB stays in force: a large state or asset fails with RESOURCE_EXHAUSTED.",
    async run(trial) {
      const connection = await trial.connect();
      const config = new Map<string, Value>([...trial.config, ["conformanceLarge", "x".repeat(16 << 20)]]);
      const answer = await connection.checkConfig(config).catch((error: unknown) => error);
      const limit =
        answer instanceof CallError && ["RESOURCE_EXHAUSTED", "UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(answer.code);
      expect(!limit, `expected 16 MB to be read, got ${(answer as Error).message}`);
    },
  },
  {
    name: "cancel-is-answered-at-any-time",
    level: "must",
    of: "provider",
    claim: "Cancel is answered, before Configure too.",
    breaks: "Ctrl-C waits until the engine gives up, and the plugin is killed in the middle of a call.",
    async run(trial) {
      const { connection, host } = await trial.launch();
      await cancelled(connection);
      const { connection: configured } = await trial.launch();
      if (trial.engine.handshake) await configured.handshake(host.address);
      await configured.configure(trial.config);
      await cancelled(configured);
    },
  },
  {
    name: "ends-with-its-engine",
    level: "could",
    of: "provider",
    claim: `The provider ends within ${ORPHAN_MS / 1000} s of its engine's end.`,
    breaks: "An engine that was killed leaves plugins behind that go on working.",
    async run(trial) {
      const { connection, process, host } = await trial.launch();
      if (!process.child) throw new Skipped("it was started by somebody else");
      if (trial.engine.handshake) await connection.handshake(host.address);
      // What has never met its engine can't miss it.
      await within(MEET_MS, host.met);
      await connection.configure(trial.config);
      await connection.pluginVersion();
      await host.close();
      expect(await within(ORPHAN_MS, process.ended), "expected it to end, and it runs on");
    },
  },
  {
    name: "secrets-stay-out-of-errors",
    level: "should",
    of: "provider",
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
      said.push(...host.log.map(({ message }) => message), ...process.errors);
      const leak = said.find(text => text.includes(canary));
      expect(
        leak === undefined,
        `expected no secret in messages, found one in: ${leak?.replaceAll(canary, "…").slice(0, 200)}`,
      );
    },
  },
  {
    name: "two-processes-agree",
    level: "must",
    of: "provider",
    claim: "Two processes of the provider answer the same version, and neither disturbs the other.",
    breaks: "A program with two explicit providers starts two plugins at once.",
    async run(trial) {
      const [one, other] = await Promise.all([trial.launch(), trial.launch()]);
      const [first, second] = await Promise.all([one.connection.pluginVersion(), other.connection.pluginVersion()]);
      expect(first === second, "expected the same version from both, got two");
    },
  },
];

/** Whether it settled in that time. */
async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(done => {
    timer = setTimeout(() => done(false), milliseconds);
  });
  const settled = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return settled;
}

async function configChecked(connection: Connection, news: Values, olds?: Values): Promise<Values> {
  const { inputs, failures } = await optional(() => connection.checkConfig(news, olds));
  const [failure] = failures;
  if (failure)
    throw new Broken(`expected the fixture's config to be taken, got: ${failure.property}: ${failure.reason}`);
  return inputs;
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

async function cancelled(connection: Connection): Promise<void> {
  const started = performance.now();
  try {
    await connection.cancel();
  } catch (error) {
    // A provider may end instead of answering.
    if (!(error instanceof CallError && ["UNAVAILABLE", "CANCELLED", "UNIMPLEMENTED"].includes(error.code)))
      throw error;
  }
  expect(performance.now() - started < CANCEL_MS, `expected Cancel to be answered within ${CANCEL_MS / 1000} s`);
}

export async function refused(call: Promise<unknown>): Promise<CallError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
}

async function alive(connection: Connection, errors: readonly string[]): Promise<void> {
  await connection.pluginVersion().catch(() => {
    throw new Broken(`expected the process to live on, and it doesn't answer: ${errors.slice(-3).join(" ")}`);
  });
}

/** The first key under which two differ. */
export function difference(one: Values, other: Values): string {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter(key => !same(one.get(key), other.get(key))).join(", ");
}
