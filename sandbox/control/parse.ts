import { trimmed } from "../../kit/records.js";
import { messageOf } from "../../kit/text.js";
import { dialectFrom, settingsOf } from "../dialect/dialect.js";
import { type Fault, faultKinds, type Match, type ResetPoint } from "../faults/fault.js";
import type { Fields } from "../fields.js";
import type { NewAccount } from "../platform.js";
import { createAnswers } from "../routes/create-answer.js";
import { routeNames } from "../routes/route.js";
import { allowedSignatureTypes } from "../rules.js";
import type { Scenario, ScenarioDocument } from "../scenario.js";
import { choices, defaultSettings, type Settings } from "../settings.js";
import { isPdf } from "../upload.js";

/** A final answer's. */
const STATUSES = [200, 999] as const;
/** Milliseconds: thirty years. */
export const TIME = [0, 1e12] as const;
const COUNT = [1, 1e9] as const;
const LARGEST_ANSWER = 1024 * 1024 * 1024;
const DEEPEST = 10_000_000;

export const resetPoints: readonly ResetPoint[] = ["headers", "before", "after", "mid-body"];
const faultNames = Object.keys(faultKinds) as Fault["kind"][];

export function parseMatch(fields: Fields): Match {
  if (!fields.has("match")) return {};
  const match = fields.nested("match");
  return trimmed({
    route: match.optionalOneOf("route", routeNames),
    method: match.optionalText("method"),
    path: match.optionalText("path"),
    nth: match.optionalInteger("nth", COUNT),
    reusedSocket: match.optionalBoolean("reusedSocket"),
  });
}

export function parseKind(fields: Fields): Fault["kind"] | undefined {
  if (!fields.has("kind")) fields.problem("kind", `is required, one of ${faultNames.join(", ")}`);
  return fields.optionalOneOf("kind", faultNames);
}

export function parseFault(fields: Fields): Fault {
  const kind = parseKind(fields);
  const times: Fault["times"] | undefined =
    fields.raw("times") === "always" ? "always" : fields.optionalInteger("times", COUNT);
  const fault = trimmed({
    times,
    processed: fields.optionalBoolean("processed"),
    at: fields.optionalOneOf("at", resetPoints),
    ms: fields.optionalNumber("ms", kind === "date" ? [-TIME[1], TIME[1]] : TIME),
    status: fields.optionalInteger("status", STATUSES),
    headers: fields.optionalHeaders("headers"),
    contentType: fields.optionalHeader("contentType"),
    body: fields.optionalText("body"),
    retryAfter:
      typeof fields.raw("retryAfter") === "number"
        ? fields.optionalNumber("retryAfter")
        : fields.optionalHeader("retryAfter"),
    bytes: fields.optionalInteger("bytes", [0, LARGEST_ANSWER]),
    levels: fields.optionalInteger("levels", [0, DEEPEST]),
    to: fields.optionalHeader("to"),
    crossOrigin: fields.optionalBoolean("crossOrigin"),
    variant: fields.optionalOneOf("variant", createAnswers),
  });
  return { kind: kind ?? "delay", match: parseMatch(fields), ...fault };
}

export function parseScenario(fields: Fields): Scenario {
  // For editors, which find the names and their meanings there.
  fields.optionalText("$schema");
  const pair = (one: Fields) => ({ email: one.text("email"), name: one.text("name") });
  const scenario = {
    accounts: fields.each("accounts").map(parseAccount),
    users: fields.each("users").map(pair),
    organizations: fields
      .each("organizations")
      .map(one => ({ name: one.text("name"), members: one.optionalTextList("members") ?? [] })),
    folders: fields
      .each("folders")
      .map(one => ({ name: one.text("name"), ...trimmed({ owner: one.optionalText("owner") }) })),
    documents: fields.each("documents").map(parseDocument),
  };
  fields.noteUnknown();
  return scenario;
}

