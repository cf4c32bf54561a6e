import { Client, status as codes, credentials, type ServiceError } from "@grpc/grpc-js";
import { Empty, type Message, methodOf, plugin, type Rpc, rpc, status } from "./messages.js";
import { fromStruct, type ProtoStruct, toStruct, type Values } from "./values.js";

/** How long one call may take before it counts as not answered. */
const CALL_MS = 60_000;

/** One call as it went; `request` and `response` are the messages' bytes, so that it can be sent again. */
export interface RecordedCall {
  readonly method: string;
  readonly request: string;
  readonly response?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

export class CallError extends Error {
  constructor(
    readonly method: string,
    readonly code: string,
    readonly text: string,
    /** What ErrorResourceInitFailed says. */
    readonly partial:
      | { readonly id: string; readonly properties: Values; readonly reasons: readonly string[] }
      | undefined,
  ) {
    super(`${method} answered ${code}: ${text}`);
  }
}

/** The rules that an engine plays by. */
export interface EngineProfile {
  readonly name: "newest" | "oldest";
  readonly handshake: boolean;
  readonly oldInputs: boolean;
  readonly namesAndTypes: boolean;
}

export const ENGINES: readonly EngineProfile[] = [
  { name: "newest", handshake: true, oldInputs: true, namesAndTypes: true },
  { name: "oldest", handshake: false, oldInputs: false, namesAndTypes: false },
];

export interface Flags {
  readonly acceptSecrets: boolean;
  readonly supportsPreview: boolean;
}

export interface Checked {
  readonly inputs: Values;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

export interface Diffed {
  readonly changes: "unknown" | "none" | "some";
  readonly replaces: readonly string[];
  readonly diffs: readonly string[];
  readonly deleteBeforeReplace: boolean;
  /** Kind by property path, where the provider answers in detail. */
  readonly detailed: ReadonlyMap<string, string> | undefined;
}

export interface ResourceState {
  readonly id: string;
  readonly outputs: Values;
}

/** What Read answers. An import goes by whether outputs and inputs are there at all, even empty. */
export interface Found extends ResourceState {
  readonly inputs: Values;
  readonly hasOutputs: boolean;
  readonly hasInputs: boolean;
}

/** One provider process as the engine sees it. */
export class Connection {
  readonly #client: Client;
  readonly calls: RecordedCall[] = [];

  constructor(
    readonly port: number,
    readonly engine: EngineProfile,
    /** Whether secrets are wrapped: known once it is configured. */
    public flags: Flags = { acceptSecrets: true, supportsPreview: true },
  ) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      "grpc.enable_http_proxy": 0,
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  close(): void {
    this.#client.close();
  }

  /** Any call, with the bytes of any message. */
  async raw(method: string, request: Buffer, timeoutMs = CALL_MS): Promise<Message> {
    const { path, responseDeserialize } = methodOf(method);
    const call: { -readonly [K in keyof RecordedCall]: RecordedCall[K] } = {
      method,
      request: request.toString("base64"),
    };
    this.calls.push(call);
    return new Promise((done, failed) => {
      this.#client.makeUnaryRequest<Buffer, Buffer>(
        path,
        bytes => bytes,
        bytes => bytes,
        request,
        { deadline: Date.now() + timeoutMs },
        (error, response) => {
          if (error) {
            call.error = { code: codes[error.code], message: error.details };
            return failed(callError(method, error));
          }
          call.response = response?.toString("base64") ?? "";
          done(responseDeserialize(response ?? Buffer.alloc(0)));
        },
      );
    });
  }

  async send<M>(method: string, request: Message, timeoutMs?: number): Promise<M> {
    return (await this.raw(method, Buffer.from(request.serializeBinary()), timeoutMs)) as M;
  }

  async begin(engineAddress: string, config: Values): Promise<void> {
    if (this.engine.handshake) await this.handshake(engineAddress);
    else await this.attach(engineAddress);
    await this.configure(config);
  }

