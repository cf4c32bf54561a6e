/**
 * Facts for machines beside words for people. The provider ends a line of the engine's log with them, such as
 * `will mail ana@example.com: document "NDA" [docsign/facts mails=1&sends=1]`. Commands read them there, in what
 * `pulumi preview --json` writes and in the engine's events. What was tried besides: docs/decisions/facts-in-the-log.md.
 * Written before the plugin says its port, so it takes no library.
 */

import { typeOf } from "../../kit/resource.js";
import { addressOf } from "../core/same.js";

export { typeOf };

/** What isn't said is none. */
interface Counts {
  /** Mails that people get: an invitation or a reminder each. */
  readonly mails?: number | undefined;
  /** Whom they reach, each once by address, where that is fewer. */
  readonly people?: number | undefined;
  /** Documents sent for the first time. */
  readonly sends?: number | undefined;
  /** Documents sent in place of others. */
  readonly replaces?: number | undefined;
  /** Documents that are at the service already and are managed from now on. Nobody is mailed about them. */
  readonly takesBack?: number | undefined;
  /** Documents that stay as they are, though another was asked for. */
  readonly keeps?: number | undefined;
  /** Of `keeps` in a preview, what `pulumi up` replaces where the engine's step is a replacement that is forced. */
  readonly keptUnlessForced?: number | undefined;
  /** Documents that leave the stack and stay at the service. */
  readonly letsGo?: number | undefined;
  /** Documents and reminders of which it isn't known yet whom they mail, if anybody. */
  readonly undecided?: number | undefined;
  /** Documents of which it isn't known whether they were sent before. Nothing is sent for them. */
  readonly unclear?: number | undefined;
  /** Documents that may not be sent or replaced. */
  readonly refused?: number | undefined;
  /** Gates that wait for people or certificates. */
  readonly waits?: number | undefined;
  /** Gates that fail for want of people or certificates, and for nothing else. */
  readonly stops?: number | undefined;
}

/** The first few of each. */
interface Lists {
  /** Who is mailed, who gets most mails first, where the resource's inputs don't say it and it isn't secret. */
  readonly to?: readonly string[] | undefined;
  /** Causes of refusals, as docs/errors.md names them. */
  readonly causes?: readonly string[] | undefined;
  /** Who has signed what isn't replaced. */
  readonly signed?: readonly string[] | undefined;
}

export type Facts = Counts &
  Lists & {
    /** What a refused change would have made of a contract: `provider/resources/refused-change.ts`. */
    readonly change?: string | undefined;
  };

export const MOST_LISTED = 10;
/** No address of mail is longer. */
const LONGEST = 254;
const LONGEST_CHANGE = 16_000;

/** Each name once: one that is forgotten or unknown doesn't compile. */
const COUNTS = Object.keys({
  mails: true,
  people: true,
  sends: true,
  replaces: true,
  takesBack: true,
  keeps: true,
  keptUnlessForced: true,
  letsGo: true,
  undecided: true,
  unclear: true,
  refused: true,
  waits: true,
  stops: true,
} satisfies Record<keyof Counts, true>) as (keyof Counts)[];
const LISTS = Object.keys({ to: true, causes: true, signed: true } satisfies Record<
  keyof Lists,
  true
>) as (keyof Lists)[];

