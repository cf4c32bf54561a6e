import { z } from "zod";
import { type Problem, problemsOf } from "../kit/check.js";
import { ENGINE_KEYS } from "../kit/define-provider.js";
import { defaultOf, metadataOf, property } from "../kit/property.js";
import { own } from "../kit/records.js";
import type { Failure } from "../kit/resource.js";
import { bare } from "../kit/schema.js";
import { isUnknown, type Value, type Values } from "../kit/values.js";
import type { Credentials } from "./client/service.js";
import { duration, lineOf, millisecondsOf, oneOf, parseDuration } from "./schema/types.js";

const REMINDER_METHODS = ["auto", "POST", "GET"] as const;
const DUPLICATE_POLICIES = ["create", "adopt", "refuse"] as const;
const FOLDER_PLACEMENTS = ["warn", "require"] as const;
const UNCONFIRMED_FOLDERS = ["create", "refuse"] as const;

const DEFAULT_CONCURRENCY = 8;
const AT_ONCE = { error: "a whole number from 1 to 64" };
/** What a fleet's worker passes to the engines that it starts: their `maxConcurrency` where the user has set none. */
export const FLEET_CONCURRENCY = "DOCSIGN_FLEET_CONCURRENCY";

export const configInputs = z.object({
  baseUrl: property(lineOf("the service's address, such as https://api.example.com").optional(), {
    description: "Address of the service. `https` only, unless the host is this machine.",
    env: ["DOCSIGN_BASE_URL"],
  }),
  apiKey: property(lineOf("an API key").optional(), {
    description: "The account's API key. Either this, or `email` and `password`.",
    secret: true,
    env: ["DOCSIGN_API_KEY"],
  }),
  email: property(lineOf("the account's e-mail address").optional(), {
    description: "Account to log in with, instead of `apiKey`.",
    env: ["DOCSIGN_EMAIL"],
  }),
  password: property(lineOf("the account's password").optional(), {
    description: "Password to log in with, instead of `apiKey`. The key it leads to is kept in memory only.",
    secret: true,
    env: ["DOCSIGN_PASSWORD"],
  }),
  // No default in the schema: generated SDKs would pass it, as if the program had set it.
  maxConcurrency: property(z.number(AT_ONCE).int(AT_ONCE).min(1, AT_ONCE).max(64, AT_ONCE).optional(), {
    description: `Creates in flight at most, and as many other requests, for each provider process. Left out, ${DEFAULT_CONCURRENCY}; in a fleet up to 32. After an answer that asks to wait it is half as many for a while.`,
  }),
  requestTimeout: property(duration("how long a request may take").default("30s"), {
    description: "How long a request may take. A bare number is seconds.",
  }),
  uploadTimeout: property(duration("how long an upload may take").default("5m"), {
    description: "How long creating a document may take, upload included. A bare number is seconds.",
  }),
  reminderMethod: property(oneOf(REMINDER_METHODS).default("auto"), {
    description:
      "HTTP method of reminders; the service's interface contradicts itself. `auto` sends POST, and GET only after an answer of 404 or 405.",
    typeName: "ReminderMethod",
  }),
  duplicatePolicy: property(oneOf(DUPLICATE_POLICIES).default("refuse"), {
    description:
      "What creating does when a document with the same name, PDF and people is at the service already and isn't held by this program: `refuse` creates nothing and names it, `adopt` takes it over if it is unsigned, `create` doesn't look and creates another one. A document with the same name and people and other content, which the journal doesn't know, is refused unless this is `create`.",
    typeName: "DuplicatePolicy",
  }),
  creationMarker: property(z.boolean({ error: "true or false" }).default(false), {
    description:
      "Put a short token into each document's description, by which any machine recognises an unfinished create.",
  }),
  journal: property(lineOf('"local", "postgres://…" or "s3://…"').optional(), {
    description:
      "Where the journal is kept: `local` (this machine), `postgres://…` or `s3://bucket/prefix`. Left out, a `PULUMI_BACKEND_URL` that is one of these two, otherwise this machine.",
    secret: true,
    env: ["DOCSIGN_JOURNAL"],
  }),
  reconcileTimeout: property(duration("how long to look for a document").default("10s"), {
    description: "How long a run looks for a document whose creation got no readable answer.",
  }),
  resendAfter: property(duration("how long to wait before sending again").default("2m"), {
    description:
      "How long after a create without an answer the same may be sent again, counted from the request, over runs; longer where the upload of a large PDF may take half of it. It also takes proof: lists that reach back beyond the request and don't show the document.",
  }),
  folderPlacement: property(oneOf(FOLDER_PLACEMENTS).default("warn"), {
    description:
      "What happens when the service puts a document into another folder than `folderId` says: `warn` names it in `drift`, `require` fails until it is moved.",
    typeName: "FolderPlacement",
  }),
  unconfirmedFolder: property(oneOf(UNCONFIRMED_FOLDERS).default("create"), {
    description:
      "What the next run does about a folder whose creation got no answer: `create` says so once and creates it again (an empty twin mails nobody), `refuse` waits until a person has looked.",
    typeName: "UnconfirmedFolder",
  }),
});

