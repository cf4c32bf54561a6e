import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { byKind } from "../../scripts/bench/profile.mjs";

const FILES = [
  "../node_modules/undici/lib/client.js",
  "../provider/resources/journal/local-log.ts",
  "../node_modules/@grpc/grpc-js/build/src/server.js",
  "../provider/resources/pdf/asset-source.ts",
  "../provider/resources/document/document.ts",
  "../kit/server.ts",
  "../kit/check.ts",
  "../provider/client/documents.ts",
];
/** Line n of the bundle comes from the n-th file. */
const map = { findEntry: line => ({ originalSource: FILES[line] }) };

const inBundle = (line, functionName = "work") => ({
  functionName,
  url: "/x/dist/plugin.cjs",
  lineNumber: line,
  columnNumber: 0,
});
const inNode = (functionName, url = "node:fs") => ({ functionName, url, lineNumber: 1, columnNumber: 0 });

/** A profile of one sample for each stack, from the root to what ran, of so many milliseconds. */
function profileOf(stacks) {
  const nodes = [];
  const samples = [];
  for (const { frames } of stacks) {
    const first = nodes.length + 1;
    for (const [i, callFrame] of frames.entries())
      nodes.push({ id: first + i, callFrame, children: i + 1 < frames.length ? [first + i + 1] : [] });
    samples.push(nodes.length);
  }
  return { nodes, samples, timeDeltas: stacks.map(({ ms }) => ms * 1000) };
}

it("time is counted for the caller: Node's own work for the code that called Node", () => {
  const profile = profileOf([
    { ms: 3, frames: [inBundle(4), inBundle(1), inNode("openSync")] },
    { ms: 5, frames: [inBundle(0), inNode("write", "node:net")] },
    { ms: 7, frames: [inNode("onSessionHeaders", "node:internal/http2/core")] },
    { ms: 11, frames: [inBundle(2), inBundle(3), inNode("update", "node:internal/crypto/hash")] },
    { ms: 13, frames: [inBundle(4)] },
    { ms: 17, frames: [inBundle(5)] },
    { ms: 19, frames: [inBundle(6)] },
    { ms: 23, frames: [inBundle(7, "base64")] },
  ]);
  expect(byKind(profile, map)).toEqual({ memory: 3, requests: 5, grpc: 24, pdfs: 34, checks: 19, rest: 13 });
});

it("the files that kinds are known by are where they are looked for", () => {
  const ours = FILES.filter(file => !file.includes("node_modules"));
  expect(ours.filter(file => !existsSync(join(import.meta.dirname, "..", file)))).toEqual([]);
});

it("loading modules and collecting garbage are counted apart, waiting isn't counted", () => {
  const profile = profileOf([
    { ms: 1, frames: [inBundle(4, "provider/runtime.ts"), inBundle(0)] },
    { ms: 2, frames: [inNode("wrapModuleLoad", "node:internal/modules/cjs/loader"), inNode("compile")] },
    { ms: 4, frames: [inBundle(1), inNode("(garbage collector)", "")] },
    { ms: 8, frames: [inNode("(idle)", "")] },
  ]);
  expect(byKind(profile, map)).toEqual({ loading: 3, garbage: 4 });
});
