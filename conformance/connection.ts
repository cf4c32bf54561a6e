import { Client, status as codes, credentials, type ServiceError } from "@grpc/grpc-js";
import { Empty, type Message, methodOf, plugin, type Rpc, rpc, status } from "./messages.js";
import type { RecordedCall, Recording } from "./recording.js";
import { asInState, bareValues, fromStruct, type ProtoStruct, toStruct, type Values } from "./values.js";

/** How long one call may take before it counts as not answered. */
const CALL_MS = 120_000;

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

/**
 * By whose rules a law is played. The newest engine shakes hands, sends old inputs, names and types, takes views, lists, and
 * replaces for a `replacementTrigger`: without Diff, after a Check with old inputs and one without. The oldest does none of it.
 */
export const ENGINES = ["newest", "oldest"] as const;
export type Engine = (typeof ENGINES)[number];

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

/** A resource that exists, with what the engine's state would hold. */
export interface Existing extends ResourceState {
  readonly urn: string;
  readonly inputs: Values;
}

/** What Read answers. An import goes by whether outputs and inputs are there at all, even empty. */
export interface ReadResult extends ResourceState {
  readonly inputs: Values;
  readonly hasOutputs: boolean;
  readonly hasInputs: boolean;
}

/** What List answers: pages of what exists, or that a query isn't known yet. */
export interface Listed {
  readonly found: readonly { readonly id: string; readonly name: string }[];
  readonly computed: boolean;
  readonly next: string;
}

/** What was shown as resources below another one. */
export interface OldView {
  readonly type: string;
  readonly name: string;
}

interface WithStatus {
  setResourceStatusAddress(value: string): unknown;
  setResourceStatusToken(value: string): unknown;
}

interface Named {
  setName(name: string): unknown;
  setType(type: string): unknown;
}

/** One provider process as the engine sees it. */
export class Connection {
  readonly #client: Client;
  readonly #isNewest: boolean;
  #engineAddress = "";
  #statuses = 0;
  /** Of the last call that was given one. */
  statusToken = "";

  /** Whether secrets are wrapped: known once it is configured. */
  flags: Flags = { acceptSecrets: true, supportsPreview: true };

