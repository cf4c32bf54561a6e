/** Tries each law on a provider, and says what came of it. */
import { randomBytes } from "node:crypto";
import { CallError, Connection, ENGINES, type Engine, type Existing } from "./connection.js";
import { configOf, type Fixture, filled, inputsOf, type ResourceFixture, UsageError } from "./fixture.js";
import { accepted, Broken, type Law, LEVELS, type Level, type ResourceTrial, Skipped, type Trial } from "./law.js";
import { LAWS } from "./laws/index.js";
import { type RecordedStep, Recording } from "./recording.js";
import { get, type PackageSpec, type ResourceSpec } from "./schema.js";
import { type FakeEngine, runCommand, type Started, startService, startWithEngine, type Target } from "./start.js";
import { bareValues, fromJson, type Values } from "./values.js";

export interface Result {
  readonly law: string;
  readonly level: Level;
  /** The token that it was tried on, for laws of resources and functions. */
  readonly subject: string | undefined;
  readonly engine: Engine;
  readonly outcome: "passed" | "failed" | "skipped" | "waived";
  /** Why it failed, was skipped or waived. */
  readonly message?: string;
  readonly milliseconds: number;
  /** Of a failure: the calls as they went, and those that configured the process. */
  readonly steps?: readonly RecordedStep[];
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
  /** How long it waits for what has to come soon: the answer to Cancel, the end of a process. */
  readonly soonMs?: number;
  readonly onResult?: (result: Result) => void;
}

/** Long enough for a machine that is busy with other things; a provider that hangs hangs for longer. */
const SOON_MS = 20_000;

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
export async function schemaFrom(target: Target, environment = process.env): Promise<PackageSpec> {
  const { process: started, host } = await startWithEngine(target, environment);
  const connection = new Connection(started.port, ENGINES[0], new Recording(), 0);
  try {
    await connection.handshake(host.address);
    return await schemaOf(connection);
  } catch (error) {
    return unusable(error);
  } finally {
    await end({ process: started, host, connections: [connection] });
  }
}

interface Launched {
  readonly process: Started;
  readonly host: FakeEngine;
  readonly connections: Connection[];
}

/** A process that several laws use, and what was said to it at first. */
interface Shared {
  readonly launched: Launched;
  readonly connection: Connection;
  readonly opening: Recording;
}

class Runner {
  readonly #results: Result[] = [];
  readonly #config: Values;
  /** For each engine's rules, for the laws that need no process of their own. */
  readonly #shared = new Map<Engine, Shared>();
  /** Why it can't be configured, where the fixture has no `config`. */
  #unconfigured: string | undefined;
  /** Of the law that is being tried. */
  #launched: Launched[] = [];
  #recording = new Recording();
  #count = 0;
  #processes = 0;
  #spec: PackageSpec = { name: "" };

  constructor(
    private readonly options: RunOptions,
    private readonly seed: string,
    private readonly variables: Readonly<Record<string, string>>,
  ) {
    this.#config = configOf(options.fixture.config, variables);
  }

