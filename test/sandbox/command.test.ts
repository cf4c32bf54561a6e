import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../sandbox/command.js";

async function run(argv: string[], whileRunning?: (out: string) => Promise<void>) {
  const stop = new AbortController();
  const listening = Promise.withResolvers<string>();
  let out = "";
  let err = "";
  const ending = main(argv, {
    out: text => {
      out += text;
      listening.resolve(out);
    },
    err: text => {
      err += text;
    },
    stop: stop.signal,
  });
  if (whileRunning) await whileRunning(await Promise.race([listening.promise, ending.then(() => err)]));
  stop.abort();
  return { code: await ending, out, err };
}

const urlIn = (out: string) => /http:\S+/.exec(out)?.[0] ?? "";

describe("docsign-sandbox", () => {
  test("prints where it listens, its key and a first curl that works, and stops with 0", async () => {
    const { code, err } = await run(["--port", "0", "--seed", "42"], async out => {
      const [, key, url] = /curl -H 'x-api-key: (\w+)' (\S+)/.exec(out) ?? [];
      expect(out).toContain(`listens on ${urlIn(out)}\n`);
      const response = await fetch(url ?? "", { headers: { "x-api-key": key ?? "" } });
      expect([response.status, await response.json()]).toEqual([200, { ok: true, payload: [] }]);
      expect((await fetch(`${urlIn(out)}/_sandbox/state`)).status).toBe(404);
    });
    expect([code, err]).toEqual([0, ""]);
  });

  test("the same seed prints the same key", async () => {
    const key = async () =>
      /API key +(\w+)/.exec((await run(["--port", "0", "--seed", "42"], async () => {})).out)?.[1];
    expect(await key()).toMatch(/^[0-9a-f]{40}$/);
    expect(await key()).toBe(await key());
  });

  test("starts from a scenario with a key of one's own, under control", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
    const seed = join(folder, "seed.json");
    writeFileSync(
      seed,
      JSON.stringify({ documents: [{ name: "Lease 12", invitations: [{ email: "ana@example.com" }] }] }),
    );
    await run(["--port=0", "--seed", seed, "--api-key", "own-key", "--control", "--latency", "1"], async out => {
      const response = await fetch(`${urlIn(out)}/v1/documents`, { headers: { "x-api-key": "own-key" } });
      expect(await response.json()).toMatchObject({ payload: [{ name: "Lease 12" }] });
      expect((await fetch(`${urlIn(out)}/_sandbox/state`)).status).toBe(200);
    });
    rmSync(folder, { recursive: true });
  });

  test("--help names every flag, action and fault", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    for (const word of ["--port", "--host", "--latency", "--seed", "--control", "--file", "--api-key", "--help"]) {
      expect(out).toContain(word);
    }
    expect(out).toMatch(/sign-all.*certify/s);
    expect(out).toContain("create-answer");
  });

  test.each([
    [["--prot", "1"], "Unknown option '--prot'"],
    [["--port", "70000"], "--port must be a whole number from 0 to 65535"],
    [["--port"], "'--port <value>' argument missing"],
    [["--latency", "-1"], "--latency"],
    [["--seed", "no-such-file.json"], "--seed takes a number or a readable JSON file; no-such-file.json"],
    [["--api-key", ""], "--api-key must not be empty"],
    [["here"], "Unexpected argument 'here'"],
  ])("%j exits with 2 and says why", async (argv, why) => {
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`docsign-sandbox: `);
    expect(err).toContain(why);
    expect(err).toContain("Usage: docsign-sandbox");
  });

  test("a port that is taken is one clear line and 1", async () => {
    await run(["--port", "0"], async out => {
      const { code, err } = await run(["--port", new URL(urlIn(out)).port]);
      expect(code).toBe(1);
      expect(err).toMatch(/^docsign-sandbox: .*already in use/);
    });
  });
});