  /** A provider from before Handshake answers that it doesn't know it. */
  async handshake(engineAddress: string): Promise<Rpc.ProviderHandshakeResponse.AsObject | undefined> {
    const request = new rpc.ProviderHandshakeRequest()
      .setEngineAddress(engineAddress)
      .setConfigureWithUrn(true)
      .setInvokeWithPreview(true)
      .setSupportsRefreshBeforeUpdate(true)
      .setSupportsViews(true);
    try {
      return (await this.send<Rpc.ProviderHandshakeResponse>("handshake", request)).toObject();
    } catch (error) {
      if (error instanceof CallError && error.code === "UNIMPLEMENTED") return undefined;
      throw error;
    }
  }

  async attach(engineAddress: string): Promise<void> {
    try {
      await this.send("attach", new plugin.PluginAttach().setAddress(engineAddress));
    } catch (error) {
      if (!(error instanceof CallError && error.code === "UNIMPLEMENTED")) throw error;
    }
  }

  async configure(config: Values): Promise<Rpc.ConfigureResponse.AsObject> {
    const request = new rpc.ConfigureRequest()
      .setAcceptsecrets(true)
      .setAcceptresources(true)
      .setArgs(toStruct(config));
    if (this.engine.oldInputs) request.setSendsOldInputs(true).setSendsOldInputsToDelete(true);
    const answer = (await this.send<Rpc.ConfigureResponse>("configure", request)).toObject();
    this.flags = { acceptSecrets: answer.acceptsecrets, supportsPreview: answer.supportspreview };
    return answer;
  }

  async schema(): Promise<string> {
    return (await this.send<Rpc.GetSchemaResponse>("getSchema", new rpc.GetSchemaRequest())).getSchema();
  }

  async pluginVersion(): Promise<string> {
    return (await this.send<{ getVersion(): string }>("getPluginInfo", new Empty())).getVersion();
  }

  async checkConfig(news: Values, olds: Values = new Map(), urn = configUrn): Promise<Checked> {
    const request = new rpc.CheckRequest().setUrn(urn).setOlds(toStruct(olds)).setNews(toStruct(news));
    return checked(await this.send("checkConfig", request));
  }

  async diffConfig(olds: Values, news: Values): Promise<Diffed> {
    const request = new rpc.DiffRequest().setUrn(configUrn).setOlds(toStruct(olds)).setNews(toStruct(news));
    if (this.engine.oldInputs) request.setOldInputs(toStruct(olds));
    return diffed(await this.send("diffConfig", request));
  }

  checkRequest(urn: string, news: Values, olds: Values = new Map()): Rpc.CheckRequest {
    const request = new rpc.CheckRequest().setUrn(urn).setOlds(toStruct(olds)).setNews(toStruct(news));
    if (this.engine.namesAndTypes) request.setName(nameOf(urn)).setType(typeOf(urn));
    return request;
  }

  async check(urn: string, news: Values, olds: Values = new Map()): Promise<Checked> {
    return checked(await this.send("check", this.checkRequest(urn, news, olds)));
  }

  diffRequest(urn: string, { id, outputs }: ResourceState, oldInputs: Values, news: Values): Rpc.DiffRequest {
    const request = new rpc.DiffRequest().setUrn(urn).setId(id).setOlds(toStruct(outputs)).setNews(toStruct(news));
    if (this.engine.oldInputs) request.setOldInputs(toStruct(oldInputs));
    if (this.engine.namesAndTypes) request.setName(nameOf(urn)).setType(typeOf(urn));
    return request;
  }

  async diff(urn: string, state: ResourceState, oldInputs: Values, news: Values): Promise<Diffed> {
    return diffed(await this.send("diff", this.diffRequest(urn, state, oldInputs, news)));
  }

  async create(urn: string, inputs: Values, { preview = false } = {}): Promise<ResourceState> {
    const request = new rpc.CreateRequest().setUrn(urn).setProperties(toStruct(inputs)).setPreview(preview);
    if (this.engine.namesAndTypes) request.setName(nameOf(urn)).setType(typeOf(urn));
    const answer = await this.send<Rpc.CreateResponse>("create", request);
    return { id: answer.getId(), outputs: fromStruct(answer.getProperties()) };
  }

