import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, filled, readFixture } from "../../conformance/fixture.js";
import { rpc } from "../../conformance/messages.js";
import { run } from "../../conformance/run.js";
import { type FakeEngine, fakeEngine, type Started, start, startService } from "../../conformance/start.js";
import { fromStruct, isValues, Secret, toStruct, type Value } from "../../conformance/values.js";
import { scratchFolder } from "../support/scratch.js";
import { type Fault, type FaultyPlugin, faultyPlugin } from "./faulty-plugin.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const LAUNCHER = here("../../bin/pulumi-resource-docsign");
const DOCUMENT = "docsign:index:Document";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

// biome-ignore lint/suspicious/noExplicitAny: the generated classes have no common type
type Any = any;
type Edit = (values: Map<string, Value>) => void;

const edited = (struct: Any, edit: Edit): Any => {
  const values = new Map(fromStruct(struct));
  edit(values);
  return toStruct(values);
};
const inputs = (edit: Edit) => (answer: Any) => answer.setInputs(edited(answer.getInputs(), edit));
const outputs = (edit: Edit) => (answer: Any) => answer.setProperties(edited(answer.getProperties(), edit));
const at =
  (method: string, change: (message: Any, request: Any) => unknown) => (name: string, message: Any, request?: Any) => {
    if (name === method) change(message, request);
  };
const instead = (method: string, answer: (request: Any) => Any) => (name: string, request: Any) =>
  name === method ? answer(request) : undefined;
const open = (value: Value): Value => {
  if (value instanceof Secret) return open(value.value);
  if (Array.isArray(value)) return value.map(open);
  return isValues(value) ? new Map([...value].map(([key, each]) => [key, open(each)])) : value;
};
const opened: Edit = values => {
  for (const [key, value] of values) values.set(key, open(value));
};
const text = (value: Value | undefined): string => String(open(value ?? null));
const spec = (change: (schema: Any) => void) => (answer: Any) => {
  const schema = JSON.parse(answer.getSchema());
  change(schema);
  answer.setSchema(JSON.stringify(schema));
};

const deleted = new Set<string>();
let last: Any;

const FAULTS: readonly Fault[] = [
  {
    name: "a secret input is answered as plain text",
    law: "check-keeps-secrets",
    answers: at("check", inputs(opened)),
  },
  {
    name: "a secret output is answered as plain text",
    law: "secret-outputs-are-secret",
    answers: at("create", outputs(opened)),
  },
  {
    name: "Check of its own answer answers another",
    law: "check-is-idempotent",
    answers: at(
      "check",
      inputs(values => void values.set("name", `${text(values.get("name"))}!`)),
    ),
  },
  {
    name: "Check makes up a value for what isn't known",
    law: "check-keeps-unknowns",
    answers: at("check", (answer: Any) => {
      const known = JSON.stringify(answer.getInputs().toJavaScript()).replaceAll(UNKNOWN, "made up");
      answer.setInputs(answer.getInputs().constructor.fromJavaScript(JSON.parse(known)));
    }),
  },
  {
    name: "Check takes what is wrong",
    law: "check-refuses-what-is-wrong",
    answers: at("check", answer => answer.clearFailuresList()),
  },
  {
    name: "a failure names another property",
    law: "check-failures-name-their-property",
    answers: at("check", answer => {
      for (const failure of answer.getFailuresList()) failure.setProperty("body");
    }),
  },
  {
    name: "Check answers the resource that asked before",
    law: "checks-at-once-dont-mix",
    answers: at("check", answer => {
      const own = answer.getInputs();
      if (last) answer.setInputs(last);
      last = own;
    }),
  },
  {
    name: "Diff forgets an input",
    law: "diff-compares-every-input",
    asks: at("diff", request => {
      const before = fromStruct(request.getOldInputs() ?? request.getOlds());
      request.setNews(edited(request.getNews(), news => news.set("description", before.get("description") ?? null)));
    }),
  },
  {
    name: "Diff always sees a change",
    law: "diff-of-the-same-is-none",
    answers: at("diff", answer => answer.setChanges(2).setDiffsList(["name"])),
  },
  {
    name: "Diff wants to update what can only be replaced",
    law: "diff-sees-a-replacement",
    answers: at("diff", answer => answer.clearReplacesList()),
  },
  {
    name: "the detail of Diff names a path that isn't there",
    law: "diff-details-name-real-paths",
    answers: at("diff", answer => {
      const details = answer.getDetaileddiffMap();
      for (const [key, detail] of [...details.entries()]) {
        details.del(key);
        details.set(`body.${key}`, detail);
      }
    }),
  },
  {
    name: "Create doesn't ask whether it is a preview",
    law: "preview-creates-nothing",
    asks: at("create", request => request.setPreview(false)),
  },
  {
    name: "a preview promises what Create doesn't keep",
    law: "preview-tells-the-truth",
    answers: at("create", (answer, request) => {
      if (request.getPreview()) outputs(values => void values.set("name", "Promised"))(answer);
    }),
  },
  {
    name: "a preview leaves an output out",
    law: "preview-names-every-output",
    answers: at(
      "create",
      outputs(values => void values.delete("status")),
    ),
  },
  {
    name: "the id is lost",
    law: "create-answers-an-id",
    answers: at("create", answer => answer.setId("")),
  },
  {
    name: "the id is lost on failure",
    law: "a-partial-create-can-be-mended",
    fails: error => error.metadata.remove("grpc-status-details-bin"),
  },
  {
    name: "an output is lost",
    law: "outputs-are-declared",
    answers: at(
      "create",
      outputs(values => void values.delete("status")),
    ),
  },
  {
    name: "Read answers other inputs",
    law: "read-answers-what-was-created",
    answers: at(
      "read",
      inputs(values => void values.set("name", "Other")),
    ),
  },
  {
    name: "Read forgets the id",
    law: "diff-after-refresh-is-none",
    answers: at("read", answer => answer.setId("")),
  },
  {
    name: "an import answers no inputs",
    law: "import-shows-no-difference",
    answers: at("read", (answer, request) => request.hasInputs() || answer.clearInputs()),
  },
  {
    name: "what isn't there is found",
    law: "read-of-nothing-is-answered",
    asks: instead("read", request => new rpc.ReadResponse().setId(request.getId()).setProperties(toStruct(new Map()))),
  },
  {
    name: "Delete fails the second time",
    law: "delete-twice-succeeds",
    asks: at("delete", request => {
      if (deleted.has(request.getId())) request.setUrn("gone");
      deleted.add(request.getId());
    }),
  },
  {
    name: "a token that the schema doesn't have is taken",
    law: "unknown-token-is-refused",
    asks: instead("check", request => new rpc.CheckResponse().setInputs(request.getNews())),
  },
  {
    name: "Configure takes back what Handshake said",
    law: "handshake-agrees-with-configure",
    answers: at("configure", answer => answer.setAcceptsecrets(false)),
  },
  {
    name: "the schema names a type that it doesn't have",
    law: "schema-refs-resolve",
    answers: at(
      "getSchema",
      spec(schema => delete schema.types[Object.keys(schema.types)[0] ?? ""]),
    ),
  },
  {
    name: "the schema says less of what is required",
    law: "schema-describes",
    answers: at(
      "getSchema",
      spec(schema => delete schema.resources[DOCUMENT].description),
    ),
  },
  {
    name: "the plugin names another version",
    law: "schema-version-is-the-plugins",
    answers: at("getPluginInfo", answer => answer.setVersion("9.9.9")),
  },
];

