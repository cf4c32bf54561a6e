// Who takes part, and how each is started.
import { cpSync, existsSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { must } from "../setup/child.mjs";
import { TSCONFIG } from "./kit.mjs";
import { INVITATIONS } from "./workload.mjs";

// ---- Pulumi ----

// A stack of a program of ours or of a rival's, with a file backend of its own.

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
  await must(kit.pulumi, ["stack", "init", "dev", "--non-interactive"], { cwd: program, env });
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

/** JSON is YAML. */
export const writeProgram = (folder, content) =>
  writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify(content, null, 1));

/** `plugin(kit)`: the folder of the plugin to run it with. `waits`: it is one that waits for a service that isn't there. */
export const yaml = (plugin, { waits = false } = {}) => ({
  phases: Object.keys(PHASES),
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
            invitations: INVITATIONS,
          },
        };
      }
      writeProgram(program, { ...head("yaml", plugin(kit)), resources });
    }),
});

/** `name`: a program in programs/. Compiled beforehand, or by ts-node at every command, which is Pulumi's default. */
export const typescript = (
  name,
  { compiled = true, plugin = () => undefined, phases = Object.keys(PHASES), env = {}, waits = false } = {},
) => ({
  phases,
  open: context => {
    const more = { ...(compiled && { PATH: context.kit.plainPath }), ...(waits && waiting(context.cell)), ...env };
    return openStack({ ...context, more }, program => {
      const { kit } = context;
      const runtime = compiled ? { name: "nodejs", options: { typescript: false } } : "nodejs";
      writeProgram(program, head(runtime, plugin(kit)));
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

// ---- A command for each document ----

// In Pulumi: what can be had without a provider for the service.

export const curl = {
  // It reads nothing back.
  phases: ["up", "preview", "changed"],
  open: context =>
    openStack(context, program => {
      const { kit, service, pdfs, cell } = context;
      const resources = {};
      for (let i = 0; i < cell.count; i++) {
        const pdf = join(pdfs.folder, `${i}.pdf`);
        resources[`contract-${i}`] = {
          type: "curl:Command",
          properties: { create: create(service.url, i, pdf), triggers: [{ "fn::fileAsset": pdf }] },
        };
      }
      const plugins = { providers: [{ name: "curl", path: dirname(kit.peers.curl) }] };
      writeProgram(program, { name: "contracts", runtime: "yaml", plugins, resources });
    }),
};

function create(service, i, pdf) {
  const body = JSON.stringify({
    name: `Contract ${i}`,
    invitations_attributes: [{ invite_email: "ana@example.com", invite_name: "Ana Torres" }],
    base64_file: "data:application/pdf;base64,",
  });
  const text = `{ printf %s '${body.slice(0, -2)}'; base64 <'${pdf}' | tr -d '\\n'; printf %s '"}'; }`;
  const headers = "-H 'content-type: application/json' -H 'x-api-key: bench'";
  return `${text} | curl -sSf ${headers} --data-binary @- ${service}/v1/documents`;
}

// ---- OpenTofu ----

// With Mastercard's restapi provider, installed from a folder, under an address that no network knows.

const TOFU_COMMANDS = {
  up: ["apply", "-auto-approve"],
  preview: ["plan"],
  refresh: ["apply", "-refresh-only", "-auto-approve"],
  changed: ["plan"],
};
const TOFU_QUIET = ["-no-color", "-input=false"];

export const tofu = {
  phases: Object.keys(TOFU_COMMANDS),
  async open({ kit, service, pdfs, cell, folder }) {
    const program = join(folder, "program");
    mkdirSync(program, { recursive: true });
    cpSync(join(kit.programs, "main.tf"), join(program, "main.tf"));
    const values = { service: service.url, pdfs: pdfs.folder, documents: cell.count };
    writeFileSync(join(program, "terraform.tfvars.json"), JSON.stringify(values));
    const env = { ...kit.env, TF_CLI_CONFIG_FILE: install(kit.peers, kit.env.PULUMI_HOME) };
    await must(kit.peers.tofu, ["init", ...TOFU_QUIET], { cwd: program, env });
    return {
      command: phase => ({
        command: kit.peers.tofu,
        args: [...TOFU_COMMANDS[phase], ...TOFU_QUIET],
        cwd: program,
        env,
      }),
      stateBytes: () => statSync(join(program, "terraform.tfstate")).size,
    };
  },
};

function install(peers, home) {
  const mirror = join(home, "..", "mirror");
  const config = join(mirror, "tofurc");
  if (existsSync(config)) return config;
  const system = `${process.platform === "win32" ? "windows" : process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
  const folder = join(mirror, "peers.invalid", "mastercard", "restapi", peers.versions.restapi, system);
  mkdirSync(folder, { recursive: true });
  const program = join(folder, `terraform-provider-restapi_v${peers.versions.restapi}`);
  try {
    linkSync(peers.restapi, program);
  } catch {
    // Another file system.
    cpSync(peers.restapi, program);
  }
  writeFileSync(
    config,
    `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`,
  );
  return config;
}

// ---- The requests alone ----

/** The engine's own default on two cores, and our `maxConcurrency`. */
const AT_ONCE = 8;

export const bareLoop = {
  phases: ["up", "refresh"],
  async open({ kit, service, pdfs, cell }) {
    const script = join(kit.programs, "bare-loop.mjs");
    const args = [service.url, pdfs.folder, cell.count, AT_ONCE].map(String);
    return {
      command: phase => ({ command: kit.node, args: [script, phase, ...args], cwd: kit.programs, env: kit.env }),
      stateBytes: () => undefined,
    };
  },
};

// ---- All of them ----

const ours = kit => kit.plugin;
const idle = kit => kit.idle;

const idleDynamic = { phases: ["up", "preview", "refresh"] };

/** `[key, title, way]`; those that are `slow` run once, not in every repeat. */
export const CONTENDERS = [
  ["plugin-yaml", "our plugin, YAML", yaml(ours)],
  ["plugin-ts", "our plugin, TypeScript compiled", typescript("plugin", { plugin: ours })],
  ["plugin-ts-node", "our plugin, TypeScript by ts-node", typescript("plugin", { compiled: false, plugin: ours })],
  ["sdk-ts", "our dynamic SDK, TypeScript compiled", typescript("sdk")],
  ["sdk-ts-node", "our dynamic SDK, TypeScript by ts-node", typescript("sdk", { compiled: false })],
  ["tofu", "OpenTofu + restapi", tofu],
  ["naive", "naive dynamic provider", { slow: true, ...typescript("naive", { compiled: false }) }],
  ["curl", "a Pulumi provider that runs curl", curl],
  ["idle-yaml", "engine alone, YAML", yaml(idle)],
  ["idle-ts", "engine alone, TypeScript compiled", typescript("plugin", { plugin: idle })],
  ["idle-dynamic", "engine alone, dynamic, TypeScript compiled", typescript("idle-dynamic", idleDynamic)],
  ["waiting-yaml", "engine and waiting, YAML", yaml(idle, { waits: true })],
  ["waiting-ts", "engine and waiting, TypeScript compiled", typescript("plugin", { plugin: idle, waits: true })],
  [
    "waiting-dynamic",
    "engine and waiting, dynamic, TypeScript compiled",
    typescript("idle-dynamic", { ...idleDynamic, waits: true }),
  ],
  ["loop", "bare loop of requests", bareLoop],
].map(([key, title, way]) => ({ key, title, ...way }));

export const contender = key => CONTENDERS.find(one => one.key === key);
