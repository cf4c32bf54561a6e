import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { noFixture, readFixture } from "../../conformance/fixture.js";
import { LAWS } from "../../conformance/laws/index.js";
import { badge, junit, lawsPage, terminal } from "../../conformance/report.js";
import { type Report, type RunOptions, run } from "../../conformance/run.js";
import { daily } from "../support/sample.js";
import { scratchFolder } from "../support/scratch.js";
import { expectKept } from "./verdicts.js";

const cli = fileURLToPath(new URL("../../dist/conformance/cli.cjs", import.meta.url));
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Each fault that the reference provider can have, and the law that names it. */
const FAULTS: readonly (readonly [fault: string, law: string])[] = [
  ["missing type", "schema-refs-resolve"],
  ["unused type", "schema-types-are-used"],
  ["undeclared requirement", "schema-required-exists"],
  ["undescribed", "schema-describes"],
  ["another version", "schema-version-is-the-plugins"],
  ["changing schema", "schema-answers-twice-the-same"],
  ["noise on stdout", "stdout-holds-the-port-alone"],
  ["flags apart", "handshake-agrees-with-configure"],
  ["configuration grows", "check-config-is-idempotent"],
  ["provider replaced", "diff-config-of-the-same-is-none"],
  ["any token", "unknown-token-is-refused"],
  ["small messages", "large-messages-are-answered"],
  ["runs on", "ends-with-its-engine"],
  ["secret in an error", "secrets-stay-out-of-errors"],
  ["cancel hangs", "cancel-is-answered-at-any-time"],
  ["flags change", "configured-again-answers-the-same"],
  ["first configuration stays", "the-last-configuration-holds"],
  ["unknown field refused at the start", "unknown-fields-are-ignored"],
  ["unknown field refused", "newer-messages-are-answered"],
  ["newer call misunderstood", "newer-calls-are-refused"],
  ["check grows", "check-is-idempotent"],
  ["numbers rounded", "check-keeps-numbers"],
  ["odd asset fails", "check-takes-every-kind-of-asset"],
  ["odd archive fails", "check-takes-every-kind-of-archive"],
  ["address not read", "an-asset-is-created-from-anywhere"],
  ["asset by its path", "diff-compares-assets-by-content"],
  ["asset not compared", "diff-compares-assets-by-content"],
  ["small messages", "a-large-asset-is-answered"],
  ["unknown refused", "check-keeps-unknowns"],
  ["secret input lost", "check-keeps-secrets"],
  ["missing input taken", "check-names-what-is-missing"],
  ["failure elsewhere", "check-failures-name-their-property"],
  ["wrong value taken", "check-refuses-what-is-wrong"],
  ["odd value ends it", "check-takes-any-value"],
  ["default forgotten", "defaults-are-what-the-schema-says"],
  ["preview creates", "preview-creates-nothing"],
  ["preview lies", "preview-tells-the-truth"],
  ["no id", "create-answers-an-id"],
  ["missing output", "outputs-are-declared"],
  ["undeclared output", "outputs-are-declared"],
  ["secret output lost", "secret-outputs-are-secret"],
  ["always changed", "diff-of-the-same-is-none"],
  ["read forgets", "diff-after-refresh-is-none"],
  ["update replaces", "diff-sees-an-update"],
  ["replacement forgotten", "diff-sees-a-replacement"],
  ["input not compared", "diff-compares-every-input"],
  ["detail elsewhere", "diff-details-name-real-paths"],
  ["replacement forgotten", "diff-agrees-with-the-schema"],
  ["update unsaid", "update-is-made"],
  ["preview updates", "preview-updates-nothing"],
  ["read forgets", "read-answers-what-was-created"],
  ["import without inputs", "import-shows-no-difference"],
  ["import in plain text", "import-keeps-secrets"],
  ["missing found", "read-of-nothing-is-answered"],
  ["missing half found", "read-of-nothing-is-answered"],
  ["delete once", "delete-twice-succeeds"],
  ["delete keeps", "read-after-delete-finds-nothing"],
  ["one id for all", "many-creates-at-once-dont-mix"],
  ["remembered in memory", "a-life-takes-a-process-for-each-call"],
  ["id of the title", "a-forced-replacement-loses-nothing"],
  ["cancel ignored", "cancel-ends-calls"],
  ["list forgets", "list-finds-what-exists"],
  ["pages overlap", "list-comes-in-pages"],
  ["unknown query listed", "list-takes-unknowns"],
  ["view elsewhere", "views-belong-to-their-call"],
  ["half lost", "a-partial-create-can-be-mended"],
  ["id lost on failure", "a-failed-create-leaves-nothing-unsaid"],
  ["argument not missed", "a-function-names-what-is-missing"],
  ["function writes", "a-function-changes-nothing"],
];

