import { folder } from "./bodies.js";
import type { Calls, Keys } from "./calls.js";
import { candidates, createdId, isRecord, notOk } from "./envelope.js";
import { UnreadableAnswerError } from "./errors.js";
import type { Ask, FolderBody } from "./service.js";
import { type Asking, readJson } from "./status-trouble.js";
import type { Answer } from "./wire.js";

export function createFolder(calls: Calls, keys: Keys, { name }: { name: string }, ask: Ask): Promise<FolderBody> {
  return calls.write({ method: "POST", to: "/v1/folders", body: { name }, ...ask }, keys, (answer, asking) =>
    created(answer, asking, name),
  );
}

function created(answer: Answer, asking: Asking, name: string): FolderBody {
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