describe("each fault put into the plugin is found by the law that names it", () => {
  const stack = new AsyncDisposableStack();
  let engine: FakeEngine;
  let process_: Started;
  let plugin: FaultyPlugin;
  let fixture: Fixture;

  beforeAll(async () => {
    const whole = readFixture(here("docsign/fixture.json"));
    const { service, ...rest } = whole;
    const { variables, stop } = await startService(whole);
    stack.defer(stop);
    const document = whole.resources[DOCUMENT];
    if (!service || !document) throw new TypeError("expected a service and a Document in the fixture");
    fixture = { ...rest, ...(filled({ config: rest.config, observe: rest.observe }, variables) as Any), functions: {} };
    fixture = { ...fixture, resources: { [DOCUMENT]: document } };
    engine = await fakeEngine();
    stack.defer(() => engine.close());
    const environment = { ...process.env, DOCSIGN_STATE_DIR: join(scratchFolder("conformance-"), "state") };
    process_ = await start({ command: [LAUNCHER] }, engine, environment);
    stack.defer(() => process_.kill("SIGKILL"));
    plugin = stack.use(await faultyPlugin(process_.port, engine.address));
  });
  afterAll(() => stack.disposeAsync());

  const tried = async (law: string, fault?: Fault) => {
    plugin.fault = fault;
    const target = { port: plugin.port };
    const { results } = await run({ target, fixture, laws: [law], engines: ["newest"] });
    return results.map(({ outcome }) => outcome);
  };

  it.each(FAULTS.map(fault => [fault.name, fault.law, fault] as const))("%s: %s", async (_, law, fault) => {
    expect(await tried(law, fault)).toEqual(["failed"]);
    expect(await tried(law)).toEqual(["passed"]);
  });

  it("a line on stdout: stdout-holds-the-port-alone", async () => {
    const noisy = `'${LAUNCHER}' "$@" | while read -r line; do echo "$line"; echo ready; done`;
    const { results } = await run({
      target: { command: ["sh", "-c", noisy, "noisy"] },
      fixture,
      laws: ["stdout-holds-the-port-alone"],
      engines: ["newest"],
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(["failed"]);
  });
});
