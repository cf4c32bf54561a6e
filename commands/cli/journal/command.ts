import { oneLine, quoted } from "../../../provider/core/text.js";
import { type IdKind, kindOf, type OpenAttempt } from "../../../provider/resources/journal/contract.js";
import { createRuntime, type Runtime } from "../../../provider/runtime.js";
import type { CommandIo } from "../commands.js";
import { CommandError, UsageError } from "../flags/errors.js";
import { settingsOf } from "../stack-settings.js";
import { type Flags, isName, readFlags } from "./flags.js";
import { help } from "./help.js";
import { openCreates } from "./open-creates.js";
import { textOf } from "./text.js";

export async function journal(
  argv: readonly string[],
  io: Pick<CommandIo, "out" | "err" | "env" | "pid" | "version" | "cwd">,
): Promise<number> {
  const flags = readFlags(argv);
  if (flags.wants === "help") {
    io.out(help);
    return 0;
  }
  const runtime = createRuntime({ env: io.env, version: io.version, engine: undefined, pid: io.pid });
  runtime.configure({ ...(await settingsOf(flags.stack, io)), ...(flags.journal && { journal: flags.journal }) });
  try {
    if (flags.wants === "list") await list(flags, runtime, io);
    else await resolve({ ...flags, by: flags.by ?? userOf(io.env) }, runtime, io);
  } finally {
    await runtime.close();
  }
  return 0;
}

async function list(
  { json, ...flags }: Extract<Flags, { wants: "list" }>,
  runtime: Runtime,
  { out, err, env }: Pick<CommandIo, "out" | "err" | "env">,
): Promise<void> {
  const { creates, notes } = await openCreates(runtime);
  for (const note of [...notes, ...runtime.journal().warnings()]) err(`docsign: ${note}\n`);
  if (json) out(`${JSON.stringify({ format: 1, creates }, null, 2)}\n`);
  else out(textOf(creates, resolving(flags, env)));
}

/** The command that settles what is listed, as it was started here and with the same journal and stack. */
function resolving({ journal: where, stack }: Pick<Flags, "journal" | "stack">, env: CommandIo["env"]) {
  const command = env["npm_command"] === "exec" ? "npx --no-install docsign" : "docsign";
  const place = where === undefined ? "" : ` --journal ${URL.parse(where)?.password ? "WHERE" : quoted(where)}`;
  const settings = `${stack === undefined ? "" : ` --stack ${quoted(stack)}`}${place}`;
  return (tokens: readonly string[], word: string) =>
    `${command} journal resolve ${tokens.map(token => quoted(oneLine(token))).join(" ")} ${word}${settings}`;
}

async function resolve(
  { tokens, is, by, force }: Extract<Flags, { wants: "resolve" }> & { readonly by: string },
  runtime: Runtime,
  { out }: Pick<CommandIo, "out">,
): Promise<void> {
  const opened = runtime.journal();
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
  out(
    `noted, as ${by} says: ${attempts.length > 1 ? `${attempts.length} creates never arrived. The next \`pulumi up\` of their stacks sends them, which mails their people` : outcome(kind, is)}\n`,
  );
}

function outcome(kind: IdKind, is: string | undefined): string {
  const next = "The next `pulumi up` of its stack";
  if (is === undefined)
    return `it never arrived. ${next} ${kind === "folder" ? "creates it" : "sends it, which mails its people"}`;
  return `it is ${kind} ${is}. ${next} ${kind === "folder" ? "takes it" : "verifies that"}, and mails nobody`;
}

function userOf(env: CommandIo["env"]): string {
  const name = env["LOGNAME"] || env["USER"] || env["USERNAME"] || "";
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
