import { resolve } from "node:path";
import { documentsIn } from "../stack-documents.js";
import type { Change } from "./memory.js";
import type { Wake } from "./settings.js";

type StackRef = NonNullable<Wake["documentsOf"]>;

/** What a watcher may do beside asking the service. */
export interface Effects {
  /** Runs a program to its end, its output in this terminal. */
  run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<number>;
  /** Runs a program to its end, and returns its output. */
  output(command: readonly string[], cwd: string): Promise<string>;
  post(url: string, body: string): Promise<number>;
}

/** Which of the changes are about documents that this wake is for. */
export async function relevantChanges(
  wake: Wake,
  changes: readonly Change[],
  folder: string,
  effects: Effects,
): Promise<Change[]> {
  if (changes.length === 0) return [];
  const wanted = await documentsOf(wake, folder, effects);
  return changes.filter(({ documentId }) => wanted === undefined || wanted.has(documentId));
}

async function documentsOf({ documents, documentsOf: of }: Wake, folder: string, effects: Effects) {
  if (documents !== undefined) return new Set(documents);
  return of && new Set(documentsIn(await exportStack(of, folder, effects)));
}

/** A stack's state, as `pulumi stack export` prints it. */
export function exportStack(
  { stack, cwd }: StackRef,
  folder: string,
  effects: Pick<Effects, "output">,
): Promise<string> {
  return effects.output(["pulumi", "stack", "export", "--stack", stack, "--non-interactive"], resolve(folder, cwd));
}

/** Wakes whoever it is; an error says why that failed, and it is tried again. */
export async function deliver(
  { run, cwd = ".", webhook }: Wake,
  changes: readonly Change[],
  folder: string,
  effects: Effects,
) {
  if (webhook !== undefined) {
    const status = await effects.post(webhook, JSON.stringify({ changes }));
    if (status < 200 || status > 299) throw new Error(`expected 2xx of the webhook, got ${status}`);
    return;
  }
  const ids = [...new Set(changes.map(({ documentId }) => documentId))].join(",");
  const code = await effects.run(run ?? [], resolve(folder, cwd), { DOCSIGN_CHANGED: ids });
  if (code !== 0) throw new Error(`expected \`${run?.join(" ")}\` to end with 0, got ${code}`);
}
