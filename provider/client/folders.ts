import { isRecord } from "../core/records.js";
import { folder } from "./bodies.js";
import { candidates, createdId, notOk } from "./envelope.js";
import { UnreadableAnswerError } from "./errors.js";
import type { Auth, Requests } from "./requests.js";
import type { FolderBody, RequestOptions } from "./service.js";
import { type RequestInfo, readJson } from "./status-errors.js";
import type { Answer } from "./transport.js";

export function createFolder(
  calls: Requests,
  keys: Auth,
  { name }: { name: string },
  ask: RequestOptions,
): Promise<FolderBody> {
  return calls.write(
    { method: "POST", to: "/v1/folders", body: { name }, waits: true, ...ask },
    keys,
    (answer, asking) => created(answer, asking, name),
  );
}

function created(answer: Answer, asking: RequestInfo, name: string): FolderBody {
  const body = answer.text.trim() === "" ? undefined : readJson(answer, asking);
  if (isRecord(body) && body["ok"] === false) throw notOk(answer, asking);
  const id = createdId(answer, body, "folder");
  if (id === undefined)
    throw new UnreadableAnswerError(`${asking.asked} answered ${answer.status} without the new folder's id`);
  for (const value of candidates(body)) {
    const whole = folder.safeParse(value).data;
    if (whole?.id === id) return { ...whole, name: whole.name ?? name };
  }
  return { id, name, ownerId: null, ownerType: null, creatorId: null, createdAt: null, updatedAt: null };
}
