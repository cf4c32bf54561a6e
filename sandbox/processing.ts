import type { IncomingMessage } from "node:http";
import type { Fault } from "./faults/fault.js";
import { notFound, Refusal } from "./refusal.js";
import { findRoute } from "./routes/index.js";
import { type Answer, type Call, refused } from "./routes/route.js";
import type { Target } from "./target.js";
import type { BodyReader } from "./upload.js";
import type { World } from "./world.js";

/** What the service answers to a request that arrived whole. */
export function answerOf(
  world: World,
  request: IncomingMessage,
  target: Target,
  body: BodyReader,
  fault: Fault | undefined,
): Answer {
  const method = request.method ?? "GET";
  const { createAnswer, createStatus } = world.settings;
  const special = fault?.kind === "create-answer" ? fault : undefined;
  try {
    const found = findRoute(method, target.path);
    if (!("route" in found)) throw nobodyAnswers(method, found.allow);
    const call: Call = {
      world,
      method,
      parameter: found.parameter,
      query: target.query,
      header: name => request.headersDistinct[name]?.join(", "),
      json: () => jsonOf(request, body),
      upload: text => body.uploadFor(text),
      createAnswer: { variant: special?.variant ?? createAnswer, status: special?.status ?? createStatus },
    };
    return found.route.handle(call);
  } catch (trouble) {
    if (trouble instanceof Refusal) return refused(trouble);
    throw trouble;
  }
}

function nobodyAnswers(method: string, allowed: readonly string[]): Refusal {
  if (allowed.length === 0) return notFound("This address");
  const headers = { Allow: allowed.join(", ") };
  return new Refusal(405, "method_not_allowed", `${method} is not accepted here`, [], headers);
}

function jsonOf(request: IncomingMessage, body: BodyReader): unknown {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new Refusal(415, "not_json", "The header Content-Type must be application/json");
  }
  try {
    return JSON.parse(body.outline());
  } catch {
    throw new Refusal(400, "not_json", "The body is not valid JSON");
  }
}
