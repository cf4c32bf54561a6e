import { expect, type ProviderLaw } from "../law.js";
import { get, objectsOf, refsIn, typeToken } from "../schema.js";

/** A function of the provider itself is `pulumi:providers:PACKAGE/NAME`. */
const TOKEN = /^([a-zA-Z][\w-]*:[\w/.-]*:[a-zA-Z_]\w*|pulumi:providers:[\w-]+\/\w+)$/;

export const schemaLaws: readonly ProviderLaw[] = [
  {
    name: "schema-refs-resolve",
    level: "must",
    needsSchema: true,
    claim: "Each reference to a type of the package names a type that the schema has.",
    breaks: "SDK generation ends with an error, and YAML programs can't be type-checked.",
    async run({ spec }) {
      const missing = refsIn(spec).filter(ref => {
        const token = typeToken(ref);
        return token !== undefined && get(spec.types, token) === undefined;
      });
      expect(missing.length === 0, `expected types for ${[...new Set(missing)].join(", ")}, found none`);
    },
  },
  {
    name: "schema-types-are-used",
    level: "should",
    needsSchema: true,
    claim: "Each type is used by a resource, a function or the configuration.",
    breaks: "SDKs in every language carry classes that nothing takes or returns.",
    async run({ spec }) {
      const { types = {}, ...rest } = spec;
      const open = refsIn(rest).flatMap(ref => typeToken(ref) ?? []);
      const used = new Set<string>();
      for (let token = open.pop(); token !== undefined; token = open.pop()) {
        if (used.has(token)) continue;
        used.add(token);
        open.push(...refsIn(get(types, token)).flatMap(ref => typeToken(ref) ?? []));
      }
      const unused = Object.keys(types).filter(token => !used.has(token));
      expect(unused.length === 0, `expected a use of ${unused.join(", ")}, found none`);
    },
  },
  {
    name: "schema-tokens-have-three-parts",
    level: "must",
    needsSchema: true,
    claim: "The tokens of resources, functions and types read `package:module:Name`.",
    breaks: "The engine can't tell which plugin serves a resource, and SDK generation refuses the schema.",
    async run({ spec }) {
      const tokens = [spec.resources, spec.functions, spec.types].flatMap(each => Object.keys(each ?? {}));
      const wrong = tokens.filter(token => !TOKEN.test(token));
      expect(wrong.length === 0, `expected package:module:Name, got ${wrong.join(", ")}`);
    },
  },
  {
    name: "schema-required-exists",
    level: "must",
    needsSchema: true,
    claim: "What is required is declared.",
    breaks: "SDK generation refuses the schema, or makes constructors that can't be called.",
    async run({ spec }) {
      const missing = objectsOf(spec).flatMap(([name, { properties, required = [] }]) =>
        required.filter(key => get(properties, key) === undefined).map(key => `${name}: ${key}`),
      );
      expect(missing.length === 0, `expected declared properties, got only a requirement for ${missing.join(", ")}`);
    },
  },
  {
    name: "schema-describes",
    level: "should",
    needsSchema: true,
    claim: "Resources, functions and their properties are described.",
    breaks: "The Registry's pages and the editors' help are empty there.",
    async run({ spec }) {
      const whole = [...Object.entries(spec.resources ?? {}), ...Object.entries(spec.functions ?? {})];
      const silent = [
        ...whole.filter(([, { description }]) => !description).map(([token]) => token),
        ...objectsOf(spec).flatMap(([name, { properties = {} }]) =>
          Object.entries(properties).flatMap(([key, { description }]) => (description ? [] : [`${name}.${key}`])),
        ),
      ];
      const named = silent.slice(0, 5).join(", ");
      expect(
        silent.length === 0,
        `expected descriptions, found none of ${named}${silent.length > 5 ? ` and ${silent.length - 5} more` : ""}`,
      );
    },
  },
  {
    name: "schema-version-is-the-plugins",
    level: "should",
    needsSchema: true,
    claim: "GetPluginInfo names the version that the schema names.",
    breaks: "A stack records one version and its SDK asks for another, so the engine downloads what is already there.",
    async run(trial) {
      const { connection } = await trial.launch();
      const version = await connection.pluginVersion();
      expect(
        /^\d+\.\d+\.\d+/.test(version.replace(/^v/, "")),
        `expected a semantic version, got ${JSON.stringify(version)}`,
      );
      const { version: stated } = trial.spec;
      if (stated === undefined) return;
      expect(version.replace(/^v/, "") === stated, `expected ${stated} as in the schema, got ${version}`);
    },
  },
  {
    name: "schema-answers-twice-the-same",
    level: "must",
    needsSchema: true,
    claim: "GetSchema answers the same text each time.",
    breaks: "Generated SDKs change without a change of the provider, and caches of schemas are never right.",
    async run(trial) {
      const { connection } = await trial.launch();
      const [first, second] = [await connection.schema(), await connection.schema()];
      expect(first === second, "expected the same text twice, got two texts");
    },
  },
];
