import { own } from "../../kit/records.js";
import { nearest } from "../../kit/text.js";
import { type Choices, choices, type Settings } from "../settings.js";

interface Point {
  readonly about: string;
  /** Each possible answer, and what it sets; the one that sets nothing is the sandbox's own. */
  readonly answers: Readonly<Record<string, Partial<Settings>>>;
}

/** Each word of a setting is an answer. */
function each<S extends keyof Choices>(setting: S) {
  const answers = choices[setting].map((word, nth) => [word, nth === 0 ? {} : { [setting]: word }]);
  return Object.fromEntries(answers) as Record<Choices[S], Partial<Settings>>;
}

/** What the interface leaves open, and the answers a service may give to each. */
export const points = {
  create: {
    about: "what creating a document answers",
    answers: {
      document: {},
      "list-item": { createAnswer: "list-item" },
      "list-item-with-folder": { createAnswer: "list-item-with-folder", idsCollide: true },
      file: { createAnswer: "file", idsCollide: true },
      invitation: { createAnswer: "invitation", idsCollide: true },
      "file-and-document-id": { createAnswer: "file-and-document-id", idsCollide: true },
      id: { createAnswer: "id" },
      "id-beside": { createAnswer: "id-beside" },
      bare: { createAnswer: "bare" },
      array: { createAnswer: "array" },
      null: { createAnswer: "null" },
      ok: { createAnswer: "ok" },
      word: { createAnswer: "word" },
      empty: { createAnswer: "empty", createStatus: 200 },
      "no-content": { createAnswer: "empty", createStatus: 204 },
      location: { createAnswer: "location" },
    },
  },
  order: {
    about: "order of lists",
    answers: { desc: {}, asc: { listOrder: "oldest-first" }, none: { listOrder: "unordered" } },
  },
  paging: {
    about: "how many rows a list shows; there is no second page",
    answers: { whole: {}, "2": { listLimit: 2 }, "5": { listLimit: 5 }, "20": { listLimit: 20 } },
  },
  rows: {
    about: "rows of lists: each twice, none of a status the interface doesn't name, or with the fewest fields",
    answers: {
      full: {},
      repeated: { listRepeats: true },
      "known-statuses": { listHidesUnknown: true },
      basic: { listForm: "basic" },
    },
  },
  lag: {
    about: "reads that miss a new document: none, three lists, or three of every kind",
    answers: { none: {}, lists: { lag: { lists: 3 } }, reads: { lag: { requests: 3 } } },
  },
  "to-date": { about: "whether `to_date` is in the range", answers: each("toDate") },
  get: { about: "what reading a document answers", answers: each("reads") },
  "last-version": { about: "which file `last_version` names", answers: each("lastVersion") },
  signers: {
    about: "who is listed as a signer, and how",
    answers: {
      documented: {},
      "no-address": { signerEmail: "never", signerUser: "nobody" },
      "no-user": { signerEmail: "always", signerUser: "absent" },
      "user-id-only": { signerEmail: "never", signerUser: "id" },
      "when-signed": { signersListed: "when-signed" },
      fewer: { signersListed: "fewer" },
      more: { signersListed: "more" },
    },
  },
  names: { about: "how a document's name is kept", answers: each("names") },
  emails: { about: "how e-mail addresses are kept", answers: each("emails") },
  invitations: { about: "order of a document's invitations", answers: each("invitationOrder") },
  folder: { about: "what becomes of `folder_id` in a create", answers: each("createFolderId") },
  reminder: {
    about: "what a reminder needs and answers; 501, 302 and not-ok send nothing",
    answers: {
      post: {},
      get: { reminderMethods: ["GET"] },
      both: { reminderMethods: ["GET", "POST"] },
      "501": { reminderAnswer: "501" },
      "302": { reminderAnswer: "302" },
      "not-ok": { reminderAnswer: "not-ok" },
      ok: { reminderAnswer: "ok" },
    },
  },
  ids: { about: "ids as numbers, counted from 1, above 2^53, or as text", answers: each("ids") },
  timestamps: {
    about: "form of timestamps",
    answers: {
      offset: {},
      z: { timestamps: "z" },
      "no-milliseconds": { timestamps: "no-milliseconds" },
      east: { utcOffsetMinutes: 840 },
    },
  },
  words: {
    about:
      "statuses and types the interface doesn't name: of invitations, files and owners, or of a document nobody has signed",
    answers: { known: {}, unknown: { words: "unknown" }, "unknown-status": { unsignedStatus: "drafted" } },
  },
  form: { about: "fields a document is shown with", answers: each("form") },
  hash: { about: "`sha256` of files", answers: { shown: {}, null: { nullSha256: true } } },
  certificates: {
    about: "addresses of certificates and files: open, with the key, redirected to another origin, or never there",
    answers: {
      open: {},
      key: { certificatesNeedKey: true, filesNeedKey: true },
      elsewhere: { downloads: "elsewhere" },
      never: { downloads: "never" },
    },
  },
  limit: {
    about: "429 to every fourth request, with `Retry-After` in seconds or without",
    answers: { none: {}, silent: { refuseEvery: 4 }, "retry-after": { refuseEvery: 4, retryAfter: 1 } },
  },
  date: {
    about: "the header Date, beside the service's clock",
    answers: { right: {}, ahead: { dateAhead: 420_000 }, behind: { dateAhead: -420_000 } },
  },
  late: {
    about: "when a create is carried out whose answer a fault has lost",
    answers: { "at-once": {}, "13s": { createLate: 13_000 }, "20s": { createLate: 20_000 } },
  },
} as const satisfies Readonly<Record<string, Point>>;

