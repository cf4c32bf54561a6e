// A stack of a program of ours or of a rival's, with a file backend of its own.
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../setup/child.mjs";
import { TSCONFIG } from "../kit.mjs";

const QUIET = ["--non-interactive", "--color", "never", "--stack", "dev"];
const PHASES = {
  // `tofu apply -auto-approve` shows nothing beforehand either.
  up: ["up", "--yes", "--skip-preview"],
  preview: ["preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  changed: ["preview"],
};
/** For programs that can be given one row more. */
const COMMANDS = { ...PHASES, addedPreview: ["preview"], added: ["up", "--yes", "--skip-preview"] };

export async function openStack({ kit, service, pdfs, cell, folder, more = {} }, write) {
  const program = join(folder, "program");
  const backend = join(folder, "backend");
  for (const path of [program, backend]) mkdirSync(path, { recursive: true });
  write(program);
  const env = {
    ...kit.env,
    PULUMI_BACKEND_URL: `file://${backend}`,
    DOCSIGN_BASE_URL: service.url,
    DOCSIGN_STATE_DIR: join(folder, "journal"),
    BENCH_PDFS: pdfs.folder,
    BENCH_COUNT: String(cell.count),
    ...more,
  };
  const { code, last } = await run(kit.pulumi, ["stack", "init", "dev", "--non-interactive"], { cwd: program, env });
  if (code !== 0) throw new Error(`pulumi stack init failed:\n${last.join("\n")}`);
  return {
    command: phase => ({ command: kit.pulumi, args: [...COMMANDS[phase], ...QUIET], cwd: program, env }),
    stateBytes: () => statSync(join(backend, ".pulumi", "stacks", "contracts", "dev.json")).size,
  };
}

export const head = (runtime, plugin) => ({
  name: "contracts",
  runtime,
  ...(plugin && { plugins: { providers: [{ name: "docsign", path: plugin }] } }),
});

/** `plugin(kit)`: the folder of the plugin to run it with. `waits`: it is one that waits for a service that isn't there. */
export const yaml = (plugin, { waits = false } = {}) => ({
  phases: ["up", "preview", "refresh", "changed"],
  open: context =>
    openStack({ ...context, more: waits ? waiting(context.cell) : {} }, program => {
      const { cell, pdfs, kit } = context;
      const resources = {};
      for (let i = 0; i < cell.count; i++) {
        resources[`contract-${i}`] = {
          type: "docsign:Document",
          properties: {
            name: `Contract ${i}`,
            file: { "fn::fileAsset": join(pdfs.folder, `${i}.pdf`) },
            invitations: [{ email: "ana@example.com", name: "Ana Torres" }],
          },
        };
      }
      // JSON is YAML.
      writeFileSync(join(program, "Pulumi.yaml"), JSON.stringify({ ...head("yaml", plugin(kit)), resources }, null, 1));
    }),
});

/** `name`: a program in programs/. Compiled beforehand, or by ts-node at every command, which is Pulumi's default. */
export const typescript = (
  name,
  { compiled, plugin = () => undefined, phases = Object.keys(PHASES), env = {}, waits = false },
) => ({
  phases,
  open: context => {
    const more = { ...(compiled && { PATH: context.kit.plainPath }), ...(waits && waiting(context.cell)), ...env };
    return openStack({ ...context, more }, program => {
      const { kit } = context;
      const runtime = compiled ? { name: "nodejs", options: { typescript: false } } : "nodejs";
      writeFileSync(join(program, "Pulumi.yaml"), JSON.stringify(head(runtime, plugin(kit))));
      const main = compiled ? "index.js" : "index.ts";
      writeFileSync(join(program, main), compiled ? kit.compiled(name) : kit.source(name));
      writeFileSync(join(program, "package.json"), JSON.stringify({ name: "contracts", main }));
      if (!compiled) writeFileSync(join(program, "tsconfig.json"), JSON.stringify(TSCONFIG));
      symlinkSync(kit.nodeModules, join(program, "node_modules"));
    });
  },
});

/** For an idle provider: how long the service takes, and what a document with one signer looks like in state. */
function waiting({ latency }) {
  return { BENCH_WAIT: String(latency), BENCH_ANSWER: JSON.stringify(USUAL_DOCUMENT) };
}

const FILE = {
  sha256: "0".repeat(64),
  url: "http://127.0.0.1:40000/storage/1/original.pdf",
  signedFileUrl: "http://127.0.0.1:40000/storage/1/signed.pdf",
};
const USUAL_DOCUMENT = {
  documentId: "1",
  name: "Contract 1",
  status: "unsigned",
  allSigned: false,
  pendingSigners: ["ana@example.com"],
  signers: [
    {
      email: "ana@example.com",
      name: "Ana Torres",
      invitationId: "10",
      invitationStatus: "accepted",
      signerId: "10",
      signatureType: "advanced",
      status: "unsigned",
    },
  ],
  lastVersion: "1",
  versions: [{ version: "1", status: "unsigned", ...FILE }],
  sha256: FILE.sha256,
  fileUrl: FILE.url,
  signedFileUrl: FILE.signedFileUrl,
  certificates: { status: "not_requested", ready: false },
  nom151: { ready: false },
  createdAt: "2026-01-01T00:00:00.000+00:00",
  updatedAt: "2026-01-01T00:00:00.000+00:00",
  ownerId: "1",
  supersedes: [],
  drift: [],
  imported: false,
  service: "http://127.0.0.1:40000",
};
