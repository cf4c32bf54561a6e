import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as tcp } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineAddressIn } from "../../kit/serve.js";
import { within } from "../support/calibration.js";
import { dial, urnOf } from "../support/engine-client.js";
import { fakeEngine } from "./support/fake-engine.js";
import { DOCUMENT } from "./support/fake-provider.js";

const urn = urnOf(DOCUMENT);
let folder: string;
let plugin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "docsign-plugin-"));
  plugin = join(folder, "plugin.cjs");
  await build({
    entryPoints: [join(import.meta.dirname, "fixtures/plugin.ts")],
    outfile: plugin,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "error",
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the bundle, reads the port, and greets it as an engine. Kills at the end what hasn't ended by itself. */
async function start({ attached = true, env = {} }: { attached?: boolean; env?: Record<string, string> } = {}) {
  const engine = await fakeEngine();
  const args = attached ? ["--logtostderr", "-v=9", "--tracing", "tcp://localhost:1", engine.address] : [];
  const child = spawn(process.execPath, [plugin, ...args], { env: { ...process.env, ...env } });
  const stdout = text(child.stdout.on("data", () => {}));
  const stderr = text(child.stderr);
  const ended = once(child, "exit");
  const port = await portOf(child);
  const client = await dial(port, attached ? "" : engine.address, { handshake: attached });
  return Object.assign(client, {
    child,
    port,
    engine,
    stdout,
    stderr,
    ended,
    [Symbol.asyncDispose]: async () => {
      client.close();
      child.kill("SIGKILL");
      await engine.close();
    },
  });
}

async function portOf(child: ChildProcess): Promise<number> {
  const [chunk] = child.stdout ? await once(child.stdout, "data") : [];
  return Number.parseInt(String(chunk), 10);
}

describe("stdout", () => {
  it("holds the port and nothing else, whatever is printed", async () => {
    await using started = await start();
    const creating = started.create({ urn, inputs: {} }).catch(error => error);
    // The line in the engine's log says that the stray ones have been printed before.
    while (started.engine.lines.length === 0) await started.check({ urn, news: {} });
    await started.cancel();
    await creating;
    expect(await started.stdout).toBe(`${started.port}\n`);
    expect((await started.stderr).split("\n").sort()).toEqual(["", "a stray line", "another", "listening"]);
  });

  it("announces a port on loopback only", async () => {
    await using started = await start();
    const outside = Object.values(networkInterfaces()).flatMap(all => all ?? []);
    for (const { address } of outside.filter(({ internal, family }) => !internal && family === "IPv4")) {
      const [error] = await once(tcp(started.port, address), "error");
      expect(error.code).toBe("ECONNREFUSED");
    }
  });
});

describe("the end", () => {
  it("comes with Cancel, after everything has been answered", async () => {
    await using started = await start();
    const creating = started.create({ urn, inputs: {} });
    creating.catch(() => {});
    while (started.engine.lines.length === 0) await started.check({ urn, news: {} });
    await started.cancel();
    await expect(creating).rejects.toMatchObject({ partial: { id: "42", reasons: ["not verified yet"] } });
    expect(await started.ended).toEqual([0, null]);
  });

  it("comes within a second, even if the provider won't close", async () => {
    await using started = await start({ env: { HANG: "1" } });
    await within(1_000, async () => {
      await started.cancel();
      await started.ended;
    });
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("comes with %s", async signal => {
    await using started = await start();
    started.child.kill(signal);
    expect(await started.ended).toEqual([0, null]);
  });

  it("comes with the engine", async () => {
    await using started = await start();
    const creating = started.create({ urn, inputs: {} }).catch(() => {});
    while (started.engine.lines.length === 0) await started.check({ urn, news: {} });
    await started.engine.close();
    expect(await started.ended).toEqual([0, null]);
    await creating;
  });

  it("comes with an error nobody caught, with its stack on stderr and a code", async () => {
    await using started = await start();
    await started.delete({ urn, id: "1", outputs: {} }).catch(() => {});
    expect(await started.ended).toEqual([1, null]);
    expect(await started.stderr).toContain("Error: nobody caught this\n    at ");
  });

  it.skipIf(process.platform === "win32")("comes with the parent, though the engine lives on", async () => {
    const engine = await fakeEngine();
    const { parent, port } = await family([plugin, engine.address]);
    parent.kill("SIGKILL");
    await gone(port);
    await engine.close();
  });

  it.skipIf(process.platform === "win32")("comes with the engine, though the launcher lives on", async () => {
    const launcher = join(folder, "launcher.cjs");
    await writeFile(
      launcher,
      `require("node:child_process").spawn(process.execPath, process.argv.slice(2), { stdio: "inherit" });`,
    );
    const { parent, port } = await family([launcher, plugin]);
    const client = await dial(port, "");
    const creating = client.create({ urn, inputs: {} }).catch(error => error);
    parent.kill("SIGKILL");
    expect(await creating).toMatchObject({ partial: { id: "42" } });
    await gone(port);
    client.close();
  });
});

/**
 * A process that stands in for the engine's: it starts the given one, with the address of its own that a plugin
 * connects to unless another is given, and returns the port once the plugin has done so.
 */
async function family(args: string[]) {
  const script = join(folder, "engine.cjs");
  await writeFile(
    script,
    `const { spawn } = require("node:child_process");
     const [connects, ...args] = process.argv.slice(2);
     const server = require("node:http2").createServer().listen(0, "127.0.0.1", () => {
       const address = connects === "true" ? ["127.0.0.1:" + server.address().port] : [];
       const child = spawn(process.execPath, [...args, ...address], { stdio: ["pipe", "pipe", "ignore"] });
       child.stdout.once("data", port => {
         if (connects === "true") server.once("session", () => console.log(String(port)));
         else console.log(String(port));
       });
     });`,
  );
  const connects = String(!args.some(arg => arg.startsWith("127.0.0.1:")));
  const parent = spawn(process.execPath, [script, connects, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(parent.stdout), "line");
  return { parent, port: Number(line) };
}

/** Resolves when nobody listens any more. */
async function gone(port: number): Promise<void> {
  for (;;) {
    const socket = tcp(port, "127.0.0.1");
    const reached = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    if (!reached) return;
    // Closed by the other side when it ends, at the latest.
    await once(socket.resume(), "close").catch(() => {});
  }
}

describe("without an engine's address", () => {
  it("waits for Attach, and outlives the deployments", async () => {
    await using started = await start({ attached: false });
    const creating = started.create({ urn, inputs: {} }).catch(error => error);
    while (started.engine.lines.length === 0) await started.check({ urn, news: {} });
    await started.cancel();
    expect(await creating).toMatchObject({ partial: { id: "42" } });
    await started.handshake(started.engine.address);
    expect((await started.check({ urn, news: {} })).failures).toEqual([]);
    started.child.kill("SIGTERM");
    expect(await started.ended).toEqual([0, null]);
  });
});

describe("arguments", () => {
  it.each([
    [["127.0.0.1:1"], "127.0.0.1:1"],
    [["--logtostderr", "-v=9", "127.0.0.1:1"], "127.0.0.1:1"],
    [["--tracing", "tcp://x:1", "127.0.0.1:1"], "127.0.0.1:1"],
    [["--tracing=tcp://x:1", "127.0.0.1:1"], "127.0.0.1:1"],
    [["--tracing", "tcp://x:1"], undefined],
    [[], undefined],
  ])("%j → %s", (argv, address) => {
    expect(engineAddressIn(argv)).toBe(address);
  });
});
