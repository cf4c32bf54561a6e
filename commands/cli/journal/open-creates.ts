import type { ListedDocument } from "../../../provider/client/service.js";
import { nameHash } from "../../../provider/resources/document/state.js";
import { kindOf, type OpenAttempt } from "../../../provider/resources/journal/contract.js";
import type { Runtime } from "../../../provider/runtime.js";

/** A create without a confirmed outcome, and what is known of it. */
export interface OpenCreate extends Pick<OpenAttempt, "token" | "urn" | "service" | "startedAt"> {
  readonly since: string;
  readonly lasts?: number | undefined;
  readonly answered: boolean;
  readonly hints: readonly string[];
  readonly said?: string | undefined;
  /** Who said it. */
  readonly saidBy?: string | undefined;
  /** Documents of its name that no resource holds; undefined where its service wasn't asked. */
  readonly candidates?: readonly Candidate[] | undefined;
}

type Candidate = Pick<ListedDocument, "id" | "status" | "createdAt">;

export async function openCreates(runtime: Runtime): Promise<{ creates: OpenCreate[]; notes: string[] }> {
  const attempts = await runtime.journal().open();
  const notes: string[] = [];
  const origin = runtime.context.origin();
  const isAsked = attempts.some(({ service }) => service === origin);
  const rows = isAsked
    ? await runtime.context
        .service()
        .listDocuments({})
        .then(({ rows: all }) => all)
        .catch((error: Error) => void notes.push(`the service can't be asked: ${error.message}`))
    : undefined;
  const creates = attempts.map(
    async ({ token, urn, service, startedAt, serviceTime, lasts, answered, hints, said, saidBy, name }) => ({
      ...{ token, urn, service, startedAt, lasts, answered: answered === true, hints, said, saidBy },
      since: new Date(serviceTime ?? startedAt).toISOString(),
      candidates:
        service === origin && rows && kindOf(urn) === "document"
          ? await free(
              runtime,
              service,
              rows.filter(row => nameHash(row.name) === name),
            )
          : undefined,
    }),
  );
  return { creates: await Promise.all(creates), notes };
}

async function free(runtime: Runtime, service: string, rows: readonly ListedDocument[]): Promise<Candidate[]> {
  const owners = await Promise.all(rows.map(({ id }) => runtime.journal().owner(service, id)));
  return rows
    .filter((_, nth) => owners[nth] === undefined || owners[nth]?.released === true)
    .map(({ id, status, createdAt }) => ({ id, status, createdAt }));
}
