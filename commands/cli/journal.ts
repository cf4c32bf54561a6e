import type { ListedDocument } from "../../provider/client/service.js";
import { oneLine, quoted } from "../../provider/core/text.js";
import { nameHash } from "../../provider/resources/document/content.js";
import { type IdKind, kindOf, type OpenAttempt } from "../../provider/resources/journal/contract.js";
import { createRuntime, type Runtime } from "../../provider/runtime.js";
import type { CommandIo } from "./command.js";
import { CommandError, parseFlags, UsageError } from "./flags.js";
import { settingsOf } from "./stack-settings.js";

type Io = Pick<CommandIo, "out" | "err" | "env" | "pid" | "user" | "version" | "cwd">;

export async function journal(argv: readonly string[], io: Io): Promise<number> {
  const flags = readFlags(argv);
  if (flags.wants === "help") {
    io.out(help);
    return 0;
  }
  const runtime = createRuntime({ env: io.env, version: io.version, engine: undefined, pid: io.pid });
  runtime.configure({ ...(await settingsOf(flags.stack, io)), ...(flags.journal && { journal: flags.journal }) });
  try {
    if (flags.wants === "list") await list(flags, runtime, io);
    else await resolve(flags, runtime, io);
  } finally {
    await runtime.close();
  }
  return 0;
}

async function list(flags: Flags, runtime: Runtime, { out, err, env }: Io): Promise<void> {
  const { creates, notes } = await openCreates(runtime);
  for (const note of [...notes, ...runtime.context.journal.warnings()]) err(`docsign: ${note}\n`);
  if (flags.json) out(`${JSON.stringify({ format: 1, creates }, null, 2)}\n`);
  else out(textOf(creates, resolving(flags, env)));
}

/** The command that settles what is listed, as it was started here and with the same journal and stack. */
function resolving({ journal: where, stack }: Flags, env: CommandIo["env"]) {
  const command = env["npm_command"] === "exec" ? "npx --no-install docsign" : "docsign";
  const place = where === undefined ? "" : ` --journal ${URL.parse(where)?.password ? "WHERE" : quoted(where)}`;
  const settings = `${stack === undefined ? "" : ` --stack ${quoted(stack)}`}${place}`;
  return (tokens: readonly string[], word: string) =>
    `${command} journal resolve ${tokens.map(token => quoted(oneLine(token))).join(" ")} ${word}${settings}`;
}

async function resolve({ tokens, is, force, ...flags }: Flags, runtime: Runtime, io: Io): Promise<void> {
  const by = flags.by ?? userOf(io);
  const opened = runtime.context.journal;
  const open = new Map((await opened.open()).map(attempt => [attempt.token, attempt]));
  // Nothing is noted unless all of it can be.
  const attempts = tokens.map(token => {
    const attempt = open.get(token);
    if (!attempt) throw new CommandError(`expected the token of an open create, as list shows them, got ${token}`);
    if (is === undefined) refuseDoubtful(attempt, force, runtime.context.clock.now());
    return attempt;
  });
  const [{ urn, service }] = attempts as [OpenAttempt];
  const kind = kindOf(urn);
  if (is !== undefined) {
    const owner = await opened.owner(service, is, kind);
    if (owner && !owner.released)
      throw new CommandError(`expected a ${kind} that no resource holds, got ${is}, which ${owner.urn} holds`);
  }
  const earlier = [...open.values()].find(
    each => each.said === is && each.service === service && kindOf(each.urn) === kind,
  );
  if (is !== undefined && earlier && !tokens.includes(earlier.token))
    throw new CommandError(
      `expected a ${kind} that no other create came to, got ${is}, as was said of ${earlier.token}`,
    );
  for (const { token } of attempts) await opened.resolve(token, is, by);
  io.out(
    `noted, as ${by} says: ${attempts.length > 1 ? `${attempts.length} creates never arrived. The next \`pulumi up\` of their stacks sends them, which mails their people` : outcome(kind, is)}\n`,
  );
}

function outcome(kind: IdKind, is: string | undefined): string {
  const next = "The next `pulumi up` of its stack";
  if (is === undefined)
    return `it never arrived. ${next} ${kind === "folder" ? "creates it" : "sends it, which mails its people"}`;
  return `it is ${kind} ${is}. ${next} ${kind === "folder" ? "takes it" : "verifies that"}, and mails nobody`;
}

function userOf({ env, user = "" }: Io): string {
  const name = env["LOGNAME"] || env["USER"] || env["USERNAME"] || user;
  if (isName(name)) return name;
  throw new UsageError("resolve: nothing here names who is logged in. Expected --by NAME");
}

/** What speaks against a person's word that nothing arrived. */
function refuseDoubtful(
  { token, urn, answered, said, saidBy, hints, startedAt, lasts = 0 }: OpenAttempt,
  force: boolean,
  now: number,
): void {
  if (force) return;
  const until = new Date(startedAt + lasts);
  const ids = hints.filter(id => id !== said);
  if (said !== undefined)
    throw new CommandError(
      `${token}: ${saidBy ?? "a person"} said that it is ${kindOf(urn)} ${said}. If you have made sure that it isn't, and that there is no other: --force`,
    );
  if (answered)
    throw new CommandError(
      `${token}: the service answered that it was created${ids.length > 0 ? `, as document ${ids.join(", ")}` : ""}. If you have made sure that it wasn't: --force`,
    );
  if (now < until.getTime())
    throw new CommandError(
      `${token}: its request may be on its way until ${until.toISOString()}: wait for that, and look once more. If the run has ended: --force`,
    );
}

