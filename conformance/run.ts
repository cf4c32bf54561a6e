/** Tries each law on a provider, and says what came of it. */
import { randomBytes } from "node:crypto";
import { CallError, Connection, ENGINES, type EngineProfile, type RecordedCall } from "./connection.js";
import { configOf, type Fixture, filled, inputsOf, type ResourceFixture, UsageError } from "./fixture.js";
import {
  Broken,
  type Existing,
  expect,
  type FunctionTrial,
  type Law,
  LEVELS,
  type Level,
  type ResourceTrial,
  Skipped,
  type Trial,
} from "./law.js";
import { LAWS } from "./laws/index.js";
import { get, type PackageSpec, type ResourceSpec } from "./schema.js";
import { type FakeEngine, fakeEngine, runCommand, type Started, start, startService, type Target } from "./start.js";
import { asInState, bareValues, fromJson, type Values } from "./values.js";

export interface Result {
  readonly law: string;
  readonly level: Level;
  /** The token that it was tried on, for laws of resources and functions. */
  readonly subject: string | undefined;
  readonly engine: EngineProfile["name"];
  readonly outcome: "passed" | "failed" | "skipped" | "waived";
  /** Why it failed, was skipped or waived. */
  readonly message?: string;
  readonly milliseconds: number;
  /** Of a failure: the calls as they went. */
  readonly calls?: readonly RecordedCall[];
}

export interface Report {
  readonly provider: string;
  readonly version: string | undefined;
  readonly seed: string;
  readonly results: readonly Result[];
}

export interface RunOptions {
  readonly target: Target;
  readonly fixture: Fixture;
  /** Names in the run are made of it, so that a run can be repeated. */
  readonly seed?: string;
  readonly laws?: readonly string[];
  /** By name; all of them where none is named. */
  readonly engines?: readonly string[];
  readonly onResult?: (result: Result) => void;
}

export async function run(options: RunOptions): Promise<Report> {
  const { laws = [] } = options;
  const unheard = laws.filter(name => !LAWS.some(law => law.name === name));
  if (unheard.length > 0)
    throw new UsageError(`expected a law's name, got ${unheard.join(", ")}: \`--list\` prints them`);
  const seed = options.seed ?? randomBytes(4).toString("hex");
  const service = await startService(options.fixture);
  const runner = new Runner(options, seed, service.variables);
  try {
    return await runner.run(LAWS.filter(({ name }) => laws.length === 0 || laws.includes(name)));
  } finally {
    await runner.close();
    await service.stop();
  }
}

/** The schema of a provider that nothing else is asked of. */
export async function schemaFrom(target: Target): Promise<PackageSpec> {
  const host = await fakeEngine();
  const process_ = await start(target, host, process.env);
  const [engine] = ENGINES;
  if (!engine) throw new TypeError("expected an engine's rules");
  const connection = new Connection(process_.port, engine);
  try {
    await connection.handshake(host.address);
    return await schemaOf(connection);
  } catch (error) {
    return unusable(error);
  } finally {
    await end({ process: process_, host, connections: [connection] });
  }
}

interface Launched {
  readonly process: Started;
  readonly host: FakeEngine;
  readonly connections: Connection[];
}

class Runner {
  readonly #results: Result[] = [];
  readonly #config: Values;
  /** One process and connection for each engine's rules, shared by the laws that need none of their own. */
  readonly #shared = new Map<EngineProfile, { readonly launched: Launched; readonly connection: Connection }>();
  /** Of the law that is being tried. */
  #launched: Launched[] = [];
  #calls: Connection[] = [];
  #count = 0;
  #spec: PackageSpec = { name: "" };

  constructor(
    private readonly options: RunOptions,
    private readonly seed: string,
    private readonly variables: Readonly<Record<string, string>>,
  ) {
    this.#config = configOf(options.fixture, variables);
  }

