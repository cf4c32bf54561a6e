// The smallest provider that keeps every law: notes, kept in a file. `FAULT` in its environment breaks one of them.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { credentials, Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import service from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import rpc from "@pulumi/pulumi/proto/provider_pb.js";
import statusService from "@pulumi/pulumi/proto/resource_status_grpc_pb.js";
import views from "@pulumi/pulumi/proto/resource_status_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

const { FAULT: fault, STORE: store = "" } = process.env;
const is = name => fault === name;
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const ASSET = "c44067f5952c0a294b673a41bacd8c17";
const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const TOKEN = "notes:index:Note";

const text = description => ({ type: "string", description });
const inputProperties = {
  title: { ...text("What the note is called."), replaceOnChanges: true },
  text: { ...text("What it says."), secret: true },
  colour: { ...text("Of its paper."), default: "yellow" },
};
/** Each with the mark of its kind, and the output that holds its hash. */
const FILES = { attachment: [ASSET, "attachmentHash"], album: [ARCHIVE, "albumHash"] };
const properties = {
  ...inputProperties,
  rank: { type: "number", description: "Among the others." },
  attachmentHash: text("Of what is pinned to it."),
  albumHash: text("Of what is folded into it."),
  length: { type: "integer", description: "Of the text." },
};
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
        rank: properties.rank,
        attachment: { $ref: "pulumi.json#/Asset", description: "What is pinned to it." },
        album: { $ref: "pulumi.json#/Archive", description: "What is folded into it." },
        ...(is("missing type") ? { more: { $ref: "#/types/notes:index:More", description: "More." } } : {}),
      },
      requiredInputs: ["title", "text"],
      properties,
      listInputs: { properties: { colour: text("Of the paper.") } },
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
const present = members => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
const file = (hash, kind) => (hash === undefined ? undefined : { [SIGNATURE]: kind, hash });
const hashOf = input => (bare(input) === UNKNOWN ? UNKNOWN : bare(input)?.hash);
const outputs = ({ title, text: said, colour, rank, attachment, album }) => ({
  ...present({ rank, attachmentHash: hashOf(attachment), albumHash: hashOf(album) }),
  title,
  text: is("secret output lost") ? bare(said) : secret(bare(said)),
  colour,
  ...(is("missing output") ? {} : { length: bare(said) === UNKNOWN ? UNKNOWN : [...String(bare(said))].length }),
  ...(is("undeclared output") ? { mood: "good" } : {}),
});

let checks = 0;
let key = "";
let configured = false;
/** The calls that wait for a service that doesn't answer; Cancel ends them. */
const waiting = new Set();

/** What the service does before it answers. */
async function reached() {
  if (!existsSync(`${store}.stalled`)) return;
  await new Promise((_, ended) => waiting.add(() => ended(new Error("cancelled"))));
}

/** What is stored of the inputs. */
const stored = inputs => ({
  ...present({ rank: bare(inputs.rank), attachment: hashOf(inputs.attachment), album: hashOf(inputs.album) }),
  title: bare(inputs.title),
  text: bare(inputs.text),
  colour: bare(inputs.colour),
});
const unstored = ({ attachment, album, ...note }) => ({
  ...note,
  ...present({ attachment: file(attachment, ASSET), album: file(album, ARCHIVE) }),
});

/** The engine gives the hash; whoever reads the bytes finds the same. */
async function pinned(input) {
  const { text, path, uri, hash } = bare(input) ?? {};
  if (uri !== undefined && is("address not read")) throw new Error("expected a file or a text");
  const bytes = uri ? Buffer.from(await (await fetch(uri)).arrayBuffer()) : path ? readFileSync(path) : text;
  if (bytes !== undefined && createHash("sha256").update(bytes).digest("hex") !== hash) throw new Error("another hash");
}

/** Each note is shown with a page of its own. */
async function publish(request) {
  const address = request.getResourceStatusAddress();
  if (!address) return;
  const token = is("view elsewhere") ? "another" : request.getResourceStatusToken();
  const step = new views.ViewStep().setType("notes:index:Page").setName("page");
  const client = new statusService.ResourceStatusClient(address, credentials.createInsecure());
  const steps = new views.PublishViewStepsRequest().setToken(token).setStepsList([step]);
  await new Promise((done, failed) => client.publishViewSteps(steps, error => (error ? failed(error) : done())));
  client.close();
}

