import { type Fault, faultKinds, type Match, type ResetPoint } from "../faults/fault.js";
import type { Fields } from "../fields.js";
import type { NewAccount } from "../platform.js";
import { createAnswers } from "../routes/create-answer.js";
import { routeNames } from "../routes/route.js";
import { allowedSignatureTypes } from "../rules.js";
import type { Scenario, ScenarioDocument } from "../scenario.js";

/** Leaves out what is undefined, as the types of optional properties demand. */
type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function withoutUndefined<T extends object>(values: T): WithoutUndefined<T> {
  const defined: WithoutUndefined<T> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) Object.assign(defined, { [key]: value });
  }
  return defined;
}

/** A final answer's. */
export const STATUSES = [200, 999] as const;
/** Milliseconds: thirty years. */
export const TIME = [0, 1e12] as const;
const COUNT = [1, 1e9] as const;
const LARGEST_ANSWER = 1024 * 1024 * 1024;
const DEEPEST = 10_000_000;

export const resetPoints: readonly ResetPoint[] = ["headers", "before", "after", "mid-body"];
export const faultNames = Object.keys(faultKinds) as Fault["kind"][];

export function parseMatch(fields: Fields): Match {
  if (!fields.has("match")) return {};
  const match = fields.nested("match");
  return withoutUndefined({
    route: match.optionalOneOf("route", routeNames),
    method: match.optionalText("method"),
    path: match.optionalText("path"),
    nth: match.optionalInteger("nth", COUNT),
    reusedSocket: match.optionalBoolean("reusedSocket"),
  });
}

export function parseFault(fields: Fields): Fault {
  const kind = fields.optionalOneOf("kind", faultNames);
  if (!fields.has("kind")) fields.problem("kind", `is required, one of ${faultNames.join(", ")}`);
  const times: Fault["times"] | undefined =
    fields.raw("times") === "always" ? "always" : fields.optionalInteger("times", COUNT);
  const fault = withoutUndefined({
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
      .map(one => ({ name: one.text("name"), ...withoutUndefined({ owner: one.optionalText("owner") }) })),
    documents: fields.each("documents").map(parseDocument),
  };
  fields.noteUnknown();
  return scenario;
}

export function parseAccount(fields: Fields): NewAccount {
  return {
    email: fields.text("email"),
    ...withoutUndefined({
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
  if (!pdf.subarray(0, 5).equals(Buffer.from("%PDF-"))) fields.problem("pdf", "must be a PDF in base64");
  return pdf;
}

function parseDocument(fields: Fields): ScenarioDocument {
  const pdf = fields.optionalText("pdf");
  const optional = withoutUndefined({
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
    ...withoutUndefined({
      name: fields.optionalText("name"),
      message: fields.optionalText("message"),
      stage: fields.optionalInteger("stage"),
      allowedSignatureTypes: fields.optionalOneOf("allowedSignatureTypes", allowedSignatureTypes),
    }),
  };
}
