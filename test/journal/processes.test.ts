import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openJournal } from "../../provider/resources/journal/open-journal.js";
import { patient } from "../support/journal-writer/patient.js";
import { daily } from "../support/sample.js";
import { scratchFolder } from "../support/scratch.js";
import { SERVICE } from "./conformance.js";
import { startObjectServer } from "./support/object-server.js";
import { hasPostgres, startPostgres } from "./support/postgres-server.js";
import { missingS3Server, startVersityGateway } from "./support/versity-gateway.js";

const WRITER = join(import.meta.dirname, "../support/journal-writer/main.ts");
const COUNT = 60;

interface JournalSetup extends AsyncDisposable {
  readonly setting: string;
  /** Of each machine its own, but where the journal lies in it. */
  folder(): string;
}

/** What a writer printed, up to its end or to its death after so many lines. */
function write(setting: string, folder: string, name: string, killAfter = Number.POSITIVE_INFINITY): Promise<string[]> {
  const writer = spawn(process.execPath, ["--import", "tsx", WRITER, setting, folder, name, String(COUNT)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  writer.stdout.on("data", chunk => {
    said += chunk;
    if (said.split("\n").length > killAfter) writer.kill("SIGKILL");
  });
  return new Promise(resolve => writer.once("close", () => resolve(said.split("\n").slice(0, -1))));
}

beforeAll(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "docsign");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "docsign-secret");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

async function inFolder(): Promise<JournalSetup> {
  const folder = scratchFolder("docsign-journal-");
  return {
    setting: "local",
    folder: () => folder,
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  };
}

const machines = { folder: () => "/nowhere" };

async function inPostgres(): Promise<JournalSetup> {
  const server = await startPostgres();
  return { ...machines, setting: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function inObject(): Promise<JournalSetup> {
  const server = await startObjectServer();
  const setting = `s3://contracts/a?endpoint=${server.endpoint}`;
  return { ...machines, setting, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function inGateway(): Promise<JournalSetup> {
  const server = await startVersityGateway("docsign", "docsign-secret");
  const setting = `s3://contracts/a?endpoint=${server.endpoint}`;
  return { ...machines, setting, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const places = [
  { name: "a folder", start: inFolder, isThere: true },
  { name: "Postgres", start: inPostgres, isThere: hasPostgres },
  { name: "an object", start: inObject, isThere: true },
  { name: "Versity's gateway", start: inGateway, isThere: !missingS3Server },
];

describe.each(daily(places, 2, ({ name }) => name))(
  "processes of their own, with the journal in $name",
  ({ start, isThere }) => {
    // Where its server isn't installed.
    test.skipIf(!isThere)(
      "share the ids, and what a killed one was answered is remembered",
      async () => {
        await using place = await start();
        const { setting } = place;
        const said = await Promise.all([
          write(setting, place.folder(), "a"),
          write(setting, place.folder(), "b", 20),
          write(setting, place.folder(), "c", 30),
        ]);
        const journal = openJournal({ setting, folder: place.folder(), env: {}, run: "check", clock: patient });
        const claimedBy = new Map<string, string>();
        for (const [nth, lines] of said.entries()) {
          const name = ["a", "b", "c"][nth];
          for (const line of lines) {
            const [what, id = ""] = line.split(" ");
            const urn = `urn:${name}-${id}`;
            const { attempt, owned } = await journal.resource({ service: SERVICE, urn });
            if (what === "claimed") {
              expect([id, claimedBy.get(id)]).toEqual([id, undefined]);
              claimedBy.set(id, urn);
              expect(owned.map(row => row.id)).toEqual([id]);
            } else {
              // Nobody was ever answered yes and forgotten: the create is under way, or it is owned.
              expect([urn, attempt?.fingerprint ?? owned[0]?.fingerprint]).toEqual([urn, `f${id}`]);
            }
          }
        }
        expect(claimedBy.size).toBeGreaterThan(0);
        // A claim may have been carried out for a process that didn't live to say so.
        const owners = await Promise.all(
          Array.from({ length: COUNT }, (_, nth) => journal.owner(SERVICE, String(nth + 1))),
        );
        expect(owners.filter(owner => owner === undefined)).toEqual([]);
        await journal.close();
      },
      120_000,
    );
  },
);
