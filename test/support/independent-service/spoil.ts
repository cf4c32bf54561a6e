import { gzipSync } from "node:zlib";
import type { Dialect } from "./dialect.js";
import type { Fault } from "./faults.js";
import { type Hand, isObject, type Json } from "./json.js";
import { bodyOf, type HttpResponse, html, nothing, refusal, say, text, typeOf } from "./response.js";

const MEGABYTE = 2 ** 20;

/** The answer a fault gives in place of the right one; undefined: this fault is of another sort. */
export function instead(fault: Fault, dialect: Dialect): HttpResponse | undefined {
  switch (fault.kind) {
    case "status":
      return withHeaders(statusAnswer(fault.status, fault.body ?? "json", dialect), {
        ...(fault.retryAfter !== undefined && { "retry-after": fault.retryAfter }),
        ...fault.headers,
      });
    case "html":
      return html(200, "We will be back soon");
    case "not-ok":
      return say(200, { ok: false, payload: { reason: "not today" } });
    case "redirect":
      return withHeaders(html(fault.status, "Elsewhere"), { location: fault.location });
    case "say":
      return say(fault.status ?? 200, fault.json, { plain: true });
    case "empty":
      return nothing(fault.status ?? 200);
    default:
      return undefined;
  }
}

function statusAnswer(status: number, body: "json" | "html" | "text" | "empty", dialect: Dialect): HttpResponse {
  if (body === "empty" || status === 304) return nothing(status);
  if (body === "html") return html(status, `${status} from the gateway`);
  return body === "text"
    ? text(status, "text/plain", `upstream said ${status}\n`)
    : refusal(dialect, status, "failure");
}

function withHeaders(answer: HttpResponse, headers: Record<string, string>): HttpResponse {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** The right answer with damage that still is a whole HTTP message. `neighbour` is the id of some other document. */
export function spoil(answer: HttpResponse, fault: Fault, hand: Hand, neighbour: string | undefined): HttpResponse {
  const bytes = (): Buffer => bodyOf(answer, hand);
  const type = typeOf(answer) ?? "application/json";
  const like = (body: Buffer, headers = {}): HttpResponse => withHeaders(text(answer.status, type, body), headers);
  switch (fault.kind) {
    case "wrong-ids":
      return { ...answer, json: withIds(answer.json, id => wrongId(id, fault.as, neighbour)) };
    case "edit":
      return { ...answer, json: fault.edit(answer.json) };
    case "content-type":
      return { ...answer, type: fault.type };
    case "bom":
      return like(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes()]));
    case "truncated-json":
      return like(bytes().subarray(0, -2));
    case "padded":
      return like(Buffer.concat([Buffer.alloc(fault.megabytes * MEGABYTE, " "), bytes()]));
    case "deep":
      return like(Buffer.from(`{"ok":true,"payload":${"[".repeat(fault.levels)}${"]".repeat(fault.levels)}}`));
    case "gzip-bomb":
      return like(bombOf(fault.megabytes), { "content-encoding": "gzip" });
    default:
      return answer;
  }
}

const bombs = new Map<number, Buffer>();

/** Blanks that take a while to compress, so each size is made once. */
function bombOf(megabytes: number): Buffer {
  const bomb = bombs.get(megabytes) ?? gzipSync(Buffer.alloc(megabytes * MEGABYTE, " "));
  bombs.set(megabytes, bomb);
  return bomb;
}

type WrongId = Extract<Fault, { kind: "wrong-ids" }>["as"];

function wrongId(id: Json, as: WrongId, neighbour: string | undefined): Json {
  const real = BigInt(String(id));
  const wrong: Record<WrongId, Json> = {
    unused: real + 1_000_003n,
    neighbour: neighbour === undefined ? real + 1_000_003n : BigInt(neighbour),
    negative: -real,
    zero: 0,
    text: String(real),
    huge: 2n ** 63n + real,
    fraction: 12.5,
    null: null,
  };
  return wrong[as];
}

/** Changes `id` of the answer itself, of its payload, of the payload's items and of `payload.document`. */
function withIds(json: Json, change: (id: Json) => Json): Json {
  if (Array.isArray(json)) return json.map(item => withIds(item, change));
  if (!isObject(json)) return json;
  const changed = { ...json };
  if (typeof json["id"] === "bigint" || typeof json["id"] === "string") changed["id"] = change(json["id"]);
  for (const key of ["payload", "document"]) if (key in json) changed[key] = withIds(json[key], change);
  return changed;
}