const made = new Set();

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
    if (!(configured && is("first configuration stays"))) key = String(bare(plain(request.getArgs()).key));
    if (is("wants a key") && key === "undefined") throw new Error("expected a key");
    const again = configured;
    configured = true;
    return new rpc.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(!(again && is("flags change")));
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
    const { rank } = news;
    if (typeof bare(rank) === "number" && is("numbers rounded")) inputs.rank = Math.fround(bare(rank));
    else if (typeof bare(rank) === "number" || bare(rank) === UNKNOWN) inputs.rank = rank;
    else if (rank !== undefined) answer.addFailures(new rpc.CheckFailure().setProperty("rank").setReason("no number"));
    for (const [name, [kind]] of Object.entries(FILES)) {
      const given = bare(news[name]);
      if (given === undefined) continue;
      if (given?.uri && is("odd asset fails")) throw new Error("expected a path");
      if (given?.assets && is("odd archive fails")) throw new Error("expected a path");
      const taken = given === UNKNOWN || (given?.[SIGNATURE] === kind && given.hash !== undefined);
      if (taken)
        inputs[name] = is("asset by its path") ? { ...news[name], hash: `${given.path}${given.hash}` } : news[name];
      else answer.addFailures(new rpc.CheckFailure().setProperty(name).setReason("no asset"));
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
    if (olds.rank !== news.rank) changed.push("rank");
    for (const [name, [, hash]] of Object.entries(FILES))
      if (olds[hash] !== hashOf(news[name]) && !is("asset not compared")) changed.push(name);
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
  create: async ({ request }) => {
    known(request.getUrn());
    const inputs = plain(request.getProperties());
    if (request.getPreview() && !is("preview creates"))
      return new rpc.CreateResponse().setProperties(
        struct_({ ...outputs(inputs), ...(is("preview lies") ? { colour: "blue" } : {}) }),
      );
    await reached();
    await pinned(inputs.attachment);
    await publish(request);
    const all = notes();
    const next = Math.max(0, ...Object.keys(all).map(Number).filter(Number.isFinite)) + 1;
    const id = is("id of the title") ? bare(inputs.title) : is("one id for all") ? "1" : String(next);
    all[id] = stored(inputs);
    save(all);
    made.add(id);
    if (bare(inputs.text) === "half") throw partial(is("half lost") ? "" : id, outputs(inputs));
    if (is("id lost on failure") && inputs.title === "") throw new Error("the note has no title");
    return new rpc.CreateResponse().setId(is("no id") ? "" : id).setProperties(struct_(outputs(inputs)));
  },
  read: async ({ request }) => {
    await reached();
    if (key === "another") throw new Error("this key may not read");
    const forgotten = is("remembered in memory") && !made.has(request.getId());
    const note = forgotten ? undefined : notes()[request.getId()];
    if (!note) {
      const answer = new rpc.ReadResponse().setId(is("missing found") ? request.getId() : "");
      return is("missing half found") ? answer.setProperties(struct_({})) : answer;
    }
    const text = is("import in plain text") && !request.getInputs() ? note.text : secret(note.text);
    const inputs = { ...unstored(note), text, ...(is("read forgets") ? { colour: "grey" } : {}) };
    const answer = new rpc.ReadResponse().setId(request.getId()).setProperties(struct_(outputs(inputs)));
    return answer.setInputs(struct_(is("import without inputs") && !request.getInputs() ? {} : inputs));
  },
  update: async ({ request }) => {
    const news = plain(request.getNews());
    if (!request.getPreview()) await publish(request);
    if (!request.getPreview() || is("preview updates")) {
      const all = notes();
      all[request.getId()] = stored(news);
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
    if (is("secret in an error")) throw new Error(`the key ${key} may not read`);
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
    if (!is("cancel ignored")) for (const end of waiting) end();
    return new empty.Empty();
  },
  list: call => {
    const { request } = call;
    const query = plain(request.getQuery());
    if (Object.values(query).includes(UNKNOWN) && !is("unknown query listed")) {
      call.write(new rpc.ListResponse().setComputed(new rpc.ListResponse.Computed()));
      return call.end();
    }
    const ids = Object.keys(notes()).slice(is("list forgets") ? 1 : 0);
    const from = Number(request.getContinuationToken() || "0");
    const limits = [request.getLimit(), request.getPageSize()].filter(each => each > 0);
    const to = from + Math.min(ids.length, ...limits);
    for (const id of ids.slice(from, is("pages overlap") ? to + 1 : to))
      call.write(new rpc.ListResponse().setResult(new rpc.ListResponse.Result().setId(id)));
    const next = new rpc.ListResponse.Continuation().setContinuationToken(String(to));
    if (to < ids.length) call.write(new rpc.ListResponse().setContinuation(next));
    call.end();
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

/** As a parser that doesn't skip what it doesn't know. */
const strict = method => ({
  ...method,
  requestDeserialize: bytes => {
    const message = method.requestDeserialize(bytes);
    if (message.serializeBinary().length !== bytes.length) throw new Error("unknown field");
    return message;
  },
});
const isStrict = name =>
  (is("unknown field refused") && ["check", "create", "diff", "read"].includes(name)) ||
  (is("unknown field refused at the start") && name === "configure");
const definition = Object.fromEntries(
  Object.entries(service.ResourceProviderService).map(([name, method]) => [
    name,
    isStrict(name) ? strict(method) : method,
  ]),
);
if (is("newer call misunderstood"))
  definition.callOfANewerEngine = { ...definition.cancel, path: "/pulumirpc.ResourceProvider/CallOfANewerEngine" };

const limit = is("small messages") ? 4 << 20 : -1;
const server = new Server({ "grpc.max_receive_message_length": limit, "grpc.max_send_message_length": limit });
const unary = handle => (call, answer) => {
  const failed = error => answer({ code: 3, details: error.message, ...error });
  try {
    const response = handle(call);
    if (response instanceof Promise) response.then(each => answer(null, each), failed);
    else if (response) answer(null, response);
  } catch (error) {
    failed(error);
  }
};
server.addService(definition, {
  ...Object.fromEntries(Object.entries(handlers).map(([name, handle]) => [name, unary(handle)])),
  list: handlers.list,
  callOfANewerEngine: unary(() => new empty.Empty()),
});
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
