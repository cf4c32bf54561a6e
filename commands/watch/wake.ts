import { resolve } from "node:path";
import { documentsIn } from "../../provider/core/stack-documents.js";
import type { Change } from "./memory.js";
import type { Wake } from "./settings.js";

type StackPlace = NonNullable<Wake["documentsOf"]>;

/** What a watcher may do beside asking the service. */
export interface Hands {
  /** Runs a program to its end, its output in this terminal. */
  run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<number>;
  /** Runs a program to its end, and returns its output. */
  output(command: readonly string[], cwd: string): Promise<string>;
  post(url: string, body: string): Promise<number>;
}

/** Which of the changes are about documents that this wake is for. */
export async function concerning(
  wake: Wake,
  changes: readonly Change[],
  folder: string,
  hands: Hands,
): Promise<Change[]> {
  if (changes.length === 0) return [];
  const wanted = await documentsOf(wake, folder, hands);
  return changes.filter(({ documentId }) => wanted === undefined || wanted.has(documentId));
}

async function documentsOf({ documents, documentsOf: of }: Wake, folder: string, hands: Hands) {
  if (documents !== undefined) return new Set(documents);
  return of && new Set(documentsIn(await exported(of, folder, hands)));
}

/** A stack's state, as `pulumi stack export` prints it. */
export function exported({ stack, cwd }: StackPlace, folder: string, hands: Pick<Hands, "output">): Promise<string> {
  return hands.output(["pulumi", "stack", "export", "--stack", stack, "--non-interactive"], resolve(folder, cwd));
}

/** Wakes whoever it is; an error says why that failed, and it is tried again. */
export async function deliver(
  { run, cwd = ".", webhook }: Wake,
  changes: readonly Change[],
  folder: string,
  hands: Hands,
) {
  if (webhook !== undefined) {
    const status = await hands.post(webhook, JSON.stringify({ changes }));
    if (status < 200 || status > 299) throw new Error(`expected 2xx of the webhook, got ${status}`);
    return;
  }
  const ids = [...new Set(changes.map(({ documentId }) => documentId))].join(",");
  const code = await hands.run(run ?? [], resolve(folder, cwd), { DOCSIGN_CHANGED: ids });
  if (code !== 0) throw new Error(`expected \`${run?.join(" ")}\` to end with 0, got ${code}`);
}
