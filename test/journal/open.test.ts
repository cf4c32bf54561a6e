import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../provider/core/clock.js";
import { providerIn } from "../../provider/processes.js";
import {
  lossWithoutCheckpoints,
  openJournal,
  withoutCredentials,
} from "../../provider/resources/journal/open-journal.js";
import { scratchFolder } from "../support/scratch.js";
import { about, scopeOf } from "./conformance.js";

const nda = scopeOf("nda");
let folder = "";
beforeEach(() => {
  folder = scratchFolder("docsign-journal-");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (setting: string | undefined, env: Record<string, string> = {}) =>
  openJournal({ setting, folder, env, run: "r", clock: systemClock });
const isLocal = () => existsSync(join(folder, "log-1.jsonl"));

describe("the journal's place", () => {
  test.each([
    [undefined, {}],
    ["", {}],
    ["local", {}],
    [undefined, { PULUMI_BACKEND_URL: "file://~/state" }],
    [undefined, { PULUMI_BACKEND_URL: "https://api.pulumi.com" }],
    ["local", { PULUMI_BACKEND_URL: "postgres://127.0.0.1:1/db" }],
  ])("is this machine for %j and %j", async (setting, env) => {
    const journal = open(setting, env);
    expect(await journal.claim(nda, "5001", about())).toBe(true);
    expect([isLocal(), journal.warnings()]).toEqual([true, []]);
  });

  test.each([
    [
      undefined,
      { PULUMI_BACKEND_URL: "postgresql://me:secret@127.0.0.1:1/db?sslmode=disable" },
      "postgresql://127.0.0.1:1/db",
    ],
    ["postgres://me:secret@127.0.0.1:1/db?sslmode=disable", {}, "postgres://127.0.0.1:1/db"],
    ["mysql://me:secret@host/db", {}, "mysql://host/db"],
    ["somewhere", {}, "somewhere"],
  ])("is the one that %j and %j name, without credentials", async (setting, env, named) => {
    const journal = open(setting, env);
    await expect(journal.claim(nda, "5001", about())).rejects.toThrow(`the journal in ${named} can't be used (`);
    expect(isLocal()).toBe(false);
    expect(journal.warnings().join()).not.toContain("secret");
  });

  test("is this machine where DOCSIGN_JOURNAL is empty, and that is said", async () => {
    const journal = open(undefined, { DOCSIGN_JOURNAL: "" });
    await journal.claim(nda, "5001", about());
    expect(journal.warnings()).toEqual([expect.stringContaining("DOCSIGN_JOURNAL is set and empty")]);
  });

  test.each([
    [undefined, { CI: "true" }],
    [undefined, { CI: "1", PULUMI_BACKEND_URL: "https://api.pulumi.com" }],
  ])("is said under CI where nobody chose it: %j and %j", async (setting, env) => {
    const journal = open(setting, env);
    await journal.claim(nda, "5001", about());
    await journal.claim(nda, "5002", about());
    expect(journal.warnings()).toEqual([
      "under CI the journal is kept on this machine, and a machine that is thrown away after the run takes it along: what only the journal " +
        "knows, such as a create whose answer was lost, the next run can't know. Keep it where the next run finds it: " +
        "set `docsign:journal` or DOCSIGN_JOURNAL to postgres://… or s3://…. To keep it here: DOCSIGN_JOURNAL=local",
    ]);
    const next = open(setting, env);
    await next.claim(nda, "5003", about());
    expect(next.warnings()).toEqual([]);
  });

  test.each([
    ["local", { CI: "true" }],
    [undefined, { CI: "false" }],
    [undefined, { CI: "" }],
    [undefined, { CI: "true", DOCSIGN_STATE_DIR: "/var/lib/docsign" }],
  ])("is chosen, or isn't CI's, for %j and %j: not a word", async (setting, env) => {
    const journal = open(setting, env);
    await journal.claim(nda, "5001", about());
    expect(journal.warnings()).toEqual([]);
  });

  test("that isn't known is refused with those that are", async () => {
    await expect(open("redis://host").resource(nda)).rejects.toThrow('expected "local", "postgres://…" or "s3://…"');
  });
});

test.each([
  ["postgres://me:secret@db:5432/state?sslmode=disable", "postgres://db:5432/state"],
  ["postgres://me:p@ss/w?rd#@db/state/", "postgres://db/state"],
  ["POSTGRES://db/state//", "postgres://db/state"],
  ["s3://bucket/a@b?region=eu-west-1&profile=me", "s3://bucket/a@b"],
  ["s3://KEY:SECRET@bucket/state", "s3://bucket/state"],
  ["s3://KEY:SEC/RET@bucket/state", "s3://bucket/state"],
  ["gs://KEY@bucket/state", "gs://bucket/state"],
  ["file:///home/me@work/state/", "file:///home/me@work/state"],
  ["https://api.pulumi.com/", "https://api.pulumi.com"],
  ["somewhere", "somewhere"],
])("%s is written down as %s", (url, plain) => {
  expect(withoutCredentials(url)).toBe(plain);
});

test("a rotated password and a trailing slash forget nothing", async () => {
  const env = (url: string) => ({ PULUMI_BACKEND_URL: url });
  await open("local", env("postgres://me:old@db/state")).claim(nda, "5001", about());
  const { owned } = await open("local", env("postgres://you:new@db/state/?sslmode=require")).resource(nda);
  expect(owned.map(({ id }) => id)).toEqual(["5001"]);
});

test("DOCSIGN_FORGET names tokens, with commas or spaces between", async () => {
  const journal = open("local");
  for (const id of ["5001", "5002", "5003"]) await journal.claim(nda, id, about());
  const [first, second] = (await journal.resource(nda)).owned;
  const forgetting = open("local", { DOCSIGN_FORGET: ` ${first?.token}, ${second?.token},` });
  expect((await forgetting.resource(nda)).owned.map(({ id }) => id)).toEqual(["5003"]);
});

describe("PULUMI_SKIP_CHECKPOINTS", () => {
  const said = (env: Record<string, string>, isKept: boolean, others: readonly string[] = []) =>
    lossWithoutCheckpoints({ env, isKept, others: () => others });
  const set = { PULUMI_SKIP_CHECKPOINTS: "true" };

  test("is warned of where the next run may not find the journal", () => {
    expect(said(set, false)).toMatch(/^PULUMI_SKIP_CHECKPOINTS is set, and the journal may be gone with this machine/);
  });

  test("is warned of where the run has other providers, which are named", () => {
    expect(said(set, true, ["aws", "random"])).toMatch(/this run has other providers \(aws, random\)/);
  });

  test.each([
    ["the journal is kept and nobody else is there", set],
    ["it isn't set", {}],
    ["it is off", { PULUMI_SKIP_CHECKPOINTS: "false" }],
  ])("is no matter where %s", (_, env) => {
    expect(said(env as Record<string, string>, true)).toBeUndefined();
    if (env !== set) expect(said(env as Record<string, string>, false, ["aws"])).toBeUndefined();
  });

  test("is warned of once, though another provider starts later than the first create", async () => {
    const names: string[] = [];
    const settings = { setting: "local", env: set, folder, run: "r", clock: systemClock };
    const journal = openJournal({ ...settings, otherProviders: () => names });
    const warned: string[] = [];
    for (let nth = 1; nth <= 16; nth++) {
      await journal.claim(nda, String(5000 + nth), about());
      if (nth === 3) names.push("random");
      warned.push(...journal.warnings());
    }
    expect(warned).toEqual([expect.stringContaining("other providers (random)")]);
  });

  test.each([
    ["/home/me/.pulumi/plugins/resource-random-v4.16.0/pulumi-resource-random\u0000127.0.0.1:1", ["random"]],
    ["/bin/sh\u0000/x/bin/pulumi-resource-docsign\u0000127.0.0.1:1", []],
    ["pulumi-resource-aws-native\u0000", ["aws-native"]],
    ["/usr/bin/node\u0000/x/dist/plugin.cjs", []],
  ])("knows a provider by its command line: %j", (line, names) => {
    expect(providerIn(line)).toEqual(names);
  });
});
