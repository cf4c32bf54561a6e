import { UsageError } from "../flags/errors.js";
import { parseFlags } from "../flags/parse.js";

export type Flags = { readonly journal: string | undefined; readonly stack: string | undefined } & (
  | { readonly wants: "help" }
  | { readonly wants: "list"; readonly json: boolean }
  | {
      readonly wants: "resolve";
      readonly tokens: readonly string[];
      /** The document that it is, of one create; undefined: they never arrived. */
      readonly is: string | undefined;
      /** Who says so, where a flag names them. */
      readonly by: string | undefined;
      readonly force: boolean;
    }
);

export const flags = {
  journal: { type: "string" },
  stack: { type: "string", short: "s" },
  json: { type: "boolean" },
  is: { type: "string" },
  "never-arrived": { type: "boolean" },
  by: { type: "string" },
  force: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Which flags mean something to which command. */
const MEANT = {
  list: ["journal", "stack", "json"],
  resolve: ["journal", "stack", "is", "never-arrived", "by", "force"],
};

const LONGEST_NAME = 100;

export const isName = (text: string): boolean =>
  text.trim() !== "" && text.length <= LONGEST_NAME && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

export function readFlags(argv: readonly string[]): Flags {
  const { values, positionals } = parseFlags(argv, flags);
  const { journal, stack } = values;
  if (values.help) return { wants: "help", journal, stack };
  const [verb, ...rest] = positionals;
  if (verb !== "list" && verb !== "resolve") throw new UsageError(`expected list or resolve, got ${verb ?? "none"}`);
  for (const flag of Object.keys(values))
    if (!MEANT[verb].includes(flag)) throw new UsageError(`--${flag}: expected it with another command than ${verb}`);
  if (verb === "list") {
    if (rest.length > 0) throw new UsageError(`list: expected no argument, got ${rest.join(" ")}`);
    return { wants: "list", journal, stack, json: values.json ?? false };
  }
  const tokens = [...new Set(rest)];
  if (tokens.length === 0 || !tokens.every(token => /^[0-9a-f]{8}$/.test(token)))
    throw new UsageError(
      `resolve: expected tokens of eight digits, as list shows them, got ${rest.join(" ") || "none"}`,
    );
  if ((values.is === undefined) === !values["never-arrived"])
    throw new UsageError("resolve: expected either --is ID or --never-arrived");
  if (values.is !== undefined && !/^[1-9]\d{0,18}$/.test(values.is))
    throw new UsageError(`--is: expected a document's id, got ${values.is}`);
  if (values.is !== undefined && tokens.length > 1)
    throw new UsageError(`--is: expected one token beside it, got ${tokens.length}`);
  const { by } = values;
  if (by !== undefined && !isName(by))
    throw new UsageError(`--by: expected a name of at most ${LONGEST_NAME} characters on one line, got another`);
  return { wants: "resolve", journal, stack, tokens, is: values.is, by, force: values.force ?? false };
}
