import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fleetJsonSchema, parseFleet } from "../../commands/fleet/file.js";
import { chosen, movesBetween, planFleet, shardOf } from "../../commands/fleet/plan.js";
import { scratchFolder } from "../support/scratch.js";

const folder = scratchFolder("docsign-fleet-");
afterAll(() => rmSync(folder, { recursive: true }));

const plan = (text: string) => planFleet(parseFleet(text, "fleet.yaml"), text, folder);

describe("the fleet file", () => {
  it("lists stacks, each with the common settings and its own", () => {
    const { stacks } = plan(`
name: leases
config: { "leases:for": "\${stack}", "leases:days": 30 }
env: { LANG: C }
stacks:
  list:
    - { name: mx, config: { "leases:days": 60 } }
    - { name: us, env: { LANG: en } }
`);
    expect(stacks).toEqual([
      { name: "mx", config: { "leases:for": "mx", "leases:days": "60" }, env: { LANG: "C" } },
      { name: "us", config: { "leases:for": "us", "leases:days": "30" }, env: { LANG: "en" } },
    ]);
  });

  it("has a stack for each file of a glob, named after it, with its path from the program", () => {
    mkdirSync(join(folder, "contracts"));
    for (const name of ["us.csv", "mx.csv"]) writeFileSync(join(folder, "contracts", name), "id\n1\n");
    const { stacks } = plan(`
name: leases
program: program
stacks: { files: contracts/*.csv }
config: { "leases:table": "\${file}" }
`);
    expect(stacks.map(({ name, config }) => [name, config["leases:table"]])).toEqual([
      ["mx", "../contracts/mx.csv"],
      ["us", "../contracts/us.csv"],
    ]);
  });

  it("says everything that is wrong at once", () => {
    expect(() =>
      plan("name: a b\nstacks: { list: [{ name: x }], files: '*' }\nworker: 1\nworkers: { lease: 2s }"),
    ).toThrow(
      [
        "fleet.yaml isn't a fleet file:",
        '  name: expected a name of letters, digits, "_", "." and "-"',
        "  stacks: expected exactly one of `list`, `files` and `shards`",
        '  workers.lease: expected a duration of 10s or more, such as "30s"',
        '  the file: expected known settings, got "worker"',
      ].join("\n"),
    );
    expect(() => plan("name: [")).toThrow(/^fleet.yaml: expected YAML, got /);
    expect(() => plan("name: a\nstacks: { list: [{ name: x }, { name: x }] }")).toThrow(
      "expected each stack once, got x twice",
    );
    expect(() => plan(`name: a\nstacks: { list: [{ name: x, config: { k: "\${file}" } }] }`)).toThrow(
      `stack x: expected \${stack}, got \${file}`,
    );
    expect(() => chosen(plan("name: a\nstacks: { list: [{ name: x }] }"), ["y"])).toThrow(
      "expected stacks of the fleet a, got y",
    );
  });

  it("has a JSON schema for editors", async () => {
    const text = `${JSON.stringify(fleetJsonSchema(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot("../../commands/fleet/fleet.schema.json");
  });
});

describe("shards", () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `contract-${index}@example.com`);
  const sizes = (count: number) => {
    const counted = new Array<number>(count).fill(0);
    for (const key of keys) counted[shardOf(key, count)] = (counted[shardOf(key, count)] ?? 0) + 1;
    return counted;
  };

  it("are stable: the same key is in the same shard on every machine, in any case", () => {
    expect(["a@example.com", "b@example.com", "c"].map(key => shardOf(key, 10))).toMatchInlineSnapshot(`
      [
        2,
        7,
        5,
      ]
    `);
    expect(shardOf("ANA@example.com ", 97)).toBe(shardOf("ana@example.com", 97));
  });

  it("are of about the same size", () => {
    for (const size of sizes(20)) expect(Math.abs(size - 500)).toBeLessThan(120);
  });

  it("growing from 10 to 20 moves half of the keys, and into new shards only", () => {
    const moves = movesBetween(keys, 10, 20);
    expect(Math.abs(moves.length - 5000)).toBeLessThan(250);
    expect(moves.filter(({ from, to }) => from >= 10 || to < 10)).toEqual([]);
    expect(movesBetween(keys, 10, 10)).toEqual([]);
  });

  it("hold each row once, with quotes where a cell needs them", () => {
    writeFileSync(join(folder, "all.csv"), 'id;name\n1;"Smith; ""Sons"""\n2;Ana\n3;Bob\n');
    const { stacks, keys: rows } = plan(`
name: leases
stacks: { shards: { of: all.csv, key: id, count: 2 } }
config: { "leases:table": "\${file}", "leases:part": "\${shard} of \${shards}" }
`);
    expect(rows).toEqual(["1", "2", "3"]);
    expect(stacks.map(({ name, config }) => [name, ...Object.values(config)])).toEqual([
      ["leases-0", ".docsign-fleet/leases-0.csv", "0 of 2"],
      ["leases-1", ".docsign-fleet/leases-1.csv", "1 of 2"],
    ]);
    const lines = stacks.flatMap(({ file }) => (file?.text() ?? "").trim().split("\n").slice(1));
    expect(lines.sort()).toEqual(['1,"Smith; ""Sons"""', "2,Ana", "3,Bob"]);
  });

  it("need the column that is their key", () => {
    expect(() => plan("name: a\nstacks: { shards: { of: all.csv, key: email, count: 2 } }")).toThrow(
      "all.csv: expected a column email, got id, name",
    );
  });
});
