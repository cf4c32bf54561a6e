// A plugin that does nothing, for the same programs as ours: what the engine costs by itself. With BENCH_WAIT it waits as
// long as the service would take for each request of ours, and answers with a document (BENCH_ANSWER): what a provider
// would cost that thinks in no time. It is bundled and started from V8's compile cache, as ours is.
import { readFileSync } from "node:fs";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

const LIMIT = 400 * 1024 * 1024;
const server = new Server({ "grpc.max_receive_message_length": LIMIT, "grpc.max_send_message_length": LIMIT });
const { Empty } = empty;
const { BENCH_WAIT, BENCH_ANSWER } = process.env;
const wait = Number(BENCH_WAIT ?? 0);
const document = JSON.parse(BENCH_ANSWER ?? "{}");
let created = 0;

const fill = (message, fields) => {
  for (const [name, value] of Object.entries(fields)) message[`set${name}`](value);
  return message;
};
const answer = make => (call, done) => {
  try {
    done(null, make(call.request));
  } catch (error) {
    done(error);
  }
};

/** As the service would: not at once. */
const later = make => (call, done) => {
  if (wait === 0) answer(make)(call, done);
  else setTimeout(() => answer(make)(call, done), wait);
};

server.addService(services.ResourceProviderService, {
  handshake: answer(() =>
    fill(new messages.ProviderHandshakeResponse(), { AcceptSecrets: true, AcceptResources: true }),
  ),
  getSchema: answer(() =>
    fill(new messages.GetSchemaResponse(), { Schema: readFileSync(process.env.BENCH_SCHEMA, "utf8") }),
  ),
  getPluginInfo: answer(() => fill(new plugin.PluginInfo(), { Version: "0.0.0" })),
  checkConfig: answer(request => fill(new messages.CheckResponse(), { Inputs: request.getNews() })),
  diffConfig: answer(() => new messages.DiffResponse()),
  configure: answer(() =>
    fill(new messages.ConfigureResponse(), { Acceptsecrets: true, Acceptresources: true, Supportspreview: true }),
  ),
  check: answer(request => fill(new messages.CheckResponse(), { Inputs: request.getNews() })),
  diff: answer(request => {
    const [before, now] = [request.getOldInputs(), request.getNews()].map(value =>
      JSON.stringify(value.toJavaScript()),
    );
    const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
    return fill(new messages.DiffResponse(), { Changes: before === now ? DIFF_NONE : DIFF_SOME });
  }),
  create: later(() =>
    fill(new messages.CreateResponse(), {
      Id: String(++created),
      Properties: struct.Struct.fromJavaScript(document),
    }),
  ),
  update: answer(() => fill(new messages.UpdateResponse(), { Properties: new struct.Struct() })),
  read: later(request =>
    fill(new messages.ReadResponse(), {
      Id: request.getId(),
      Properties: request.getProperties(),
      Inputs: request.getInputs(),
    }),
  ),
  delete: answer(() => new Empty()),
  attach: answer(() => new Empty()),
  cancel: (_, done) => {
    done(null, new Empty());
    setImmediate(() => process.exit());
  },
});

server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