export function parseAccount(fields: Fields): NewAccount {
  return {
    email: fields.text("email"),
    ...trimmed({
      name: fields.optionalText("name"),
      password: fields.optionalText("password"),
      apiKey: fields.optionalText("apiKey"),
      quota: fields.optionalInteger("quota"),
      storage: fields.optionalInteger("storage"),
    }),
  };
}

/** What the field `pdf` says. */
export function pdfOf(fields: Fields, text: string): Buffer {
  const pdf = Buffer.from(text, "base64");
  if (!isPdf(pdf)) fields.problem("pdf", "must be a PDF in base64");
  return pdf;
}

function parseDocument(fields: Fields): ScenarioDocument {
  const pdf = fields.optionalText("pdf");
  const optional = trimmed({
    description: fields.optionalText("description"),
    owner: fields.optionalText("owner"),
    folder: fields.optionalText("folder"),
    organization: fields.optionalText("organization"),
    pdf: pdf === undefined ? undefined : pdfOf(fields, pdf),
    signed: fields.optionalTextListOr("signed", "all"),
    certified: fields.optionalBoolean("certified"),
  });
  const invitations = fields.each("invitations").map(parseInvitation);
  return { name: fields.text("name"), invitations, ...optional };
}

export function parseInvitation(fields: Fields) {
  return {
    email: fields.text("email"),
    name: fields.optionalText("name"),
    message: fields.optionalText("message"),
    stage: fields.optionalInteger("stage"),
    allowedSignatureTypes: fields.optionalOneOf("allowedSignatureTypes", allowedSignatureTypes),
  };
}

// ---- Settings ----

const COUNT_OR_NONE = [0, 1e9] as const;
/** A minute less than a day. */
const MOST_OFFSET = 1_439;

export function parseSettings(fields: Fields): Partial<Settings> {
  const lag = fields.has("lag") ? fields.nested("lag") : undefined;
  const methods = ["GET", "POST"] as const;
  const reminderMethods = fields.optionalTextList("reminderMethods");
  if (reminderMethods?.some(method => !methods.some(each => each === method)))
    fields.problem("reminderMethods", `must be of ${methods.join(", ")}`);
  const others = trimmed({
    createAnswer: fields.optionalOneOf("createAnswer", createAnswers),
    createStatus: fields.optionalInteger("createStatus", STATUSES),
    reminderMethods: reminderMethods && methods.filter(method => reminderMethods.includes(method)),
    reminderRefusal: fields.optionalOneOf("reminderRefusal", [404, 405]),
    lag:
      lag &&
      trimmed({
        ms: lag.optionalInteger("ms", TIME),
        requests: lag.optionalInteger("requests", COUNT_OR_NONE),
        lists: lag.optionalInteger("lists", COUNT_OR_NONE),
      }),
    latency: fields.optionalNumber("latency", TIME),
    utcOffsetMinutes: fields.optionalInteger("utcOffsetMinutes", [-MOST_OFFSET, MOST_OFFSET]),
    tokenLifetime: fields.optionalInteger("tokenLifetime", COUNT_OR_NONE),
  });
  return { ...parseDialect(fields), ...chosen(fields), ...others };
}

/** Settings of a few words, and those that are true or false. */
function chosen(fields: Fields): Partial<Settings> {
  const words = Object.entries(choices).map(([name, allowed]) => [name, fields.optionalOneOf<string>(name, allowed)]);
  const switches = Object.entries(defaultSettings)
    .filter(([, value]) => typeof value === "boolean")
    .map(([name]) => [name, fields.optionalBoolean(name)]);
  return trimmed(Object.fromEntries([...words, ...switches]));
}

/** `dialect: {paging: "5"}`: what these points set. */
function parseDialect(fields: Fields): Partial<Settings> {
  try {
    return settingsOf(dialectFrom(fields.optionalTexts("dialect") ?? {}));
  } catch (error) {
    fields.problem("dialect", messageOf(error));
    return {};
  }
}
