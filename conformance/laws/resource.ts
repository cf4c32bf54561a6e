import { CallError, checkedIn } from "../connection.js";
import { Broken, type Existing, expect, type Law, type ResourceTrial, Skipped } from "../law.js";
import { get, takesAsset } from "../schema.js";
import {
  ASSET,
  asInState,
  bare,
  bareValues,
  File,
  fromJson,
  hasUnknown,
  isList,
  isValues,
  Secret,
  same,
  unknown,
  type Value,
  type Values,
} from "../values.js";
import { difference, refused } from "./process.js";

type Patch = Readonly<Record<string, unknown>>;

/** Values that a program may hold by accident. */
const ODD: readonly [string, Value][] = [
  ["null", null],
  ["a text", "☃ \u202e\u0000 \n"],
  ["an empty text", ""],
  ["a number", 2 ** 53 - 1],
  ["true", true],
  ["an empty list", []],
  ["an empty object", new Map()],
  ["an object with the key __proto__", new Map([["__proto__", new Map([["polluted", true]])]])],
  ["a list 200 deep", deep(200)],
  ["a text of 1 MB", "x".repeat(1 << 20)],
];

export const resourceLaws: readonly Law[] = [
  {
    name: "check-is-idempotent",
    level: "must",
    of: "resource",
    claim: "Check of its own answer answers the same.",
    breaks: "The engine compares what Check answered: an unchanged program shows a change at each `up`.",
    async run(trial) {
      const connection = await trial.connect();
      const urn = trial.urn(trial.token);
      const program = trial.program();
      const once = await taken(trial, program);
      const { inputs: twice } = await connection.check(urn, trial.sent(program), trial.sent(once));
      expect(
        same(once, twice),
        `expected the same inputs with old ones at hand, got others in ${difference(once, twice)}`,
      );
      const { inputs: again } = await connection.check(urn, trial.sent(once), trial.sent(once));
      expect(
        same(once, again),
        `expected a checked input to be checked to itself, got others in ${difference(once, again)}`,
      );
    },
  },
  {
    name: "check-keeps-unknowns",
    level: "must",
    of: "resource",
    claim: "An input that isn't known yet is taken, and stays unknown.",
    breaks:
      "A program that takes an input from another resource can't be previewed, or is previewed with a wrong value.",
    async run(trial) {
      const connection = await trial.connect();
      const program = trial.program();
      // What begins with two underscores is between the SDK and the provider.
      for (const key of [...program.keys()].filter(each => !each.startsWith("__"))) {
        const { inputs, failures } = await connection.check(
          trial.urn(trial.token, `unknown-${key}`),
          trial.sent(new Map([...program, [key, unknown]])),
        );
        const [failure] = failures;
        expect(!failure, `expected ${key} to be taken while it isn't known, got: ${failure?.reason}`);
        expect(hasUnknown(inputs.get(key)), `expected ${key} to stay unknown, got ${JSON.stringify(inputs.get(key))}`);
      }
    },
  },
  {
    name: "check-keeps-secrets",
    level: "must",
    of: "resource",
    claim: "An input that is secret comes back secret.",
    breaks: "It is written to the state as plain text, and shown in previews.",
    async run(trial) {
      const connection = await trial.connect();
      if (!connection.flags.acceptSecrets)
        throw new Skipped("the provider takes no secrets; the engine marks them itself");
      const program = trial.program();
      for (const [key, value] of program) {
        const { inputs, failures } = await connection.check(
          trial.urn(trial.token, `secret-${key}`),
          new Map([...program, [key, new Secret(bare(value))]]),
        );
        if (failures.length > 0)
          throw new Broken(`expected ${key} to be taken as a secret, got: ${failures[0]?.reason}`);
        const answer = inputs.get(key);
        expect(answer === undefined || isSecret(answer), `expected ${key} to stay secret, got it as plain text`);
      }
    },
  },
  {
    name: "check-names-what-is-missing",
    level: "must",
    of: "resource",
    claim: "Without an input that the schema requires, Check fails.",
    breaks: "YAML programs aren't type-checked: what is missing comes out in the middle of `up`.",
    async run(trial) {
      const connection = await trial.connect();
      for (const key of trial.resource.requiredInputs ?? []) {
        const program = new Map([...trial.program()].filter(([each]) => each !== key));
        const error = await refused(
          connection
            .check(trial.urn(trial.token, `without-${key}`), trial.sent(program))
            .then(({ inputs, failures }) => {
              expect(failures.length > 0 || inputs.has(key), `expected a failure without ${key}, got none`);
            }),
        );
        expect(error?.code !== "UNAVAILABLE", `expected an answer without ${key}, got ${error?.message}`);
      }
    },
  },
  {
    name: "check-failures-name-their-property",
    level: "should",
    of: "resource",
    needsSchema: true,
    claim: "A failure names a property that the schema has, or none, and says why.",
    breaks: "The engine prints the failure without a place, or with a value that has nothing to do with it.",
    async run(trial) {
      for (const answer of await failures(trial)) {
        expect(!(answer instanceof CallError), `expected a failure, got an error: ${(answer as Error).message}`);
        const { property, reason } = answer;
        const known = property === "" || get(trial.resource.inputProperties, rootOf(property)) !== undefined;
        expect(known, `expected a property of ${trial.token}, got ${property}`);
        expect(reason.trim() !== "", `expected a reason for ${property}, got none`);
      }
    },
  },
  {
    name: "check-refuses-what-is-wrong",
    level: "must",
    of: "resource",
    claim: "Check refuses what the fixture calls wrong.",
    breaks: "The mistake comes out in the middle of `up`, after other resources were made.",
    async run(trial) {
      await failures(trial);
    },
  },
  {
    name: "check-takes-any-value",
    level: "must",
    of: "resource",
    claim: "Any value for any input is answered, if with a failure or an error, and the process lives on.",
    breaks: "One wrong value in a program ends the plugin, and with it every resource of the deployment.",
    async run(trial) {
      const connection = await trial.connect();
      for (const key of Object.keys(trial.resource.inputProperties ?? {}))
        for (const [name, value] of ODD) {
          const program = new Map([...trial.program(), [key, value]]);
          const error = await refused(connection.check(trial.urn(trial.token, "odd"), trial.sent(program)));
          const died = error !== undefined && ["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(error.code);
          expect(!died, `expected an answer to ${name} as ${key}, got ${error?.message}`);
        }
      await connection.pluginVersion();
    },
  },
  {
    name: "check-takes-every-kind-of-asset",
    level: "must",
    of: "resource",
    claim: "An asset from a text, a file or an address is answered.",
    breaks: "Programs pass any of them; what Check can't read ends in an error of the plugin's runtime.",
    async run(trial) {
      const assets = Object.entries(trial.resource.inputProperties ?? {}).filter(([, spec]) => takesAsset(spec));
      if (assets.length === 0) throw new Skipped("it takes no asset");
      const connection = await trial.connect();
      const kinds: readonly [string, Values][] = [
        [
          "a text",
          new Map([
            ["text", "conformance"],
            ["hash", "0".repeat(64)],
          ]),
        ],
        [
          "a file that isn't there",
          new Map([
            ["path", "/nowhere/conformance"],
            ["hash", "0".repeat(64)],
          ]),
        ],
        [
          "an address",
          new Map([
            ["uri", "file:///nowhere/conformance"],
            ["hash", "0".repeat(64)],
          ]),
        ],
        ["a hash alone", new Map([["hash", "0".repeat(64)]])],
        ["nothing", new Map()],
      ];
      for (const [key] of assets)
        for (const [name, members] of kinds) {
          const program = new Map([...trial.program(), [key, new File(ASSET, members)]]);
          const error = await refused(connection.check(trial.urn(trial.token, "asset"), trial.sent(program)));
          expect(error === undefined, `expected an answer to ${name} as ${key}, got ${error?.message}`);
        }
    },
  },
  {
    name: "check-ignores-the-order-of-fields",
    level: "must",
    of: "resource",
    claim: "The order in which inputs come changes nothing.",
    breaks: "Languages send maps in different orders: a stack that is run from another language shows changes.",
    async run(trial) {
      const connection = await trial.connect();
      const urn = trial.urn(trial.token);
      const program = trial.sent(trial.program());
      const request = connection.checkRequest(urn, program);
      const forth = await connection.check(urn, program);
      const back = checkedIn(await connection.raw("check", reversed(Buffer.from(request.serializeBinary()))));
      expect(
        same(forth.inputs, back.inputs),
        `expected the same inputs in another order, got others in ${difference(forth.inputs, back.inputs)}`,
      );
      expect(
        forth.failures.length === back.failures.length,
        `expected ${forth.failures.length} failures in another order, got ${back.failures.length}`,
      );
    },
  },
  {
    name: "defaults-are-what-the-schema-says",
    level: "should",
    of: "resource",
    claim: "An input that is left out is filled in with the default that the schema states, or compared as if it were.",
    breaks: "The documented default isn't what happens, and writing it into the program shows a change.",
    async run(trial) {
      const connection = await trial.connect();
      const properties = Object.entries(trial.resource.inputProperties ?? {});
      const defaults = new Map(
        properties.flatMap(([key, spec]) => (spec.default === undefined ? [] : [[key, fromJson(spec.default)]])),
      );
      if (defaults.size === 0) throw new Skipped("the schema states no default");
      const program = new Map([...trial.program()].filter(([key]) => !defaults.has(key)));
      const urn = trial.urn(trial.token, "defaults");
      const inputs = await taken(trial, program, urn);
      const open = [...defaults].filter(([key, value]) => !same(bare(inputs.get(key) ?? null), value));
      if (open.length === 0) return;
      const { id, outputs } = await connection.create(urn, trial.sent(inputs));
      const given = new Map([...program, ...open]);
      const { changes } = await trial.compare({ urn, id, inputs, outputs }, given);
      const named = open.map(([key]) => key).join(", ");
      expect(changes !== "some", `expected the stated default of ${named} to change nothing, got a change`);
    },
  },
  {
    name: "preview-creates-nothing",
    level: "must",
    of: "resource",
    claim: "Check, Diff, Create and Update in a preview change nothing at the service.",
    breaks: "`pulumi preview` does what nobody has agreed to.",
    async run(trial) {
      const connection = await trial.connect();
      if (!connection.flags.supportsPreview) throw new Skipped("the provider is not called in previews");
      const before = await trial.observe();
      const urn = trial.urn(trial.token, "preview");
      const inputs = await taken(trial, trial.program(), urn);
      await connection.create(urn, trial.sent(inputs), { preview: true });
      const after = await trial.observe();
      expect(before === after, "expected the service to be as it was, and it changed");
    },
  },
  {
    name: "preview-tells-the-truth",
    level: "must",
    of: "resource",
    claim: "What a preview's Create answers as known is what Create then answers.",
    breaks: "Other resources are previewed with a value that they never get, and may be replaced for it.",
    async run(trial) {
      const connection = await trial.connect();
      if (!connection.flags.supportsPreview) throw new Skipped("the provider is not called in previews");
      const urn = trial.urn(trial.token, "truth");
      const inputs = await taken(trial, trial.program(), urn);
      const { outputs: promised } = await connection.create(urn, trial.sent(inputs), { preview: true });
      const { outputs } = await connection.create(urn, trial.sent(inputs));
      for (const [key, value] of bareValues(promised)) {
        if (hasUnknown(value)) continue;
        const real = bare(outputs.get(key) ?? null);
        expect(same(asInState(value), asInState(real)), `expected ${key} as in the preview, got another value`);
      }
    },
  },
  {
    name: "preview-names-every-output",
    level: "should",
    of: "resource",
    claim: "A preview's Create answers each required output, unknown where it must be.",
    breaks: "An output that is left out is undefined in the program's `apply`, where the type says that it is there.",
    async run(trial) {
      const connection = await trial.connect();
      if (!connection.flags.supportsPreview) throw new Skipped("the provider is not called in previews");
      const urn = trial.urn(trial.token, "outputs");
      const inputs = await taken(trial, trial.program(), urn);
      const { outputs } = await connection.create(urn, trial.sent(inputs), { preview: true });
      const missing = (trial.resource.required ?? []).filter(key => !outputs.has(key));
      expect(missing.length === 0, `expected all required outputs, missing ${missing.join(", ")}`);
    },
  },
  {
    name: "preview-takes-unknowns",
    level: "must",
    of: "resource",
    claim: "Create in a preview takes inputs that aren't known yet.",
    breaks: "A program in which one resource feeds another can't be previewed.",
    async run(trial) {
      const connection = await trial.connect();
      if (!connection.flags.supportsPreview) throw new Skipped("the provider is not called in previews");
      for (const key of trial.program().keys()) {
        const urn = trial.urn(trial.token, `preview-${key}`);
        const inputs = await taken(trial, new Map([...trial.program(), [key, unknown]]), urn);
        await connection.create(urn, trial.sent(inputs), { preview: true });
      }
    },
  },
  {
    name: "create-answers-an-id",
    level: "must",
    of: "resource",
    claim: "Create answers an id that isn't empty.",
    breaks: "The engine takes an empty id for a resource that doesn't exist, and forgets it.",
    async run(trial) {
      const { id } = await trial.create();
      expect(id !== "", "expected an id, got an empty one");
    },
  },
  {
    name: "outputs-are-declared",
    level: "must",
    of: "resource",
    needsSchema: true,
    claim: "Create answers the outputs that the schema requires, and none that it doesn't have.",
    breaks: "Typed languages fail on what is missing, and never see what isn't declared.",
    async run(trial) {
      const { outputs } = await trial.create();
      const missing = (trial.resource.required ?? []).filter(key => (outputs.get(key) ?? null) === null);
      expect(missing.length === 0, `expected required outputs, missing ${missing.join(", ")}`);
      const extra = [...outputs.keys()].filter(
        // Every resource has an id.
        key => get(trial.resource.properties, key) === undefined && key !== "id" && !key.startsWith("__"),
      );
      expect(extra.length === 0, `expected declared outputs, got ${extra.join(", ")} besides`);
    },
  },
  {
    name: "secret-outputs-are-secret",
    level: "must",
    of: "resource",
    claim: "What the schema calls secret, and what was secret as an input, comes back secret.",
    breaks: "It is written to the state as plain text, and shown by `pulumi stack output`.",
    async run(trial) {
      const connection = await trial.connect();
      if (!connection.flags.acceptSecrets)
        throw new Skipped("the provider takes no secrets; the engine marks them itself");
      const urn = trial.urn(trial.token, "secrets");
      const [first] = [...trial.program()].filter(
        ([key, value]) => typeof value === "string" && get(trial.resource.properties, key),
      );
      const program = trial.program();
      if (first) (program as Map<string, Value>).set(first[0], new Secret(bare(program.get(first[0]) ?? null)));
      const inputs = await taken(trial, program, urn);
      const { outputs } = await connection.create(urn, trial.sent(inputs));
      for (const [key, value] of outputs) {
        const declared = get(trial.resource.properties, key)?.secret === true;
        if (!declared && !(first && key === first[0])) continue;
        expect(value === null || isSecret(value), `expected ${key} to be secret, got it as plain text`);
      }
    },
  },
  {
    name: "diff-of-the-same-is-none",
    level: "must",
    of: "resource",
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
    of: "resource",
    claim: "Diff of a resource that was refreshed, with its own inputs, reports no change.",
    breaks: "`pulumi refresh` makes the next `up` update or replace what nobody has changed.",
    async run(trial) {
      const connection = await trial.connect();
      const existing = await trial.create();
      const { id, outputs, inputs } = await connection.read(existing.urn, existing.id, inState(trial, existing));
      expect(id === existing.id, `expected Read to answer ${existing.id}, got ${JSON.stringify(id)}`);
      await unchanged(trial, { ...existing, outputs, inputs }, "after a refresh", existing.inputs);
      const swapped = await connection.diff(
        existing.urn,
        { id, outputs: trial.sent(outputs) },
        trial.sent(inputs),
        trial.sent(state(existing.inputs)),
      );
      expect(
        swapped.replaces.length === 0,
        `expected a refresh to show no replacement, got one for ${swapped.replaces.join(", ")}`,
      );
    },
  },
  {
    name: "diff-sees-an-update",
    level: "must",
    of: "resource",
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
    of: "resource",
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
    of: "resource",
    claim: "A change of any input of the fixture is reported, but for those it calls used at creation alone.",
    breaks: "The program says one thing, and the service holds another, without a word.",
    async run(trial) {
      const existing = await trial.create();
      for (const [key, value] of trial.program()) {
        const { kept } = trial.fixture;
        const other = another(bare(value));
        if (kept.includes(key) || other === undefined) continue;
        const program = new Map([...existing.inputs, [key, other]]);
        const checked = await (await trial.connect()).check(
          existing.urn,
          trial.sent(program),
          trial.sent(state(existing.inputs)),
        );
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
    of: "resource",
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
    of: "resource",
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
    of: "resource",
    claim: "Diff takes inputs that aren't known yet.",
    breaks: "A program in which a replaced resource feeds this one can't be previewed.",
    async run(trial) {
      const connection = await trial.connect();
      const existing = await trial.create();
      for (const key of trial.program().keys()) {
        const news = new Map([...existing.inputs, [key, unknown]]);
        const { inputs } = await connection.check(existing.urn, trial.sent(news), trial.sent(state(existing.inputs)));
        await connection.diff(
          existing.urn,
          sentState(trial, existing),
          trial.sent(state(existing.inputs)),
          trial.sent(state(inputs)),
        );
      }
    },
  },
  {
    name: "diff-changes-nothing",
    level: "must",
    of: "resource",
    claim: "Diff and Read change nothing at the service.",
    breaks: "A preview or a refresh does what nobody has agreed to.",
    async run(trial) {
      const connection = await trial.connect();
      const existing = await trial.create();
      const before = await trial.observe();
      await trial.compare(existing, existing.inputs);
      await connection.read(existing.urn, existing.id, inState(trial, existing));
      expect(before === (await trial.observe()), "expected the service to be as it was, and it changed");
    },
  },
  {
    name: "update-is-made",
    level: "must",
    of: "resource",
    claim: "After Update, Diff with the new inputs reports no change.",
    breaks: "Each `up` makes the same update again.",
    async run(trial) {
      const { update } = trial.fixture;
      if (!update) throw new Skipped("the fixture has no update");
      const connection = await trial.connect();
      const existing = await trial.create();
      const program = patched(trial, existing, update);
      const { inputs } = await connection.check(existing.urn, trial.sent(program), trial.sent(state(existing.inputs)));
      await trial.compare(existing, program);
      const { outputs } = await connection.update(
        existing.urn,
        sentState(trial, existing),
        trial.sent(state(existing.inputs)),
        trial.sent(inputs),
      );
      await unchanged(trial, { ...existing, inputs, outputs }, "after its update");
    },
  },
  {
    name: "preview-updates-nothing",
    level: "must",
    of: "resource",
    claim: "Update in a preview changes nothing at the service.",
    breaks: "`pulumi preview` does what nobody has agreed to.",
    async run(trial) {
      const { update } = trial.fixture;
      const connection = await trial.connect();
      if (!update) throw new Skipped("the fixture has no update");
      if (!connection.flags.supportsPreview) throw new Skipped("the provider is not called in previews");
      const existing = await trial.create();
      const before = await trial.observe();
      const program = patched(trial, existing, update);
      const { inputs } = await connection.check(existing.urn, trial.sent(program), trial.sent(state(existing.inputs)));
      const old = sentState(trial, existing);
      await trial.compare(existing, program);
      await connection.update(existing.urn, old, trial.sent(state(existing.inputs)), trial.sent(inputs), {
        preview: true,
      });
      expect(before === (await trial.observe()), "expected the service to be as it was, and it changed");
    },
  },
  {
    name: "read-answers-what-was-created",
    level: "must",
    of: "resource",
    claim: "Read answers the id and the inputs that Create was given.",
    breaks: "A refresh forgets the resource, or writes other inputs to the state than the program's.",
    async run(trial) {
      const connection = await trial.connect();
      const existing = await trial.create();
      const { id, inputs } = await connection.read(existing.urn, existing.id, inState(trial, existing));
      expect(id === existing.id, `expected ${existing.id}, got ${JSON.stringify(id)}`);
      const apart = difference(bareValues(state(existing.inputs)), bareValues(state(inputs)));
      expect(apart === "", `expected the same inputs, got others in ${apart}`);
    },
  },
  {
    name: "import-shows-no-difference",
    level: "must",
    of: "resource",
    claim:
      "What Read answers for an id alone shows no change with the inputs that it answers. What can't be imported is refused, or answered without inputs.",
    breaks: "`pulumi import` ends with a change that nobody has made, and may replace what was imported.",
    async run(trial) {
      const connection = await trial.connect();
      const existing = await trial.create();
      const urn = trial.urn(trial.token, "imported");
      if (trial.fixture.importId === null) {
        const error = await refused(
          connection.read(urn, existing.id).then(({ hasInputs }) => {
            expect(!hasInputs, "expected an import to be refused, got inputs");
          }),
        );
        const died = error !== undefined && ["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(error.code);
        expect(!died, `expected an answer, got ${error?.message}`);
        return;
      }
      const read = await connection.read(urn, trial.importId(existing));
      expect(read.id !== "", `expected to import ${trial.importId(existing)}, got nothing`);
      expect(read.inputs.size > 0, "expected inputs from an import, got none");
      await unchanged(trial, { urn, id: read.id, inputs: read.inputs, outputs: read.outputs }, "after its import");
    },
  },
  {
    name: "import-keeps-secrets",
    level: "must",
    of: "resource",
    claim: "What the schema calls secret comes back secret from Read of an id alone.",
    breaks: "`pulumi import` writes it to the state as plain text, and the next `up` may show it as changed.",
    async run(trial) {
      const connection = await trial.connect();
      if (!connection.flags.acceptSecrets)
        throw new Skipped("the provider takes no secrets; the engine marks them itself");
      if (trial.fixture.importId === null) throw new Skipped("it can't be imported");
      const { resource } = trial;
      const existing = await trial.create();
      const { inputs, outputs } = await connection.read(trial.urn(trial.token, "imported"), trial.importId(existing));
      for (const [what, values, specs] of [
        ["input", inputs, resource.inputProperties],
        ["output", outputs, resource.properties],
      ] as const)
        for (const [key, value] of values) {
          const open = get(specs, key)?.secret === true && value !== null && !isSecret(value);
          expect(!open, `expected the ${what} ${key} to be secret, got it as plain text`);
        }
    },
  },
  {
    name: "read-of-nothing-is-answered",
    level: "must",
    of: "resource",
    claim: "Read of what isn't there answers an empty id without outputs, or an error.",
    breaks:
      "An import of a wrong id puts a resource into the state that doesn't exist: with outputs, even empty ones, the engine takes the id that it was given.",
    async run(trial) {
      const { missingId } = trial.fixture;
      if (missingId === undefined) throw new Skipped("the fixture has no missingId");
      const connection = await trial.connect();
      const error = await refused(
        connection.read(trial.urn(trial.token, "missing"), missingId).then(({ id, hasOutputs }) => {
          expect(id === "", `expected an empty id for ${missingId}, got ${id}`);
          expect(!hasOutputs, `expected no outputs for ${missingId}, got some, if empty`);
        }),
      );
      const died = error !== undefined && ["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(error.code);
      expect(!died, `expected an answer, got ${error?.message}`);
    },
  },
  {
    name: "import-ids-are-checked",
    level: "must",
    of: "resource",
    claim: "An id that a person mistyped is refused, or not found, and reaches no other address of the service.",
    breaks: "`pulumi import` reads, or shows, something that isn't the resource.",
    async run(trial) {
      const connection = await trial.connect();
      for (const wrong of ["../users", "a b", "1?x=1", "1\r\nx: y", " ", "\u0000"]) {
        const error = await refused(
          connection.read(trial.urn(trial.token, "mistyped"), wrong).then(({ id }) => {
            // Where an import takes something else than the id, it may be any text.
            const isOther = id !== "" && id !== wrong && trial.fixture.importId === undefined;
            expect(!isOther, `expected no resource for ${JSON.stringify(wrong)}, got ${id}`);
          }),
        );
        expect(error?.code !== "UNAVAILABLE", `expected an answer to ${JSON.stringify(wrong)}, got ${error?.message}`);
      }
      await connection.pluginVersion();
    },
  },
  {
    name: "delete-twice-succeeds",
    level: "must",
    of: "resource",
    claim: "Delete of what is gone already succeeds.",
    breaks: "A destroy that was interrupted can never be finished.",
    async run(trial) {
      const connection = await trial.connect();
      const existing = await trial.create();
      await connection.delete(existing.urn, sentState(trial, existing), trial.sent(state(existing.inputs)));
      await connection.delete(existing.urn, sentState(trial, existing), trial.sent(state(existing.inputs)));
    },
  },
  {
    name: "read-after-delete-finds-nothing",
    level: "should",
    of: "resource",
    claim:
      "Read of what was deleted answers an empty id. A Delete that only forgets, by the fixture's word, changes nothing at the service.",
    breaks: "A refresh keeps what somebody has deleted, and the next `up` doesn't create it again.",
    async run(trial) {
      const connection = await trial.connect();
      const existing = await trial.create();
      const before = trial.fixture.forgets ? await trial.observe() : "";
      await connection.delete(existing.urn, sentState(trial, existing), trial.sent(state(existing.inputs)));
      if (trial.fixture.forgets) {
        expect(before === (await trial.observe()), "expected the service to be as it was, and it changed");
        return;
      }
      const { id } = await connection.read(existing.urn, existing.id, inState(trial, existing));
      expect(id === "", `expected an empty id, got ${id}`);
    },
  },
  {
    name: "a-restart-changes-nothing",
    level: "must",
    of: "resource",
    claim: "A provider that was killed and started again answers the same.",
    breaks: "The engine starts a plugin for each command: what it remembers is gone at the next one.",
    async run(trial) {
      const { process, connection, host } = await trial.launch();
      if (!process.child) throw new Skipped("it was started by somebody else");
      await connection.begin(host.address, trial.config);
      const existing = await trial.create(connection);
      await process.kill("SIGKILL");
      const next = await trial.launch();
      await next.connection.begin(next.host.address, trial.config);
      const { changes } = await trial.compare(existing, existing.inputs, next.connection);
      expect(changes !== "some", "expected no change after a restart, got one");
      const read = await next.connection.read(existing.urn, existing.id, inState(trial, existing));
      expect(read.id === existing.id, `expected ${existing.id} after a restart, got ${JSON.stringify(read.id)}`);
    },
  },
  {
    name: "a-failed-create-leaves-nothing-unsaid",
    level: "must",
    of: "resource",
    claim: "A Create that fails has changed nothing, or says what it left with ErrorResourceInitFailed and an id.",
    breaks: "The engine forgets what was made, and the next `up` makes it a second time.",
    async run(trial) {
      const connection = await trial.connect();
      const before = await trial.observe();
      const urn = trial.urn(trial.token, "failed");
      for (const [index, patch] of trial.fixture.invalid.entries()) {
        const error = await refused(connection.create(`${urn}-${index}`, trial.sent(trial.program(patch))));
        if (!error) continue;
        const after = await trial.observe();
        expect(
          before === after || (error.partial?.id ?? "") !== "",
          "expected the id of what was made, got an error alone",
        );
      }
    },
  },
  {
    name: "a-partial-create-can-be-mended",
    level: "must",
    of: "resource",
    claim:
      "A Create that fails half-way answers an id with ErrorResourceInitFailed. Read finds it, and an update to inputs that work mends it.",
    breaks: "The engine keeps a resource that it can neither finish nor replace, or forgets one that exists.",
    async run(trial) {
      const { partial } = trial.fixture;
      if (!partial) throw new Skipped("the fixture has no partial");
      const connection = await trial.connect();
      const urn = trial.urn(trial.token, "partial");
      const olds = await taken(trial, trial.program(partial), urn);
      const error = await refused(connection.create(urn, trial.sent(olds)));
      expect(error !== undefined, "expected the fixture's partial to fail in Create, got an answer");
      const { id = "", properties: outputs = new Map() } = error.partial ?? {};
      expect(id !== "", `expected the id of what was made, got ${error.message}`);
      const existing = { urn, id, inputs: olds, outputs };
      // Read may say once more that it isn't whole.
      const found = await connection.read(urn, id, inState(trial, existing)).catch((again: unknown) => {
        if (again instanceof CallError && again.partial) return again.partial;
        throw again;
      });
      expect(found.id === id, `expected Read to find ${id}, got ${JSON.stringify(found.id)}`);
      const { replaces } = await trial.compare(existing, trial.program());
      expect(replaces.length === 0, `expected an update, got a replacement for ${replaces.join(", ")}`);
      const old = trial.sent(state(olds));
      const { inputs } = await connection.check(urn, trial.sent(trial.program()), old);
      const mended = await connection.update(urn, sentState(trial, existing), old, trial.sent(inputs));
      await unchanged(trial, { urn, id, inputs, outputs: mended.outputs }, "after it was mended");
    },
  },
  {
    name: "checks-at-once-dont-mix",
    level: "must",
    of: "resource",
    claim: "Checks of several resources at the same time get their own answers.",
    breaks: "The engine calls in parallel: one resource gets another's inputs.",
    async run(trial) {
      const connection = await trial.connect();
      const programs = Array.from({ length: 20 }, () => trial.program({}, true));
      const alone: Values[] = [];
      for (const [index, program] of programs.entries())
        alone.push((await connection.check(trial.urn(trial.token, `alone-${index}`), trial.sent(program))).inputs);
      const together = await Promise.all(
        programs.map((program, index) =>
          connection.check(trial.urn(trial.token, `together-${index}`), trial.sent(program)),
        ),
      );
      for (const [index, { inputs }] of together.entries())
        expect(
          same(inputs, alone[index] ?? new Map()),
          `expected the inputs of resource ${index}, got others in ${difference(inputs, alone[index] ?? new Map())}`,
        );
    },
  },
];

/** What Check answers for a program that it has to take. */
async function taken(trial: ResourceTrial, program: Values, urn = trial.urn(trial.token)): Promise<Values> {
  const { inputs, failures: found } = await (await trial.connect()).check(urn, trial.sent(program));
  const [failure] = found;
  if (failure) throw new Broken(`expected the inputs to be taken, got: ${failure.property}: ${failure.reason}`);
  return inputs;
}

/** What Check says to each of the fixture's wrong inputs: failures, or an error. */
async function failures(trial: ResourceTrial) {
  const { invalid } = trial.fixture;
  if (invalid.length === 0) throw new Skipped("the fixture has no invalid inputs");
  const connection = await trial.connect();
  const all = [];
  for (const patch of invalid) {
    const found = await connection
      .check(trial.urn(trial.token, "invalid"), trial.sent(trial.program(patch)))
      .then(({ failures }) => failures)
      .catch((error: unknown) => {
        if (error instanceof CallError && error.code !== "UNAVAILABLE") return [error];
        throw error;
      });
    expect(found.length > 0, `expected a failure for ${JSON.stringify(patch)}, got none`);
    all.push(...found);
  }
  return all;
}

async function unchanged(
  trial: ResourceTrial,
  existing: Existing,
  when: string,
  program = existing.inputs,
): Promise<void> {
  const { changes, diffs, replaces, detailed } = await trial.compare(existing, program);
  const named = [...diffs, ...replaces, ...(detailed?.keys() ?? [])].join(", ");
  expect(changes !== "some" && named === "", `expected no change ${when}, got one${named ? ` in ${named}` : ""}`);
}

async function changed(trial: ResourceTrial, patch: Patch | undefined, name: string) {
  if (!patch) throw new Skipped(`the fixture has no ${name}`);
  const existing = await trial.create();
  return trial.compare(existing, patched(trial, existing, patch));
}

/** The program with a patch: the texts that were made unique stay as they were. */
function patched(trial: ResourceTrial, existing: Existing, patch: Patch): Values {
  const keys = new Set(Object.keys(patch));
  const program = trial.program(patch);
  const stays = [...existing.inputs].filter(([key]) => !keys.has(key));
  return new Map([...stays, ...[...program].filter(([key]) => keys.has(key))]);
}

const state = (values: Values): Values => asInState(values) as Values;

const sentState = (trial: ResourceTrial, { id, outputs }: Existing) => ({ id, outputs: trial.sent(state(outputs)) });

const inState = (trial: ResourceTrial, { inputs, outputs }: Existing) => ({
  inputs: trial.sent(state(inputs)),
  outputs: trial.sent(state(outputs)),
});

/** Of a path such as `signers[0].email` the property. */
const rootOf = (path: string): string =>
  /^(?:\["((?:[^"\\]|\\.)*)"\]|[^.[]+)/.exec(path)?.slice(0, 2).findLast(Boolean) ?? path;

/** Whole, or each of its leaves. */
function isSecret(value: Value): boolean {
  if (value instanceof Secret) return true;
  if (isList(value)) return value.length > 0 && value.every(isSecret);
  return isValues(value) && value.size > 0 && [...value.values()].every(isSecret);
}

/** Another value of the same kind. */
function another(value: Value): Value | undefined {
  if (typeof value === "string") return `${value} changed`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return undefined;
}

function deep(levels: number): Value {
  let value: Value = "bottom";
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** The fields of a message in the opposite order: each is a tag and, here always, a length and its bytes. */
function reversed(message: Buffer): Buffer {
  const fields: Buffer[] = [];
  for (let at = 0; at < message.length; ) {
    const start = at;
    const tag = varint(message, at);
    at = tag.end;
    const { value: length, end } = varint(message, at);
    at = end + length;
    const field = message.subarray(start, at);
    const inner = message.subarray(end, at);
    // Of the inputs (field 3) the members are turned round as well.
    const turned = tag.value === ((3 << 3) | 2) ? Buffer.concat([...split(inner)].reverse()) : undefined;
    fields.push(turned ? Buffer.concat([message.subarray(start, end), turned]) : field);
  }
  return Buffer.concat(fields.reverse());
}

function* split(message: Buffer): Generator<Buffer> {
  for (let at = 0; at < message.length; ) {
    const start = at;
    const { value: length, end } = varint(message, varint(message, at).end);
    at = end + length;
    yield message.subarray(start, at);
  }
}

function varint(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: at + 1 };
  }
}