  async read(urn: string, id: string, state?: { readonly outputs: Values; readonly inputs: Values }): Promise<Found> {
    const request = new rpc.ReadRequest()
      .setUrn(urn)
      .setId(id)
      .setProperties(toStruct(state?.outputs ?? new Map()));
    if (state) request.setInputs(toStruct(state.inputs));
    if (this.engine.namesAndTypes) request.setName(nameOf(urn)).setType(typeOf(urn));
    const answer = await this.send<Rpc.ReadResponse>("read", request);
    return {
      id: answer.getId(),
      outputs: fromStruct(answer.getProperties()),
      inputs: fromStruct(answer.getInputs()),
      hasOutputs: answer.hasProperties(),
      hasInputs: answer.hasInputs(),
    };
  }

  async update(
    urn: string,
    state: ResourceState,
    oldInputs: Values,
    news: Values,
    { preview = false } = {},
  ): Promise<ResourceState> {
    const request = new rpc.UpdateRequest().setUrn(urn).setId(state.id).setOlds(toStruct(state.outputs));
    request.setNews(toStruct(news)).setPreview(preview);
    if (this.engine.oldInputs) request.setOldInputs(toStruct(oldInputs));
    if (this.engine.namesAndTypes) request.setName(nameOf(urn)).setType(typeOf(urn));
    const answer = await this.send<Rpc.UpdateResponse>("update", request);
    return { id: state.id, outputs: fromStruct(answer.getProperties()) };
  }

  async delete(urn: string, { id, outputs }: ResourceState, oldInputs: Values): Promise<void> {
    const request = new rpc.DeleteRequest().setUrn(urn).setId(id).setProperties(toStruct(outputs));
    if (this.engine.oldInputs) request.setOldInputs(toStruct(oldInputs));
    if (this.engine.namesAndTypes) request.setName(nameOf(urn)).setType(typeOf(urn));
    await this.send("delete", request);
  }

  async invoke(token: string, args: Values, { preview = false } = {}) {
    const request = new rpc.InvokeRequest().setTok(token).setArgs(toStruct(args));
    if (this.engine.handshake) request.setPreview(preview);
    const answer = await this.send<Rpc.InvokeResponse>("invoke", request);
    return { result: fromStruct(answer.getReturn()), failures: failuresOf(answer.getFailuresList()) };
  }

  async cancel(): Promise<void> {
    await this.send("cancel", new Empty());
  }
}

const configUrn = "urn:pulumi:conformance::laws::pulumi:providers:package::default";
const nameOf = (urn: string): string => urn.split("::").at(-1) ?? "";
const typeOf = (urn: string): string => urn.split("::").at(-2)?.split("$").at(-1) ?? "";

const failuresOf = (failures: readonly Rpc.CheckFailure[]): Checked["failures"] =>
  failures.map(failure => ({ property: failure.getProperty(), reason: failure.getReason() }));

export const checkedIn = (answer: Message): Checked => checked(answer as Rpc.CheckResponse);

const checked = (answer: Rpc.CheckResponse): Checked => ({
  inputs: fromStruct(answer.getInputs()),
  failures: failuresOf(answer.getFailuresList()),
});

const KINDS = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"];

const diffed = (answer: Rpc.DiffResponse): Diffed => ({
  changes: (["unknown", "none", "some"] as const)[answer.getChanges()] ?? "unknown",
  replaces: answer.getReplacesList(),
  diffs: answer.getDiffsList(),
  deleteBeforeReplace: answer.getDeletebeforereplace(),
  detailed: answer.getHasdetaileddiff()
    ? new Map([...answer.getDetaileddiffMap().entries()].map(([path, diff]) => [path, KINDS[diff.getKind()] ?? "?"]))
    : undefined,
});

const INIT_FAILED = "type.googleapis.com/pulumirpc.ErrorResourceInitFailed";

function callError(method: string, { code, details, metadata }: ServiceError): CallError {
  const [bytes] = metadata?.get("grpc-status-details-bin") ?? [];
  let partial: CallError["partial"];
  if (bytes instanceof Buffer) {
    const [detail] = status.Status.deserializeBinary(bytes)
      .getDetailsList()
      .filter(any => any.getTypeUrl() === INIT_FAILED);
    if (detail) {
      const failed = rpc.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
      const properties = fromStruct(failed.getProperties() as ProtoStruct | undefined);
      partial = { id: failed.getId(), properties, reasons: failed.getReasonsList() };
    }
  }
  return new CallError(method, codes[code], details, partial);
}
