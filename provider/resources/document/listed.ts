import { CancelledError, NotFoundError, RefusedError, ServiceError } from "../../client/errors.js";
import type { ListedDocument, Service } from "../../client/service.js";

type Row = Pick<ListedDocument, "id" | "name" | "description" | "createdAt">;

export interface Listed {
  readonly listed: readonly Row[];
  /** Why some place to look couldn't be asked. Without it, nothing found is a proof. */
  readonly unasked: Error | undefined;
}

const DAY_MS = 24 * 3_600_000;

/**
 * The list may be cut into pages and ordered in any way (the interface doesn't show either), so what was created
 * between two times is asked for by date as well. A service without date ranges says so with a clear no; any other
 * failure leaves open what they would have shown.
 */
export async function listedSince(
  service: Service,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<Listed> {
  let unasked: Error | undefined;
  const { rows: listed } = await service.listDocuments({}, { signal });
  const range = { fromDate: dateOf(from - DAY_MS), toDate: dateOf(to + DAY_MS) };
  const dated = await Promise.all(
    (["unsigned", "partially_signed", "signed"] as const).map(status =>
      service.listDocumentsByDateRange({ ...range, status }, { signal }).then(
        ({ rows }) => rows,
        (error: unknown) => {
          if (!(error instanceof ServiceError) || error instanceof CancelledError) throw error;
          if (!(error instanceof NotFoundError || error instanceof RefusedError)) unasked ??= error;
          return [];
        },
      ),
    ),
  );
  const all = new Map<string, Row>([...dated.flat(), ...listed].map(document => [document.id, document]));
  return { listed: [...all.values()], unasked };
}

const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
