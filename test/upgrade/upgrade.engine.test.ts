import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { Project } from "../sdk/support/project.js";
import { missingEngine } from "../support/engine/found.js";
import { openRecorded, type RecordedResource, type Recording, SERVICE } from "./recorder/recording.js";
import { startReplay } from "./replay.js";

/** Each release records the state it writes: `npm run record`. Whoever upgrades has just such a state. */

const states = join(import.meta.dirname, "states");
const recordings = readdirSync(states)
  .sort()
  .flatMap(version => readdirSync(join(states, version)).map(file => [version, file.replace(/\.json$/, "")] as const));

const read = (version: string, frontEnd: string): Recording =>
  JSON.parse(readFileSync(join(states, version, `${frontEnd}.json`), "utf8"));

async function imported(project: Project, recording: Recording, url: string): Promise<void> {
  const settings = join(project.folder, "program", "Pulumi.dev.yaml");
  writeFileSync(settings, readFileSync(settings, "utf8").replace(project.service.url, url));
  project.write("state.json", JSON.stringify(recording.stack).replaceAll(SERVICE, url));
  await project.pulumi("stack", "import", "--file", "state.json");
}

/** Resources with their secrets in the open: they are encrypted anew each time. */
async function state(project: Project): Promise<RecordedResource[]> {
  const { stdout } = await project.pulumi("stack", "export", "--show-secrets");
  const { deployment } = JSON.parse(stdout) as Recording["stack"];
  // The engine writes them in the order it finished with them.
  const sorted = deployment.resources.toSorted((a, b) => (a.urn < b.urn ? -1 : 1));
  return sorted.map(({ urn, type, id, inputs, outputs }) => ({
    urn,
    type,
    ...(id !== undefined && { id }),
    ...(inputs && { inputs: placeless(inputs) }),
    ...(outputs && { outputs: placeless(outputs) }),
  }));
}

/** An asset's path is that of the checkout, and no difference. */
const placeless = (values: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(values, (key, value) => (key === "path" ? undefined : value)));

it("there is a recording of each front end for every version that has one", () => {
  const frontEnds = Map.groupBy(recordings, ([version]) => version);
  for (const [version, found] of frontEnds)
    expect([version, found.map(([, frontEnd]) => frontEnd)]).toEqual([version, ["dynamic", "plugin"]]);
  expect([...frontEnds.keys()]).toContain("v0.1.0");
});

it("what `npm run record` is made of loads without the test runner", () => {
  const recording = join(import.meta.dirname, "recorder", "recording.ts");
  const { status, stderr } = spawnSync(process.execPath, ["--import", "tsx", recording], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

describe.each(recordings)("%s, %s", (version, frontEnd) => {
  const recording = read(version, frontEnd);
  const { resources } = recording.stack.deployment;

  it("the recording holds every kind of resource, and nothing of the machine it was made on", () => {
    const types = new Set(resources.map(({ type }) => type.replace(/^.*:/, "")));
    expect([...types]).toEqual(expect.arrayContaining(["Document", "Folder", "Reminder", "SignatureGate"]));
    expect(JSON.stringify(recording)).not.toMatch(/\/(home|root|tmp|Users|work)\//);
  });

  it.skipIf(missingEngine)(
    `shows no difference, writes nothing, and can be let go ${missingEngine ?? ""}`,
    async () => {
      await using service = await startReplay(recording.answers);
      await using project = await openRecorded(recording.files);
      await imported(project, recording, service.url);
      const before = await state(project);

      const { stdout } = await project.pulumi("preview", "--json", "--expect-no-changes");
      const { changeSummary } = JSON.parse(stdout) as { changeSummary: Record<string, number> };
      expect(changeSummary).toEqual({
        same: resources.filter(({ type }) => !type.startsWith("pulumi:providers:")).length,
      });
      await project.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
      expect(service.asked()).toEqual([]);
      await project.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
      expect(service.asked()).toEqual(documents(resources).map(id => `GET /v1/documents/${id}`));
      expect(await state(project)).toEqual(before);

      await project.pulumi("destroy", "--yes", "--skip-preview");
      expect(service.asked()).toEqual([]);
      expect(project.asked()).toEqual([]);
    },
    120_000,
  );
});

/** The plugin's program without the reminder, which can't be imported; with the ids that state holds, where they are to be imported. */
function moving(program: string, resources: readonly RecordedResource[]): string {
  const parsed = parse(program) as {
    resources: Record<string, { type: string; properties: { name: string }; options?: object }>;
  };
  for (const [name, resource] of Object.entries(parsed.resources)) {
    const { type, properties, options } = resource;
    const id = resources.find(({ urn }) => urn.endsWith(`/${type}::${name}`))?.id;
    if (type === "docsign:Reminder") delete parsed.resources[name];
    if (id === undefined || !["docsign:Document", "docsign:Folder"].includes(type)) continue;
    resource.options = { ...options, import: type === "docsign:Folder" ? `${id}/${properties.name}` : id };
  }
  return stringify(parsed);
}

describe.each(recordings.filter(([, door]) => door === "dynamic"))(
  "%s, from the dynamic provider to the plugin",
  version => {
    const recording = read(version, "dynamic");
    const { files } = read(version, "plugin");

    // The title says why it is skipped.
    it.skipIf(missingEngine)(`takes every document over and mails no one ${missingEngine ?? ""}`, async () => {
      await using service = await startReplay(recording.answers);
      await using project = await openRecorded({ ...recording.files, "Pulumi.yaml": files["Pulumi.yaml"] ?? "" });
      await imported(project, recording, service.url);
      const written = readFileSync(join(project.folder, "program", "Pulumi.yaml"), "utf8");

      project.write("Pulumi.yaml", moving(written, recording.stack.deployment.resources));
      await project.pulumi("up", "--yes", "--skip-preview");
      project.write("Pulumi.yaml", moving(written, []));
      await project.pulumi("preview", "--expect-no-changes");
      expect(service.asked().filter(request => !/^GET .*[0-9]$/.test(request))).toEqual([]);
      const moved = (await state(project)).filter(({ type }) => type === "docsign:index:Document");
      expect(moved.map(({ id }) => id).sort()).toEqual(documents(recording.stack.deployment.resources));
    });
  },
);

const documents = (resources: readonly RecordedResource[]): string[] =>
  resources
    .filter(({ type }) => type.endsWith(":Document"))
    .map(({ id }) => id ?? "")
    .sort();