const FACTS = /\[docsign\/facts ([\w.*%+=&@":,{}/-]+)\]\s*$/;
/** What a query needn't encode here, so that people can read addresses and names. */
const READABLE = /%(?:40|22|3A|2C|7B|7D|2F)/g;
/** How the engine marks colors in its events. */
const COLORS = /<\{%[^%]*%\}>/g;

/** A line of the log: words, which can't look like facts, and the facts. `redact` takes secrets out of a text. */
export function withFacts(words: string, facts: Facts, redact: (text: string) => string = text => text): string {
  const parameters = new URLSearchParams();
  for (const name of COUNTS) if (facts[name] !== undefined) parameters.append(name, String(facts[name]));
  for (const name of LISTS) {
    let left = MOST_LISTED;
    for (const each of facts[name] ?? []) {
      if (left === 0) break;
      if (each === "" || each.length > LONGEST || redact(each) !== each) continue;
      parameters.append(name, each);
      left--;
    }
  }
  const change = facts.change === undefined ? "" : inJson(facts.change, redact);
  if (change !== "" && change.length <= LONGEST_CHANGE) parameters.append("change", change);
  const query = String(parameters).replaceAll(READABLE, decodeURIComponent);
  const written = query === "" ? [] : [`[docsign/facts ${query}]`];
  return [...(words === "" ? [] : [withoutFacts(words)]), ...written].join(" ");
}

/** Texts of a JSON value; a secret may be spelled differently in JSON. */
const inJson = (json: string, redact: (text: string) => string): string =>
  JSON.stringify(JSON.parse(json), (_, value: unknown) => (typeof value === "string" ? redact(value) : value));

const withoutFacts = (words: string): string => words.replaceAll("[docsign/facts", "\\u005bdocsign/facts");

/** The facts at the end of a line; undefined where there are none that this version understands. */
export function factsIn(message: string): Facts | undefined {
  const [, query] = FACTS.exec(message.replace(COLORS, "")) ?? [];
  if (query === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const facts: [string, number | string | string[]][] = [];
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    const [value = ""] = values;
    if (name === "change") {
      if (values.length > 1 || value.length > LONGEST_CHANGE) return undefined;
      facts.push([name, value]);
      continue;
    }
    const isList = LISTS.some(each => each === name);
    if (!isList && !COUNTS.some(each => each === name)) return undefined;
    if (isList && (values.length > MOST_LISTED || values.some(each => each === "" || each.length > LONGEST)))
      return undefined;
    if (!isList && (values.length > 1 || !/^\d+$/.test(value) || !Number.isSafeInteger(Number(value))))
      return undefined;
    facts.push([name, isList ? values : Number(value)]);
  }
  return Object.fromEntries(facts);
}

/** A line as a person reads it, without its facts. */
export const wordsIn = (message: string): string => message.replace(COLORS, "").replace(FACTS, "").trim();

/** Facts about several things, as one. */
export function sumOf(all: readonly Facts[]): Facts {
  return combined(all, counts => counts.reduce((sum, each) => sum + each, 0));
}

/** Facts about one thing that were said more than once: the engine may ask about a resource several times. */
export function mostOf(all: readonly Facts[]): Facts {
  return combined(all, counts => counts.reduce((most, each) => Math.max(most, each), 0));
}

function combined(all: readonly Facts[], count: (counts: readonly number[]) => number): Facts {
  const counts = COUNTS.flatMap(name => {
    const known = all.flatMap(facts => facts[name] ?? []);
    return known.length === 0 ? [] : [[name, count(known)] as const];
  });
  const lists = LISTS.flatMap(name => {
    const known = [...new Set(all.flatMap(facts => facts[name] ?? []))].slice(0, MOST_LISTED);
    return known.length === 0 ? [] : [[name, known] as const];
  });
  const change = all.find(facts => facts.change !== undefined)?.change;
  return { ...Object.fromEntries(counts), ...Object.fromEntries(lists), ...(change === undefined ? {} : { change }) };
}

/** A step of a preview or an update: the engine's word for it, and the resource's type. */
export interface Step {
  readonly op: string;
  readonly urn: string;
}

export interface Notice {
  readonly urn?: string | undefined;
  readonly message: string;
  readonly severity: string;
}

/** Which steps of ours may mail somebody. Documents are never mailed about in an update, and the others never mail. */
const MAY_MAIL: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Document: ["create", "replace", "create-replacement"],
    DocumentSet: ["create", "replace", "create-replacement", "update"],
    Reminder: ["create", "replace", "create-replacement", "update"],
  }),
);

const REPLACEMENTS = ["replace", "create-replacement"];

/** The provider isn't told whether a replacement is forced; the engine's step tells. */
const decided = ({ keptUnlessForced = 0, ...facts }: Facts, isReplaced: boolean): Facts =>
  isReplaced && keptUnlessForced > 0
    ? { ...facts, keeps: (facts.keeps ?? 0) - keptUnlessForced, undecided: (facts.undecided ?? 0) + keptUnlessForced }
    : facts;

export interface StackFacts {
  /** By URN. */
  readonly resources: ReadonlyMap<string, Facts>;
  readonly all: Facts;
  /** URNs of steps that may mail somebody, and of which nothing was said. */
  readonly silent: readonly string[];
}

/** What the provider said of the resources of one run. */
export function factsOfRun(steps: readonly Step[], notices: readonly Notice[]): StackFacts {
  const byUrn = new Map<string, Facts[]>();
  for (const { urn = "", message, severity } of notices) {
    // The provider says facts in lines about its own resources. An error's text is anybody's.
    const facts = severity !== "error" && kindOf(typeOf(urn)) !== undefined ? factsIn(message) : undefined;
    const before = byUrn.get(urn);
    if (facts && before) before.push(facts);
    else if (facts) byUrn.set(urn, [facts]);
  }
  const replaced = new Set(steps.filter(({ op }) => REPLACEMENTS.includes(op)).map(({ urn }) => urn));
  const resources = new Map([...byUrn].map(([urn, all]) => [urn, decided(mostOf(all), replaced.has(urn))]));
  const mayMail = steps.filter(({ op, urn }) => MAY_MAIL.get(kindOf(typeOf(urn)) ?? "")?.includes(op));
  const silent = [...new Set(mayMail.map(({ urn }) => urn))].filter(urn => !resources.has(urn));
  return { resources, all: sumOf([...resources.values()]), silent };
}

/** How many people are mailed about one thing. */
export const peopleIn = ({ mails = 0, people = mails }: Facts): number => people;

/** Mails to these addresses; undefined is one that isn't known, so anybody's. */
export function mailsTo(addresses: readonly (string | undefined)[]): Facts {
  const known = addresses.flatMap(address => (address === undefined ? [] : [addressOf(address)]));
  const people = new Set(known).size + addresses.length - known.length;
  return { mails: addresses.length, ...(people < addresses.length ? { people } : {}) };
}

/** How many mails an `up` would send; undefined where something isn't known yet. */
export const mailsIn = ({ all, silent }: StackFacts): number | undefined =>
  silent.length === 0 && (all.undecided ?? 0) === 0 ? (all.mails ?? 0) : undefined;

/** What kind of ours a type is, through the plugin or through dynamic resources. */
export const kindOf = (type: string): string | undefined =>
  /^(?:docsign:index:|pulumi-nodejs:dynamic\/docsign:)(\w+)/.exec(type)?.[1];
