import { daysIn } from "../../../provider/functions/documents.js";
import { UsageError } from "../flags/errors.js";
import { parseFlags } from "../flags/parse.js";

/** Whose evidence is pulled. */
export type Selection =
  | { readonly of: "stack"; readonly stack: string }
  | { readonly of: "folder"; readonly folderId: string }
  | {
      readonly of: "days";
      readonly range: { readonly fromDate: string; readonly toDate: string };
      readonly folderId: string | undefined;
    };

export interface PullFlags {
  readonly which: Selection;
  readonly out: string;
  readonly allowOrigins: readonly string[];
}

export const pullFlags = {
  stack: { type: "string", short: "s" },
  folder: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  out: { type: "string", short: "o" },
  "allow-origin": { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export const verifyFlags = {
  sha256: { type: "string" },
  html: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

export function readPullFlags(argv: readonly string[]): PullFlags | "help" {
  const { values, positionals } = parseFlags(argv, pullFlags);
  if (values.help) return "help";
  if (positionals.length !== 1 || positionals[0] !== "pull")
    throw new UsageError(`evidence: expected pull, got ${positionals.join(" ") || "none"}`);
  if (values.out === undefined) throw new UsageError("evidence pull: expected -o FOLDER, got none");
  return { which: whichOf(values), out: values.out, allowOrigins: values["allow-origin"] ?? [] };
}

type Values = Partial<Record<"stack" | "folder" | "from" | "to", string>>;

function whichOf({ stack, folder, from, to }: Values): Selection {
  if (stack !== undefined) {
    if ((folder ?? from ?? to) !== undefined)
      throw new UsageError("evidence pull: expected --stack alone, got it with --folder, --from or --to");
    return { of: "stack", stack };
  }
  if (folder !== undefined && !/^[1-9]\d{0,19}$/.test(folder))
    throw new UsageError(`--folder: expected a folder's id, got ${folder}`);
  if (from === undefined && to === undefined) {
    if (folder === undefined)
      throw new UsageError("evidence pull: expected --stack NAME, --folder ID, or --from DAY --to DAY, got none");
    return { of: "folder", folderId: folder };
  }
  const range = { fromDate: day("from", from), toDate: day("to", to) };
  if (daysIn(range) < 1) throw new UsageError(`--to: expected a day not before ${range.fromDate}, got ${range.toDate}`);
  return { of: "days", range, folderId: folder };
}

function day(flag: string, text = "none"): string {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text;
  throw new UsageError(`--${flag}: expected a day such as 2027-01-31, got ${text}`);
}

export interface VerifyFlags {
  readonly directory: string;
  readonly sha256: string | undefined;
  readonly html: string | undefined;
}

export function readVerifyFlags(argv: readonly string[]): VerifyFlags | "help" {
  const { values, positionals } = parseFlags(argv, verifyFlags);
  if (values.help) return "help";
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0)
    throw new UsageError(`verify: expected one folder, got ${positionals.join(" ") || "none"}`);
  const { sha256, html } = values;
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new UsageError(`--sha256: expected 64 hex digits, got ${sha256}`);
  return { directory, sha256, html };
}
