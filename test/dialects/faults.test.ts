import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { base64, pdf, people } from "../lifecycle/scene.js";
import { secret } from "../support/engine-client.js";
import { type Fault, type RequestRecord, startIndependentService } from "../support/independent-service/index.js";
import { type Machine, startMachine } from "../support/machine.js";
import { type Goal, Stack } from "../support/simulated-engine.js";
import { Judge } from "./judge.js";
import { type Pair, sample } from "./sample.js";
import { openerOf } from "./story.js";

const MINUTES_LATER_MS = 10 * 60_000;

/** Lists that don't show the document: a machine that remembers nothing sends it again, as docs/explained/at-most-once.md says. */
const HIDING = /^lists: ((oldest first|unordered), cut|without unknown statuses)/;

/** What goes wrong with a create, each at a resource and a stack of its own. */
const faults: Readonly<Record<string, Fault>> = {
  "the connection breaks before anything is done": { kind: "reset", when: "before" },
  "the connection breaks after": { kind: "reset", when: "after" },
  "a gateway gives up, and nothing is done": { kind: "status", when: "headers", status: 504 },
  "502 after it was done": { kind: "status", when: "after", status: 502 },
  "the answer is cut": { kind: "truncated-json" },
  "the answer names another document": { kind: "wrong-ids", as: "neighbour" },
};

test.each(sample("faults", 5))("$name: nothing is sent twice after a fault, and every id is right", async pair => {
  await using rig = await startRig(pair);
  const broken: string[] = [];
  for (const [index, [what, fault]] of Object.entries(faults).entries()) {
    for (const replacing of [false, true]) {
      const life = rig.life(`f${index}${replacing ? "r" : ""}`);
      if (replacing) await life.up("one");
      life.meets(fault);
      for (let count = 0; count < 3; count++) await life.up(replacing ? "two" : "one");
      // Taken back, where nothing came of it.
      if (replacing && !life.wasSent("two")) for (let count = 0; count < 2; count++) await life.up("one");
      broken.push(...life.broken.map(breach => `${what}${replacing ? ", replacing" : ""}: ${breach}`));
    }
  }
  expect(broken).toEqual([]);
});

test.each(sample("lost state", 6))("$name: what state lost isn't sent again", async pair => {
  await using rig = await startRig(pair);
  using another = startMachine();
  const broken: string[] = [];
  for (const [name, machine] of [
    ["the machine's journal kept", undefined],
    ["on another machine", another],
  ] as const) {
    if (machine && HIDING.test(pair.dialect.name)) continue;
    const life = rig.life(machine ? "b" : "a");
    await life.up("one");
    life.loseState(machine);
    for (let count = 0; count < 2; count++) await life.up("one");
    broken.push(...life.broken.map(breach => `${name}: ${breach}`));
  }
  expect(broken).toEqual([]);
});

async function startRig({ dialect, frontEnd }: Pair) {
  const service = await startIndependentService(dialect.settings);
  const machine = startMachine();
  const { url, apiKey } = service;
  const config = { baseUrl: url, apiKey: frontEnd === "plugin" ? secret(apiKey) : apiKey };
  const machines: Machine[] = [machine];
  return {
    life(name: string) {
      const stack = new Stack(openerOf(frontEnd, machine), { default: config }, name);
      const judge = new Judge(service, stack);
      const broken: string[] = [];
      let current = stack;
      let currentJudge = judge;
      const isMine = ({ body }: RequestRecord): boolean =>
        typeof body === "object" && body !== null && "name" in body && String(body["name"]).startsWith(titleOf(name));
      return {
        broken,
        wasSent: (content: string): boolean =>
          service.ledger.documents().some(({ uploadedSha256 }) => uploadedSha256 === hashOf(name, content)),
        meets: (fault: Fault) => service.faults.push(fault, isMine),
        async up(content: string): Promise<void> {
          await current.up([contract(name, content)], { skipPreview: frontEnd === "dynamic provider" });
          broken.push(...currentJudge.findings([]));
          service.clock.advance(MINUTES_LATER_MS);
          for (const each of machines) each.pass(MINUTES_LATER_MS);
        },
        /** As a backup from before, or an engine that was killed before it wrote. */
        loseState(other: Machine | undefined): void {
          if (other) machines.push(other);
          current = new Stack(openerOf(frontEnd, other ?? machine), { default: config }, name);
          currentJudge = new Judge(service, current);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      machine[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const titleOf = (name: string): string => `${name.toUpperCase()} for Alpha`;

const hashOf = (name: string, content: string): string =>
  createHash("sha256")
    .update(pdf(`${name} ${content}`))
    .digest("hex");

const contract = (name: string, content: string): Goal => ({
  name,
  inputs: { name: titleOf(name), invitations: people, base64File: base64(`${name} ${content}`) },
});