// ---- Open creates ----

/** A create without a confirmed outcome, and what is known of it. */
type OpenCreate = Awaited<ReturnType<typeof openCreates>>["creates"][number];

async function openCreates(runtime: Runtime) {
  const attempts = await runtime.context.journal.open();
  const notes: string[] = [];
  const origin = runtime.context.origin();
  const isAsked = attempts.some(({ service }) => service === origin);
  const asking = isAsked ? runtime.context.service().listDocuments({}) : undefined;
  const list = await asking?.catch((error: Error) => void notes.push(`the service can't be asked: ${error.message}`));
  const creates = attempts.map(
    async ({ token, urn, service, startedAt, serviceTime, lasts, answered, hints, said, saidBy, name }) => ({
      ...{ token, urn, service, startedAt, lasts, answered: answered === true, hints, said, saidBy },
      since: new Date(serviceTime ?? startedAt).toISOString(),
      /** Documents of its name that no resource holds; undefined where its service wasn't asked. */
      candidates:
        list && service === origin && kindOf(urn) === "document"
          ? await free(runtime, service, name, list.rows)
          : undefined,
    }),
  );
  return { creates: await Promise.all(creates), notes };
}

async function free(runtime: Runtime, service: string, name: string, all: readonly ListedDocument[]) {
  const rows = all.filter(row => nameHash(row.name) === name);
  const owners = await Promise.all(rows.map(({ id }) => runtime.context.journal.owner(service, id)));
  return rows
    .filter((_, nth) => owners[nth] === undefined || owners[nth].released === true)
    .map(({ id, status, createdAt }) => ({ id, status, createdAt }));
}

// ---- What a person reads of them ----

/** The command that says so of these creates. */
type Resolving = (tokens: readonly string[], word: string) => string;

/** What a person reads of open creates, and what would settle them. */
function textOf(creates: readonly OpenCreate[], resolving: Resolving): string {
  if (creates.length === 0) return "every create is settled\n";
  const tokens = creates.filter(({ answered, said }) => !answered && said === undefined).map(({ token }) => token);
  const texts = creates.map(each => textOfOne(each, resolving));
  if (tokens.length > 1)
    texts.push(
      `${tokens.length === creates.length ? "all" : tokens.length} of them, where the platform shows none:\n  ${resolving(tokens, "--never-arrived")}\n`,
    );
  return texts.join("\n");
}

function textOfOne(
  { token, urn, service, since, answered, hints, said, saidBy, candidates }: OpenCreate,
  resolving: Resolving,
): string {
  const kind = kindOf(urn);
  const ids = hints.filter(id => id !== said);
  const [likely] = said === undefined ? [...ids, ...(candidates ?? []).map(({ id }) => id)] : [];
  const known = [
    ...(answered && said === undefined ? ["the service answered that it was created"] : []),
    ...ids.map(id => `the service named ${kind} ${oneLine(id)}, which couldn't be confirmed`),
    ...(said === undefined ? [] : [`${oneLine(saidBy ?? "a person")} said that it is ${kind} ${oneLine(said)}`]),
    ...(candidates === undefined
      ? [
          kind === "folder"
            ? "the service can't list folders: the platform shows them"
            : "the settings name another service, or none: which documents may be it isn't known",
        ]
      : candidates.length === 0
        ? ["the service lists no document of its name that nobody holds"]
        : candidates.map(
            ({ id, status, createdAt }) =>
              `document ${id} may be it: ${oneLine(status)}, created ${oneLine(createdAt ?? "at an unknown time")}`,
          )),
  ];
  return [
    `${oneLine(token)}  ${oneLine(urn)}`,
    `  begun ${since} at ${oneLine(service)}`,
    ...known.map(line => `  ${line}`),
    kind === "folder"
      ? "  to settle it: `pulumi up` of its stack, which creates another, or first, once you have looked at the platform,"
      : "  to settle it: `pulumi up` of its stack, which looks for it. Where that doesn't, look at the platform, then",
    `    ${resolving([token], `--is ${likely === undefined ? "ID" : quoted(oneLine(likely))}`)}`,
    `    ${resolving([token], answered || said !== undefined ? "--never-arrived --force" : "--never-arrived")}`,
    "",
  ].join("\n");
}

