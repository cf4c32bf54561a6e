import { describe, expect, test } from "vitest";
import { configProblems, settingsFrom } from "../../provider/config.js";
import { createRuntime } from "../../provider/runtime.js";
import { startMachine } from "../support/machine.js";

const OWN = "https://api.example.com";
const OTHERS = "https://evil.example";

const runtimeOf = (folder: string, engine: string | undefined) =>
  createRuntime({
    env: { DOCSIGN_STATE_DIR: folder, DOCSIGN_API_KEY: "canary-key" },
    version: "0.0.0",
    engine,
    pid: process.pid,
  });

describe("a second Configure", () => {
  test("to another service is refused once the engine is attached", async () => {
    using machine = startMachine();
    const runtime = runtimeOf(machine.folder, "127.0.0.1:1");
    runtime.configure({ baseUrl: OWN });
    expect(() => runtime.configure({ baseUrl: OTHERS })).toThrow(
      `expected the service this process was configured for, ${OWN}, got ${OTHERS}`,
    );
    expect(runtime.context.origin()).toBe(OWN);
    runtime.configure({ baseUrl: `${OWN}/` });
    await runtime.close();
  });

  test("that names a service where the first named none is refused, too", async () => {
    using machine = startMachine();
    const runtime = runtimeOf(machine.folder, "127.0.0.1:1");
    runtime.configure({});
    expect(() => runtime.configure({ baseUrl: OTHERS })).toThrow(`got ${OTHERS}`);
    await runtime.close();
  });

  test("is taken by a plugin that waits for a debugger's engines, in another deployment alone", async () => {
    using machine = startMachine();
    const runtime = runtimeOf(machine.folder, undefined);
    runtime.configure({ baseUrl: OWN });
    expect(() => runtime.configure({ baseUrl: OTHERS })).toThrow(`got ${OTHERS}`);
    runtime.begin();
    runtime.configure({ baseUrl: OTHERS });
    expect(runtime.context.origin()).toBe(OTHERS);
    await runtime.close();
  });

  test.each([{ apiKey: "another" }, { duplicatePolicy: "create" }])(
    "of another provider is refused: %o",
    async more => {
      using machine = startMachine();
      const runtime = runtimeOf(machine.folder, undefined);
      runtime.configure({ baseUrl: OWN });
      runtime.configure({ baseUrl: `${OWN}/` });
      expect(() => runtime.configure({ baseUrl: OWN, ...more })).toThrow("the settings of another provider");
      runtime.begin();
      runtime.configure({ baseUrl: OWN, ...more });
      await runtime.close();
    },
  );
});

describe("the environment's credentials", () => {
  const keys = [
    { DOCSIGN_API_KEY: "canary-key" },
    { DOCSIGN_EMAIL: "ana@example.com", DOCSIGN_PASSWORD: "canary-password" },
  ];
  test.each(keys)("are for the environment's service alone: %o", key => {
    const env = { DOCSIGN_BASE_URL: OWN, ...key };
    const settings = settingsFrom({ baseUrl: OTHERS }, env);
    expect(settings.credentials).toBeUndefined();
    expect(settings.obstacles).toEqual([
      expect.stringContaining(
        `docsign:baseUrl is ${OTHERS}, and the environment has a key for ${OWN} (DOCSIGN_BASE_URL)`,
      ),
    ]);
    expect(configProblems({ baseUrl: OTHERS }, env, () => null).map(({ reason }) => reason)).toEqual(
      settings.obstacles,
    );
    expect(JSON.stringify(settings)).not.toContain("canary");
  });

  test.each(keys)("go to the program's service where it is the same, or the environment names none: %o", key => {
    for (const baseUrl of [OWN, `${OWN}/`, ` ${OWN}`]) {
      expect(settingsFrom({ baseUrl }, { DOCSIGN_BASE_URL: OWN, ...key })).toMatchObject({ obstacles: [] });
    }
    expect(settingsFrom({ baseUrl: OTHERS }, key)).toMatchObject({ obstacles: [] });
  });

  test("don't stand in the way of the program's own", () => {
    const env = { DOCSIGN_BASE_URL: OWN, DOCSIGN_API_KEY: "canary-key" };
    const { credentials, obstacles } = settingsFrom({ baseUrl: OTHERS, apiKey: "own" }, env);
    expect({ credentials, obstacles }).toEqual({
      credentials: { kind: "apiKey", apiKey: "own", source: "docsign:apiKey" },
      obstacles: [],
    });
  });
});
