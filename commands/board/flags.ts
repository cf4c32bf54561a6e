import { UsageError } from "../cli/flags/errors.js";
import { parseFlags, wholeNumber } from "../cli/flags/parse.js";

export const FORMATS = ["html", "markdown", "json"] as const;
export type Format = (typeof FORMATS)[number];

export interface Flags {
  readonly wants: "board" | "help" | "version";
  readonly format: Format;
  readonly stacks: readonly string[];
  readonly all: boolean;
  /** Exported stacks or a preview; `-` is stdin. */
  readonly files: readonly string[];
  readonly out: string | undefined;
  readonly lateAfterDays: number;
  /** The commit to compare a preview's contracts with, and the folder for their PDFs. */
  readonly review:
    | { readonly base: string; readonly pdfs: string | undefined; readonly evidence: string | undefined }
    | undefined;
  readonly serve: { readonly port: number; readonly everySeconds: number } | undefined;
}

export const flags = {
  stack: { type: "string", multiple: true },
  all: { type: "boolean" },
  format: { type: "string" },
  out: { type: "string", short: "o" },
  base: { type: "string" },
  pdfs: { type: "string" },
  evidence: { type: "string" },
  "late-after": { type: "string" },
  serve: { type: "boolean" },
  port: { type: "string" },
  every: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

export function readFlags(argv: readonly string[]): Flags {
  const { values, positionals } = parseFlags(argv, flags);
  const format = values.format ?? "html";
  if (!isFormat(format)) throw new UsageError(`--format: expected one of ${FORMATS.join(", ")}, got ${format}`);
  const stacks = values.stack ?? [];
  const all = values.all ?? false;
  if (values.serve && format !== "html") throw new UsageError("--serve serves the page, so it takes no --format");
  if (values.serve && stacks.length === 0 && !all)
    throw new UsageError("--serve reads stacks again and again: expected --stack or --all");
  if (all && stacks.length > 0) throw new UsageError("expected --all or --stack, got both");
  const { base, pdfs, evidence } = values;
  if (base !== undefined && format !== "markdown") throw new UsageError("--base: expected --format markdown beside it");
  if (base !== undefined && !/^[^-\s\p{Cc}][^\s\p{Cc}]*$/u.test(base))
    throw new UsageError(`--base: expected a branch or a commit, got ${JSON.stringify(base)}`);
  for (const [name, value] of Object.entries({ pdfs, evidence }))
    if (value !== undefined && base === undefined)
      throw new UsageError(`--${name}: expected --base beside it, got none`);
  return {
    wants: values.help ? "help" : values.version ? "version" : "board",
    format,
    stacks,
    all,
    files: positionals.length === 0 && stacks.length === 0 && !all ? ["-"] : positionals,
    out: values.out,
    lateAfterDays: days(values["late-after"] ?? "14d"),
    review: base === undefined ? undefined : { base, pdfs, evidence },
    serve: values.serve
      ? {
          port: wholeNumber("port", values.port ?? "4020", 0, 65_535),
          everySeconds: wholeNumber("every", values.every ?? "60", 5, 86_400),
        }
      : undefined,
  };
}

const isFormat = (text: string): text is Format => FORMATS.some(one => one === text);

function days(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(h|d|w)?$/.exec(text) ?? [];
  if (amount === undefined) throw new UsageError(`--late-after: expected a time such as 36h, 14d or 2w, got ${text}`);
  return Number(amount) * (unit === "h" ? 1 / 24 : unit === "w" ? 7 : 1);
}