  async run(laws: readonly Law[]): Promise<Report> {
    const [newest] = ENGINES;
    if (!newest) throw new TypeError("expected an engine's rules");
    const connection = await this.#connect(newest).catch(unusable);
    this.#spec = await schemaOf(connection);
    const { fixture } = this.options;
    const { resources = {}, functions = {} } = this.#spec;
    for (const token of [...Object.keys(fixture.resources), ...Object.keys(fixture.functions)])
      if (this.#spec !== NO_SCHEMA && get(resources, token) === undefined && get(functions, token) === undefined)
        throw new UsageError(`expected a token of the schema in the fixture, got ${token}`);
    const { engines: wanted = [] } = this.options;
    const played = wanted.length > 0 ? wanted : (fixture.engines ?? ENGINES.map(({ name }) => name));
    for (const engine of ENGINES.filter(({ name }) => played.includes(name)))
      for (const law of laws) {
        if (law.of === "provider") await this.#try(law, engine, undefined, () => law.run(this.#trial(engine)));
        else if (law.of === "resource")
          for (const [token, resource] of Object.entries(fixture.resources)) {
            const spec = get(resources, token) ?? {};
            await this.#try(law, engine, token, () => law.run(this.#resourceTrial(engine, token, spec, resource)));
          }
        else
          for (const [token, args] of Object.entries(fixture.functions))
            await this.#try(law, engine, token, () => law.run(this.#functionTrial(engine, token, args)));
      }
    const { name, version } = this.#spec;
    return { provider: name, version, seed: this.seed, results: this.#results };
  }

  async close(): Promise<void> {
    for (const { launched } of this.#shared.values()) await end(launched);
  }

  async #try(
    law: Law,
    engine: EngineProfile,
    subject: string | undefined,
    attempt: () => Promise<void>,
  ): Promise<void> {
    const { fixture, onResult } = this.options;
    const { name, level } = law;
    const about = { law: name, level, subject, engine: engine.name };
    const waived = get(fixture.waive, name) ?? (subject && get(get(fixture.resources, subject)?.waive, name));
    const started = performance.now();
    const outcome = waived
      ? ({ outcome: "waived", message: waived } as const)
      : await this.#outcome(attempt, law.needsSchema === true).finally(() => this.#clear());
    const result: Result = { ...about, ...outcome, milliseconds: Math.round(performance.now() - started) };
    this.#results.push(result);
    onResult?.(result);
  }

  async #outcome(
    attempt: () => Promise<void>,
    needsSchema: boolean,
  ): Promise<Pick<Result, "outcome" | "message" | "calls">> {
    const { fixture } = this.options;
    if (fixture.reset) await runCommand(fixture, fixture.reset, this.variables);
    if (needsSchema && this.#spec === NO_SCHEMA) return { outcome: "skipped", message: "the provider has no schema" };
    const before = new Map([...this.#shared.values()].map(({ connection }) => [connection, connection.calls.length]));
    try {
      await attempt();
      return { outcome: "passed" };
    } catch (error) {
      if (error instanceof Skipped) return { outcome: "skipped", message: error.message };
      if (!(error instanceof Broken || error instanceof CallError)) throw error;
      const calls = this.#calls.flatMap(connection => connection.calls.slice(before.get(connection) ?? 0));
      return { outcome: "failed", message: error.message, calls };
    }
  }

  async #clear(): Promise<void> {
    for (const launched of this.#launched) await end(launched);
    this.#launched = [];
    this.#calls = [];
    // What a law has ended is started again for the next one.
    for (const [engine, { launched, connection }] of this.#shared)
      if (launched.process.child?.exitCode != null || launched.process.child?.signalCode != null) {
        connection.close();
        await launched.host.close();
        this.#shared.delete(engine);
      }
  }

  async #launch(): Promise<Launched> {
    const { target, fixture } = this.options;
    const host = await fakeEngine();
    const environment = { ...process.env, ...fixture.environment };
    return { process: await start(target, host, environment), host, connections: [] };
  }

  async #connect(engine: EngineProfile): Promise<Connection> {
    let shared = this.#shared.get(engine);
    if (!shared) {
      const launched = await this.#launch();
      const connection = new Connection(launched.process.port, engine);
      launched.connections.push(connection);
      shared = { launched, connection };
      this.#shared.set(engine, shared);
      await connection.begin(launched.host.address, this.#config);
    }
    if (!this.#calls.includes(shared.connection)) this.#calls.push(shared.connection);
    return shared.connection;
  }

  #trial(engine: EngineProfile): Trial {
    return {
      spec: this.#spec,
      engine,
      config: this.#config,
      connect: () => this.#connect(engine),
      launch: async () => {
        const launched = await this.#launch();
        this.#launched.push(launched);
        const connection = new Connection(launched.process.port, engine);
        launched.connections.push(connection);
        this.#calls.push(connection);
        return { process: launched.process, connection, host: launched.host };
      },
      observe: async () => {
        const { fixture } = this.options;
        if (!fixture.observe) throw new Skipped("the fixture has no `observe`");
        return runCommand(fixture, fixture.observe, this.variables);
      },
      urn: (token, name = "it") =>
        `urn:pulumi:conformance::laws::${token}::${name}-${engine.name}-${this.seed}-${this.#count++}`,
    };
  }

  #resourceTrial(
    engine: EngineProfile,
    token: string,
    resource: ResourceSpec,
    fixture: ResourceFixture,
  ): ResourceTrial {
    const trial = this.#trial(engine);
    const { variables } = this;
    let unique = `${this.seed}-${engine.name}-${this.#count++}`;
    const program: ResourceTrial["program"] = (patch = {}, fresh = false) => {
      if (fresh) unique = `${this.seed}-${engine.name}-${this.#count++}`;
      return inputsOf(this.options.fixture, fixture, { ...variables, unique }, patch);
    };
    const plain = (connection: Connection, values: Values): Values =>
      connection.flags.acceptSecrets ? values : bareValues(values);
    const shared = () => this.#shared.get(engine)?.connection;
    const sent = (values: Values): Values => (shared()?.flags.acceptSecrets === false ? bareValues(values) : values);
    return {
      ...trial,
      token,
      resource,
      fixture,
      program,
      sent,
      create: async (given): Promise<Existing> => {
        const connection = given ?? (await trial.connect());
        const urn = trial.urn(token);
        const { inputs, failures } = await connection.check(urn, plain(connection, program()));
        const [failure] = failures;
        expect(!failure, `expected the fixture's inputs to be taken, got: ${failure?.property}: ${failure?.reason}`);
        const { id, outputs } = await connection.create(urn, plain(connection, inputs));
        return { urn, id, inputs, outputs };
      },
      compare: async ({ urn, id, inputs: olds, outputs }, news, given) => {
        const connection = given ?? (await trial.connect());
        const before = plain(connection, asInState(olds) as Values);
        const { inputs, failures } = await connection.check(urn, plain(connection, news), before);
        const [failure] = failures;
        expect(!failure, `expected the inputs to be taken, got: ${failure?.property}: ${failure?.reason}`);
        const known = { id, outputs: plain(connection, asInState(outputs) as Values) };
        return connection.diff(urn, known, before, plain(connection, asInState(inputs) as Values));
      },
      importId: ({ id, inputs, outputs }) => {
        const known = [...bareValues(inputs), ...bareValues(outputs)].map(
          ([key, value]) => [key, String(value)] as const,
        );
        return String(filled(fixture.importId ?? "{{id}}", { ...Object.fromEntries(known), id }));
      },
    };
  }

  #functionTrial(engine: EngineProfile, token: string, args: Readonly<Record<string, unknown>>): FunctionTrial {
    return { ...this.#trial(engine), token, args: fromJson(args) as Values };
  }
}

async function end({ process, host, connections }: Launched): Promise<void> {
  for (const connection of connections) connection.close();
  await host.close();
  await process.kill("SIGKILL");
}

/** Of a provider that has none, such as Pulumi's own for dynamic resources. */
const NO_SCHEMA: PackageSpec = { name: "package" };

async function schemaOf(connection: Connection): Promise<PackageSpec> {
  try {
    return parsedSchema(await connection.schema());
  } catch (error) {
    if (error instanceof CallError && error.code === "UNIMPLEMENTED") return NO_SCHEMA;
    throw error;
  }
}

function unusable(error: unknown): never {
  if (error instanceof CallError)
    throw new UsageError(`the provider can't be configured as the fixture says: ${error.message}`);
  throw error;
}

function parsedSchema(text: string): PackageSpec {
  try {
    return JSON.parse(text) as PackageSpec;
  } catch (error) {
    throw new UsageError(`expected a schema in JSON from GetSchema, got: ${(error as Error).message}`);
  }
}

/** The worst level at which a law failed. */
export const worst = ({ results }: Report): Level | undefined =>
  LEVELS.find(level => results.some(result => result.outcome === "failed" && result.level === level));