  constructor(
    readonly port: number,
    engine: Engine,
    /** Of the law that is being tried. */
    public recording: Recording,
    readonly process: number,
  ) {
    this.#isNewest = engine === "newest";
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
    return responseDeserialize(await this.#unary(method, path, request, timeoutMs));
  }

  /** A call that this protocol doesn't have. */
  async unheardOf(name: string): Promise<void> {
    await this.#unary(name, `/pulumirpc.ResourceProvider/${name}`, Buffer.alloc(0), CALL_MS);
  }

  async #unary(method: string, path: string, request: Buffer, timeoutMs: number): Promise<Buffer> {
    const end = this.#begun(method, request);
    return new Promise((done, failed) => {
      this.#client.makeUnaryRequest<Buffer, Buffer>(
        path,
        bytes => bytes,
        bytes => bytes,
        request,
        { deadline: Date.now() + timeoutMs },
        (error, response = Buffer.alloc(0)) => {
          if (error) {
            end({ responses: [], error: { code: codes[error.code], message: error.details } });
            return failed(callError(method, error));
          }
          end({ responses: [response.toString("base64")] });
          done(response);
        },
      );
    });
  }

  /** A call that is answered with several messages. */
  async stream(method: string, request: Buffer): Promise<Message[]> {
    const { path, responseDeserialize } = methodOf(method);
    const end = this.#begun(method, request);
    const answers: Buffer[] = [];
    const responses = () => answers.map(bytes => bytes.toString("base64"));
    return new Promise((done, failed) => {
      this.#client
        .makeServerStreamRequest<Buffer, Buffer>(
          path,
          bytes => bytes,
          bytes => bytes,
          request,
          { deadline: Date.now() + CALL_MS },
        )
        .on("data", (bytes: Buffer) => answers.push(bytes))
        .on("error", (error: ServiceError) => {
          end({ responses: responses(), error: { code: codes[error.code], message: error.details } });
          failed(callError(method, error));
        })
        .on("end", () => {
          end({ responses: responses() });
          done(answers.map(responseDeserialize));
        });
    });
  }

  #begun(method: string, request: Buffer): (ended: Pick<RecordedCall, "responses" | "error">) => void {
    return this.recording.begin({ method, process: this.process, request: request.toString("base64") });
  }

  async send<M>(method: string, request: Message, timeoutMs?: number): Promise<M> {
    return (await this.raw(method, Buffer.from(request.serializeBinary()), timeoutMs)) as M;
  }

  async begin(engineAddress: string, config: Values): Promise<void> {
    if (this.#isNewest) await this.handshake(engineAddress);
    else await this.attach(engineAddress);
    await this.configure(config);
  }

  handshakeRequest(engineAddress: string): Rpc.ProviderHandshakeRequest {
    this.#engineAddress = engineAddress;
    return new rpc.ProviderHandshakeRequest()
      .setEngineAddress(engineAddress)
      .setConfigureWithUrn(true)
      .setInvokeWithPreview(true)
      .setSupportsRefreshBeforeUpdate(true)
      .setSupportsViews(true);
  }

  /** A provider from before Handshake answers that it doesn't know it. */
  async handshake(engineAddress: string): Promise<Rpc.ProviderHandshakeResponse.AsObject | undefined> {
    const request = this.handshakeRequest(engineAddress);
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

  configureRequest(config: Values): Rpc.ConfigureRequest {
    const request = new rpc.ConfigureRequest()
      .setAcceptsecrets(true)
      .setAcceptresources(true)
      .setArgs(toStruct(config));
    if (this.#isNewest) request.setSendsOldInputs(true).setSendsOldInputsToDelete(true);
    return request;
  }

  async configure(config: Values): Promise<Rpc.ConfigureResponse.AsObject> {
    const answer = (await this.send<Rpc.ConfigureResponse>("configure", this.configureRequest(config))).toObject();
    this.flags = { acceptSecrets: answer.acceptsecrets, supportsPreview: answer.supportspreview };
    return answer;
  }

  async schema(): Promise<string> {
    return (await this.send<Rpc.GetSchemaResponse>("getSchema", new rpc.GetSchemaRequest())).getSchema();
  }

  async pluginVersion(): Promise<string> {
    return (await this.send<{ getVersion(): string }>("getPluginInfo", new Empty())).getVersion();
  }

  async checkConfig(news: Values, olds: Values = new Map()): Promise<Checked> {
    const request = new rpc.CheckRequest().setUrn(configUrn).setOlds(toStruct(olds)).setNews(toStruct(news));
    return checked(await this.send("checkConfig", request));
  }

  async diffConfig(olds: Values, news: Values): Promise<Diffed> {
    const request = new rpc.DiffRequest().setUrn(configUrn).setOlds(toStruct(olds)).setNews(toStruct(news));
    if (this.#isNewest) request.setOldInputs(toStruct(olds));
    return diffed(await this.send("diffConfig", request));
  }

  checkRequest(urn: string, news: Values, olds: Values = new Map()): Rpc.CheckRequest {
    const request = new rpc.CheckRequest().setUrn(urn).setOlds(this.#inState(olds)).setNews(this.#sent(news));
    return this.#named(urn, request);
  }

  async check(urn: string, news: Values, olds?: Values, timeoutMs?: number): Promise<Checked> {
    return checked(await this.send("check", this.checkRequest(urn, news, olds), timeoutMs));
  }

  diffRequest({ urn, id, inputs, outputs }: Existing, news: Values): Rpc.DiffRequest {
    const request = new rpc.DiffRequest().setUrn(urn).setId(id);
    request.setOlds(this.#inState(outputs)).setNews(this.#inState(news));
    if (this.#isNewest) request.setOldInputs(this.#inState(inputs));
    return this.#named(urn, request);
  }

  async diff(existing: Existing, news: Values): Promise<Diffed> {
    return diffed(await this.send("diff", this.diffRequest(existing, news)));
  }

  createRequest(urn: string, inputs: Values, preview = false): Rpc.CreateRequest {
    const request = new rpc.CreateRequest().setUrn(urn).setProperties(this.#sent(inputs)).setPreview(preview);
    return this.#withStatus(this.#named(urn, request));
  }

  async create(urn: string, inputs: Values, { preview = false, timeoutMs = CALL_MS } = {}): Promise<ResourceState> {
    const answer: Rpc.CreateResponse = await this.send("create", this.createRequest(urn, inputs, preview), timeoutMs);
    return { id: answer.getId(), outputs: fromStruct(answer.getProperties()) };
  }

  readRequest({ urn, id, inputs, outputs }: Existing, oldViews: readonly OldView[] = []): Rpc.ReadRequest {
    const request = this.#importRequest(urn, id).setProperties(this.#inState(outputs)).setInputs(this.#inState(inputs));
    if (this.#isNewest) request.setOldViewsList(viewsOf(oldViews));
    return request;
  }

  async read(existing: Existing, oldViews?: readonly OldView[]): Promise<ReadResult> {
    return foundIn(await this.send("read", this.readRequest(existing, oldViews)));
  }

  #importRequest(urn: string, id: string): Rpc.ReadRequest {
    const request = new rpc.ReadRequest().setUrn(urn).setId(id).setProperties(toStruct(new Map()));
    return this.#withStatus(this.#named(urn, request));
  }

  /** Read of an id alone. */
  async import(urn: string, id: string): Promise<ReadResult> {
    return foundIn(await this.send("read", this.#importRequest(urn, id)));
  }

  async update(
    { urn, id, inputs, outputs }: Existing,
    news: Values,
    { preview = false, oldViews = [] }: { preview?: boolean; oldViews?: readonly OldView[] } = {},
  ): Promise<ResourceState> {
    const request = new rpc.UpdateRequest().setUrn(urn).setId(id).setOlds(this.#inState(outputs));
    request.setNews(this.#sent(news)).setPreview(preview);
    if (this.#isNewest) request.setOldInputs(this.#inState(inputs)).setOldViewsList(viewsOf(oldViews));
    const answer: Rpc.UpdateResponse = await this.send("update", this.#withStatus(this.#named(urn, request)));
    return { id, outputs: fromStruct(answer.getProperties()) };
  }

  async delete({ urn, id, inputs, outputs }: Existing, oldViews: readonly OldView[] = []): Promise<void> {
    const request = new rpc.DeleteRequest().setUrn(urn).setId(id).setProperties(this.#inState(outputs));
    if (this.#isNewest) request.setOldInputs(this.#inState(inputs)).setOldViewsList(viewsOf(oldViews));
    await this.send("delete", this.#withStatus(this.#named(urn, request)));
  }

  async invoke(token: string, args: Values, { preview = false } = {}) {
    const request = new rpc.InvokeRequest().setTok(token).setArgs(toStruct(args));
    if (this.#isNewest) request.setPreview(preview);
    const answer = await this.send<Rpc.InvokeResponse>("invoke", request);
    return { result: fromStruct(answer.getReturn()), failures: failuresOf(answer.getFailuresList()) };
  }

  /** `limit` and `pageSize` below 1 mean none. */
  async list(token: string, query: Values, { limit = 0, pageSize = 0, next = "" } = {}): Promise<Listed> {
    const request = new rpc.ListRequest().setToken(token).setQuery(toStruct(query));
    request.setLimit(limit).setPageSize(pageSize).setContinuationToken(next);
    const answers = (await this.stream("list", Buffer.from(request.serializeBinary()))) as Rpc.ListResponse[];
    return {
      found: answers.flatMap(each => {
        const result = each.getResult();
        return result ? [{ id: result.getId(), name: result.getName() }] : [];
      }),
      computed: answers.some(each => each.hasComputed()),
      next: answers.map(each => each.getContinuation()?.getContinuationToken() ?? "").find(Boolean) ?? "",
    };
  }

  async cancel(timeoutMs?: number): Promise<void> {
    await this.send("cancel", new Empty(), timeoutMs);
  }

  /** Without the marks of secrets where the provider doesn't read them. */
  #sent(values: Values): ProtoStruct {
    return toStruct(this.flags.acceptSecrets ? values : bareValues(values));
  }

  #inState(values: Values): ProtoStruct {
    return this.#sent(asInState(values) as Values);
  }

  #named<R extends Named>(urn: string, request: R): R {
    if (!this.#isNewest) return request;
    request.setName(nameOf(urn));
    request.setType(typeOf(urn));
    return request;
  }

  #withStatus<R extends WithStatus>(request: R): R {
    if (!this.#isNewest || this.#engineAddress === "") return request;
    this.statusToken = `status-${this.process}-${this.#statuses++}`;
    request.setResourceStatusAddress(this.#engineAddress);
    request.setResourceStatusToken(this.statusToken);
    return request;
  }
}

const viewsOf = (views: readonly OldView[]): Rpc.View[] =>
  views.map(({ type, name }) => new rpc.View().setType(type).setName(name));

const configUrn = "urn:pulumi:conformance::laws::pulumi:providers:package::default";
const nameOf = (urn: string): string => urn.split("::").at(-1) ?? "";
const typeOf = (urn: string): string => urn.split("::").at(-2)?.split("$").at(-1) ?? "";

const failuresOf = (failures: readonly Rpc.CheckFailure[]): Checked["failures"] =>
  failures.map(failure => ({ property: failure.getProperty(), reason: failure.getReason() }));

const foundIn = (answer: Rpc.ReadResponse): ReadResult => ({
  id: answer.getId(),
  outputs: fromStruct(answer.getProperties()),
  inputs: fromStruct(answer.getInputs()),
  hasOutputs: answer.hasProperties(),
  hasInputs: answer.hasInputs(),
});

export const checked = (answer: Rpc.CheckResponse): Checked => ({
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
