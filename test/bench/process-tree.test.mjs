import { expect, it } from "vitest";
import { measure, nameFromCommandLine, onLinux } from "../../scripts/bench/process-tree.mjs";

const node = (text, options = {}) =>
  measure(process.execPath, ["-e", text], { cwd: ".", env: process.env, limitMs: 20_000, ...options });

it.runIf(onLinux)("counts what a command starts, and what that starts", async () => {
  const grandchild = `require("child_process").execFileSync(process.execPath, ["-e", "Buffer.alloc(3e8, 1); while (process.cpuUsage().user < 400_000);"])`;
  const ran = await node(grandchild);
  expect(ran.ok).toBe(true);
  expect(ran.processes.node.peak).toBeGreaterThan(300_000_000);
  expect(ran.cpu).toBeGreaterThan(0.3);
});

it("a command over its limit is ended, with what it started", async () => {
  const ran = await node(
    `const c = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]); console.log(c.pid); setInterval(() => {}, 1000)`,
    { limitMs: 1500 },
  );
  expect(ran).toMatchObject({ ok: false, timedOut: true });
  const pid = Number(ran.output.trim());
  const isAlive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isAlive, { timeout: 5000 }).toBe(false);
});

it("a command that fails says why", async () => {
  const ran = await node(`console.error("no such stack"); process.exit(3)`);
  expect(ran).toMatchObject({ ok: false, timedOut: false });
  expect(ran.output).toContain("no such stack");
});

it.each([
  [["/opt/node", "/x/node_modules/@pulumi/pulumi/cmd/run/index.js"], "program"],
  [["node", "/x/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js"], "dynamic provider"],
  [["/opt/bin/node", "--max-semi-space-size=1", "/x/dist/plugin.cjs", "127.0.0.1:1"], "plugin"],
  [["/opt/bin/node", "/x/idle-plugin/idle-plugin.cjs"], "plugin"],
  [["/opt/bin/node", "/x/bare-loop.mjs", "up"], "bare-loop.mjs"],
  [["/opt/pulumi", "up"], "pulumi"],
  [["/bin/sh", "/x/bin/pulumi-resource-docsign"], undefined],
  [[], undefined],
])("%j is called %s", (words, name) => {
  expect(nameFromCommandLine(words.map(word => `${word}\0`).join(""))).toBe(name);
});
