// A fleet of real stacks: a checkout with a fleet file and a program, a backend for state, a Postgres of the product's
// own making on disk, and any number of workers, each a machine with a memory of its own.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { startLocalPostgres } from "../../commands/fleet/local-postgres.js";
import { head, writeProgram } from "./contenders.mjs";

const started = new Set();

/** Kills what was started and still runs. */
export function killFleets() {
  for (const child of started) killGroup(child);
}

/** With everything that it has started in its process group. */
export function killGroup(child) {
  started.delete(child);
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

export async function startPostgres(root, folder) {
  const where = { folder, path: process.env.PATH, packagesFrom: [join(root, "package.json")] };
  let server = await startLocalPostgres(where);
  return {
    url: server.url,
    /** `orderly` as an upgrade does it; otherwise as after a crash, with what it had not written to replay. */
    async restart(orderly) {
      if (!orderly) {
        const [pid] = readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n");
        process.kill(Number(pid), "SIGQUIT");
      }
      await server.stop();
      server = await startLocalPostgres({ ...where, port: server.port });
    },
    /** The address of another data base in it. */
    async another(name) {
      const sql = postgres(server.url, { max: 1 });
      await sql.unsafe(`create database ${name}`);
      await sql.end();
      return server.url.replace("/postgres?", `/${name}?`);
    },
    stop: () => server.stop(),
  };
}

export const stackNames = count => Array.from({ length: count }, (_, i) => `s-${String(i).padStart(3, "0")}`);

/** With a version, as an installed plugin has it, so that YAML's host keeps its schema. */
function programOf(kit, resources) {
  const program = head("yaml", kit.plugin);
  const { version } = JSON.parse(readFileSync(join(kit.product, "package.json"), "utf8"));
  for (const plugin of program.plugins.providers) plugin.version = version;
  return { ...program, resources };
}

/** Each has a name and a person that are nobody else's. */
const contracts = ({ pdfs, count }) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `contract-${i}`,
      {
        name: `\${pulumi.stack} contract ${i}`,
        file: { "fn::fileAsset": join(pdfs.folder, `${i}.pdf`) },
        invitations: [{ email: `person-${i}@\${pulumi.stack}.example.com` }],
      },
    ]),
  );

/** A `Document` for each contract. */
export const documentsProgram = ({ kit, ...wanted }) => {
  const documents = Object.entries(contracts(wanted));
  const resources = documents.map(([name, properties]) => [name, { type: "docsign:Document", properties }]);
  return programOf(kit, Object.fromEntries(resources));
};

/** One `DocumentSet` of them. */
export const setProgram = ({ kit, ...wanted }) =>
  programOf(kit, { contracts: { type: "docsign:DocumentSet", properties: { documents: contracts(wanted) } } });

export class FleetFolder {
  #machines = 0;

  /** `program`: what stands in Pulumi.yaml. */
  constructor({ kit, service, database, folder, stacks, program }) {
    Object.assign(this, { kit, folder, stacks });
    for (const name of ["state", "program"]) mkdirSync(join(folder, name), { recursive: true });
    const fleet = {
      name: "leases",
      program: "program",
      stacks: { list: stacks.map(name => ({ name })) },
      workers: { lease: "10s" },
      secrets: ["DOCSIGN_API_KEY"],
    };
    // JSON is YAML.
    writeFileSync(join(folder, "fleet.yaml"), JSON.stringify(fleet, null, 1));
    writeProgram(join(folder, "program"), program);
    this.env = {
      ...kit.env,
      DOCSIGN_FLEET_DATABASE: database,
      DOCSIGN_BASE_URL: service.url,
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    };
  }

  /** Starts the command on a machine of its own; `output` has what it printed, `ended` its exit code. */
  start(args, onLine = () => undefined) {
    const machine = join(this.folder, `machine-${++this.#machines}`);
    mkdirSync(join(machine, "tmp"), { recursive: true });
    const env = { ...this.env, DOCSIGN_STATE_DIR: join(machine, "state"), TMPDIR: join(machine, "tmp") };
    const command = join(this.kit.product, "bin", "docsign");
    // The leader of a process group: whoever kills it kills the group.
    const child = spawn(command, ["fleet", ...args], {
      cwd: this.folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    started.add(child);
    const run = { child, output: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", text => {
        run.output += text;
        for (const line of text.split("\n")) if (line !== "") onLine(line);
      });
    run.ended = new Promise(resolve => child.once("close", resolve)).then(code => {
      started.delete(child);
      return code;
    });
    return run;
  }

  async worker() {
    let ready = () => undefined;
    const listening = new Promise(resolve => {
      ready = resolve;
    });
    const run = this.start(["worker", "--parallel", "1"], line => line.includes(" takes up to ") && ready());
    await Promise.race([listening, run.ended]);
    return run;
  }

  async crew(many) {
    const crew = [];
    while (crew.length < many) crew.push(await this.worker());
    return crew;
  }

  async json() {
    const run = this.start(["status", "--json"]);
    await run.ended;
    return JSON.parse(run.output);
  }

  /** Locks that engines have left in the backend. */
  locks() {
    const found = readdirSync(join(this.folder, "state", ".pulumi"), { recursive: true });
    return found.filter(path => /^locks\b.*\.json$/.test(path)).length;
  }

  /** Ids of the documents that the stacks' states hold. */
  documentsInState() {
    return this.stacks.flatMap(stack => {
      const path = join(this.folder, "state", ".pulumi", "stacks", "contracts", `${stack}.json`);
      const { resources = [] } = JSON.parse(readFileSync(path, "utf8")).checkpoint.latest ?? {};
      return resources.filter(({ type }) => type === "docsign:index:Document").map(({ outputs }) => outputs.documentId);
    });
  }
}

/** Drains workers. */
export async function drain(workers) {
  for (const { child } of workers) child.kill("SIGINT");
  for (const { ended } of workers) await ended;
}
