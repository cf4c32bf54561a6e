/** Writes test/upgrade/states/v<version>/: the state this version leaves behind, for later versions to be tried on. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../../sdk/support/project.js";
import { root } from "../../support/engine/found.js";
import { PROGRAMS } from "./programs.js";
import { API_KEY, openRecorded, type Recording, SERVICE } from "./recording.js";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const folder = join(root, "test", "upgrade", "states", `v${version}`);

/** A stack in the middle of its life: one contract signed in part and its signers reminded, another done. */
async function live(project: Project): Promise<void> {
  await project.up();
  const { people, ledger } = project.service;
  const [nda, lease] = ["Mutual NDA", "Office lease"].map(
    name => ledger.documents().find(document => document.name === name)?.id ?? "",
  ) as [string, string];
  people.sign(nda, "ana@example.com");
  people.signAll(lease);
  people.certify(lease);
  await project.pulumi("up", "--yes", "--skip-preview", "--refresh");
  await project.pulumi("preview", "--expect-no-changes");
}

async function answersOf({ service }: Project): Promise<Recording["answers"]> {
  const documents = service.ledger.documents();
  const paths = ["/v1/documents", ...documents.map(({ id }) => `/v1/documents/${id}`)];
  const headers = { "x-api-key": API_KEY };
  const answers = paths.map(async path => [
    `GET ${path}`,
    await (await fetch(`${service.url}${path}`, { headers })).text(),
  ]);
  return Object.fromEntries(await Promise.all(answers));
}

/** Nothing of this machine, and no time that no one compares. */
function scrubbed(exported: string, project: Project): Recording["stack"] {
  const place = (text: string): string =>
    text.replaceAll(project.service.url, SERVICE).replaceAll(project.folder, "/machine");
  return JSON.parse(place(exported), (key, value) => {
    if (["sourcePosition", "stackTrace"].includes(key)) return undefined;
    return ["time", "created", "modified"].includes(key) && typeof value === "string" ? "2000-01-01T00:00:00Z" : value;
  });
}

async function record(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [frontEnd, files] of Object.entries(PROGRAMS)) {
    await using project = await openRecorded(files);
    await live(project);
    const { stdout } = await project.pulumi("stack", "export");
    const answers = JSON.parse(JSON.stringify(await answersOf(project)).replaceAll(project.service.url, SERVICE));
    const recording: Recording = { version, files, answers, stack: scrubbed(stdout, project) };
    writeFileSync(join(folder, `${frontEnd}.json`), `${JSON.stringify(recording, null, 2)}\n`);
    process.stdout.write(`test/upgrade/states/v${version}/${frontEnd}.json is written\n`);
  }
}

void record();
