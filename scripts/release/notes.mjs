// Prints the text of the GitHub release for the version in package.json.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sectionOf } from "./changelog.mjs";

const root = join(import.meta.dirname, "..", "..");
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const text = sectionOf(await readFile(join(root, "CHANGELOG.md"), "utf8"), version);
if (text === undefined) {
  process.stderr.write(`CHANGELOG.md has no section for ${version}; \`npm run release\` writes it\n`);
  process.exit(1);
}
const repository = process.env.GITHUB_REPOSITORY ?? "<owner>/<repository>";
process.stdout.write(`${text}

### The plugin

\`\`\`sh
pulumi plugin install resource docsign ${version} --server github://api.github.com/${repository}
\`\`\`

Or download the archive for your system, compare it with SHA256SUMS, and give it as \`--file\`.
`);
