import { expect, type ResourceLaw } from "../law.js";
import { get, rootOf } from "../schema.js";
import { another, bare, unknown } from "../values.js";
import { changed, refused, unchanged } from "./steps.js";

export const diffLaws: readonly ResourceLaw[] = [
  {
    name: "diff-of-the-same-is-none",
    level: "must",
    claim: "Diff of a resource with its own inputs reports no change.",
    breaks: "Each `up` updates or replaces a resource that nobody has changed.",
    async run(trial) {
      const existing = await trial.create();
      await unchanged(trial, existing, "right after its creation");
    },
  },
  {
    name: "diff-after-refresh-is-none",
    level: "must",
    claim: "Diff of a resource that was refreshed, with its own inputs, reports no change.",
    breaks: "`pulumi refresh` makes the next `up` update or replace what nobody has changed.",
    async run(trial, connection) {
      const existing = await trial.create();
      const { id, outputs, inputs } = await connection.read(existing);
      expect(id === existing.id, `expected Read to answer ${existing.id}, got ${JSON.stringify(id)}`);
      await unchanged(trial, { ...existing, outputs, inputs }, "after a refresh", existing.inputs);
      const { replaces } = await connection.diff({ ...existing, outputs, inputs }, existing.inputs);
      expect(replaces.length === 0, `expected a refresh to show no replacement, got one for ${replaces.join(", ")}`);
    },
  },
  {
    name: "diff-sees-an-update",
    level: "must",
    claim: "Diff reports the fixture's update as a change without a replacement.",
    breaks: "The change is never made, or the resource is replaced where it needn't be.",
    async run(trial) {
      const { changes, replaces } = await changed(trial, trial.fixture.update, "update");
      expect(changes === "some", `expected a change, got ${changes}`);
      expect(replaces.length === 0, `expected an update in place, got a replacement for ${replaces.join(", ")}`);
    },
  },
  {
    name: "diff-sees-a-replacement",
    level: "must",
    claim: "Diff answers the fixture's replacement with what has to be replaced.",
    breaks: "The engine calls Update, which can't do it: what the program says isn't what the service holds.",
    async run(trial) {
      const { changes, replaces } = await changed(trial, trial.fixture.replace, "replace");
      expect(changes === "some", `expected a change, got ${changes}`);
      expect(replaces.length > 0, "expected a replacement, got an update");
    },
  },
  {
    name: "diff-compares-every-input",
    level: "must",
    claim: "A change of any input of the fixture is reported, but for those it calls used at creation alone.",
    breaks: "The program says one thing, and the service holds another, without a word.",
    async run(trial, connection) {
      const existing = await trial.create();
      for (const [key, value] of trial.program()) {
        const { kept } = trial.fixture;
        const other = another(bare(value));
        if (kept.includes(key) || other === undefined) continue;
        const program = new Map([...existing.inputs, [key, other]]);
        const checked = await connection.check(existing.urn, program, existing.inputs);
        // What Check refuses, Diff never sees.
        if (checked.failures.length > 0) continue;
        const error = await refused(
          trial.compare(existing, program).then(({ changes }) => {
            expect(changes === "some", `expected a changed ${key} to be reported, got ${changes}`);
          }),
        );
        expect(error?.code !== "UNAVAILABLE", `expected an answer to a changed ${key}, got ${error?.message}`);
      }
    },
  },
  {
    name: "diff-details-name-real-paths",
    level: "must",
    needsSchema: true,
    claim: "What Diff names as changed is a property of the resource, and what it replaces is among it.",
    breaks: "The preview shows a change without a property, and `ignoreChanges` has nothing to name.",
    async run(trial) {
      for (const [name, patch] of [
        ["update", trial.fixture.update],
        ["replace", trial.fixture.replace],
      ] as const) {
        if (patch === undefined) continue;
        const { detailed, diffs, replaces } = await changed(trial, patch, name);
        for (const path of [...diffs, ...replaces, ...(detailed?.keys() ?? [])]) {
          const root = rootOf(path);
          const known = get(trial.resource.inputProperties, root) ?? get(trial.resource.properties, root);
          expect(known !== undefined, `expected a property of ${trial.token}, got ${path}`);
        }
        if (!detailed) continue;
        const roots = new Set([...detailed.keys()].map(rootOf));
        for (const path of diffs) expect(roots.has(rootOf(path)), `expected the detail of ${path}, got none`);
        const inDetail = [...detailed].filter(([, kind]) => kind.endsWith("replace")).map(([path]) => rootOf(path));
        for (const path of replaces)
          expect(inDetail.includes(rootOf(path)), `expected the detail of ${path} to say that it replaces`);
        if (replaces.length === 0)
          expect(inDetail.length === 0, `expected ${inDetail.join(", ")} among what is replaced`);
      }
    },
  },
  {
    name: "diff-agrees-with-the-schema",
    level: "must",
    claim: "A change of what the schema says is replaced is answered with a replacement.",
    breaks: "Policies and tools that read the schema are told another thing than the engine.",
    async run(trial) {
      const { replaces } = await changed(trial, trial.fixture.replace, "replace");
      const said = Object.entries(trial.resource.inputProperties ?? {}).filter(([key, spec]) => {
        const output = get(trial.resource.properties, key);
        return [spec, output].some(each => each?.replaceOnChanges === true || each?.willReplaceOnChanges === true);
      });
      for (const [key] of said) {
        if (!Object.hasOwn(trial.fixture.replace ?? {}, key)) continue;
        expect(
          replaces.some(path => rootOf(path) === key),
          `expected ${key} to be replaced, got ${replaces.join(", ") || "nothing"}`,
        );
      }
    },
  },
  {
    name: "diff-takes-unknowns",
    level: "must",
    claim: "Diff takes inputs that aren't known yet.",
    breaks: "A program in which a replaced resource feeds this one can't be previewed.",
    async run(trial, connection) {
      const existing = await trial.create();
      for (const key of trial.program().keys()) {
        const news = new Map([...existing.inputs, [key, unknown]]);
        const { inputs } = await connection.check(existing.urn, news, existing.inputs);
        await connection.diff(existing, inputs);
      }
    },
  },
  {
    name: "diff-changes-nothing",
    level: "must",
    claim: "Diff and Read change nothing at the service.",
    breaks: "A preview or a refresh does what nobody has agreed to.",
    async run(trial, connection) {
      const existing = await trial.create();
      const before = await trial.observe();
      await trial.compare(existing, existing.inputs);
      await connection.read(existing);
      expect(before === (await trial.observe()), "expected the service to be as it was, and it changed");
    },
  },
];
