import {
  connect,
  constants,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";

export const CODE = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** How a call fails. */
export interface Status {
  readonly code: number;
  readonly message: string;
  /** A written `google.rpc.Status`. */
  readonly details?: Buffer;
}

/** Takes a call's message, and answers with messages or rejects with a Status. `gone`: nobody waits for the answer any more. */
export type Method = (request: Buffer, gone: AbortController) => Promise<readonly Buffer[]>;

/** What the engine itself allows. */
const MESSAGE_LIMIT = 400 * 1024 * 1024;
/** How much of a message may be under way before it is asked for more: HTTP/2's own 64 KB make a large one slow. */
const WINDOW = 1024 * 1024;
const OPTIONS = {
  // Details of a status are larger than Node's limits for what it sends.
  maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
  // A session that holds large messages is no attack.
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
  settings: { initialWindowSize: WINDOW },
};
const CONTENT_TYPE = { "content-type": "application/grpc+proto" };
const OK = { "grpc-status": "0" };

/** Serves methods, by their paths, on a connection that came in. */
export function serveOn(socket: Socket, methods: ReadonlyMap<string, Method>): ServerHttp2Session {
  const session = performServerHandshake(socket, OPTIONS);
  session.setLocalWindowSize(WINDOW);
  session.on("error", () => {});
  session.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    const path = String(headers[":path"]);
    const method = methods.get(path);
    if (!method) fail(stream, { code: CODE.UNIMPLEMENTED, message: `the plugin has no method ${path}` });
    else if (!/^application\/grpc(\+proto)?$/.test(headers["content-type"] ?? ""))
      stream.respond({ ":status": 415 }, END);
    else take(stream, method);
  });
  return session;
}

const END = { endStream: true };

function take(stream: ServerHttp2Stream, method: Method): void {
  const chunks: Buffer[] = [];
  const gone = new AbortController();
  let length = 0;
  let isAnswered = false;
  const answered = (answer: () => void) => {
    isAnswered = true;
    // One that was given up is closed a moment before it is destroyed, and takes no answer.
    if (!stream.closed && !stream.destroyed) answer();
  };
  const refuse = (code: number, message: string) => {
    chunks.length = 0;
    answered(() => fail(stream, { code, message }));
  };
  const refuseOther = () => refuse(CODE.INTERNAL, "expected one message, not compressed, got something else");
  let said: number | undefined;
  stream.on("data", (chunk: Buffer) => {
    if (isAnswered) return;
    chunks.push(chunk);
    length += chunk.length;
    // What it says of itself bounds what is kept of it.
    if (length >= HEAD) said ??= Buffer.concat(chunks).readUInt32BE(1);
    if (said === undefined) return;
    if (said > MESSAGE_LIMIT)
      refuse(CODE.RESOURCE_EXHAUSTED, `expected a message of at most ${MESSAGE_LIMIT} bytes, got one of ${said}`);
    else if (length > HEAD + said) refuseOther();
  });
  stream.on("end", () => {
    if (isAnswered) return;
    const request = framedIn(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    if (!request) return refuseOther();
    void method(request, gone).then(
      messages => answered(() => send(stream, messages)),
      (status: Status) => answered(() => fail(stream, status)),
    );
  });
  stream.on("close", () => isAnswered || gone.abort(new DOMException("the engine gave the call up", "AbortError")));
}

function send(stream: ServerHttp2Stream, messages: readonly Buffer[]): void {
  stream.respond(CONTENT_TYPE, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(OK));
  stream.end(messages.length === 1 && messages[0] ? framed(messages[0]) : Buffer.concat(messages.map(framed)));
}

function fail(stream: ServerHttp2Stream, { code, message, details }: Status): void {
  const headers = {
    ...CONTENT_TYPE,
    "grpc-status": String(code),
    // What a header may hold as it is: all of ASCII that is printed, but the percent sign.
    "grpc-message": message.replace(/[^ -$&-~]+/g, encodeURIComponent),
    ...(details && { "grpc-status-details-bin": details.toString("base64") }),
  };
  stream.respond(headers, END);
}

/** A message as it travels: a flag for compression and its length come first. */
function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, HEAD);
  return frame;
}

const HEAD = 5;

const framedIn = (frame: Buffer): Buffer | undefined =>
  frame.length >= HEAD && frame[0] === 0 && frame.readUInt32BE(1) === frame.length - HEAD
    ? frame.subarray(HEAD)
    : undefined;

/**
 * A connection to whoever listens there as long as they live: one that was ready, breaks and can't be made again means their
 * end. Until it was ready once it is made with the next call.
 */
export class Connection {
  #session: ReturnType<typeof connect> | undefined;
  #isClosed = false;
  #wasReady = false;

  constructor(
    private readonly address: string,
    private readonly onGone: () => void,
  ) {
    this.#open();
  }

  #open(): ReturnType<typeof connect> {
    const session = connect(`http://${this.address}`);
    this.#session = session;
    let isReady = false;
    session.on("error", () => {});
    session.once("connect", () => {
      isReady = true;
      this.#wasReady = true;
    });
    session.once("close", () => {
      if (this.#session !== session) return;
      this.#session = undefined;
      if (this.#isClosed || !this.#wasReady) return;
      if (isReady) this.#open();
      else this.onGone();
    });
    return session;
  }

  /** Sends one message. Resolves with the answer's end, or with that of the time it has; it never fails. */
  send(path: string, message: Buffer, timeoutMs: number): Promise<void> {
    return new Promise(resolve => {
      try {
        if (this.#isClosed) return resolve();
        const stream = (this.#session ?? this.#open()).request({
          ":method": "POST",
          ":path": path,
          ...CONTENT_TYPE,
          te: "trailers",
        });
        const late = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), timeoutMs);
        stream.on("error", () => {});
        stream.once("close", () => {
          clearTimeout(late);
          resolve();
        });
        stream.resume();
        stream.end(framed(message));
      } catch {
        // The session is about to end.
        resolve();
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#session?.close();
  }
}
