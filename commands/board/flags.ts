import { parseFlags, UsageError, wholeNumber } from "../cli/flags.js";

const FORMATS = ["html", "markdown", "json"] as const;

export type Flags = Readonly<ReturnType<typeof readFlags>>;

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

export function readFlags(argv: readonly string[]) {
  const { values, positionals } = parseFlags(argv, flags);
  const format = FORMATS.find(one => one === (values.format ?? "html"));
  if (format === undefined)
    throw new UsageError(`--format: expected one of ${FORMATS.join(", ")}, got ${values.format}`);
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
    wants: values.help ? ("help" as const) : values.version ? ("version" as const) : ("board" as const),
    format,
    stacks,
    all,
    /** Exported stacks or a preview; `-` is stdin. */
    files: positionals.length === 0 && stacks.length === 0 && !all ? ["-"] : positionals,
    out: values.out,
    lateAfterDays: days(values["late-after"] ?? "14d"),
    /** The commit to compare a preview's contracts with, and the folder for their PDFs. */
    review: base === undefined ? undefined : { base, pdfs, evidence },
    serve: values.serve
      ? {
          port: wholeNumber("port", values.port ?? "4020", 0, 65_535),
          everySeconds: wholeNumber("every", values.every ?? "60", 5, 86_400),
        }
      : undefined,
  };
}

function days(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(h|d|w)?$/.exec(text) ?? [];
  if (amount === undefined) throw new UsageError(`--late-after: expected a time such as 36h, 14d or 2w, got ${text}`);
  return Number(amount) * (unit === "h" ? 1 / 24 : unit === "w" ? 7 : 1);
}

export const usage =
  "Usage: docsign board [--stack NAME … | --all | FILE …] [--format html|markdown|json]   (--help shows more)";

export const help = `Shows who hasn't signed since when, from the state of Pulumi stacks. It reads, and changes nothing.

Usage: docsign board [options] [FILE …]

Examples
  docsign board --stack acme/leases/prod -o board.html    a page to open, to send or to publish
  docsign board --all --serve                             the page of all stacks, kept up to date
  pulumi stack export | docsign board -o board.html       without access to the backend
  docsign board --all --format markdown                   who has to sign, for a chat
  pulumi preview --json --show-sames | docsign board --format markdown
                                                          what a merge would mail, for a pull request
  docsign board preview.json --format markdown --base origin/main --pdfs pdfs
                                                          and what its contracts say, word by word

Options
  --stack NAME       a stack, as \`pulumi stack ls --all\` names it; may be given again
  --all              every stack of the backend that Pulumi is logged in to
  FILE               what \`pulumi stack export\`, \`pulumi preview --json\` or \`docsign journal list --json\` wrote; - is
                     stdin, the default
  --format FORMAT    html (default), markdown or json
  --out FILE, -o     where to write; stdout unless given
  --base REF         a branch or commit of this repository: what its templates said is compared with what the contracts
                     of a preview would say
  --pdfs DIR         where to write their PDFs, with --base
  --evidence DIR     what \`docsign evidence pull\` wrote: a signed contract whose template isn't in REF is read off its
                     signed PDF there, with --base
  --late-after TIME  who has waited longer is late, where there is no deadline (default 14d; 36h, 2w)
  --serve            serve the page on this machine, and read the stacks again and again
  --port N           port to serve on; 0 picks a free one (default 4020)
  --every SECONDS    how often to read them (default 60)
  --version          the version
  --help, -h         this page

Exit codes
  0  it's done
  1  a stack or a file couldn't be read
  2  a flag is wrong
`;
