import { isUtf8 } from "node:buffer";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallError, type Checked } from "../connection.js";
import { sha256 } from "../fixture.js";
import { expect, type ResourceLaw, type ResourceTrial, Skipped } from "../law.js";
import { type TypeSpec, takesArchive, takesAsset } from "../schema.js";
import { ARCHIVE, ASSET, File, type Value, type Values } from "../values.js";
import { died, refused, unchanged } from "./steps.js";

export const assetLaws: readonly ResourceLaw[] = [
  {
    name: "check-takes-every-kind-of-asset",
    level: "must",
    claim: "An asset from a text, a file or an address is answered, and an archive where an asset is expected.",
    breaks: "Programs pass any of them; what Check can't read ends in an error of the plugin's runtime.",
    async run(trial) {
      const keys = inputsOf(trial, takesAsset);
      if (keys.length === 0) throw new Skipped("it takes no asset");
      for (const key of keys)
        for (const [name, file] of [...ASSETS, ...ARCHIVES]) await checked(trial, key, name, file);
    },
  },
  {
    name: "check-takes-every-kind-of-archive",
    level: "must",
    claim: "An archive of a folder, a file, an address or of assets is answered.",
    breaks: "Programs pass any of them; what Check can't read ends in an error of the plugin's runtime.",
    async run(trial) {
      const keys = inputsOf(trial, takesArchive);
      if (keys.length === 0) throw new Skipped("it takes no archive");
      for (const key of keys) for (const [name, file] of ARCHIVES) await checked(trial, key, name, file);
    },
  },
  {
    name: "an-asset-is-created-from-anywhere",
    level: "must",
    claim: "What Check takes is created, whether an asset's bytes come from a file, a text or an address.",
    breaks: "The mistake comes out in the middle of `up`, after other resources were made.",
    async run(trial, connection) {
      const { key, bytes } = ownAsset(trial);
      await using sources = await sourcesOf(bytes);
      for (const [name, file] of sources.files) {
        const urn = trial.urn(trial.token, "asset");
        const program = new Map([...trial.program({}, true), [key, file]]);
        const { inputs, failures } = await connection.check(urn, program);
        if (failures.length > 0) continue;
        const error = await refused(connection.create(urn, inputs));
        expect(!error, `expected ${key} from ${name} to be created, got ${error?.message}`);
      }
    },
  },
  {
    name: "diff-compares-assets-by-content",
    level: "must",
    claim: "The same bytes from another place are no change; other bytes are one, or refused by Check.",
    breaks: "A clone of the program in another folder updates or replaces what nobody has changed.",
    async run(trial, connection) {
      const { key, bytes } = ownAsset(trial);
      await using sources = await sourcesOf(bytes);
      await using others = await sourcesOf(Buffer.concat([bytes, Buffer.from("\n")]));
      const existing = await trial.create();
      const takes = async (program: Values): Promise<boolean> =>
        (await connection.check(existing.urn, program, existing.inputs)).failures.length === 0;
      for (const [name, file] of sources.files) {
        const program = new Map([...existing.inputs, [key, file]]);
        if (await takes(program)) await unchanged(trial, existing, `with the same bytes from ${name}`, program);
      }
      if (trial.fixture.kept.includes(key)) return;
      for (const [name, file] of others.files) {
        const program = new Map([...existing.inputs, [key, file]]);
        if (!(await takes(program))) continue;
        const { changes } = await trial.compare(existing, program);
        expect(changes === "some", `expected other bytes from ${name} to be a change, got ${changes}`);
      }
    },
  },
  {
    name: "a-large-asset-is-answered",
    level: "should",
    claim: "An asset of 64 MB is taken or refused, as a file and as a text, and a file that is taken can be previewed.",
    breaks: "The engine sends a text whole, and a provider's limit of 4 MB or its memory ends the plugin.",
    async run(trial, connection) {
      const { key, bytes } = ownAsset(trial);
      await using sources = await sourcesOf(Buffer.concat([bytes, Buffer.alloc(LARGE - bytes.length, " ")]));
      for (const [name, file] of sources.files) {
        if (name === ADDRESS) continue;
        const urn = trial.urn(trial.token, "large");
        const program = new Map([...trial.program(), [key, file]]);
        const answer = await connection.check(urn, program, undefined, LARGE_MS).catch((error: unknown) => error);
        expect(
          !(answer instanceof CallError && (died(answer) || answer.code === "RESOURCE_EXHAUSTED")),
          `expected 64 MB from ${name} to be answered, got ${(answer as Error).message}`,
        );
        if (answer instanceof CallError) continue;
        const { inputs, failures } = answer as Checked;
        // The same bytes as a text would take as long again, and say nothing more.
        if (failures.length > 0 || !connection.flags.supportsPreview || name !== FILE) continue;
        await connection.create(urn, inputs, { preview: true, timeoutMs: LARGE_MS });
      }
      await connection.pluginVersion();
    },
  },
];

