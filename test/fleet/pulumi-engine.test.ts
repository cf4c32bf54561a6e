import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { isJournalKept as isJournalKeptBy, workerEnvironment } from "../../commands/fleet/engine-environment.js";
import { type FleetCommand, parseFleet } from "../../commands/fleet/file.js";
import { planFleet } from "../../commands/fleet/plan.js";
import { PulumiEngine, type PulumiEngineOptions } from "../../commands/fleet/pulumi-engine.js";
import { type Environment, settingsFrom } from "../../provider/config.js";
import { systemClock } from "../../provider/core/clock.js";

const hooks = {
  note: () => undefined,
  started: () => undefined,
  killed: () => undefined,
  heldMs: () => 60_000,
  stop: new AbortController().signal,
  kill: new AbortController().signal,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "docsign-fleet-engine-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const log = () => join(folder, "log");
const lines = (): string[] => readFileSync(log(), "utf8").trim().split("\n");

/** A Pulumi that notes what it is asked for, and knows the stacks that it was asked to make. */
const played = (): string => `#!/bin/sh
echo "$@ gogc=$GOGC nursery=$DOCSIGN_FLEET_NURSERY checkpoints=\${PULUMI_SKIP_CHECKPOINTS:-all}" >>'${log()}'
case "$*" in
  *"--create"*) : >'${folder}/made' ;;
  *) [ -e '${folder}/made' ] || { echo "error: no stack named 'mx' found" >&2; exit 255; } ;;
esac
`;

function openEngine(options: Partial<PulumiEngineOptions> = {}): PulumiEngine {
  for (const name of ["log", "made"]) rmSync(join(folder, name), { force: true });
  writeFileSync(join(folder, "Pulumi.yaml"), "name: contracts\nruntime: yaml\n");
  writeFileSync(join(folder, "pulumi"), played(), { mode: 0o755 });
  return new PulumiEngine(optionsOf(options));
}

const optionsOf = ({ env, ...others }: Partial<PulumiEngineOptions> = {}): PulumiEngineOptions => ({
  env: { PATH: [folder, process.env["PATH"]].join(delimiter), ...env },
  secretsProvider: undefined,
  isJournalKept: () => true,
  clock: systemClock,
  host: "here",
  isAlive: () => false,
  ...others,
});

const run = (engine: PulumiEngine, command: FleetCommand, config: Record<string, string> = {}) =>
  engine.run({ command, stack: { name: "mx", config, env: {} }, program: folder, gone: [] }, hooks);

/** What the engine was asked for, two words of each command. */
const asked = (): string[] =>
  lines().map(line => line.split(" ").slice(0, 2).join(" ") + (line.includes("--create") ? " --create" : ""));

test("a stack is made and brought up by two commands of the engine, and later brought up by one", async () => {
  using engine = openEngine();
  for (const command of ["preview", "up", "up"] as const)
    expect(await run(engine, command)).toMatchObject({ status: "ok", reasons: [] });
  expect(asked()).toEqual(["stack select --create", "preview --json", "up --yes", "up --yes"]);
});

test("Pulumi is started once for a command on a stack that was there, and twice where it is made", async () => {
  using engine = openEngine();
  const starts: Record<string, number> = {};
  for (const command of ["up", "up", "preview", "refresh", "destroy"] as const) {
    rmSync(log(), { force: true });
    await run(engine, command);
    starts[command in starts ? `${command} again` : command] = lines().length;
  }
  expect(starts).toEqual({ up: 2, "up again": 1, preview: 1, refresh: 1, destroy: 1 });
});

test("an engine that is killed is told of, as it may have left its lock", async () => {
  using engine = openEngine();
  writeFileSync(join(folder, "pulumi"), `${played()}case $1 in up) kill -KILL $$ ;; esac\n`, { mode: 0o755 });
  const killed: string[] = [];
  const task = { command: "up" as const, stack: { name: "mx", config: {}, env: {} }, program: folder, gone: [] };
  const outcome = await engine.run(task, { ...hooks, killed: () => killed.push("mx") });
  expect([outcome.status, outcome.reasons, killed]).toEqual([
    "failed",
    ["the engine was killed (SIGKILL): the next run breaks its lock, once the lease of this one is over"],
    ["mx"],
  ]);
});

test("what is said in events is the outcome of a command", async () => {
  using engine = openEngine();
  const urn = "urn:pulumi:mx::contracts::docsign:index:Document::nda";
  const events = [
    { resourcePreEvent: { metadata: { op: "create", urn } } },
    { diagnosticEvent: { urn, severity: "error", message: "the service is away\n" } },
    { resOpFailedEvent: { metadata: { urn, type: "docsign:index:Document" } } },
    { summaryEvent: { resourceChanges: { create: 1 } } },
  ];
  const printed = events.map(event => JSON.stringify(event)).join("\n");
  writeFileSync(join(folder, "events"), `Words in between\n${printed}\n`);
  writeFileSync(join(folder, "pulumi"), `#!/bin/sh\ncase $1 in up) cat '${folder}/events'; exit 255; esac\n`);
  const notes: string[] = [];
  const task = { command: "up" as const, stack: { name: "mx", config: {}, env: {} }, program: folder, gone: [] };
  const outcome = await engine.run(task, { ...hooks, note: text => notes.push(text) });
  expect(outcome).toMatchObject({ status: "failed", changes: { create: 1 } });
  expect(outcome.reasons).toEqual([expect.stringContaining("the service is away")]);
  expect(notes).toEqual(["create nda"]);
});

test.each([
  ["with a summary that can be read", '{"summaryEvent":{"resourceChanges":{"same":3}}}', 0],
  ["whose events can't be read", '{"summary":3}', undefined],
])("a preview %s: printed %s, mails %s", async (_, line, mails) => {
  using engine = openEngine();
  writeFileSync(join(folder, "pulumi"), `${played()}case $1 in preview) echo '${line}' ;; esac\n`, { mode: 0o755 });
  expect(await run(engine, "preview")).toMatchObject({ status: "ok", mails });
});

test("a stack that is interrupted while it is made isn't brought up", async () => {
  using engine = openEngine();
  const stop = new AbortController();
  const task = { command: "up" as const, stack: { name: "mx", config: {}, env: {} }, program: folder, gone: [] };
  const seen = join(folder, "seen");
  writeFileSync(join(folder, "pulumi"), `${played()}until [ -e '${seen}' ]; do :; done\n`, { mode: 0o755 });
  const started = () => {
    stop.abort();
    writeFileSync(seen, "");
  };
  await expect(engine.run(task, { ...hooks, started, stop: stop.signal })).rejects.toThrow("interrupted before its up");
  rmSync(seen);
  expect(asked()).toEqual(["stack select --create"]);
});

test("a state is imported from a file that only its owner reads, and that is gone afterwards", async () => {
  using engine = openEngine();
  writeFileSync(
    join(folder, "pulumi"),
    `${played()}[ "$2" != import ] || { stat -c %a "$4"; echo "$4"; cat "$4"; } >'${folder}/imported'\n`,
  );
  const state = { version: 3, deployment: { resources: [] } };
  await engine.importState({ name: "mx", config: {}, env: {} }, folder, state);
  const [mode, path = "", text = ""] = readFileSync(join(folder, "imported"), "utf8").split("\n");
  expect([mode, JSON.parse(text), existsSync(path)]).toEqual(["600", state, false]);
  expect(asked()).toEqual(["stack select --create", "stack import"]);
});

const mx = { name: "mx", config: {}, env: {} };
/** A Pulumi that prints a state, and ends with this code. */
const exporting = (name: string, code: number): string =>
  `#!/bin/sh\ncat <<'END'\n${JSON.stringify({ version: 3, deployment: { resources: [{ urn: "a", type: "b", inputs: { name } }] } })}\nEND\nexit ${code}\n`;

test('a state that says "no stack named" is exported', async () => {
  using engine = openEngine();
  writeFileSync(join(folder, "pulumi"), exporting("There is no stack named so", 0));
  expect(await engine.exportState(mx, folder)).toMatchObject({
    deployment: { resources: [{ inputs: { name: "There is no stack named so" } }] },
  });
});

test("of a state whose export ends early nothing is shown", async () => {
  using engine = openEngine();
  writeFileSync(join(folder, "pulumi"), exporting("error: s3cret", 255));
  await expect(engine.exportState(mx, folder)).rejects.toThrow(/^the engine failed without a word$/);
});

test("an event of another form, or something else in JSON, ends no run", async () => {
  using engine = openEngine();
  const lines = [{ resourcePreEvent: {} }, { diagnosticEvent: { severity: "info" } }, null, [1], "{"];
  const last = { summaryEvent: { resourceChanges: { same: 2 } } };
  writeFileSync(join(folder, "events"), [...lines, last].map(line => `${JSON.stringify(line)}\n`).join(""));
  writeFileSync(join(folder, "pulumi"), `#!/bin/sh\ncase $1 in up) cat '${folder}/events' ;; esac\n`);
  expect(await run(engine, "up")).toMatchObject({ status: "ok", changes: { same: 2 } });
});

test("a stack whose settings are there isn't selected, and made where the engine knows none", async () => {
  const settings = join(folder, "Pulumi.mx.yaml");
  using engine = openEngine();
  using again = new PulumiEngine(optionsOf());
  writeFileSync(settings, "config: {}\n");
  try {
    expect(await run(engine, "up")).toMatchObject({ status: "ok", reasons: [] });
    expect(await run(again, "preview")).toMatchObject({ status: "ok", reasons: [] });
  } finally {
    rmSync(settings);
  }
  expect(asked()).toEqual(["up --yes", "stack select --create", "up --yes", "preview --json"]);
});

test("engines and plugins collect less garbage, unless the user says how much", async () => {
  for (const [env, expected] of [
    [{}, "gogc=400 nursery=8 "],
    [{ GOGC: "50", DOCSIGN_FLEET_NURSERY: "2" }, "gogc=50 nursery=2 "],
  ] as const) {
    using engine = openEngine({ env });
    await run(engine, "up");
    expect(lines().filter(line => !line.includes(expected))).toEqual([]);
  }
});

test("configuration goes along with the command, whatever stands in it", async () => {
  using engine = openEngine();
  expect(await run(engine, "up", { "leases:table": "a b=c.csv" })).toMatchObject({ status: "ok", reasons: [] });
  expect(asked()).toEqual(["stack select --create", "up --yes"]);
  expect(lines()[1]).toContain(" --config leases:table=a b=c.csv ");
});

test("a stack that was taken away since is made again", async () => {
  using engine = openEngine();
  await run(engine, "up");
  rmSync(join(folder, "made"));
  expect(await run(engine, "up")).toMatchObject({ status: "ok", reasons: [] });
  expect(asked()).toEqual(["stack select --create", "up --yes", "up --yes", "stack select --create", "up --yes"]);
});

test("a refresh makes no stack", async () => {
  using engine = openEngine();
  expect(await run(engine, "refresh")).toMatchObject({ status: "failed", reasons: ["no stack named 'mx' found"] });
  await run(engine, "up");
  expect(await run(engine, "refresh")).toMatchObject({ status: "ok", reasons: [] });
  expect(asked()).toEqual(["refresh --yes", "stack select --create", "up --yes", "refresh --yes"]);
});

const ours = "runtime: yaml\nresources:\n  nda: { type: docsign:Document }\n";

describe("the engine writes its state once, at the end", () => {
  const checkpoints = async (program: string, options?: Partial<PulumiEngineOptions>, command: FleetCommand = "up") => {
    using engine = openEngine(options);
    writeFileSync(join(folder, "Pulumi.yaml"), `name: contracts\n${program}`);
    await run(engine, "up");
    rmSync(log());
    await run(engine, command);
    return lines().map(line => line.split("checkpoints=")[1]);
  };

  it.each([
    ["a program whose resources are all ours", ours],
    ["one with a provider of ours", `${ours}  sandbox: { type: "pulumi:providers:docsign" }\n`],
    ["the other way to say that it is YAML", ours.replace("yaml", "{ name: yaml }")],
  ])("in %s", async (_, program) => expect(await checkpoints(program)).toEqual(["true"]));

  it.each([
    ["the program has another provider's resource", `${ours}  pet: { type: "random:RandomPet" }\n`],
    ["a package's name begins like ours", ours.replace("docsign:", "docsign-two:")],
    ["the program is in another language", ours.replace("yaml", "nodejs")],
    ["it is compiled from another", ours.replace("yaml", "{ name: yaml, options: { compiler: cue } }")],
    ["its YAML is in another folder", `${ours}main: program\n`],
    ["it says where its journal is", `${ours}config: { "docsign:journal": local }\n`],
    ["its stacks' settings are in another folder", `${ours}stackConfigDir: settings\n`],
    ["they are, by its former name", `${ours}config: settings\n`],
    ["it has no resources", "runtime: yaml\n"],
    ["it isn't YAML", "runtime: [\n"],
  ])("not where %s", async (_, program) => expect(await checkpoints(program)).toEqual(["all"]));

  it("not where nobody finds the journal, and not in another command", async () => {
    expect(await checkpoints(ours, { isJournalKept: () => false })).toEqual(["all"]);
    expect(await checkpoints(ours, {}, "destroy")).toEqual(["all"]);
    expect(await checkpoints(ours, {}, "preview")).toEqual(["all"]);
  });

  it("what the user says holds", async () => {
    expect(await checkpoints(ours, { env: { PULUMI_SKIP_CHECKPOINTS: "false" } })).toEqual(["false"]);
    const theirs = ours.replace("yaml", "nodejs");
    expect(await checkpoints(theirs, { env: { PULUMI_SKIP_CHECKPOINTS: "true" } })).toEqual(["true"]);
  });
});

test("the environment of a stack says where its journal is", async () => {
  const shared = { DOCSIGN_JOURNAL: "postgres://db.example.com/fleet" };
  const asked: unknown[] = [];
  const isJournalKept = (env: Environment) => {
    asked.push(env["DOCSIGN_JOURNAL"]);
    return isJournalKeptBy(env, { isAlone: false });
  };
  using engine = openEngine({ env: shared, isJournalKept });
  writeFileSync(join(folder, "Pulumi.yaml"), `name: contracts\n${ours}`);
  for (const env of [{}, { DOCSIGN_JOURNAL: "local" }] as Record<string, string>[])
    await engine.run({ command: "up", stack: { name: "mx", config: {}, env }, program: folder, gone: [] }, hooks);
  expect(asked).toEqual([shared.DOCSIGN_JOURNAL, "local"]);
  expect(lines().map(line => line.split("checkpoints=")[1])).toEqual(["all", "true", "all"]);
});

const here = () => `file://${folder}/states`;
/** Of Linux: never the disk of a folder for files. */
const OTHER_DISK = "/proc";

test.each<[string, Record<string, string>, boolean, boolean]>([
  ["workers that share a journal", { DOCSIGN_JOURNAL: "postgres://db.example.com/fleet" }, false, true],
  ["workers whose journal is beside the state", { PULUMI_BACKEND_URL: "s3://states" }, false, true],
  ["workers with a journal each", { DOCSIGN_JOURNAL: "local", PULUMI_BACKEND_URL: "s3://states" }, false, false],
  ["one machine with state and journal", { PULUMI_BACKEND_URL: "here" }, true, true],
  ["one machine whose state is elsewhere", { PULUMI_BACKEND_URL: "https://api.example.com" }, true, false],
  ["one machine whose state is on a disk of its own", { PULUMI_BACKEND_URL: `file://${OTHER_DISK}` }, true, false],
  ["one machine whose state is where the engine knows", { PULUMI_BACKEND_URL: "file://~" }, true, false],
  ["one machine that is thrown away", { PULUMI_BACKEND_URL: "here", CI: "true" }, true, false],
])("whether the journal is kept for the next run: %s", (_, { PULUMI_BACKEND_URL: backend, ...env }, isAlone, kept) => {
  const url = backend === "here" ? here() : backend;
  const state = { DOCSIGN_STATE_DIR: join(folder, "not", "yet", "there") };
  expect(isJournalKeptBy({ ...state, ...env, ...(url && { PULUMI_BACKEND_URL: url }) }, { isAlone })).toBe(kept);
});

describe("requests at once", () => {
  const settingsIn = (more: string, env: Environment = {}, config: Readonly<Record<string, number>> = {}) => {
    const text = `name: leases\nstacks: { list: [{ name: mx }] }\n${more}`;
    const plan = planFleet(parseFleet(text, "fleet.yaml"), text, "/nowhere");
    const own = workerEnvironment(env, { plan, isAlone: true, databaseUrl: "postgres://here/fleet" });
    const { firstConcurrency, maxConcurrency } = settingsFrom(config, own);
    return [firstConcurrency, maxConcurrency, Number(own["PULUMI_PARALLEL"]) >= 32 ? "many" : own["PULUMI_PARALLEL"]];
  };

  it("are eight to begin with, and up to 32 or what the account may have", () => {
    expect(settingsIn("")).toEqual([8, 32, "many"]);
    expect(settingsIn("limits: { requestsInFlight: 12 }")).toEqual([8, 12, "many"]);
    expect(settingsFrom({}, {})).toMatchObject({ firstConcurrency: 8, maxConcurrency: 8 });
  });

  it("are as many as a user says", () => {
    expect(settingsIn("", { PULUMI_PARALLEL: "4" }, { maxConcurrency: 20 })).toEqual([20, 20, "4"]);
  });
});