async function tried(
  fault: string,
  options: Partial<RunOptions> = {},
  fixture = readFixture(here("reference/fixture.json")),
): Promise<Report> {
  const store = join(scratchFolder("conformance-"), "notes.json");
  const command = (words: readonly string[]) => ["env", `STORE=${store}`, ...words];
  return run({
    target: { command: [process.execPath, here("reference/provider.mjs")] },
    fixture: {
      ...fixture,
      environment: { STORE: store, FAULT: fault },
      reset: command(fixture.reset ?? []),
      observe: command(fixture.observe ?? []),
      ...(fixture.stall && { stall: command(fixture.stall) }),
      ...(fixture.resume && { resume: command(fixture.resume) }),
    },
    seed: "test",
    ...options,
  });
}

describe("the laws of providers", () => {
  it("hold for a provider that keeps them", async () => {
    // What ends at all ends within it, on a machine as slow as it likes.
    const { results } = await tried("", { soonMs: 300_000 });
    expectKept(results, []);
  });

  it.each(daily(FAULTS, 8, ([fault, law]) => `${fault}\u0000${law}`))(
    "find the fault '%s' by %s",
    async (fault, law) => {
      const { results } = await tried(fault, { laws: [law], engines: ["newest"], soonMs: 1_000 });
      expect(results.map(({ outcome }) => outcome)).toContain("failed");
      const failed = results.find(({ outcome }) => outcome === "failed");
      expect(failed?.message).toMatch(/expected|answered/);
      expect(law.startsWith("schema-") || (failed?.steps?.length ?? 0) > 0).toBe(true);
    },
  );

  it.each([
    [
      "forgets",
      { forgets: true },
      "read-after-delete-finds-nothing",
      "expected the service to be as it was, and it changed",
    ],
    [
      "can't be imported",
      { importId: null },
      "import-shows-no-difference",
      "expected an import to be refused, got inputs",
    ],
  ])("don't believe a fixture that says it %s", async (_, says, law, message) => {
    const fixture = readFixture(here("reference/fixture.json"));
    const [[token, resource] = ["", undefined]] = Object.entries(fixture.resources);
    if (!resource) throw new TypeError("expected a resource in the fixture");
    const resources = { [token]: { ...resource, ...says } };
    const { results } = await tried("", { laws: [law], engines: ["newest"] }, { ...fixture, resources });
    expect(results.map(result => [result.outcome, result.message])).toEqual([["failed", message]]);
  });

  it("are each broken by a fault of the tests, or listed here with a reason", () => {
    const without = new Map([
      ["schema-tokens-have-three-parts", "a wrong token can't be tried by its resource"],
      ["configure-without-check-config", "no provider of the tests depends on the order"],
      ["check-config-takes-unknowns", "as check-keeps-unknowns"],
      ["empty-messages-are-answered", "the runtime of the tests' provider catches all errors"],
      ["garbage-is-answered", "gRPC's library answers by itself"],
      ["calls-at-once-are-answered", "the tests' provider has no shared state"],
      ["two-processes-agree", "the tests' provider has no shared state"],
      ["check-ignores-the-order-of-fields", "protobuf's maps have no order"],
      ["preview-names-every-output", "as outputs-are-declared"],
      ["preview-takes-unknowns", "as check-keeps-unknowns"],
      ["diff-takes-unknowns", "as check-keeps-unknowns"],
      ["diff-changes-nothing", "as preview-creates-nothing"],
      ["import-ids-are-checked", "the tests' provider looks ids up in a table"],
      ["checks-at-once-dont-mix", "the tests' provider has no shared state"],
      ["a-function-answers-what-it-declares", "as outputs-are-declared"],
      ["a-function-takes-any-argument", "the runtime of the tests' provider catches all errors"],
    ]);
    const broken = new Set(FAULTS.map(([, law]) => law));
    expect(LAWS.map(({ name }) => name).filter(name => !broken.has(name) && !without.has(name))).toEqual([]);
    expect([...without.keys()].filter(name => broken.has(name) || !LAWS.some(law => law.name === name))).toEqual([]);
  });

  it("that need a configured provider aren't tried where it wants a configuration that nobody gave", async () => {
    const laws = ["schema-describes", "check-config-is-idempotent", "cancel-is-answered-at-any-time"];
    const { results } = await tried("wants a key", { laws, engines: ["newest"] }, noFixture());
    const why = expect.stringMatching(/^the provider wants a `config`, and the fixture has none: .*expected a key/);
    expect(results.map(({ law, outcome, message }) => [law, outcome, message]).sort()).toEqual([
      ["cancel-is-answered-at-any-time", "skipped", why],
      ["check-config-is-idempotent", "skipped", why],
      ["schema-describes", "passed", undefined],
    ]);
  });

  it("are on the page of laws", () => {
    expect(lawsPage()).toBe(readFileSync(here("../../conformance/LAWS.md"), "utf8"));
  });
});

