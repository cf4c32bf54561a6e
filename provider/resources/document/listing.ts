import { type Asked, provesAbsence } from "../../client/completeness.js";
import {
  CancelledError,
  ForbiddenError,
  NotFoundError,
  RefusedError,
  ServiceError,
  ServiceFaultError,
} from "../../client/errors.js";
import type { DocumentStatusFilter, ListedDocument, Service } from "../../client/service.js";

import { RowsByName } from "./match.js";

export type Row = Pick<ListedDocument, "id" | "name" | "description" | "createdAt" | "status">;

/** What the service's lists show at one moment. */
export interface Snapshot {
  readonly rows: readonly Row[];
  readonly ids: ReadonlySet<string>;
  /** Rows whose name may be what the service made of this one. */
  named(name: string): readonly Row[];
  /** The rows of each list that shows all of its kind that were sent since then, if any does. */
  completeSince(asked: Asked): readonly (readonly Row[])[];
  /** Whether they prove that no document that somebody has signed was created since then but those in `rows`. */
  provesNoSignedSince(time: number): boolean;
}

const DAY_MS = 24 * 3_600_000;
const SIGNED = ["partially_signed", "signed"] as const;
const STATUSES = ["unsigned", ...SIGNED] as const;

export interface SnapshotOptions {
  /** Also without a list by date that can't be asked now: enough to find something, not to see what else is there. */
  readonly lenient?: boolean;
}

/**
 * Asks the list and, for the days between two times, the list by date: either may be cut, in any order, late or without
 * some rows, so each shows what is there, and only a complete one proves what isn't.
 */
export async function takeSnapshot(
  service: Service,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
  { lenient = false }: SnapshotOptions = {},
): Promise<Snapshot> {
  const range = { fromDate: dateOf(from - DAY_MS), toDate: dateOf(to + 2 * DAY_MS) };
  const byDate = (status: DocumentStatusFilter) =>
    service.listDocumentsByDateRange({ ...range, status }, { signal }).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error instanceof CancelledError) throw error;
      if (!lenient && !isNotOffered(error)) throw error;
      // It proves nothing.
      return undefined;
    });
  const [all, ...dated] = await Promise.all([service.listDocuments({}, { signal }), ...STATUSES.map(byDate)]);
  const rows = new Map<string, Row>();
  for (const listing of [...dated, all]) for (const row of listing?.rows ?? []) rows.set(row.id, row);
  const complete = (status: DocumentStatusFilter, { since, older }: Asked): boolean => {
    const listing = dated[STATUSES.indexOf(status)];
    const longest = service.longestSeen("documentsByDateRange");
    return listing !== undefined && since >= from && provesAbsence(listing, { since, older }, longest);
  };
  // A document with a status that the interface doesn't name is in no list by date: they are asked for by status.
  const isNamed = all.rows.every(({ status }) => (STATUSES as readonly string[]).includes(status));
  const allProves = ({ known, ...asked }: Asked) =>
    provesAbsence(all, { ...asked, known: known && [...known, ...rows.keys()] }, service.longestSeen("documents"));
  const byName = new RowsByName<Row>(() => rows.values());
  return {
    rows: [...rows.values()],
    ids: new Set(rows.keys()),
    named: name => byName.of(name),
    completeSince: asked => [
      ...(allProves(asked) ? [all.rows] : []),
      ...(isNamed && STATUSES.every(status => complete(status, asked)) ? [dated[0]?.rows ?? []] : []),
    ],
    provesNoSignedSince: since =>
      allProves({ since }) || (isNamed && SIGNED.every(status => complete(status, { since }))),
  };
}

/** The service says that it has no such list, or not for this account; any other failure may pass. */
const isNotOffered = (error: ServiceError): boolean =>
  error instanceof NotFoundError ||
  error instanceof ForbiddenError ||
  error instanceof RefusedError ||
  (error instanceof ServiceFaultError && error.status === 501);

const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
