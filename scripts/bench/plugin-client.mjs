// Speaks to a plugin as the engine does, for what is measured without an engine around it.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import engineServices from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

const { Struct } = struct;
const FILE_ASSET = {
  "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17",
};

/** The engine's side: plugins end with it, so there has to be one. */
export async function startEngine() {
  const server = new Server();
  server.addService(engineServices.EngineService, { log: (_, answer) => answer(null, new empty.Empty()) });
  const port = await new Promise((resolve, reject) => {
    const credential = ServerCredentials.createInsecure();
    server.bindAsync("127.0.0.1:0", credential, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

/** Starts a plugin and greets it: `{ took }` is milliseconds from the start of the process to its answer. */
export async function startPlugin({ command, args = [], env, cwd, engine }) {
  const started = performance.now();
  const child = spawn(command, [...args, engine.address], { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stderr.on("data", text => {
    output += text;
  });
  const port = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", code => reject(new Error(`${command} ended with ${code}: ${output}`)));
    child.stdout.once("data", text => resolve(Number.parseInt(String(text), 10)));
  });
  const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    "grpc.enable_http_proxy": 0,
  });
  const ask = (method, request) =>
    new Promise((resolve, reject) => {
      client[method](request, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  await ask("handshake", new messages.ProviderHandshakeRequest().setEngineAddress(engine.address));
  const took = performance.now() - started;
  const checkedNew = async (urn, inputs) => {
    const check = new messages.CheckRequest().setUrn(urn).setOlds(new Struct());
    const checked = await ask("check", check.setNews(Struct.fromJavaScript(inputs)));
    const [failure] = checked.getFailuresList();
    if (failure) throw new Error(`Check failed: ${failure.getReason()}`);
    return checked.getInputs();
  };
  return {
    took,
    pid: child.pid,
    configure: config =>
      ask("configure", new messages.ConfigureRequest().setAcceptsecrets(true).setArgs(Struct.fromJavaScript(config))),
    /** Check, then Create, as `pulumi up` does for a resource that is new. */
    async create(urn, inputs) {
      const checked = await checkedNew(urn, inputs);
      const created = await ask("create", new messages.CreateRequest().setUrn(urn).setProperties(checked));
      return { id: created.getId(), inputs: checked, outputs: created.getProperties() };
    },
    /** The same as `pulumi preview` does. */
    async preview(urn, inputs) {
      const create = new messages.CreateRequest().setUrn(urn).setProperties(await checkedNew(urn, inputs));
      await ask("create", create.setPreview(true));
    },
    /** Check, then Diff, as a preview does for a resource that state has. */
    async diff(urn, { id, inputs, outputs }, news) {
      const check = new messages.CheckRequest().setUrn(urn).setOlds(inputs).setNews(Struct.fromJavaScript(news));
      const checked = (await ask("check", check)).getInputs();
      const diff = new messages.DiffRequest().setUrn(urn).setId(id).setOldInputs(inputs).setOlds(outputs);
      return ask("diff", diff.setNews(checked));
    },
    /** Read, then Diff, as a refresh does. */
    async refresh(urn, { id, inputs, outputs }) {
      const read = new messages.ReadRequest().setUrn(urn).setId(id).setInputs(inputs).setProperties(outputs);
      const shown = await ask("read", read);
      const diff = new messages.DiffRequest().setUrn(urn).setId(id).setOldInputs(inputs).setNews(inputs);
      return ask("diff", diff.setOlds(shown.getProperties()));
    },
    async close() {
      child.removeAllListeners("exit");
      const gone = new Promise(resolve => child.once("exit", resolve));
      await ask("cancel", new empty.Empty()).catch(() => {});
      client.close();
      const late = setTimeout(() => child.kill("SIGKILL"), 5000);
      await gone;
      clearTimeout(late);
    },
  };
}

/** A file asset as the engine sends it, hash included. */
export function fileAsset(path) {
  const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
  return { ...FILE_ASSET, path, hash };
}
