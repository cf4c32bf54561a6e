import type { IncomingMessage } from "node:http";
import type { SandboxContext } from "./context.js";
import { ownId, withShownIds } from "./dialect/ids.js";
import type { Fault } from "./faults/fault.js";
import { notJson } from "./fields.js";
import { methodNotAllowed, notFound, Refusal } from "./refusal.js";
import { documentRoutes, folderRoutes, invitationRoutes } from "./routes/documents.js";
import { storageRoutes, timestampRoutes } from "./routes/files.js";
import { loginRoutes } from "./routes/login.js";
import { type Call, type Route, type RouteResponse, refused } from "./routes/route.js";
import type { Target } from "./server.js";
import type { RequestBody } from "./upload.js";

/** What the service answers to a request that arrived whole. */
export function answerOf(
  context: SandboxContext,
  request: IncomingMessage,
  target: Target,
  body: RequestBody,
  fault: Fault | undefined,
): RouteResponse {
  const method = request.method ?? "GET";
  const { createAnswer, createStatus, ids } = context.settings;
  const special = fault?.kind === "create-answer" ? fault : undefined;
  try {
    if (isRefusedForNow(context)) throw tooMany(context);
    const found = findRoute(method, target.path);
    if (!("route" in found))
      throw found.allow.length === 0 ? notFound("This address") : methodNotAllowed(method, found.allow);
    const call: Call = {
      context,
      method,
      parameter: ownId(found.parameter, ids),
      query: Object.fromEntries([...target.query].map(([name, value]) => [name, ownId(value, ids)])),
      header: name => request.headersDistinct[name]?.join(", "),
      json: () => jsonOf(request, body),
      upload: body.upload,
      createAnswer: { variant: special?.variant ?? createAnswer, status: special?.status ?? createStatus },
    };
    return withShownIds(found.route.handle(call), ids);
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    throw error;
  }
}

function isRefusedForNow({ settings, counts }: SandboxContext): boolean {
  counts.requests += 1;
  return settings.refuseEvery !== null && counts.requests % settings.refuseEvery === 0;
}

function tooMany({ settings: { retryAfter } }: SandboxContext): Refusal {
  const headers = retryAfter === null ? {} : { "Retry-After": String(retryAfter) };
  return new Refusal(429, "too_many_requests", "Too many requests", [], headers);
}

function jsonOf(request: IncomingMessage, { json }: RequestBody): unknown {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new Refusal(415, "not_json", "The header Content-Type must be application/json");
  }
  if (json === undefined) throw notJson();
  return json;
}

// ---- Which route ----

const routes: readonly Route[] = [
  ...loginRoutes,
  ...documentRoutes,
  ...invitationRoutes,
  ...folderRoutes,
  ...timestampRoutes,
  ...storageRoutes,
];

type RouteMatch = { route: Route; parameter: string } | { allow: string[] };

/** The route for a request, or the methods that its path does accept. */
export function findRoute(method: string, path: string): RouteMatch {
  const there = routes.filter(route => route.path.test(path));
  const route = there.find(one => one.methods.includes(method));
  if (route) return { route, parameter: decoded(route.path.exec(path)?.[1] ?? "") };
  return { allow: there.flatMap(one => one.methods) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
