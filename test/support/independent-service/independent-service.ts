import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { chance, seedFrom } from "./chance.js";
import { ServiceClock } from "./clock.js";
import { Delivery } from "./delivery.js";
import { type Dialect, ownDialect } from "./dialect.js";
import { type FaultFor, FaultPlan, losesTheAnswer } from "./faults.js";
import { type Gate, Gates, type Point } from "./gates.js";
import { Holdings, type Lag, sha256Of } from "./holdings.js";
import { type Hand, isObject, type Json, parse } from "./json.js";
import { Later } from "./later.js";
import { Ledger } from "./ledger.js";
import { People } from "./people.js";
import type { Account } from "./records.js";
import { type Matcher, operationOf, type RequestRecord } from "./requests.js";
import { type HttpResponse, html, nothing } from "./response.js";
import { Service } from "./service.js";

export interface IndependentServiceOptions {
  dialect?: Partial<Dialect>;
  /** Before every path, as `/api`. Outside of it there is a web server that knows nothing. */
  basePath?: string;
  port?: number;
  /** Decides every shuffle: order of lists, of keys, extra fields. */
  seed?: number;
  /** Changes to the two accounts there always are, such as canary keys. */
  first?: Partial<Omit<Account, "label" | "userId">>;
  second?: Partial<Omit<Account, "label" | "userId">>;
  faultFor?: FaultFor;
  /** How many reads miss a new document. */
  lag?: number | Partial<Lag>;
  skewMs?: number;
}

export async function startIndependentService(options: IndependentServiceOptions = {}): Promise<IndependentService> {
  const service = new IndependentService(options);
  await service.comeUp();
  return service;
}

/** A document-signing service made from the interface alone. It keeps its own books: what it says and what happened are two things. */
export class IndependentService implements AsyncDisposable {
  readonly clock = new ServiceClock();
  readonly dialect: Dialect;
  readonly people: People;
  readonly ledger: Ledger;
  readonly faults: FaultPlan;
  readonly first: Account;
  readonly second: Account;
  readonly #holdings: Holdings;
  readonly #service: Service;
  readonly #gates = new Gates();
  readonly #basePath: string;
  readonly #seed: number;
  readonly #late = new Later();
  readonly #sockets = new Map<Socket, { number: number; requests: number }>();
  #server: Server | undefined;
  #port: number;
  #connections = 0;

