// node scripts/packaging/smoke.mjs [dotnet]: the archive for this system in dist/archives, installed as users install it into the `pulumi` on
// PATH: a contract is sent, signed and read, a change of it is refused, and it is let go of. For the systems where the tests don't run, and for C#, which they don't.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../demo/service.mjs";
import { ownSettings } from "../demo/stack.mjs";
import { run } from "../setup/child.mjs";
import { ownPlatform } from "../setup/node.mjs";
import { exitWith, ScriptError } from "../setup/progress.mjs";

const root = join(import.meta.dirname, "..", "..");
/** The files of one program, in each language. */
const PROGRAMS = {
  yaml: {
    "Pulumi.yaml": `name: smoke
runtime: yaml
resources:
  nda:
    type: docsign:Document
    properties:
      name: Smoke
      file: { fn::fileAsset: ./nda.pdf }
      invitations: [{ email: ana@example.com }]
    options: { deleteBeforeReplace: true }
outputs: { id: "\${nda.documentId}", status: "\${nda.status}" }
`,
  },
  dotnet: {
    "Pulumi.yaml": "name: smoke\nruntime: dotnet\n",
    "smoke.csproj": `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework>
    <Nullable>enable</Nullable>
  </PropertyGroup>
  <ItemGroup>
    <ProjectReference Include="${join(root, "dist", "sdks", "dotnet", "PulumiDocsign.Docsign.csproj")}" />
  </ItemGroup>
</Project>
`,
    "Program.cs": `using System.Collections.Generic;
using Pulumi;
using Docsign = PulumiDocsign.Docsign;

return await Deployment.RunAsync(() =>
{
    var nda = new Docsign.Document("nda", new()
    {
        Name = "Smoke",
        File = new FileAsset("./nda.pdf"),
        Invitations = new[] { new Docsign.Inputs.InvitationArgs { Email = "ana@example.com" } },
    }, new CustomResourceOptions { DeleteBeforeReplace = true });
    return new Dictionary<string, object?> { ["id"] = nda.DocumentId, ["status"] = nda.Status };
});
`,
  },
};

async function smoke(language = "yaml") {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const archives = join(root, "dist", "archives");
  const archive = (await readdir(archives)).find(name => name.endsWith(`-${ownPlatform}.tar.gz`));
  if (!archive)
    throw new ScriptError(`expected an archive for ${ownPlatform} in dist/archives: npm run archives -- --here`);
  const folder = await mkdtemp(join(tmpdir(), "docsign-smoke-"));
  const service = await startService({ root, node: process.execPath, keep: false });
  try {
    const cwd = join(folder, "program");
    for (const name of ["program", "state"]) await mkdir(join(folder, name));
    for (const [name, text] of Object.entries(PROGRAMS[language])) await writeFile(join(cwd, name), text);
    await cp(join(root, "examples", "quickstart", "contracts", "nda.pdf"), join(cwd, "nda.pdf"));
    const env = { ...process.env, ...ownSettings(folder, service) };
    const pulumi = async (...args) => {
      const { code, last } = await run("pulumi", [...args, "--non-interactive", "--color", "never"], { cwd, env });
      return { code, text: last.join("\n") };
    };
    const must = async (...args) => {
      const { code, text } = await pulumi(...args);
      if (code !== 0) throw new ScriptError(`\`pulumi ${args.join(" ")}\` failed:\n${text}`);
      process.stdout.write(`ok  pulumi ${args.slice(0, 2).join(" ")}\n`);
      return text;
    };
    const is = (what, expected, got) => {
      if (got !== expected) throw new ScriptError(`${what}: expected ${expected}, got ${got}`);
      process.stdout.write(`ok  ${what}: ${got}\n`);
    };

    await must("plugin", "install", "resource", "docsign", version, "--file", join(archives, archive));
    await must("stack", "init", "dev");
    await must("up", "--yes", "--skip-preview");
    is("mails", 1, (await service.see("mails")).length);
    const { id } = JSON.parse(await must("stack", "output", "--json"));
    await service.act("sign", { documentId: Number(id), who: "ana@example.com" });
    await must("up", "--yes", "--refresh", "--skip-preview");
    is("status", "signed", JSON.parse(await must("stack", "output", "--json")).status);
    const contract = join(cwd, "nda.pdf");
    await writeFile(contract, Buffer.concat([await readFile(contract), Buffer.from("% one clause more\n")]));
    const refused = await pulumi("preview");
    is("a changed contract is refused", true, refused.code !== 0 && refused.text.includes("[docsign/replace-signed]"));
    await must("destroy", "--yes", "--skip-preview");
    is("mails", 1, (await service.see("mails")).length);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

await smoke(...process.argv.slice(2)).catch(exitWith);
