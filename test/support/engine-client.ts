/**
 * Speaks to the plugin as the engine does: over gRPC, with the real messages, in one process with the test.
 * Values go in and come out plain; `secret(…)` marks one on its way in, `secrets` lists the paths that
 * came back wrapped.
 */
import { credentials, type Client as GrpcClient, type Metadata, status } from "@grpc/grpc-js";
import { decode, encode } from "../../kit/codec.js";
import type { PeerOf } from "../../kit/peers.js";
import type { Provider } from "../../kit/provider.js";
import type { Path } from "../../kit/secrets.js";
import { type ServerOptions, startServer } from "../../kit/server.js";
import { Archive, Asset, type Value, type Values } from "../../kit/values.js";
import type { Failure } from "../../provider/resources/resource.js";
import { fakeEngine } from "../grpc/support/fake-engine.js";
import { Empty, plugin, type Rpc, rpc, rpcGrpc, rpcStatus, Struct, type StructMessage } from "./proto.js";

export class Secret {
  constructor(readonly value: Given) {}
}
/** A value with secrets in it. */
export type Given = Value | Secret | Given[] | Givens;
export interface Givens {
  [key: string]: Given;
}
/** Marks a value secret. */
export const secret = (value: Given): Secret => new Secret(value);

export interface Got {
  readonly values: Values;
  /** Like `signers[0].email`. */
  readonly secrets: string[];
}

/** What Diff and Update are about. */
export interface Change {
  urn: string;
  id: string;
  olds: Givens;
  oldInputs?: Givens;
  news: Givens;
}

/** An answer with a gRPC status other than OK. */
export class StatusError extends Error {
  constructor(
    readonly code: keyof typeof status,
    message: string,
    /** What ErrorResourceInitFailed says. */
    readonly partial?: { id: string; outputs: Got; inputs: Got; reasons: string[]; refreshBeforeUpdate: boolean },
  ) {
    super(message);
  }
}

export const urnOf = (token: string, name = "it", stack = "dev", project = "project"): string =>
  `urn:pulumi:${stack}::${project}::${token}::${name}`;

export interface ConnectOptions extends Omit<ServerOptions, "engineAddress"> {
  /** false: an engine from before Handshake. */
  readonly handshake?: boolean;
  /** Calls Configure with it. */
  readonly config?: Givens;
  readonly acceptSecrets?: boolean;
}

/**
 * Of a connection within this process. The system's tables, which every test's closed connections fill, take 20 ms: tests of
 * the real lookup are in test/hostile/peers.test.ts and wherever a plugin has a process.
 */
export const peerIsOwn: PeerOf = async () => ({ uid: process.geteuid?.() ?? 0 });

export type EngineConnection = Awaited<ReturnType<typeof connect>>;

/** Serves the provider in this process and connects to it. `await using` ends both. */
export async function connect(provider: Provider, options: ConnectOptions = {}) {
  const log = await fakeEngine();
  const server = await startServer(provider, { peerOf: peerIsOwn, ...options });
  const client = await dial(server.port, log.address, options);
  return Object.assign(client, {
    server,
    /** What the plugin wrote to the engine's log. */
    log: log.lines,
    engineAddress: log.address,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server.stop("the test is over");
      await log.close();
    },
  });
}

/** Connects to a plugin that listens already. */
export async function dial(port: number, engineAddress: string, options: ConnectOptions = {}) {
  const stub = new rpcGrpc.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    "grpc.enable_http_proxy": 0,
  });
  const client = clientOf(stub);
  if (options.handshake ?? true) await client.handshake(engineAddress);
  else await client.attach(engineAddress);
  if (options.config) await client.configure(options.config, options);
  return client;
}