it("a fixture to begin with holds what the schema requires", async () => {
  const store = join(scratchFolder("conformance-"), "notes.json");
  const env = { ...process.env, STORE: store };
  const args = [cli, "--draft", "--", process.execPath, here("reference/provider.mjs")];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toEqual({
    config: {},
    resources: { "notes:index:Note": { inputs: { title: "text-{{unique}}", text: { $secret: "text-{{unique}}" } } } },
    functions: { "notes:index:getNote": { id: "text-{{unique}}" } },
  });
});

it("a provider that doesn't start ends the command with what it wrote", async () => {
  const script = 'console.error("no such module"); process.exit(1)';
  const ended = promisify(execFile)(process.execPath, [cli, "--", process.execPath, "-e", script]);
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/ended before it named a port: no such module/),
  });
});

describe("reports", () => {
  it("name the law, what was expected, and what goes wrong in the engine", async () => {
    const report = await tried("no id", { laws: ["create-answers-an-id"], engines: ["newest"] });
    expect(terminal(report)).toBe(
      [
        "notes 1.0.0, seed test",
        "",
        "failed:",
        "  create-answers-an-id (must) notes:index:Note, newest engine",
        "    expected an id, got an empty one",
        "    The engine takes an empty id for a resource that doesn't exist, and forgets it.",
        "",
        "0 of 1 must",
        "",
      ].join("\n"),
    );
    expect(badge(report)).toBe("0 of 1 must");
    expect(junit(report)).toContain('<failure message="expected an id, got an empty one"/>');
  });

  it("name once why laws weren't tried, with all of them", async () => {
    const { stall: _, ...fixture } = readFixture(here("reference/fixture.json"));
    const laws = ["cancel-ends-calls", "create-answers-an-id"];
    expect(terminal(await tried("", { laws, engines: ["newest"] }, fixture))).toBe(
      [
        "notes 1.0.0, seed test",
        "",
        "not tried:",
        "  the fixture has no `stall` and `resume`; notes:index:Note",
        "    cancel-ends-calls",
        "",
        "1 of 1 must",
        "",
      ].join("\n"),
    );
  });

  const replayed = async (law: string, fault: string): Promise<string> => {
    const folder = scratchFolder("conformance-");
    const provider = ["--", process.execPath, here("reference/provider.mjs")];
    const env = { ...process.env, STORE: join(folder, "notes.json"), FAULT: fault };
    const file = join(folder, "report.json");
    const execute = promisify(execFile);
    const fixture = ["--fixture", here("reference/fixture.json")];
    const about = [...fixture, "--engine", "newest", "--law", law, "--patience", "1", "--json", file];
    const first = await execute(process.execPath, [cli, ...about, ...provider], { env }).catch(
      (error: unknown) => error as { code: number; stdout: string },
    );
    expect(first).toMatchObject({ code: 1 });
    const again = [cli, ...fixture, "--replay", file, ...provider];
    return (await execute(process.execPath, again, { env })).stdout;
  };

  it("replay the calls of a failure, with the ids of the new run", async () => {
    expect(existsSync(cli)).toBe(true);
    const printed = await replayed("diff-of-the-same-is-none", "always changed");
    expect(printed).toMatch(/^diff-of-the-same-is-none notes:index:Note newest\n> handshake /);
    expect(printed).toMatch(/\n> configure /);
    expect(printed).toMatch(/\n> create [^\n]*\n< create .*"id":"1"/);
    expect(printed).toMatch(/\n> diff .*"id":"1"/);
  });

  it("replay each call in the process that it was in", async () => {
    const printed = await replayed("a-life-takes-a-process-for-each-call", "remembered in memory");
    const calls = printed.split("\n").flatMap(line => /^> (\w+)/.exec(line)?.[1] ?? []);
    const opening = ["handshake", "configure"];
    expect(calls).toEqual([...opening, "check", ...opening, "create", ...opening, "read"]);
    expect(printed).toMatch(/\n< read .*"id":""/);
  });

  it("replay calls that overlapped, and what made the service hang", async () => {
    const printed = await replayed("cancel-ends-calls", "cancel ignored");
    const place = (text: string): number => printed.indexOf(`\n${text}`);
    expect(place("$ stall")).toBeGreaterThan(0);
    expect(printed.slice(place("$ stall"), place("< cancel"))).not.toContain("\n< create");
    expect(place("$ resume")).toBeGreaterThan(place("< cancel"));
  });
});