const LARGE = 64 << 20;
/** 64 MB cross two processes, each of which reads and writes them: on a busy machine that takes its time. */
const LARGE_MS = 600_000;
const HASH: readonly [string, Value] = ["hash", "0".repeat(64)];
const asset = (...members: readonly (readonly [string, Value])[]): File => new File(ASSET, new Map(members));
const archive = (...members: readonly (readonly [string, Value])[]): File => new File(ARCHIVE, new Map(members));

const ASSETS: readonly (readonly [string, File])[] = [
  ["a text", asset(["text", "conformance"], HASH)],
  ["an empty text", asset(["text", ""], HASH)],
  ["a file that isn't there", asset(["path", "/nowhere/conformance"], HASH)],
  ["an address", asset(["uri", "file:///nowhere/conformance"], HASH)],
  ["a hash alone", asset(HASH)],
  ["an asset of nothing", asset()],
];
const ARCHIVES: readonly (readonly [string, File])[] = [
  ["an archive of a folder that isn't there", archive(["path", "/nowhere/conformance"], HASH)],
  ["an archive at an address", archive(["uri", "file:///nowhere/conformance.zip"], HASH)],
  [
    "an archive of assets",
    archive(
      [
        "assets",
        new Map([
          ["a.txt", asset(["text", "conformance"], HASH)],
          ["folder", archive(["assets", new Map([["b.txt", asset(["text", "b"], HASH)]])], HASH)],
        ]),
      ],
      HASH,
    ),
  ],
  ["an empty archive", archive(["assets", new Map()], HASH)],
  ["the hash of an archive alone", archive(HASH)],
  ["an archive of nothing", archive()],
];

const inputsOf = ({ resource }: ResourceTrial, takes: (spec: TypeSpec) => boolean): string[] =>
  Object.entries(resource.inputProperties ?? {}).flatMap(([key, spec]) => (takes(spec) ? [key] : []));

async function checked(trial: ResourceTrial, key: string, name: string, file: File): Promise<void> {
  const connection = await trial.connect();
  const program = new Map([...trial.program(), [key, file]]);
  const error = await refused(connection.check(trial.urn(trial.token, "asset"), program));
  expect(error === undefined, `expected an answer to ${name} as ${key}, got ${error?.message}`);
}

/** The fixture's own asset: what the provider takes as one. */
function ownAsset(trial: ResourceTrial): { key: string; bytes: Buffer } {
  for (const [key, value] of trial.program()) {
    if (!(value instanceof File && value.kind === ASSET)) continue;
    const [text, path] = [value.members.get("text"), value.members.get("path")];
    if (typeof text === "string") return { key, bytes: Buffer.from(text) };
    if (typeof path === "string") return { key, bytes: readFileSync(path) };
  }
  throw new Skipped("the fixture's inputs have no asset");
}

const FILE = "a file";
const ADDRESS = "an address";

/** The same bytes as a file, at an address, and as a text where they are one. */
async function sourcesOf(bytes: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  const path = join(folder, "asset");
  writeFileSync(path, bytes);
  const server = createServer((_, response) => response.end(bytes));
  await new Promise<void>(done => server.listen(0, "127.0.0.1", done));
  const hash: readonly [string, Value] = ["hash", sha256(bytes)];
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/asset`;
  const files: (readonly [string, File])[] = [
    [FILE, asset(["path", path], hash)],
    [ADDRESS, asset(["uri", uri], hash)],
  ];
  if (isUtf8(bytes)) files.push(["a text", asset(["text", bytes.toString()], hash)]);
  return {
    files,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
