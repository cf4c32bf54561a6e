import type { OpenAttempt } from "../../provider/resources/journal/contract.js";
import { createRuntime, type Runtime } from "../../provider/runtime.js";
import type { CommandIo } from "../command.js";
import { CommandError } from "../flags/errors.js";
import { settingsOf } from "../stack-settings.js";
import { type Asked, readFlags } from "./flags.js";
import { help } from "./help.js";
import { openCreates } from "./open-creates.js";
import { textOf } from "./text.js";

export async function journal(
  argv: readonly string[],
  io: Pick<CommandIo, "out" | "err" | "env" | "pid" | "version" | "cwd">,
): Promise<number> {
  const asked = readFlags(argv);
  if (asked.wants === "help") {
    io.out(help);
    return 0;
  }
  const runtime = createRuntime({ env: io.env, version: io.version, engine: undefined, pid: io.pid });
  runtime.configure({ ...(await settingsOf(asked.stack, io)), ...(asked.journal && { journal: asked.journal }) });
  try {
    if (asked.wants === "list") await list(asked, runtime, io);
    else await resolve(asked, runtime, io);
  } finally {
    await runtime.close();
  }
  return 0;
}

async function list(
  { json }: Extract<Asked, { wants: "list" }>,
  runtime: Runtime,
  { out, err }: Pick<CommandIo, "out" | "err">,
): Promise<void> {
  const { creates, notes } = await openCreates(runtime);
  for (const note of [...notes, ...runtime.journal().warnings()]) err(`docsign: ${note}\n`);
  if (json) out(`${JSON.stringify({ format: 1, creates }, null, 2)}\n`);
  else out(creates.length === 0 ? "every create is settled\n" : creates.map(textOf).join("\n"));
}

async function resolve(
  { token, is, force }: Extract<Asked, { wants: "resolve" }>,
  runtime: Runtime,
  { out }: Pick<CommandIo, "out">,
): Promise<void> {
  const opened = runtime.journal();
  const attempt = (await opened.open()).find(each => each.token === token);
  if (!attempt) throw new CommandError(`expected the token of an open create, as list shows them, got ${token}`);
  if (is === undefined) refuseDoubtful(attempt, force, runtime.context.clock.now());
  else {
    const owner = await opened.owner(attempt.service, is);
    if (owner && !owner.released)
      throw new CommandError(`expected a document that no resource holds, got ${is}, which ${owner.urn} holds`);
  }
  await opened.resolve(token, is);
  out(
    is === undefined
      ? `noted: it never arrived. The next \`pulumi up\` of its stack sends it, which mails its people\n`
      : `noted: it is document ${is}. The next \`pulumi up\` of its stack verifies that, and mails nobody\n`,
  );
}

/** What speaks against a person's word that nothing arrived. */
function refuseDoubtful(
  { answered, said, hints, startedAt, lasts = 0 }: OpenAttempt,
  force: boolean,
  now: number,
): void {
  if (force) return;
  const until = new Date(startedAt + lasts);
  const ids = hints.filter(id => id !== said);
  if (answered && said === undefined)
    throw new CommandError(
      `the service answered that it was created${ids.length > 0 ? `, as document ${ids.join(", ")}` : ""}. If you have made sure that it wasn't: --force`,
    );
  if (now < until.getTime())
    throw new CommandError(
      `its request may be on its way until ${until.toISOString()}: wait for that, and look once more. If the run has ended: --force`,
    );
}
