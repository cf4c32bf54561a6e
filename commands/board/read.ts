import { type ExecFileOptions, execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { CommandError, messageOf, readState } from "../cli/flags.js";
import { boardOf } from "./board.js";
import type { Flags } from "./flags.js";
import type { Board } from "./model.js";
import { isPreview, type Plan, readPreview } from "./preview.js";
import { type Review, reviewOf } from "./review/review.js";
import { isExport, readExport, type StackState } from "./state.js";

export type BoardInput = Awaited<ReturnType<typeof read>>;

/** Reads everything that was asked for. */
export async function read(
  flags: Flags,
  { stdin, now, cwd }: { stdin: NodeJS.ReadableStream; now: Date; cwd: string },
) {
  const states: StackState[] = [];
  const plans: { readonly plan: Plan; readonly review: Review | undefined }[] = [];
  const open: Board["open"][number][] = [];
  for (const name of flags.all ? await allStacks() : flags.stacks)
    states.push(readExport(await exportStack(name), name));
  for (const file of flags.files) {
    const source = file === "-" ? "stdin" : file;
    for (const value of await valuesIn(file, source, stdin)) {
      if (isPreview(value))
        plans.push({
          plan: readPreview(value),
          review: flags.review && (await reviewOf(value, { ...flags.review, cwd })),
        });
      else if (isExport(value)) states.push(readExport(value));
      else if (isOpenCreates(value)) open.push(...readOpenCreates(value));
      else
        throw new CommandError(
          `${source}: expected what \`pulumi stack export\`, \`pulumi preview --json\` or \`docsign journal list --json\` writes`,
        );
    }
  }
  const board = states.length > 0 ? boardOf(states, { now, lateAfterDays: flags.lateAfterDays, open }) : undefined;
  return { board, plans };
}

/** One value, or an array of several, as `jq -s` makes it. */
async function valuesIn(file: string, source: string, stdin: NodeJS.ReadableStream): Promise<unknown[]> {
  const content = await readState(file === "-" ? stdin : file).catch((error: unknown) => {
    throw new CommandError(`${source} can't be read: ${messageOf(error)}`);
  });
  try {
    const value: unknown = JSON.parse(content);
    return Array.isArray(value) ? value : [value];
  } catch {
    throw new CommandError(`${source}: expected JSON, got ${content.trim() === "" ? "nothing" : "something else"}`);
  }
}

const listSchema = z.looseObject({
  format: z.literal(1),
  creates: z.array(
    z.looseObject({
      token: z.string(),
      urn: z.string(),
      since: z.string(),
      answered: z.boolean(),
      candidates: z.array(z.looseObject({ id: z.string() })).nullish(),
    }),
  ),
});

export const isOpenCreates = (value: unknown): boolean => listSchema.safeParse(value).success;

/** What `docsign journal list --json` writes. */
export function readOpenCreates(value: unknown): Board["open"] {
  return listSchema.parse(value).creates.map(({ token, urn, since, answered, candidates }) => {
    const [stack = "", project = "", , ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
    const ids = (candidates ?? []).map(({ id }) => id);
    return { token, stack: `${project}/${stack}`, resource: name.join("::"), since, answered, candidates: ids };
  });
}

// ---- Pulumi's stacks ----

const run = promisify(execFile);

/** Where Pulumi runs, and with what: here, unless it is said. */
type Where = Pick<ExecFileOptions, "cwd" | "env">;

async function pulumi(args: readonly string[], where: Where = {}): Promise<unknown> {
  try {
    const { stdout } = await run("pulumi", [...args, "--non-interactive"], { ...where, maxBuffer: 2 ** 30 });
    return JSON.parse(stdout);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === "ENOENT")
      throw new CommandError("expected Pulumi on PATH, found none; or give an exported stack as a file or on stdin");
    throw new CommandError(`\`pulumi ${args.join(" ")}\` failed: ${stderr?.trim() ?? String(error)}`);
  }
}

/** The state of a stack, of whatever backend Pulumi is logged in to, with its secrets still encrypted: no passphrase and no key is needed. */
export const exportStack = (name: string, where?: Where): Promise<unknown> =>
  pulumi(["stack", "export", "--stack", name], where);

/** The names of all stacks of the backend. */
async function allStacks(): Promise<string[]> {
  const stacks = z.array(z.object({ name: z.string() })).parse(await pulumi(["stack", "ls", "--all", "--json"]));
  return stacks.map(({ name }) => name).sort();
}
