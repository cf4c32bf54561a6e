import { appendFileSync, cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bringConformance, bringPeers, bringS3Server } from "../../scripts/setup/programs.mjs";
import { ScriptError } from "../../scripts/setup/progress.mjs";
import { scratch } from "./scratch.mjs";

function builder({ failing } = {}) {
  const built = [];
  const compile = async ({ program }, output) => {
    if (program === failing) throw new Error(`${program} can't be built`);
    built.push(program);
    writeFileSync(output, "whole");
  };
  return { built, go: async () => {}, compile };
}

it("the rival's two programs are built once, and found from then on", async () => {
  const cache = scratch();
  const first = builder();
  const peers = await bringPeers({ cache, ...first });
  expect(first.built).toEqual(["tofu", "terraform-provider-restapi"]);
  expect([peers.tofu, peers.restapi].map(path => existsSync(path))).toEqual([true, true]);
  expect(peers.versions).toEqual({ opentofu: "1.12.6", restapi: "1.20.0" });
  const second = builder();
  expect(await bringPeers({ cache, ...second })).toEqual(peers);
  expect(second.built).toEqual([]);
});

it("what was built before a failure is kept", async () => {
  const cache = scratch();
  const failing = builder({ failing: "terraform-provider-restapi" });
  await expect(bringPeers({ cache, ...failing })).rejects.toThrow("terraform-provider-restapi can't be built");
  const next = builder();
  await bringPeers({ cache, ...next });
  expect(next.built).toEqual(["terraform-provider-restapi"]);
  expect(existsSync(join(cache, "peers", ".lock"))).toBe(false);
});

it("the S3 server is built once", async () => {
  const cache = scratch();
  const first = builder();
  const { program } = await bringS3Server({ cache, ...first });
  expect([first.built, existsSync(program)]).toEqual([["versitygw"], true]);
  const second = builder();
  expect(await bringS3Server({ cache, ...second })).toEqual({ program });
  expect(second.built).toEqual([]);
});

it("the programs of the conformance tests are built once, and again from other sources", async () => {
  const cache = scratch();
  const root = join(import.meta.dirname, "..", "..");
  const first = builder();
  const programs = await bringConformance(root, { cache, ...first });
  expect(first.built).toEqual(["pulumi-resource-notes", "providertest"]);
  const second = builder();
  expect(await bringConformance(root, { cache, ...second })).toEqual(programs);
  expect(second.built).toEqual([]);
  const elsewhere = scratch();
  cpSync(join(root, "test", "conformance"), join(elsewhere, "test", "conformance"), { recursive: true });
  appendFileSync(join(elsewhere, "test", "conformance", "go-provider", "main.go"), "// changed\n");
  expect((await bringConformance(elsewhere, { cache, ...second })).notes).not.toBe(programs.notes);
  expect(second.built).toEqual(first.built);
});

it("without Go there is a reason instead of an S3 server", async () => {
  const go = async ({ program }) => {
    throw new ScriptError(`no Go to build ${program}`);
  };
  const missing = "no Go to build versitygw";
  expect(await bringS3Server({ cache: scratch(), ...builder(), go })).toEqual({ missing });
});
