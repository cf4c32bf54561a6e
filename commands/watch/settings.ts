import { z } from "zod";
import { printable, shorten } from "../../provider/core/text.js";
import { isDeadline } from "../../provider/resources/signature-gate/declaration.js";
import { CommandError, messageOf } from "../cli/flags.js";
import { EVENTS } from "./notices.js";

const MOST_PROBLEMS = 20;
const LONGEST = 2_000;

const id = z
  .union([z.string(), z.number().int()])
  .transform(String)
  .pipe(z.string().regex(/^[1-9]\d{0,19}$/));
const ids = z.array(id).min(1);

/** Which documents count. */
const which = {
  /** By id. */
  documents: ids.optional(),
  /** A stack whose state says which. */
  documentsOf: z.strictObject({ cwd: z.string().min(1), stack: z.string().min(1) }).optional(),
};

const wake = z
  .strictObject({
    /** Names it in the log and in the memory. */
    name: z.string().min(1),
    /** Left out, every document counts. */
    ...which,
    /** A program and its arguments. */
    run: z.array(z.string()).min(1).optional(),
    /** Where it runs. */
    cwd: z.string().min(1).optional(),
    /** An address that is posted to. */
    webhook: z.url({ protocol: /^https?$/ }).optional(),
  })
  .refine(({ run, webhook }) => (run === undefined) !== (webhook === undefined), {
    error: "expected either `run` or `webhook`",
  })
  .refine(({ documents, documentsOf }) => documents === undefined || documentsOf === undefined, {
    error: "expected at most one of `documents` and `documentsOf`",
  });

const DEADLINE = 'a date such as "2027-03-01", or a time after creation such as "30d"';

const notify = z
  .strictObject({
    /** Names it in the log and in the journal: under another name everything is news. */
    name: z.string().regex(/^[\w .-]{1,60}$/),
    ...which,
    /** Who understands the message. */
    to: z.enum(["slack", "teams", "webhook"]),
    /** The environment variable with the address: whoever knows it may write there, so it is in no file. */
    urlFrom: z.string().regex(/^[A-Za-z_]\w*$/),
    on: z
      .array(z.enum(EVENTS))
      .min(1)
      .default([...EVENTS]),
    /** Of documents without a gate that has one. */
    deadline: z
      .string()
      .refine(isDeadline, { error: `expected ${DEADLINE}` })
      .optional(),
  })
  .refine(({ documents, documentsOf }) => (documents === undefined) !== (documentsOf === undefined), {
    error: "expected either `documents` or `documentsOf`",
  });

const haveOwnNames = (all: readonly { readonly name: string }[]): boolean =>
  new Set(all.map(({ name }) => name)).size === all.length;
const OWN_NAMES = { error: "expected a name of its own for each" };

const settings = z
  .strictObject({
    $schema: z.string().optional(),
    /** File that remembers what was seen, relative to this one. */
    memory: z.string().min(1).default("docsign-watch.state.json"),
    /** How many days back documents are looked for, by the date they were created. */
    days: z.int().min(1).max(3650).default(90),
    /** Seconds between two requests: a minute at least. */
    every: z.int().min(60).default(60),
    /** Whether signed documents are asked for their certificates. */
    certificates: z.boolean().default(true),
    wake: z.array(wake).refine(haveOwnNames, OWN_NAMES).default([]),
    notify: z.array(notify).refine(haveOwnNames, OWN_NAMES).default([]),
  })
  .refine(({ wake: wakes, notify: notifies }) => wakes.length + notifies.length > 0, {
    error: "expected `wake` or `notify` with one entry at least",
  });

export type WatchSettings = z.infer<typeof settings>;
export type Wake = z.infer<typeof wake>;
export type Notify = z.infer<typeof notify>;

/** The settings in a file's text; an error with everything that is wrong. */
export function parseSettings(text: string, file: string): WatchSettings {
  const wrong = (what: string) => new CommandError(`${file}: ${shorten(printable(what), LONGEST)}`);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw wrong(`expected JSON: ${messageOf(error)}`);
  }
  const parsed = settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => `${issue.path.join(".") || "the file"}: ${issue.message}`);
  throw wrong(problems.slice(0, MOST_PROBLEMS).join("\n"));
}
