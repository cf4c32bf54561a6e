import { dialectFrom, settingsOf } from "../dialect/dialect.js";
import type { Fields } from "../fields.js";
import { createAnswers } from "../routes/create-answer.js";
import type { Settings } from "../settings.js";
import { STATUSES, TIME, withoutUndefined } from "./parse.js";

const COUNT = [0, 1e9] as const;
/** A minute less than a day. */
const MOST_OFFSET = 1_439;

export function parseSettings(fields: Fields): Partial<Settings> {
  const lag = fields.has("lag") ? fields.nested("lag") : undefined;
  const methods = ["GET", "POST"] as const;
  const reminderMethods = fields.optionalTextList("reminderMethods");
  if (reminderMethods?.some(method => !methods.some(each => each === method)))
    fields.problem("reminderMethods", `must be of ${methods.join(", ")}`);
  const refusal = fields.optionalOneOfNumbers("reminderRefusal", [404, 405]);
  return withoutUndefined({
    ...parseDialect(fields),
    form: fields.optionalOneOf("form", ["auto", "basic", "extended"]),
    createAnswer: fields.optionalOneOf("createAnswer", createAnswers),
    createStatus: fields.optionalInteger("createStatus", STATUSES),
    createFolderId: fields.optionalOneOf("createFolderId", ["honoured", "ignored", "refused"]),
    reminderMethods: reminderMethods && methods.filter(method => reminderMethods.includes(method)),
    reminderRefusal: refusal,
    certificatesNeedKey: fields.optionalBoolean("certificatesNeedKey"),
    filesNeedKey: fields.optionalBoolean("filesNeedKey"),
    nullSha256: fields.optionalBoolean("nullSha256"),
    signersListed: fields.optionalOneOf("signersListed", ["from-the-start", "when-signed", "fewer", "more"]),
    signerEmail: fields.optionalOneOf("signerEmail", ["unregistered", "always", "never"]),
    listOrder: fields.optionalOneOf("listOrder", ["newest-first", "oldest-first", "unordered"]),
    lag:
      lag &&
      withoutUndefined({
        ms: lag.optionalInteger("ms", TIME),
        requests: lag.optionalInteger("requests", COUNT),
        lists: lag.optionalInteger("lists", COUNT),
      }),
    latency: fields.optionalNumber("latency", TIME),
    utcOffsetMinutes: fields.optionalInteger("utcOffsetMinutes", [-MOST_OFFSET, MOST_OFFSET]),
    tokenLifetime: fields.optionalInteger("tokenLifetime", COUNT),
  });
}

/** `dialect: {paging: "5"}`: what these points set. */
function parseDialect(fields: Fields): Partial<Settings> {
  try {
    return settingsOf(dialectFrom(fields.optionalTexts("dialect") ?? {}));
  } catch (error) {
    fields.problem("dialect", error instanceof Error ? error.message : String(error));
    return {};
  }
}
