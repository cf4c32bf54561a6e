import { dialectFrom, settingsOf } from "../dialect/dialect.js";
import type { Fields } from "../fields.js";
import { createAnswers } from "../routes/create-answer.js";
import type { Settings } from "../settings.js";
import { withoutUndefined } from "./parse.js";

export function parseSettings(fields: Fields): Partial<Settings> {
  const lag = fields.has("lag") ? fields.nested("lag") : undefined;
  const methods = ["GET", "POST"] as const;
  const reminderMethods = fields.optionalTextList("reminderMethods");
  const refusal = fields.optionalOneOfNumbers("reminderRefusal", [404, 405]);
  return withoutUndefined({
    ...parseDialect(fields),
    form: fields.optionalOneOf("form", ["auto", "basic", "extended"]),
    createAnswer: fields.optionalOneOf("createAnswer", createAnswers),
    createStatus: fields.optionalInteger("createStatus"),
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
        ms: lag.optionalInteger("ms"),
        requests: lag.optionalInteger("requests"),
        lists: lag.optionalInteger("lists"),
      }),
    latency: fields.optionalNumber("latency"),
    utcOffsetMinutes: fields.optionalInteger("utcOffsetMinutes"),
    tokenLifetime: fields.optionalInteger("tokenLifetime"),
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