export type ConfigKey = keyof typeof configInputs.shape;

/** What the provider runs with. */
export type Settings = ReturnType<typeof settingsFrom>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Default providers get every setting as a string: booleans JSON-encoded, numbers as digits. */
function coerced(name: string, given: Value): Value {
  const type = own<z.ZodType>(configInputs.shape, name);
  if (typeof given !== "string" || !type) return given;
  const text = given.trim();
  if (bare(type) instanceof z.ZodNumber && /^\d+$/.test(text)) return Number(text);
  if (bare(type) instanceof z.ZodBoolean && (text === "true" || text === "false")) return text === "true";
  return given;
}

/** The settings the program gave, without the engine's own keys, empty ones and those not known yet. */
function settingsGiven(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => !ENGINE_KEYS.has(name) && !name.startsWith("__") && value !== null && value !== "")
      .map(([name, value]) => [name, coerced(name, value)]),
  );
}

/**
 * What CheckConfig reports: all that is wrong or missing. A setting whose value isn't known yet counts as there.
 * `validUrl` is the client's word on the address: null, or what is wrong with it.
 */
export function configProblems(values: Values, env: Environment, validUrl: (text: string) => string | null): Failure[] {
  const settings = settingsGiven(values);
  const problems: Failure[] = problemsOf(configInputs, settings).map(inConfig);
  const address = settings["baseUrl"] ?? env["DOCSIGN_BASE_URL"];
  if (typeof address === "string" && address !== "" && !problemsOf(configInputs, { baseUrl: address }).length) {
    const wrong = validUrl(address);
    if (wrong !== null)
      problems.push({
        property: "",
        reason: `${wrong}. It comes from ${settings["baseUrl"] === undefined ? "DOCSIGN_BASE_URL" : "docsign:baseUrl"}: ${howToSet("baseUrl")}`,
      });
  }
  for (const reason of missingFrom(settings, env)) problems.push({ property: "", reason });
  return problems;
}

const variablesFor = (name: ConfigKey): readonly string[] => metadataOf(configInputs, name)?.env ?? [];

/** What the environment says in a setting's stead. Its key is for its own service alone. */
function textIn(settings: Values, env: Environment, name: ConfigKey): string | undefined {
  if (CREDENTIALS.includes(name) && otherService(settings, env)) return undefined;
  return variablesFor(name)
    .map(variable => env[variable])
    .find(Boolean);
}

const has = (settings: Values, env: Environment, name: ConfigKey): boolean =>
  settings[name] !== undefined || textIn(settings, env, name) !== undefined;

/** A wrong setting as its user knows it: by its key, with the command that sets it. */
function inConfig({ name, property, reason }: Problem): Failure {
  const known = Object.hasOwn(configInputs.shape, name);
  return { property, reason: `docsign:${reason}${known ? `. To change it: ${howToSet(name as ConfigKey)}` : ""}` };
}

const howToSet = (name: ConfigKey): string =>
  [
    `run \`pulumi config set${metadataOf(configInputs, name)?.secret ? " --secret" : ""} docsign:${name}\`, which asks for the value`,
    ...variablesFor(name).map(variable => `or set ${variable}`),
  ].join(", ");

function missingFrom(settings: Values, env: Environment): string[] {
  const reasons: string[] = [];
  const other = otherService(settings, env);
  const set = (name: ConfigKey) => has(settings, env, name);
  if (other && !CREDENTIALS.some(set) && CREDENTIALS.some(name => has({}, env, name))) {
    return [
      `docsign:baseUrl is ${other.own}, and the environment has a key for ${other.others} (DOCSIGN_BASE_URL), which isn't sent elsewhere: run \`pulumi config set --secret docsign:apiKey\`, or make DOCSIGN_BASE_URL the same`,
    ];
  }
  if (!set("baseUrl")) reasons.push(`docsign:baseUrl is missing, the service's address: ${howToSet("baseUrl")}`);
  const inProgram = (name: ConfigKey) => settings[name] !== undefined;
  if (inProgram("apiKey") && (inProgram("email") || inProgram("password"))) {
    reasons.push(
      "docsign:apiKey and docsign:email/docsign:password contradict each other: keep one way to sign in. Drop the other with `pulumi config rm docsign:apiKey`, or `pulumi config rm docsign:email` and `pulumi config rm docsign:password`. (In the environment, DOCSIGN_API_KEY comes before DOCSIGN_EMAIL and DOCSIGN_PASSWORD.)",
    );
  } else if (!set("apiKey")) {
    if (set("email") !== set("password")) {
      const absent: ConfigKey = set("email") ? "password" : "email";
      reasons.push(
        `docsign:${absent} is missing beside docsign:${set("email") ? "email" : "password"}: ${howToSet(absent)}`,
      );
    } else if (!set("email")) {
      reasons.push(
        `docsign:apiKey is missing, the account's key: ${howToSet("apiKey")} (or docsign:email and docsign:password instead)`,
      );
    }
  }
  return reasons;
}