  async run(laws: readonly Law[]): Promise<Report> {
    const { fixture } = this.options;
    this.#spec = await this.#schema();
    await this.#clear();
    const { resources = {}, functions = {} } = this.#spec;
    for (const token of [...Object.keys(fixture.resources), ...Object.keys(fixture.functions)])
      if (this.#spec !== NO_SCHEMA && get(resources, token) === undefined && get(functions, token) === undefined)
        throw new UsageError(`expected a token of the schema in the fixture, got ${token}`);
    const { engines: wanted = [] } = this.options;
    const played = wanted.length > 0 ? wanted : (fixture.engines ?? ENGINES);
    for (const engine of ENGINES.filter(each => played.includes(each)))
      for (const law of laws) {
        if (law.of === "provider") await this.#try(law, engine, undefined, () => law.run(this.#trial(engine)));
        else if (law.of === "resource")
          for (const [token, resource] of Object.entries(fixture.resources)) {
            const spec = get(resources, token) ?? {};
            await this.#try(law, engine, token, async () =>
              law.run(this.#resourceTrial(engine, token, spec, resource), await this.#connect(engine)),
            );
          }
        else
          for (const [token, args] of Object.entries(fixture.functions))
            await this.#try(law, engine, token, async () =>
              law.run({ ...this.#trial(engine), token, args: fromJson(args) as Values }, await this.#connect(engine)),
            );
      }
    const { name, version } = this.#spec;
    return { provider: name, version, seed: this.seed, results: this.#results };
  }

  /** From the configured process where it can be configured. */
  async #schema(): Promise<PackageSpec> {
    try {
      return await schemaOf(await this.#connect(ENGINES[0]));
    } catch (error) {
      if (error instanceof Skipped) return schemaFrom(this.options.target, this.#environment());
      return unusable(error);
    }
  }

  async close(): Promise<void> {
    for (const { launched } of this.#shared.values()) await end(launched);
  }

  async #try(law: Law, engine: Engine, subject: string | undefined, attempt: () => Promise<void>): Promise<void> {
    const { fixture, onResult } = this.options;
    const { name, level } = law;
    const about = { law: name, level, subject, engine };
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
  ): Promise<Pick<Result, "outcome" | "message" | "steps">> {
    const { fixture } = this.options;
    if (fixture.reset) await runCommand(fixture, fixture.reset, this.variables);
    if (needsSchema && this.#spec === NO_SCHEMA) return { outcome: "skipped", message: "the provider has no schema" };
    try {
      await attempt();
      return { outcome: "passed" };
    } catch (error) {
      if (error instanceof Skipped) return { outcome: "skipped", message: error.message };
      if (!(error instanceof Broken || error instanceof CallError)) throw error;
      if (this.#unconfigured !== undefined && error instanceof CallError && error.method === "configure")
        return { outcome: "skipped", message: this.#unconfigured };
      const { steps } = this.#recording;
      const processes = new Set(steps.map(step => "process" in step && step.process));
      const opening = [...this.#shared.values()].filter(({ connection }) => processes.has(connection.process));
      return {
        outcome: "failed",
        message: error.message,
        steps: [...opening.flatMap(shared => shared.opening.steps), ...steps],
      };
    }
  }

  async #clear(): Promise<void> {
    for (const launched of this.#launched) await end(launched);
    this.#launched = [];
    this.#recording = new Recording();
    // What a law has ended is started again for the next one.
    for (const [engine, { launched, connection }] of this.#shared)
      if (launched.process.child?.exitCode != null || launched.process.child?.signalCode != null) {
        connection.close();
        await launched.host.close();
        this.#shared.delete(engine);
      }
  }

  #environment(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.options.fixture.environment };
  }

  async #launch(): Promise<Launched> {
    return { ...(await startWithEngine(this.options.target, this.#environment())), connections: [] };
  }

  #connection(launched: Launched, engine: Engine, recording: Recording): Connection {
    const connection = new Connection(launched.process.port, engine, recording, this.#processes++);
    launched.connections.push(connection);
    return connection;
  }

  async #connect(engine: Engine): Promise<Connection> {
    const { connection } = this.#shared.get(engine) ?? (await this.#open(engine));
    connection.recording = this.#recording;
    return connection;
  }

  async #open(engine: Engine): Promise<Shared> {
    if (this.#unconfigured !== undefined) throw new Skipped(this.#unconfigured);
    const launched = await this.#launch();
    const opening = new Recording();
    const shared = { launched, opening, connection: this.#connection(launched, engine, opening) };
    try {
      await shared.connection.begin(launched.host.address, this.#config);
    } catch (error) {
      await end(launched);
      if (this.#config.size > 0 || !(error instanceof CallError)) throw error;
      this.#unconfigured = `the provider wants a \`config\`, and the fixture has none: ${error.message}`;
      throw new Skipped(this.#unconfigured);
    }
    this.#shared.set(engine, shared);
    return shared;
  }

  #trial(engine: Engine): Trial {
    const { fixture, soonMs = SOON_MS } = this.options;
    return {
      spec: this.#spec,
      engine,
      config: this.#config,
      otherConfig: fixture.otherConfig && configOf({ ...fixture.config, ...fixture.otherConfig }, this.variables),
      soonMs,
      connect: () => this.#connect(engine),
      launch: async () => {
        const launched = await this.#launch();
        this.#launched.push(launched);
        const connection = this.#connection(launched, engine, this.#recording);
        return { process: launched.process, connection, host: launched.host };
      },
      stalls: fixture.stall !== undefined && fixture.resume !== undefined,
      command: async name => {
        const words = fixture[name];
        if (!words) throw new Skipped(`the fixture has no \`${name}\``);
        this.#recording.command(name);
        await runCommand(fixture, words, this.variables);
      },
      observes: fixture.observe !== undefined,
      observe: async () => {
        if (!fixture.observe) throw new Skipped("the fixture has no `observe`");
        return runCommand(fixture, fixture.observe, this.variables);
      },
      urn: (token, name = "it") =>
        `urn:pulumi:conformance::laws::${token}::${name}-${engine}-${this.seed}-${this.#count++}`,
    };
  }

  /** Of one length: no text is the beginning of another. */
  #unique(engine: Engine): string {
    return `${this.seed}-${engine}-${String(this.#count++).padStart(6, "0")}`;
  }

  #resourceTrial(engine: Engine, token: string, resource: ResourceSpec, fixture: ResourceFixture): ResourceTrial {
    const trial = this.#trial(engine);
    const { variables } = this;
    let unique = this.#unique(engine);
    const program: ResourceTrial["program"] = (patch = {}, fresh = false) => {
      if (fresh) unique = this.#unique(engine);
      return inputsOf(this.options.fixture, fixture, { ...variables, unique }, patch);
    };
    return {
      ...trial,
      token,
      resource,
      fixture,
      program,
      create: async (given, wanted = program()): Promise<Existing> => {
        const connection = given ?? (await trial.connect());
        const urn = trial.urn(token);
        const inputs = accepted(await connection.check(urn, wanted), "the fixture's inputs");
        return { urn, inputs, ...(await connection.create(urn, inputs)) };
      },
      compare: async (existing, news, given) => {
        const connection = given ?? (await trial.connect());
        return connection.diff(existing, accepted(await connection.check(existing.urn, news, existing.inputs)));
      },
      importId: ({ id, inputs, outputs }) => {
        const known = [...bareValues(inputs), ...bareValues(outputs)].map(
          ([key, value]) => [key, String(value)] as const,
        );
        return String(filled(fixture.importId ?? "{{id}}", { ...Object.fromEntries(known), id }));
      },
    };
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