  constructor(options: IndependentServiceOptions) {
    this.dialect = { ...ownDialect, ...options.dialect };
    this.#holdings = new Holdings(this.dialect, this.clock);
    this.#seed = options.seed ?? 1;
    this.#port = options.port ?? 0;
    this.#basePath = (options.basePath ?? "").replace(/\/+$/, "");
    this.#service = new Service(this.#holdings, () => this.url, this.#seed);
    this.people = new People(this.#holdings);
    this.ledger = new Ledger(this.#holdings);
    this.faults = new FaultPlan(options.faultFor);
    this.clock.skew(options.skewMs ?? 0);
    this.lag(options.lag ?? 0);
    this.first = this.#holdings.addAccount({ label: "first", ...credentials("ama"), ...options.first });
    this.second = this.#holdings.addAccount({ label: "second", ...credentials("bodo"), ...options.second });
    this.#holdings.addDecoys(this.first);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.#basePath}`;
  }

  get apiKey(): string {
    return this.first.apiKey;
  }

  /** TCP connections accepted so far. */
  get connections(): number {
    return this.#connections;
  }

  /** Documents made from now on are missed by so many GETs and so many lists; `Infinity` until `people.reveal`. */
  lag(reads: number | Partial<Lag>): void {
    const each = typeof reads === "number" ? { get: reads, list: reads } : reads;
    this.#holdings.lag = { get: 0, list: 0, ...each };
  }

  /** Stops the next matching request at this point until the gate is opened or cut. */
  gate(point: Point, matcher?: Matcher): Gate {
    return this.#gates.gate(point, matcher);
  }

  /** What is still to be carried out (`dialect.lateMs`) is, now. */
  catchUp(): void {
    this.#late.carryOut(Number.POSITIVE_INFINITY);
  }

  /** All connections are reset, also those at gates, and new ones refused; what is known stays known. */
  async goDown(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.#gates.cutAll();
    const closed = new Promise(done => server.close(done));
    for (const socket of this.#sockets.keys()) socket.resetAndDestroy();
    await closed;
  }

  /** Listens again, at the same address. */
  async comeUp(): Promise<void> {
    const server = createServer((incoming, response) => void this.#serve(incoming, response));
    server.requestTimeout = 0;
    server.headersTimeout = 0;
    server.keepAliveTimeout = 0;
    server.on("connection", socket => {
      this.#sockets.set(socket, { number: ++this.#connections, requests: 0 });
      socket.on("error", () => {});
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((listening, failed) => {
      server.once("error", failed);
      server.listen(this.#port, "127.0.0.1", listening);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goDown();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { request, inside } = this.#enter(incoming);
    const hand = this.#hand(request);
    const service = { dialect: this.dialect, clock: this.clock, gates: this.#gates, hand };
    const delivery = new Delivery(incoming, response, request, service, () => this.ledger.announce("over", request));
    const stop = (point: Point): Promise<"go" | "cut"> => this.#gates.pass(point, request, delivery.gone);

    if ((await stop("received-headers")) === "cut") return delivery.cut();
    const early = this.faults.take(request, true);
    if (early) {
      request.fault = early;
      return delivery.mishap(early);
    }
    const bytes = await readBody(incoming, request, () => stop("receiving-body"));
    if (bytes === "cut") return delivery.cut();
    if (bytes === "aborted") return;
    const body = understand(bytes);
    request.body = withoutPdf(body ?? bytes.subarray(0, 10_000).toString());
    request.complete = true;
    this.ledger.announce("received", request);
    if ((await stop("received-body")) === "cut") return delivery.cut();

    this.#late.carryOut(this.clock.now());
    const fault = this.faults.take(request, false);
    request.fault = fault;
    if (fault && "when" in fault && fault.when !== "after") return delivery.mishap(fault);
    const lag = fault?.kind === "lag" ? { get: fault.get ?? 0, list: fault.list ?? 0 } : this.#holdings.lag;
    const work = (): HttpResponse => {
      request.processed = true;
      return inside ? this.#service.answer(request, body, lag) : html(404, "Not Found");
    };
    const isLate = this.dialect.lateMs > 0 && losesTheAnswer(fault) && request.operation === "createDocument";
    if (isLate) this.#late.add(this.clock.now() + this.dialect.lateMs, work);
    const answer = isLate ? nothing(202) : work();
    if ((await stop("processed")) === "cut") return delivery.cut();
    await delivery.answer(answer, fault, this.#neighbour(request));
  }

  #enter(incoming: IncomingMessage): { request: RequestRecord; inside: boolean } {
    const { method = "", url = "", headers, rawHeaders, socket } = incoming;
    const [rawPath = "", query = ""] = url.split(/\?(.*)/s);
    const inside = rawPath.startsWith(`${this.#basePath}/`);
    const path = inside ? rawPath.slice(this.#basePath.length) : rawPath;
    const line = this.#sockets.get(socket) ?? { number: 0, requests: 0 };
    const request: RequestRecord = {
      ...{ number: this.ledger.nextNumber(), operation: inside ? operationOf(method, path) : "unknown" },
      ...{ method, path, query: new URLSearchParams(query), headers, rawHeaders, body: undefined, bodyBytes: 0 },
      ...{ account: undefined, at: this.clock.now(), socket: line.number, reused: line.requests++ > 0 },
      ...{ complete: false, processed: false, fault: undefined, status: undefined, made: {}, outcome: "open" },
    };
    request.account = this.#service.identify(request)?.label;
    this.ledger.enter(request);
    return { request, inside };
  }

  #hand(request: RequestRecord): Hand {
    const next = chance(seedFrom(this.#seed, "hand", request.number));
    return { keys: this.dialect.keys, idsAs: this.dialect.idsAs, extraFields: this.dialect.extraFields, next };
  }

  #neighbour({ made, account }: RequestRecord): string | undefined {
    return this.ledger.documents(account).find(document => document.id !== made.document)?.id;
  }
}

function credentials(who: string): Omit<Account, "label" | "userId"> {
  const email = `${who}@independent.test`;
  return { email, password: `pass of ${who}`, name: who, apiKey: `key-of-${who}-${sha256Of(who).slice(0, 20)}` };
}

async function readBody(
  incoming: IncomingMessage,
  request: RequestRecord,
  atFirstBytes: () => Promise<"go" | "cut">,
): Promise<Buffer | "aborted" | "cut"> {
  const chunks: Buffer[] = [];
  try {
    // Leaving the loop must not close the connection: how it ends is for the one who leaves to say.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      request.bodyBytes += chunk.length;
      if (chunks.length === 1 && (await atFirstBytes()) === "cut") return "cut";
    }
  } catch {
    return "aborted";
  }
  return Buffer.concat(chunks);
}

function understand(bytes: Buffer): Json {
  try {
    return parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The body, with the PDF's hash in place of the PDF. */
function withoutPdf(body: Json): Json {
  if (!isObject(body) || typeof body["base64_file"] !== "string") return body;
  const bytes = Buffer.from(body["base64_file"].replace(/^data:[^,]*,/, ""), "base64");
  const pdf = bytes.subarray(0, 5).toString("latin1") === "%PDF-";
  return { ...body, base64_file: { sha256: sha256Of(bytes), size: bytes.length, pdf } };
}
