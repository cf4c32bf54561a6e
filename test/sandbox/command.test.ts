import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../sandbox/command.js";
import { actions, views } from "../../sandbox/control/actions.js";
import { faultKinds } from "../../sandbox/faults/fault.js";
import { controlActions, controlViews, help, usage } from "../../sandbox/help.js";
import { routeNames } from "../../sandbox/routes/route.js";

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

describe("docsign sandbox", () => {
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

  test("--help names every flag, action, view, fault, route, variable and exit code", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    const flags = [
      "--port",
      "--host",
      "--latency",
      "--seed",
      "--control",
      "--file",
      "--api-key",
      "--version",
      "--help",
    ];
    const words = [...flags, ...Object.keys(faultKinds), ...routeNames, "NO_COLOR", "FORCE_COLOR", "Exit codes"];
    expect(words.filter(word => !out.includes(word))).toEqual([]);
    expect(Object.keys(controlActions)).toEqual(Object.keys(actions));
    expect(Object.keys(controlViews)).toEqual(Object.keys(views));
    expect((await run(["-h"])).out).toBe(out);
  });

  test("the first steps in --help work as they stand", async () => {
    const steps = [...help().matchAll(/curl (?:-H 'x-api-key: KEY' )?(http:\S+)(?: -d '(.+)')?$/gm)];
    expect(steps).toHaveLength(5);
    const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
    const seed = join(folder, "seed.json");
    writeFileSync(seed, JSON.stringify({ documents: [{ name: "NDA", invitations: [{ email: "ana@example.com" }] }] }));
    await run(["--port=0", "--seed", seed, "--api-key", "KEY", "--control"], async out => {
      const answers = [];
      for (const [, url = "", body] of [...steps, ...steps.slice(0, 1)]) {
        const here = `${urlIn(out)}${new URL(url).pathname}`;
        const init = body === undefined ? {} : { method: "POST", body };
        answers.push((await fetch(here, { headers: { "x-api-key": "KEY" }, ...init })).status);
      }
      expect(answers).toEqual([200, 200, 200, 200, 200, 503]);
    });
    rmSync(folder, { recursive: true });
  });

  test("--version is one line", async () => {
    const { code, out, err } = await run(["--version"]);
    expect([code, out, err]).toEqual([0, "docsign sandbox (not built)\n", ""]);
  });

  test.each([
    [["--prot", "1"], "there is no flag --prot; did you mean --port?"],
    [["--apikey=x"], "there is no flag --apikey; did you mean --api-key?"],
    [["--frobnicate"], "there is no flag --frobnicate"],
    [["-x"], "there is no flag -x"],
    [["--port", "70000"], "--port: expected a whole number from 0 to 65535, got 70000"],
    [["--port"], "Option '--port <value>' argument missing"],
    [["--latency=-1"], "--latency: expected a whole number from 0 to 3600000, got -1"],
    [["--api-key", ""], "--api-key must not be empty"],
    [["--host", ""], "--host must not be empty"],
    [["here"], 'expected flags only, got "here"'],
    [["leases.json"], 'expected flags only, got "leases.json"; a seed file is given as --seed leases.json'],
  ])("%j exits with 2 and says why", async (argv, why) => {
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(`docsign sandbox: ${why}\n${usage}\n`);
  });

  test.each([
    ["[", "Expected property name|Unexpected end of JSON input"],
    ["[]", "The body must be an object"],
    [{ documets: [] }, "documets is not known; did you mean documents\\?"],
    [
      { documents: [{ name: "a", invitations: [{ mail: "x" }] }] },
      "documents\\[0\\].invitations\\[0\\].email is required",
    ],
    [
      { documents: [{ name: "a", signed: "everybody" }] },
      'documents\\[0\\].signed must be an array of strings or "all"',
    ],
    [
      { folders: [{ name: "Leases" }], documents: [{ name: "a", folder: "Lease" }] },
      'documents\\[0\\]: no folder is called "Lease"; did you mean "Leases"\\?',
    ],
    [{ documents: [{ name: "a", signed: ["zoe@example.com"] }] }, "documents\\[0\\]: .*zoe@example.com"],
    [{ accounts: [{ email: "owner@example.com" }] }, "accounts\\[0\\]: owner@example.com has an account already"],
  ])("the seed file %j exits with 2, naming the file, the place and the fault", async (seed, why) => {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
    const file = join(folder, "seed.json");
    writeFileSync(file, typeof seed === "string" ? seed : JSON.stringify(seed));
    const { code, out, err } = await run(["--port", "0", "--seed", file]);
    rmSync(folder, { recursive: true });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(new RegExp(`^docsign sandbox: --seed .*seed\\.json: (${why})`));
  });

  test("a seed file that isn't there exits with 2", async () => {
    const { code, err } = await run(["--seed", "no-such-file.json"]);
    expect(code).toBe(2);
    expect(err).toContain("--seed takes a number or a readable JSON file; no-such-file.json: ");
  });

  test("a state file that isn't its own exits with 1", async () => {
    const { code, err } = await run(["--port", "0", "--file", "package.json"]);
    expect([code, err]).toEqual([1, "docsign sandbox: package.json was not written by this version of the sandbox\n"]);
  });

  test("a port where a sandbox runs already is named, and --reset puts that one back to its start", async () => {
    await run(["--port", "0", "--control"], async out => {
      const { port, origin } = new URL(urlIn(out));
      const folder = { folders: [{ name: "Leases" }] };
      await fetch(`${origin}/_sandbox/seed`, { method: "POST", body: JSON.stringify(folder) });
      const { code, err } = await run(["--port", port, "--control"]);
      expect(code).toBe(1);
      expect(err).toContain(`a sandbox runs at ${origin} already`);
      expect(err).toContain(`docsign sandbox --port ${port} --reset`);
      expect(await run(["--port", port, "--reset"])).toMatchObject({ code: 0, err: "" });
      const folders = await (await fetch(`${origin}/_sandbox/folders`)).json();
      expect(JSON.stringify(folders)).not.toContain("Leases");
    });
  });

  test("--reset without a sandbox there is one clear line and 1", async () => {
    const { code, err } = await run(["--port", "1", "--reset"]);
    expect([code, err]).toEqual([1, "docsign sandbox: no sandbox with --control answers at http://127.0.0.1:1\n"]);
  });

  test("a port that is taken is one clear line and 1", async () => {
    await run(["--port", "0"], async out => {
      const { code, err } = await run(["--port", new URL(urlIn(out)).port]);
      const { port } = new URL(urlIn(out));
      expect([code, err]).toEqual([
        1,
        `docsign sandbox: port ${port} on 127.0.0.1 is already in use; choose another with --port, or --port 0\n`,
      ]);
    });
  });
});
