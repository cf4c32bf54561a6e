// Where the plugin's own time goes: V8's profile of its main thread while it does what an up, a preview and a refresh of a
// hundred documents ask of it. What the engine does meanwhile is no part of it.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { tell } from "../setup/progress.mjs";
import { fileAsset, startEngine, startPlugin } from "./plugin-client.mjs";
import { startService } from "./stand-in.mjs";
import { INVITATIONS, inTurns, KEY_CELL, pdfFolder } from "./workload.mjs";

const INTERVAL_US = 500;
/** As many calls at a time as the engine makes by default on two cores. */
const AT_ONCE = 8;
const URN = "urn:pulumi:dev::bench::docsign:index:Document::contract";

const KINDS = [
  ["loading", "starting, and loading code"],
  ["grpc", "calls of the engine: gRPC, protobuf, their values"],
  ["requests", "requests: HTTP, and reading answers"],
  ["pdfs", "PDFs: reading, hashing, base64"],
  ["memory", "the journal's files"],
  ["checks", "checking values (zod)"],
  ["garbage", "collecting garbage"],
  ["rest", "everything else"],
];
const PLACES = [
  [/node_modules\/zod\/|provider\/schema\/|\/kit\/check/, "checks"],
  [/node_modules\/(@grpc|google-protobuf|@pulumi)\/|\/kit\//, "grpc"],
  [/provider\/resources\/pdf\/|provider\/client\/documents/, "pdfs"],
  [/node_modules\/undici\/|provider\/client\//, "requests"],
  [/provider\/resources\/journal\//, "memory"],
];

export async function profile({ kit, home }) {
  const folder = join(home, "profile");
  const service = await startService(KEY_CELL.latency);
  const engine = await startEngine();
  const pdfs = pdfFolder(join(home, "pdfs"), KEY_CELL);
  const map = new SourceMap(JSON.parse(readFileSync(join(kit.product, "dist", "plugin.cjs.map"), "utf8")));
  const documents = Array.from({ length: KEY_CELL.count }, (_, i) => documentOf(pdfs.folder, i));
  const spent = {};
  try {
    // The first fills V8's compile cache, which a user's machine has from the second run on.
    for (const phase of ["up", "up", "preview", "refresh"]) {
      const prof = join(folder, "profiles");
      mkdirSync(prof, { recursive: true });
      if (phase === "up") rmSync(join(folder, "journal"), { recursive: true, force: true });
      const plugin = await startPlugin({
        command: join(kit.plugin, "pulumi-resource-docsign"),
        env: {
          ...kit.env,
          NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${prof} --cpu-prof-interval=${INTERVAL_US}`,
          DOCSIGN_BASE_URL: service.url,
          DOCSIGN_STATE_DIR: join(folder, "journal"),
        },
        cwd: folder,
        engine,
      });
      await plugin.configure({});
      await inTurns(documents, AT_ONCE, document => work[phase](plugin, document));
      await plugin.close();
      const [name] = readdirSync(prof);
      spent[phase] = byKind(JSON.parse(readFileSync(join(prof, name), "utf8")), map);
      rmSync(prof, { recursive: true });
      tell(`profile, ${phase}: ${Math.round(Object.values(spent[phase]).reduce((sum, ms) => sum + ms, 0))} ms`);
    }
  } finally {
    engine.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const rows = KINDS.map(([key, title]) => ({ key, title, ...inPhases(spent, key) }));
  return { documents: documents.length, rows };
}

const inPhases = (spent, key) => Object.fromEntries(Object.entries(spent).map(([phase, ms]) => [phase, ms[key] ?? 0]));

function documentOf(folder, i) {
  const file = fileAsset(join(folder, `${i}.pdf`));
  return { urn: `${URN}-${i}`, inputs: { name: `Contract ${i}`, invitations: INVITATIONS, file } };
}

/** What the engine asks of a plugin in each. */
const work = {
  up: async (plugin, document) => {
    document.state = await plugin.create(document.urn, document.inputs);
  },
  preview: (plugin, { urn, inputs, state }) => plugin.diff(urn, state, inputs),
  refresh: (plugin, { urn, state }) => plugin.refresh(urn, state),
};

/** Milliseconds of each kind of work; waiting is none. */
export function byKind({ nodes, samples, timeDeltas }, map) {
  const node = new Map(nodes.map(one => [one.id, one]));
  const parent = new Map(nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id])));
  const kinds = new Map(nodes.map(({ id }) => [id, kindOf(stackOf(id, node, parent), map)]));
  const spent = {};
  samples.forEach((id, i) => {
    const kind = kinds.get(id);
    if (kind !== undefined) spent[kind] = (spent[kind] ?? 0) + timeDeltas[i] / 1000;
  });
  return spent;
}

/** From what ran to what called it. */
function stackOf(id, node, parent) {
  const frames = [];
  for (let at = id; at !== undefined; at = parent.get(at)) frames.push(node.get(at).callFrame);
  return frames;
}

function kindOf(frames, map) {
  const [{ functionName }] = frames;
  if (functionName === "(idle)") return undefined;
  if (functionName === "(garbage collector)") return "garbage";
  // A module's wrapper in the bundle is named after its file.
  if (frames.some(({ functionName: name }) => name === "wrapModuleLoad" || /\.[cm]?[jt]s$/.test(name)))
    return "loading";
  for (const { url, lineNumber, columnNumber } of frames) {
    if (/internal\/http2/.test(url)) return "grpc";
    if (!url.endsWith("plugin.cjs")) continue;
    const source = map.findEntry(lineNumber, columnNumber).originalSource ?? "";
    const place = PLACES.find(([pattern]) => pattern.test(source));
    if (place) return place[1];
  }
  return "rest";
}
