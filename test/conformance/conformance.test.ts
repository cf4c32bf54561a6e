import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { readFixture } from "../../conformance/fixture.js";
import { LAWS } from "../../conformance/laws/index.js";
import { badge, junit, lawsPage, terminal } from "../../conformance/report.js";
import { type Report, type RunOptions, run } from "../../conformance/run.js";
import { daily } from "../support/sample.js";
import { scratchFolder } from "../support/scratch.js";

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
  ["check grows", "check-is-idempotent"],
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
    },
    seed: "test",
    ...options,
  });
}

describe("the laws of providers", () => {
  it("hold for a provider that keeps them", async () => {
    const { results } = await tried("");
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    const passed = new Set(results.filter(({ outcome }) => outcome === "passed").map(({ law }) => law));
    // It takes no asset.
    expect(LAWS.map(({ name }) => name).filter(name => !passed.has(name))).toEqual(["check-takes-every-kind-of-asset"]);
  });

  it.each(daily(FAULTS, 8, ([fault, law]) => `${fault}\u0000${law}`))(
    "find the fault '%s' by %s",
    async (fault, law) => {
      const { results } = await tried(fault, { laws: [law], engines: ["newest"] });
      expect(results.map(({ outcome }) => outcome)).toContain("failed");
      const failed = results.find(({ outcome }) => outcome === "failed");
      expect(failed?.message).toMatch(/expected|answered/);
      expect(law.startsWith("schema-") || (failed?.calls?.length ?? 0) > 0).toBe(true);
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
      ["unknown-fields-are-ignored", "protobuf's library skips them by itself"],
      ["calls-at-once-are-answered", "the tests' provider has no shared state"],
      ["cancel-is-answered-at-any-time", "it would wait a minute for an answer"],
      ["two-processes-agree", "the tests' provider has no shared state"],
      ["check-takes-every-kind-of-asset", "the tests' provider takes no asset"],
      ["check-ignores-the-order-of-fields", "protobuf's maps have no order"],
      ["preview-names-every-output", "as outputs-are-declared"],
      ["preview-takes-unknowns", "as check-keeps-unknowns"],
      ["diff-takes-unknowns", "as check-keeps-unknowns"],
      ["diff-changes-nothing", "as preview-creates-nothing"],
      ["import-ids-are-checked", "the tests' provider looks ids up in a table"],
      ["a-restart-changes-nothing", "the tests' provider keeps everything in a file"],
      ["checks-at-once-dont-mix", "the tests' provider has no shared state"],
      ["a-function-answers-what-it-declares", "as outputs-are-declared"],
      ["a-function-takes-any-argument", "the runtime of the tests' provider catches all errors"],
    ]);
    const broken = new Set(FAULTS.map(([, law]) => law));
    expect(LAWS.map(({ name }) => name).filter(name => !broken.has(name) && !without.has(name))).toEqual([]);
    expect([...without.keys()].filter(name => broken.has(name) || !LAWS.some(law => law.name === name))).toEqual([]);
  });

  it("are on the page of laws", () => {
    expect(lawsPage()).toBe(readFileSync(here("../../conformance/LAWS.md"), "utf8"));
  });
});

it("a fixture to begin with holds what the schema requires", async () => {
  const store = join(scratchFolder("conformance-"), "notes.json");
  const env = { ...process.env, STORE: store };
  const cli = here("../../dist/conformance/cli.cjs");
  const args = [cli, "--draft", "--", process.execPath, here("reference/provider.mjs")];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toEqual({
    config: {},
    resources: { "notes:index:Note": { inputs: { title: "text-{{unique}}", text: { $secret: "text-{{unique}}" } } } },
    functions: { "notes:index:getNote": { id: "text-{{unique}}" } },
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

  it("replay the calls of a failure, with the ids of the new run", async () => {
    const folder = scratchFolder("conformance-");
    const cli = here("../../dist/conformance/cli.cjs");
    expect(existsSync(cli)).toBe(true);
    const provider = ["--", process.execPath, here("reference/provider.mjs")];
    const env = { ...process.env, STORE: join(folder, "notes.json"), FAULT: "always changed" };
    const file = join(folder, "report.json");
    const execute = promisify(execFile);
    const about = [
      "--fixture",
      here("reference/fixture.json"),
      "--engine",
      "newest",
      "--law",
      "diff-of-the-same-is-none",
    ];
    const first = await execute(process.execPath, [cli, ...about, "--json", file, ...provider], { env }).catch(
      (error: unknown) => error as { code: number; stdout: string },
    );
    expect(first).toMatchObject({ code: 1 });
    const { stdout } = await execute(process.execPath, [cli, "--replay", file, ...provider], { env });
    expect(stdout).toMatch(/^diff-of-the-same-is-none notes:index:Note newest\n> /);
    expect(stdout).toMatch(/\n> diff .*"id":"2"/);
  });
});
