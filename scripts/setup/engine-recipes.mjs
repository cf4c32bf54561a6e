// What an engine is built of, and which versions there are: nothing here runs.
import { createHash } from "node:crypto";

/** The engine that set-up brings, and older ones that the smaller matrix of the tests runs on. */
export const ENGINES = ["3.259.0", "3.250.0"];
export const [CURRENT] = ENGINES;

const SDK = "github.com/pulumi/pulumi/sdk/v3";
const YAML = "github.com/pulumi/pulumi-yaml";
/** A script that the Python host starts programs with; it is in the SDK's module as it is. */
export const PYTHON_EXEC = "pulumi-language-python-exec";

/** From the last version that has all three inside the SDK's module. */
const HOSTS = [
  host("nodejs", `${SDK}/nodejs/cmd/pulumi-language-nodejs`, { [SDK]: "v3.60.0" }),
  host("python", `${SDK}/python/cmd/pulumi-language-python`, { [SDK]: "v3.60.0" }),
  host("go", `${SDK}/go/pulumi-language-go`, { [SDK]: "v3.60.0" }),
  host("yaml", `${YAML}/cmd/pulumi-language-yaml`, { [YAML]: "v1.10.0" }),
];

function host(language, path, require) {
  return {
    program: `pulumi-language-${language}`,
    package: path,
    version: Object.values(require)[0].slice(1),
    require,
  };
}

/** The programs of an engine, each built from a go.mod of our own. */
export function programsOf(version) {
  const engine = {
    program: "pulumi",
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    version,
    require: { "github.com/pulumi/pulumi/pkg/v3": `v${version}`, [SDK]: `v${version}` },
    // Without it the engine calls itself version "", and that is what it writes into state.
    flags: `-X ${SDK}/go/common/version.Version=v${version}`,
    // Go honours only the main module's replacements, so pulumi's own has to be repeated here.
    replace: "github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e",
  };
  return [engine, ...HOSTS];
}

/** Covers everything that decides what is built, so that another version is another directory. */
export function keyOf(version) {
  const recipe = createHash("sha256")
    .update(JSON.stringify(programsOf(version)))
    .digest("hex")
    .slice(0, 8);
  return `built-${version}-${recipe}-${process.platform}-${process.arch}`;
}