// ---- Flags and help ----

type Flags = Readonly<ReturnType<typeof readFlags>>;

export const journalFlags = {
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

const isName = (text: string): boolean =>
  text.trim() !== "" && text.length <= LONGEST_NAME && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

export function readFlags(argv: readonly string[]) {
  const { values, positionals } = parseFlags(argv, journalFlags);
  /** `is`: the document that it is, of one create; undefined: they never arrived. `by`: who says so, where a flag names them. */
  const { journal, stack, json = false, is, by, force = false } = values;
  const [verb, ...rest] = positionals;
  const tokens = [...new Set(rest)];
  const given = { journal, stack, json, tokens, is, by, force };
  if (values.help) return { wants: "help" as const, ...given };
  if (verb !== "list" && verb !== "resolve") throw new UsageError(`expected list or resolve, got ${verb ?? "none"}`);
  for (const flag of Object.keys(values))
    if (!MEANT[verb].includes(flag)) throw new UsageError(`--${flag}: expected it with another command than ${verb}`);
  if (verb === "list") {
    if (rest.length > 0) throw new UsageError(`list: expected no argument, got ${rest.join(" ")}`);
    return { wants: verb, ...given };
  }
  if (tokens.length === 0 || !tokens.every(token => /^[0-9a-f]{8}$/.test(token)))
    throw new UsageError(
      `resolve: expected tokens of eight digits, as list shows them, got ${rest.join(" ") || "none"}`,
    );
  if ((is === undefined) === !values["never-arrived"])
    throw new UsageError("resolve: expected either --is ID or --never-arrived");
  if (is !== undefined && !/^[1-9]\d{0,18}$/.test(is))
    throw new UsageError(`--is: expected a document's id, got ${is}`);
  if (is !== undefined && tokens.length > 1)
    throw new UsageError(`--is: expected one token beside it, got ${tokens.length}`);
  if (by !== undefined && !isName(by))
    throw new UsageError(`--by: expected a name of at most ${LONGEST_NAME} characters on one line, got another`);
  return { wants: verb, ...given };
}

const help = `Shows creates whose outcome isn't known, and lets a person say what came of them. Pulumi isn't run.

Usage: docsign journal list [--json] [--stack NAME] [--journal WHERE]
       docsign journal resolve TOKEN --is ID [--by NAME] [--stack NAME] [--journal WHERE]
       docsign journal resolve TOKEN… --never-arrived [--by NAME] [--force] [--stack NAME] [--journal WHERE]

A create is settled as a rule by the next \`pulumi up\` of its stack, which looks for the document. Where that proves
nothing, look at the account on the platform, and say what you saw:

  --is ID          it is this document. The next \`pulumi up\` verifies it and takes it into state; nobody is mailed
  --never-arrived  there is no such document. The next \`pulumi up\` sends it, which mails its people

Options
  --by NAME        who says so, for the journal: left out, who is logged in here
  --stack, -s      whose settings say which journal and which service: left out, those of the stack that is selected in
                   this folder's project; without a project, the environment's
  --journal WHERE  local, postgres://… or s3://…, as \`docsign:journal\`; left out, the stack's, then DOCSIGN_JOURNAL, then a
                   remote PULUMI_BACKEND_URL, then this machine's
  --force          although the service answered that it was created, somebody said which one it is, or its request may still be
                   on its way
  --json           for machines
  --help, -h       this page

With the base URL and the key of a create's service (the stack's, or DOCSIGN_BASE_URL and DOCSIGN_API_KEY), list names the documents there that may be it.

Exit codes
  0  it's done
  1  the journal can't be read or written, or the word was refused
  2  a flag is wrong
`;
