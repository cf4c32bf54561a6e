// The smallest provider that keeps every law: notes, kept in a file. `FAULT` in its environment breaks one of them.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import service from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import rpc from "@pulumi/pulumi/proto/provider_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

const { FAULT: fault, STORE: store = "" } = process.env;
const is = name => fault === name;
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const TOKEN = "notes:index:Note";

const text = description => ({ type: "string", description });
const inputProperties = {
  title: { ...text("What the note is called."), replaceOnChanges: true },
  text: { ...text("What it says."), secret: true },
  colour: { ...text("Of its paper."), default: "yellow" },
};
const properties = { ...inputProperties, length: { type: "integer", description: "Of the text." } };
const schema = {
  name: "notes",
  version: is("another version") ? "9.9.9" : "1.0.0",
  config: { variables: { key: { ...text("Who may write."), secret: true } } },
  types: {
    ...(is("unused type") ? { "notes:index:Unused": { type: "object", properties: { a: text("A.") } } } : {}),
  },
  resources: {
    [TOKEN]: {
      description: is("undescribed") ? "" : "A note.",
      inputProperties: {
        ...inputProperties,
        ...(is("missing type") ? { more: { $ref: "#/types/notes:index:More", description: "More." } } : {}),
      },
      requiredInputs: ["title", "text"],
      properties,
      required: ["title", "text", "colour", "length", ...(is("undeclared requirement") ? ["gone"] : [])],
    },
  },
  functions: {
    "notes:index:getNote": {
      description: "A note.",
      inputs: { properties: { id: text("Its id.") }, required: ["id"] },
      outputs: { properties: { text: text("What it says.") }, required: ["text"] },
    },
  },
};

const notes = () => (existsSync(store) ? JSON.parse(readFileSync(store, "utf8")) : {});
const save = all => writeFileSync(store, JSON.stringify(all));
const plain = message => message?.toJavaScript() ?? {};
const secret = value => ({ [SIGNATURE]: SECRET, value });
const bare = value => (value?.[SIGNATURE] === SECRET ? value.value : value);
const struct_ = value => struct.Struct.fromJavaScript(value);
const outputs = ({ title, text: said, colour }) => ({
  title,
  text: is("secret output lost") ? bare(said) : secret(bare(said)),
  colour,
  ...(is("missing output") ? {} : { length: bare(said) === UNKNOWN ? UNKNOWN : [...String(bare(said))].length }),
  ...(is("undeclared output") ? { mood: "good" } : {}),
});

let checks = 0;
let failedConfiguration = "";

