import { z } from "zod";
import { printable, shorten } from "../provider/core/text.js";

const MOST_PROBLEMS = 20;
const LONGEST = 2_000;

const id = z
  .union([z.string(), z.number().int()])
  .transform(String)
  .pipe(z.string().regex(/^[1-9]\d{0,19}$/));
const ids = z.array(id).min(1);

const wake = z
  .strictObject({
    /** Names it in the log and in the memory. */
    name: z.string().min(1),
    /** Ids of documents; left out together with `documentsOf`, every document counts. */
    documents: ids.optional(),
    /** A stack whose state says which documents count. */
    documentsOf: z.strictObject({ cwd: z.string().min(1), stack: z.string().min(1) }).optional(),
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

const settings = z.strictObject({
  $schema: z.string().optional(),
  /** File that remembers what was seen, relative to this one. */
  memory: z.string().min(1).default("docsign-watch.state.json"),
  /** How many days back documents are looked for, by the date they were created. */
  days: z.int().min(1).max(3650).default(90),
  /** Seconds between two requests: a minute at least. */
  every: z.int().min(60).default(60),
  /** Whether signed documents are asked for their certificates. */
  certificates: z.boolean().default(true),
  wake: z
    .array(wake)
    .min(1)
    .refine(all => new Set(all.map(({ name }) => name)).size === all.length, {
      error: "expected a name of its own for each",
    }),
});

export type WatchSettings = z.infer<typeof settings>;
export type Wake = z.infer<typeof wake>;

/** The settings in a file's text; an error with everything that is wrong. */
export function parseSettings(text: string): WatchSettings {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new SettingsError(`expected JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => `${issue.path.join(".") || "the file"}: ${issue.message}`);
  throw new SettingsError(problems.slice(0, MOST_PROBLEMS).join("\n"));
}

/** Settings that can't be meant. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(message: string) {
    super(shorten(printable(message), LONGEST));
  }
}
