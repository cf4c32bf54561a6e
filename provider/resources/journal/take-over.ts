import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { type Entry, reminder } from "./entry.js";
import { tokenOf } from "./names.js";

const held = z.object({
  id: z.string(),
  fingerprint: z.string().optional(),
  supersedes: z.array(z.string()),
  settled: z.boolean(),
  givenUp: z.boolean(),
});

const page = z.object({
  version: z.literal(1),
  service: z.string(),
  urn: z.string(),
  backend: z.string().optional(),
  intent: z
    .object({
      fingerprint: z.string(),
      name: z.string(),
      sha256: z.string(),
      invitees: z.string(),
      description: z.string(),
      startedAt: z.number(),
      marker: z.string().optional(),
    })
    .optional(),
  things: z.array(held),
});

const sent = z.object({ urn: z.string(), rows: z.array(reminder) });

/** Of a deployment before this version's. */
const EARLIER = "earlier";

/**
 * What version 0.1 kept, as this one's first line: `<service>/urns/*.json` for each resource, `<service>/gone/<id>` for
 * what was let go of and `<service>/reminders/*.json`. Nothing where there is nothing. The files stay as they are.
 */
export function earlierFormat(folder: string, plain: (backend: string) => string): string | undefined {
  const first = { op: "snapshot", version: 1, attempts: [], owned: [], reminders: [] } as Snapshot;
  for (const root of entriesIn(folder).filter(isFolder)) addService(first, join(folder, root.name), plain);
  return first.attempts.length + first.owned.length + first.reminders.length > 0 ? JSON.stringify(first) : undefined;
}

type Snapshot = Extract<Entry, { op: "snapshot" }>;

function addService(to: Snapshot, root: string, plain: (backend: string) => string): void {
  const places = new Map<string, { service: string; urn: string; backend?: string }>();
  for (const path of filesIn(join(root, "urns"))) {
    const { service, urn, backend, intent, things } = read(path, page) ?? { things: [] };
    if (service === undefined || urn === undefined) continue;
    const place = { service, urn, ...(backend === undefined ? {} : { backend: plain(backend) }) };
    places.set(basename(path), place);
    const about = { run: EARLIER, supersedes: [], hints: [] };
    if (intent) to.attempts.push({ ...place, ...intent, ...about, token: tokenOf(service, urn) });
    for (const { settled, givenUp, ...thing } of things)
      to.owned.push({ ...place, ...thing, run: EARLIER, shown: settled, replaced: givenUp });
  }
  const [any] = places.values();
  for (const path of any ? filesIn(join(root, "gone")) : []) {
    const about = { service: any?.service ?? "", urn: "", id: basename(path), run: EARLIER, supersedes: [] };
    to.owned.push({ ...about, shown: true, replaced: false, released: Date.now() });
  }
  for (const path of filesIn(join(root, "reminders"))) {
    const place = places.get(basename(path));
    const rows = read(path, sent)?.rows;
    if (place && rows) to.reminders.push({ ...place, at: Date.now(), rows });
  }
}

function read<T>(path: string, as: z.ZodType<T>): T | undefined {
  try {
    return as.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}

const isFolder = (entry: Dirent): boolean => entry.isDirectory();
const filesIn = (folder: string): string[] => entriesIn(folder).map(({ name }) => join(folder, name));

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