function clientOf(stub: InstanceType<typeof rpcGrpc.ResourceProviderClient>) {
  const ask = asker(stub);
  return {
    stub,
    ask,
    close: () => stub.close(),
    handshake: async (engineAddress: string) => {
      const request = new rpc.ProviderHandshakeRequest().setEngineAddress(engineAddress).setConfigureWithUrn(true);
      return (await ask<Rpc.ProviderHandshakeResponse>("handshake", request)).toObject();
    },
    attach: (address: string) => ask("attach", new plugin.PluginAttach().setAddress(address)),
    pluginVersion: async () => (await ask<{ getVersion(): string }>("getPluginInfo", new Empty())).getVersion(),
    schema: async (version = 0): Promise<string> =>
      (await ask<Rpc.GetSchemaResponse>("getSchema", new rpc.GetSchemaRequest().setVersion(version))).getSchema(),
    checkConfig: async (news: Givens, olds?: Givens) => {
      const request = new rpc.CheckRequest().setUrn(urnOf("pulumi:providers:docsign", "default"));
      return checked(await ask("checkConfig", request.setOlds(olds && toStruct(olds)).setNews(toStruct(news))));
    },
    diffConfig: async (olds: Givens, news: Givens) => {
      const request = new rpc.DiffRequest().setUrn(urnOf("pulumi:providers:docsign", "default"));
      return diffed(
        await ask("diffConfig", request.setOldInputs(toStruct(olds)).setOlds(toStruct(olds)).setNews(toStruct(news))),
      );
    },
    configure: async (config: Givens, { acceptSecrets = true }: { acceptSecrets?: boolean } = {}) => {
      const request = new rpc.ConfigureRequest().setAcceptsecrets(acceptSecrets).setAcceptresources(true);
      request.setSendsOldInputs(true).setSendsOldInputsToDelete(true).setArgs(toStruct(config));
      return (await ask<Rpc.ConfigureResponse>("configure", request)).toObject();
    },
    /** Without `olds` sends what the engine sends then: an empty struct. */
    check: async ({ urn, olds = {}, news }: { urn: string; olds?: Givens; news: Givens }) =>
      checked(await ask("check", new rpc.CheckRequest().setUrn(urn).setOlds(toStruct(olds)).setNews(toStruct(news)))),
    diff: async (args: Change & { ignoreChanges?: string[] }) => {
      const request = new rpc.DiffRequest().setUrn(args.urn).setId(args.id).setOlds(toStruct(args.olds));
      request.setNews(toStruct(args.news)).setIgnorechangesList(args.ignoreChanges ?? []);
      return diffed(await ask("diff", request.setOldInputs(args.oldInputs && toStruct(args.oldInputs))));
    },
    create: async (args: { urn: string; inputs: Givens; preview?: boolean; timeout?: number }) => {
      const request = new rpc.CreateRequest().setUrn(args.urn).setProperties(toStruct(args.inputs));
      request.setPreview(args.preview ?? false).setTimeout(args.timeout ?? 0);
      const response = await ask<Rpc.CreateResponse>("create", request);
      return { id: response.getId(), ...got(response.getProperties()) };
    },
    /** Without `inputs` and `outputs`, an import. */
    read: async (args: { urn: string; id: string; inputs?: Givens; outputs?: Givens }) => {
      const request = new rpc.ReadRequest().setUrn(args.urn).setId(args.id);
      request.setInputs(args.inputs && toStruct(args.inputs)).setProperties(args.outputs && toStruct(args.outputs));
      const response = await ask<Rpc.ReadResponse>("read", request);
      return { id: response.getId(), inputs: got(response.getInputs()), outputs: got(response.getProperties()) };
    },
    update: async (args: Change & { preview?: boolean; timeout?: number }) => {
      const request = new rpc.UpdateRequest().setUrn(args.urn).setId(args.id).setOlds(toStruct(args.olds));
      request
        .setNews(toStruct(args.news))
        .setPreview(args.preview ?? false)
        .setTimeout(args.timeout ?? 0);
      request.setOldInputs(args.oldInputs && toStruct(args.oldInputs));
      return got((await ask<Rpc.UpdateResponse>("update", request)).getProperties());
    },
    delete: async (args: { urn: string; id: string; outputs: Givens; inputs?: Givens; timeout?: number }) => {
      const request = new rpc.DeleteRequest().setUrn(args.urn).setId(args.id).setProperties(toStruct(args.outputs));
      request.setTimeout(args.timeout ?? 0).setOldInputs(args.inputs && toStruct(args.inputs));
      await ask("delete", request);
    },
    invoke: async (token: string, args: Givens, { preview = false } = {}) => {
      const request = new rpc.InvokeRequest().setTok(token).setArgs(toStruct(args)).setPreview(preview);
      const response = await ask<Rpc.InvokeResponse>("invoke", request);
      return { ...got(response.getReturn()), failures: failures(response.getFailuresList()) };
    },
    cancel: () => ask("cancel", new Empty()),
  };
}

