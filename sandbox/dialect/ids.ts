import type { RouteResponse } from "../routes/route.js";
import type { Settings } from "../settings.js";

/** Large ids are the sandbox's own plus this, so that a double can't hold them. */
const LARGE = 1_000_000_000_000_000_000n;
const MARK = "id:";

/** An id as a client sees it. */
export function shownId(id: number, ids: Settings["ids"]): string {
  return ids === "large" ? String(LARGE + BigInt(id)) : String(id);
}

/** A path's, a query's or a body's ids, as the sandbox counts them. */
export function ownId(text: string, ids: Settings["ids"]): string {
  const isLarge = ids === "large" && /^\d{19}$/.test(text) && BigInt(text) > LARGE;
  return isLarge ? String(BigInt(text) - LARGE) : text;
}

export function ownIdsIn(body: string, ids: Settings["ids"]): string {
  if (ids === "numbers" || ids === "small") return body;
  return body.replace(/("folder_id"\s*:\s*)"?(\d{1,19})"?/g, (_, name, id) => `${name}${ownId(id, ids)}`);
}

/** The answer with its ids as this service writes them. What isn't JSON stays as it is. */
export function withShownIds(answer: RouteResponse, ids: Settings["ids"]): RouteResponse {
  if (ids === "numbers" || ids === "small" || !Buffer.isBuffer(answer.body)) return answer;
  if (!answer.headers["Content-Type"]?.startsWith("application/json")) return answer;
  const marked = (key: string, value: unknown): unknown =>
    typeof value === "number" && /(^|_)id$/.test(key) ? `${MARK}${shownId(value, ids)}` : value;
  try {
    const text = JSON.stringify(JSON.parse(answer.body.toString()), marked);
    const body = text.replace(/"id:(\d+)"/g, ids === "strings" ? '"$1"' : "$1");
    return { ...answer, body: Buffer.from(body) };
  } catch {
    return answer;
  }
}