/** The service that an address names, as far as it can be read. */
export const originIn = (baseUrl: string | undefined): string | undefined =>
  baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;

/** A service other than the environment's, whose key it isn't; undefined where the program names none. */
function otherService(settings: Values, env: Environment): { own: string; others: string } | undefined {
  const baseUrl = settings["baseUrl"];
  const [own, others] = [
    originIn(isText(baseUrl) ? baseUrl.trim() : undefined),
    originIn(env["DOCSIGN_BASE_URL"] || undefined),
  ];
  return own === undefined || others === undefined || own === others ? undefined : { own, others };
}

const CREDENTIALS: readonly ConfigKey[] = ["apiKey", "email", "password"];

const isText = (value: Value | undefined): value is string => typeof value === "string" && value !== "";

/**
 * Settings as Configure takes them: never fails, so that destroy works with half of them gone. What is missing is an error at
 * the first request that needs it.
 */
export function settingsFrom(values: Values, env: Environment) {
  const settings = settingsGiven(values);
  const text = (name: ConfigKey): string | undefined => {
    const value = settings[name];
    return isText(value) ? value.trim() : isUnknown(value) ? undefined : textIn(settings, env, name)?.trim();
  };
  const milliseconds = (name: ConfigKey): number => {
    const value = settings[name];
    const parsed = typeof value === "string" || typeof value === "number" ? parseDuration(value) : undefined;
    return parsed ?? millisecondsOf(String(defaultOf(configInputs, name)));
  };
  const chosen = <T extends string>(name: ConfigKey, options: readonly T[]): T =>
    options.find(option => option === settings[name]) ?? (defaultOf(configInputs, name) as T);
  const limit = settings["maxConcurrency"];
  const asked = typeof limit === "number" && limit >= 1 ? Math.min(64, Math.floor(limit)) : DEFAULT_CONCURRENCY;
  const maxConcurrency = (limit === undefined && Number(env[FLEET_CONCURRENCY])) || asked;
  return {
    baseUrl: text("baseUrl"),
    credentials: credentialsFrom(settings, text),
    maxConcurrency,
    firstConcurrency: Math.min(asked, maxConcurrency),
    requestTimeoutMs: milliseconds("requestTimeout"),
    uploadTimeoutMs: milliseconds("uploadTimeout"),
    reminderMethod: chosen("reminderMethod", REMINDER_METHODS),
    duplicatePolicy: chosen("duplicatePolicy", DUPLICATE_POLICIES),
    adopts: (env["DOCSIGN_ADOPT"] ?? "").split(/[\s,]+/).filter(id => id !== ""),
    creationMarker: settings["creationMarker"] === true,
    showsValues: env["DOCSIGN_SHOW_VALUES"] === "true",
    reconcileTimeoutMs: milliseconds("reconcileTimeout"),
    resendAfterMs: milliseconds("resendAfter"),
    journal: text("journal"),
    folderPlacement: chosen("folderPlacement", FOLDER_PLACEMENTS),
    unconfirmedFolder: chosen("unconfirmedFolder", UNCONFIRMED_FOLDERS),
    /** Why nothing can be asked of the service, one line for each reason: what's missing or wrong. Empty when all is well. */
    obstacles: [
      ...problemsOf(configInputs, settings).map(problem => inConfig(problem).reason),
      ...missingFrom(settings, env),
    ],
  };
}

/** What the program sets comes before the environment; within each, a key before a login. */
function credentialsFrom(settings: Values, text: (name: ConfigKey) => string | undefined): Credentials | undefined {
  const source = (name: ConfigKey) =>
    settings[name] === undefined ? (variablesFor(name)[0] ?? name) : `docsign:${name}`;
  const [apiKey, email, password] = [text("apiKey"), text("email"), text("password")];
  const loginInProgram = settings["email"] !== undefined && settings["password"] !== undefined;
  if (apiKey !== undefined && (settings["apiKey"] !== undefined || !loginInProgram)) {
    return { kind: "apiKey", apiKey, source: source("apiKey") };
  }
  if (email !== undefined && password !== undefined) {
    return { kind: "login", email, password, source: `${source("email")} and ${source("password")}` };
  }
  return undefined;
}