type Callback = (error: GrpcFailure | null, response: unknown) => void;
type GrpcFailure = { code: number; details: string; metadata: Metadata };

function asker(stub: GrpcClient) {
  return <Response>(method: string, request: object): Promise<Response> =>
    new Promise((resolve, reject) => {
      const call = Reflect.get(stub, method) as (request: object, callback: Callback) => void;
      call.call(stub, request, (error, response) => (error ? reject(failed(error)) : resolve(response as Response)));
    });
}

function failed({ code, details, metadata }: GrpcFailure): StatusError {
  const name = status[code] as keyof typeof status;
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (!bytes) return new StatusError(name, details);
  const [any] = rpcStatus.Status.deserializeBinary(bytes as Buffer).getDetailsList();
  const detail = any?.unpack(rpc.ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
  if (!detail) throw new Error(`unexpected details: ${any?.getTypeUrl()}`);
  return new StatusError(name, details, {
    id: detail.getId(),
    outputs: got(detail.getProperties()),
    inputs: got(detail.getInputs()),
    reasons: detail.getReasonsList(),
    refreshBeforeUpdate: detail.getRefreshBeforeUpdate(),
  });
}

/** The struct the engine would send. */
export function toStruct(given: Givens): StructMessage {
  const secrets: Path[] = [];
  const plain = (value: Given, path: Path): Value => {
    if (value instanceof Secret) {
      secrets.push(path);
      return plain(value.value, path);
    }
    if (Array.isArray(value)) return value.map((item, i) => plain(item, [...path, i]));
    if (typeof value !== "object" || value === null || value instanceof Asset || value instanceof Archive) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, [...path, key])]));
  };
  return Struct.deserializeBinary(encode(plain(given, []) as Values, { secrets }));
}

function got(struct: StructMessage | undefined): Got {
  const { values, secrets } = decode(struct && Buffer.from(struct.serializeBinary()));
  return { values, secrets: secrets.map(written).sort() };
}

const written = (path: Path): string =>
  path.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("");

const failures = (list: Rpc.CheckFailure[]): Failure[] =>
  list.map(failure => ({ property: failure.getProperty(), reason: failure.getReason() }));

function checked(response: Rpc.CheckResponse) {
  const { values, secrets } = got(response.getInputs());
  return { inputs: values, secrets, failures: failures(response.getFailuresList()) };
}

const KINDS = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"] as const;
const CHANGES = ["unknown", "none", "some"] as const;

function diffed(response: Rpc.DiffResponse) {
  const detailed: Record<string, { kind: (typeof KINDS)[number]; inputDiff: boolean }> = {};
  response.getDetaileddiffMap().forEach((diff, path) => {
    detailed[path] = { kind: KINDS[diff.getKind()], inputDiff: diff.getInputdiff() };
  });
  return {
    changes: CHANGES[response.getChanges()],
    diffs: response.getDiffsList(),
    replaces: response.getReplacesList(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
    hasDetailedDiff: response.getHasdetaileddiff(),
    detailed,
  };
}
