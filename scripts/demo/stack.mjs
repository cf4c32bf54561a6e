// An example in YAML in a folder of its own, with a state that goes away with it.
import { cp, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must, run } from "../setup/child.mjs";

const STACK = "demo";

/** What keeps Pulumi and the provider to a folder, and sends to this service. */
export const ownSettings = (folder, service) => ({
  PULUMI_BACKEND_URL: `file://${join(folder, "state").replaceAll("\\", "/")}`,
  PULUMI_CONFIG_PASSPHRASE: "",
  PULUMI_HOME: join(folder, "home"),
  PULUMI_SKIP_UPDATE_CHECK: "true",
  DOCSIGN_STATE_DIR: join(folder, "journal"),
  DOCSIGN_BASE_URL: service.url,
  DOCSIGN_API_KEY: service.apiKey,
});

export async function openStack({ root, env, pulumi, service, colour = "never", example = "quickstart" }) {
  const folder = await mkdtemp(join(tmpdir(), "docsign-demo-"));
  const program = join(folder, "program");
  await cp(join(root, "examples", example), program, { recursive: true });
  const manifest = join(program, "Pulumi.yaml");
  await writeFile(manifest, (await readFile(manifest, "utf8")).replace(/(\.\.\/)+bin/, join(root, "bin")));
  const contract = join(program, "contracts", "nda.pdf");
  const own = ownSettings(folder, service);
  await mkdir(join(folder, "state"), { recursive: true });

  const options = { cwd: program, env: { ...env, ...own } };
  const start = (runs, args, onLine = () => {}) =>
    runs(pulumi, [...args, "--stack", STACK, "--color", colour, "--non-interactive"], {
      ...options,
      onLine: line => line.trim() !== "" && onLine(line.trimEnd()),
    });
  let original;
  const withAnotherClause = async (args, onLine) => {
    original ??= await readFile(contract);
    await writeFile(contract, Buffer.concat([original, Buffer.from("% one clause more\n")]));
    return (await start(run, args, onLine)).code;
  };
  await must(pulumi, ["stack", "init", STACK], options);

  return {
    folder,
    program,
    pulumi: (args, onLine) => start(must, args, onLine),
    async outputs() {
      const lines = [];
      await start(must, ["stack", "output", "--json"], line => lines.push(line));
      return JSON.parse(lines.join("\n"));
    },
    /** Exit code of an `up` with another clause in the PDF. */
    changeContract: onLine => withAnotherClause(["up", "--yes"], onLine),
    /** Exit code of a preview with another clause in the PDF. */
    previewChangedContract: onLine => withAnotherClause(["preview"], onLine),
    restoreContract: () => writeFile(contract, original),
    howToGoOn: ({ pid, url }) => `
Everything is left running. To look around in this shell:

${Object.entries(own)
  .map(([name, value]) => `  export ${name}=${value}`)
  .join("\n")}
  export PATH=${env.PATH.split(":").slice(0, 2).join(":")}:$PATH
  cd ${program}
  pulumi preview --stack ${STACK}        # the contract is changed, and the change refused
  pulumi stack output --stack ${STACK}

Or look at the mails, the documents and every request in a browser, and sign what is sent next:

  ${url}/

When you are done:

  kill ${pid} && rm -r ${folder}
`,
  };
}