const handlers = {
  handshake: () => new rpc.ProviderHandshakeResponse().setAcceptSecrets(!is("flags apart")),
  attach: () => new empty.Empty(),
  getPluginInfo: () => new plugin.PluginInfo().setVersion("1.0.0"),
  getSchema: () => {
    if (is("changing schema")) schema.description = String(checks++);
    return new rpc.GetSchemaResponse().setSchema(JSON.stringify(schema));
  },
  checkConfig: ({ request }) => {
    const news = plain(request.getNews());
    if (is("configuration grows")) news.key = `${bare(news.key)}+`;
    return new rpc.CheckResponse().setInputs(struct_(news));
  },
  diffConfig: () => {
    const answer = new rpc.DiffResponse().setChanges(1);
    return is("provider replaced") ? answer.setReplacesList(["key"]) : answer;
  },
  configure: ({ request }) => {
    failedConfiguration = String(bare(plain(request.getArgs()).key));
    return new rpc.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  },
  check: ({ request }) => {
    known(request.getUrn());
    const news = plain(request.getNews());
    const answer = new rpc.CheckResponse();
    const inputs = {};
    for (const key of ["title", "text", "colour"]) {
      const value = bare(news[key]);
      const fails = reason =>
        answer.addFailures(
          new rpc.CheckFailure().setProperty(is("failure elsewhere") ? "body" : key).setReason(reason),
        );
      if (value === undefined && key === "colour") inputs[key] = is("default forgotten") ? "white" : "yellow";
      else if (value === undefined && !is("missing input taken")) fails(`expected a ${key}, got none`);
      else if (value === UNKNOWN && is("unknown refused")) fails("expected a text, got an unknown");
      else if (typeof value !== "string" && value !== undefined) {
        if (is("odd value ends it") && Array.isArray(value)) process.exit(1);
        if (!is("wrong type taken")) fails("expected a text");
      } else if (value === "" && !is("wrong value taken")) fails("expected a text, got an empty one");
      else if (value !== undefined) inputs[key] = is("secret input lost") ? value : news[key];
    }
    if (is("check grows")) inputs.title = `${bare(inputs.title)}!`;
    return answer.setInputs(struct_(inputs));
  },
  diff: ({ request }) => {
    const olds = plain(request.getOlds());
    const news = plain(request.getNews());
    const changed = ["title", "text", "colour"].filter(
      key => bare(olds[key]) !== bare(news[key]) && !(is("input not compared") && key === "colour"),
    );
    if (is("always changed")) changed.push("colour");
    const replaced = changed.filter(
      key => (key === "title" && !is("replacement forgotten")) || (is("update replaces") && key === "colour"),
    );
    const answer = new rpc.DiffResponse().setChanges(changed.length > 0 ? 2 : 1);
    answer.setDiffsList(changed).setReplacesList(replaced).setHasdetaileddiff(true);
    for (const key of changed)
      answer
        .getDetaileddiffMap()
        .set(
          is("detail elsewhere") ? `body.${key}` : key,
          new rpc.PropertyDiff().setKind(replaced.includes(key) ? 5 : 4),
        );
    return answer;
  },
  create: ({ request }) => {
    known(request.getUrn());
    const inputs = plain(request.getProperties());
    if (request.getPreview() && !is("preview creates"))
      return new rpc.CreateResponse().setProperties(
        struct_({ ...outputs(inputs), ...(is("preview lies") ? { colour: "blue" } : {}) }),
      );
    const all = notes();
    const id = String(Object.keys(all).length + 1);
    all[id] = { title: bare(inputs.title), text: bare(inputs.text), colour: bare(inputs.colour) };
    save(all);
    if (bare(inputs.text) === "half") throw partial(is("half lost") ? "" : id, outputs(inputs));
    if (is("id lost on failure") && inputs.title === "") throw new Error("the note has no title");
    return new rpc.CreateResponse().setId(is("no id") ? "" : id).setProperties(struct_(outputs(inputs)));
  },
  read: ({ request }) => {
    const note = notes()[request.getId()];
    if (!note) {
      const answer = new rpc.ReadResponse().setId(is("missing found") ? request.getId() : "");
      return is("missing half found") ? answer.setProperties(struct_({})) : answer;
    }
    const text = is("import in plain text") && !request.getInputs() ? note.text : secret(note.text);
    const inputs = { ...note, text, ...(is("read forgets") ? { colour: "grey" } : {}) };
    const answer = new rpc.ReadResponse().setId(request.getId()).setProperties(struct_(outputs(inputs)));
    return answer.setInputs(struct_(is("import without inputs") && !request.getInputs() ? {} : inputs));
  },
  update: ({ request }) => {
    const news = plain(request.getNews());
    if (!request.getPreview() || is("preview updates")) {
      const all = notes();
      all[request.getId()] = { title: bare(news.title), text: bare(news.text), colour: bare(news.colour) };
      save(all);
    }
    return new rpc.UpdateResponse().setProperties(
      struct_(outputs(is("update unsaid") ? plain(request.getOlds()) : news)),
    );
  },
  delete: ({ request }) => {
    const all = notes();
    if (!all[request.getId()] && is("delete once")) throw new Error("there is no such note");
    delete all[request.getId()];
    if (!is("delete keeps")) save(all);
    return new empty.Empty();
  },
  invoke: ({ request }) => {
    if (request.getTok() !== "notes:index:getNote") throw new Error(`there is no ${request.getTok()}`);
    if (is("secret in an error")) throw new Error(`the key ${failedConfiguration} may not read`);
    const { id } = plain(request.getArgs());
    const answer = new rpc.InvokeResponse();
    if (typeof id !== "string" && !is("argument not missed")) {
      answer.addFailures(new rpc.CheckFailure().setProperty("id").setReason("expected an id"));
      return answer;
    }
    if (is("function writes")) appendFileSync(store, " ");
    return answer.setReturn(struct_({ text: "said" }));
  },
  cancel: () => {
    if (is("cancel hangs")) return undefined;
    return new empty.Empty();
  },
};

/** What was made, and isn't whole. */
function partial(id, made) {
  const failed = new rpc.ErrorResourceInitFailed().setId(id).setProperties(struct_(made)).setReasonsList(["half"]);
  const detail = new any.Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const metadata = new Metadata();
  const said = new status.Status().setCode(13).setMessage("half").setDetailsList([detail]);
  metadata.set("grpc-status-details-bin", Buffer.from(said.serializeBinary()));
  return Object.assign(new Error("half"), { code: 13, metadata });
}

function known(urn) {
  if (!urn.includes(`::${TOKEN}::`) && !is("any token")) throw new Error(`there is no ${urn.split("::")[2]}`);
}

const limit = is("small messages") ? 4 << 20 : -1;
const server = new Server({ "grpc.max_receive_message_length": limit, "grpc.max_send_message_length": limit });
server.addService(
  service.ResourceProviderService,
  Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      (call, answer) => {
        try {
          const response = handle(call);
          if (response) answer(null, response);
        } catch (error) {
          answer({ code: 3, details: error.message, ...error });
        }
      },
    ]),
  ),
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => {
  process.stdout.write(`${port}\n`);
  if (is("noise on stdout")) process.stdout.write("ready\n");
});

const [host, engine] = (process.argv.at(-1) ?? "").split(":");
const watch = setInterval(() => {
  const knock = connect({ host, port: Number(engine) });
  knock.once("connect", () => knock.destroy()).once("error", () => process.exit(0));
}, 500);
if (is("runs on")) clearInterval(watch);
