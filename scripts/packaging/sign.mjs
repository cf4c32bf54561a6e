// On macOS: signs the executables for it in dist/archives, which any machine has made. Ad hoc: it says that nothing was
// changed since, and not by whom.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must } from "../setup/child.mjs";
import { tarball } from "./tar.mjs";

const archives = join(import.meta.dirname, "..", "..", "dist", "archives");
const PROGRAM = "pulumi-resource-docsign";

const names = (await readdir(archives)).filter(name => name.endsWith(".tar.gz")).sort();
const sums = [];
for (const name of names) {
  const archive = join(archives, name);
  if (name.includes("-darwin-")) {
    const folder = await mkdtemp(join(tmpdir(), "docsign-sign-"));
    await must("tar", ["-xzf", archive, "-C", folder]);
    await must("codesign", ["--sign", "-", "--force", join(folder, PROGRAM)]);
    await must("codesign", ["--verify", "--strict", join(folder, PROGRAM)]);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter(entry => entry.isFile())
      .map(({ parentPath, name: file }) => join(parentPath, file).slice(folder.length + 1));
    const contents = files.map(async file => ({
      name: file,
      content: await readFile(join(folder, file)),
      executable: file === PROGRAM,
    }));
    await writeFile(archive, tarball(await Promise.all(contents)));
    await rm(folder, { recursive: true });
  }
  sums.push(
    `${createHash("sha256")
      .update(await readFile(archive))
      .digest("hex")}  ${name}`,
  );
}
await writeFile(join(archives, "SHA256SUMS"), `${sums.join("\n")}\n`);