// ---- Answers to all of it ----

type Points = typeof points;
type PointName = keyof Points;

/** How a service answers open points of the interface; those left out are answered as the sandbox does by itself. */
export type Dialect = { readonly [P in PointName]?: keyof Points[P]["answers"] };

const table: Readonly<Record<string, Point>> = points;

/** Wrong points or answers are an error that names the possible ones. */
export function dialectFrom(given: Readonly<Record<string, string | number>>): Dialect {
  for (const [name, answer] of Object.entries(given)) {
    const point = own(table, name);
    if (!point) throw new RangeError(`expected ${oneOf(Object.keys(table), name)}, got ${JSON.stringify(name)}`);
    const answers = answersOf(point);
    if (!answers.includes(String(answer)))
      throw new RangeError(`${name}: expected ${oneOf(answers, String(answer))}, got ${JSON.stringify(answer)}`);
  }
  return given as Dialect;
}

/** `paging=5,order=asc`; `seed=7` draws a dialect, and what stands beside it wins. */
export function parseDialect(text: string): Dialect {
  const pairs = text.split(",").map(pair => pair.split(/=(.*)/s).map(part => part.trim()));
  const broken = pairs.find(([name, answer]) => !name || !answer);
  if (broken) throw new RangeError(`expected point=answer, got ${JSON.stringify(broken.join("="))}`);
  const { seed, ...given } = Object.fromEntries(pairs);
  if (seed === undefined) return dialectFrom(given);
  if (!/^\d{1,9}$/.test(seed)) throw new RangeError(`seed: expected a number, got ${JSON.stringify(seed)}`);
  return { ...randomDialect(Number(seed)), ...dialectFrom(given) };
}

/** About every third point, the same ones for the same seed. */
export function randomDialect(seed: number): Dialect {
  const pairs = Object.entries(table).flatMap(([name, point], nth) => {
    const others = answersOf(point).slice(1);
    const number = scattered(seed * 1_000 + nth);
    const answer = others[Math.floor(number / 3) % others.length];
    return number % 3 === 0 && answer !== undefined ? [[name, answer]] : [];
  });
  return dialectFrom(Object.fromEntries(pairs));
}

export function settingsOf(dialect: Dialect): Partial<Settings> {
  return Object.assign({}, ...Object.entries(dialect).map(([name, answer]) => table[name]?.answers[String(answer)]));
}

export const dialectText = (dialect: Dialect): string =>
  Object.entries(dialect)
    .map(([name, answer]) => `${name}=${answer}`)
    .join(",");

/** For the help: each point with its answers. */
export const describedPoints = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(table).map(([name, point]) => [name, `${point.about}: ${answersOf(point).join(", ")}`]),
  );

/** The sandbox's own answer first. */
function answersOf({ answers }: Point): string[] {
  const isOwn = (name: string) => Object.keys(answers[name] ?? {}).length === 0;
  return Object.keys(answers).sort((one, other) => Number(isOwn(other)) - Number(isOwn(one)));
}

function oneOf(names: readonly string[], given: string): string {
  const meant = given.length > 3 ? nearest(given, names) : undefined;
  return `one of ${names.join(", ")}${meant === undefined ? "" : ` (${meant}?)`}`;
}

/** A number that looks like chance, and is the same on every machine. */
function scattered(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
