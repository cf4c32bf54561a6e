import { NotFoundError } from "../../client/errors.js";
import type { Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import { type Call, UserError } from "../resource.js";

/**
 * Whether a 404 means that the document is gone. Another account's key, a wrong address or a list that lags would say
 * the same, and forgetting a document that lives means mailing everyone again: so the 404 has to be the service's own,
 * of a document old enough to be seen, while the same key sees other documents of the same owner.
 */
export async function isGone(error: NotFoundError, outputs: Values, context: Context, call: Call): Promise<boolean> {
  if (!error.json) return false;
  const service = context.service();
  const createdAt = Date.parse(String(outputs["createdAt"] ?? ""));
  const now = (service.now() ?? new Date(context.clock.now())).getTime();
  if (!(now - createdAt > context.policy().reconcileTimeoutMs)) return false;
  const { ownerId } = outputs;
  if (typeof ownerId !== "string") return false;
  const listed = await service.listDocuments({}, { signal: call.signal }).then(
    ({ rows }) => rows,
    (failed: unknown) => {
      // A list that isn't there either: below this address is no such service.
      if (failed instanceof NotFoundError) return [];
      throw failed;
    },
  );
  return (
    listed.some(document => document.ownerId === ownerId) &&
    !listed.some(document => document.id === outputs["documentId"])
  );
}

export function notShown(id: string, urn: string, imported: boolean, cause: NotFoundError): UserError {
  if (imported) {
    return new UserError(
      `document ${id} can't be imported: the service doesn't show it to this account. Check the id, docsign:baseUrl and whose key is configured.\n  ${cause.message}`,
    );
  }
  return new UserError(
    [
      `the service doesn't show document ${id}, and nothing proves that it is gone, so state keeps it: forgetting a document that lives would mail everyone again.`,
      `  ${cause.message}`,
      "Check docsign:baseUrl and that the key belongs to the account that owns the document.",
      `If the document is really gone: pulumi state delete '${urn}'`,
    ].join("\n"),
  );
}
