// OpenTofu with Mastercard's restapi provider, installed from a folder, under an address that no network knows.
import { cpSync, existsSync, linkSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../setup/child.mjs";

const COMMANDS = {
  up: ["apply", "-auto-approve"],
  preview: ["plan"],
  refresh: ["apply", "-refresh-only", "-auto-approve"],
  changed: ["plan"],
};
const QUIET = ["-no-color", "-input=false"];

export const tofu = {
  phases: Object.keys(COMMANDS),
  async open({ kit, service, pdfs, cell, folder }) {
    const program = join(folder, "program");
    mkdirSync(program, { recursive: true });
    cpSync(join(kit.programs, "main.tf"), join(program, "main.tf"));
    const values = { service: service.url, pdfs: pdfs.folder, documents: cell.count };
    writeFileSync(join(program, "terraform.tfvars.json"), JSON.stringify(values));
    const env = { ...kit.env, TF_CLI_CONFIG_FILE: install(kit.peers, kit.env.PULUMI_HOME) };
    const { code, last } = await run(kit.peers.tofu, ["init", ...QUIET], { cwd: program, env });
    if (code !== 0) throw new Error(`tofu init failed:\n${last.join("\n")}`);
    return {
      command: phase => ({ command: kit.peers.tofu, args: [...COMMANDS[phase], ...QUIET], cwd: program, env }),
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
