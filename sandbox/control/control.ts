import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { Fields } from "../fields.js";
import { notFound, Refusal } from "../refusal.js";
import { type Answer, payload, refused } from "../routes/route.js";
import type { Sandbox } from "../sandbox.js";
import type { Target } from "../target.js";
import { actions, views } from "./actions.js";

export const CONTROL_PREFIX = "/_sandbox/";

export type Control = (request: IncomingMessage, response: ServerResponse, target: Target) => Promise<void>;

/** The library's calls over HTTP, for demos and for tests in other languages. */
export function openControl(sandbox: Sandbox): Control {
  return async (request, response, target) => {
    const answer = await answerTo(sandbox, request, target.path.slice(CONTROL_PREFIX.length));
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  };
}

async function answerTo(sandbox: Sandbox, request: IncomingMessage, name: string): Promise<Answer> {
  try {
    const view = request.method === "GET" && Object.hasOwn(views, name) ? views[name] : undefined;
    if (view) return payload(200, view(sandbox));
    const action = request.method === "POST" && Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!action) throw notFound(`${request.method} ${CONTROL_PREFIX}${name}`);
    const done = await action(sandbox, new Fields(parsed(await buffer(request))));
    await sandbox.save();
    return payload(200, done ?? null);
  } catch (trouble) {
    if (trouble instanceof Refusal) return refused(trouble);
    return refused(new Refusal(400, "control_failed", trouble instanceof Error ? trouble.message : String(trouble)));
  }
}

function parsed(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Refusal(400, "not_json", "The body is not valid JSON");
  }
}
