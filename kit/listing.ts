import { EMPTY, SERVICE } from "./messages.js";
import type { Provider } from "./provider.js";
import type { Session } from "./session.js";
import { UnimplementedError, UnknownTokenError } from "./status.js";
import { hasUnknown } from "./values.js";
import { Writer } from "./wire.js";

/** List: what exists at the service, for `pulumi do … list`. */
export const listing = (provider: Provider, session: Session) =>
  session.method(SERVICE.list, async (request, context) => {
    const { token } = request;
    const resource = provider.resource(token);
    if (!resource) throw new UnknownTokenError(provider.name, "resource", token, provider.tokens?.resources);
    if (!resource.list) throw new UnimplementedError(`${token} can't be listed: the service has no list of them`);
    const query = context.open(request.query).values;
    if (hasUnknown(query)) return [new Writer().bytes(COMPUTED, EMPTY).finish()];
    const page = await resource.list(context.call(""), {
      query,
      limit: smallest(request.limit, request.pageSize),
      token: request.continuationToken,
    });
    const rows = page.found.map(({ id, name }) => {
      const writer = new Writer();
      const start = writer.begin(RESULT);
      return writer.text(1, id).text(2, name).end(start).finish();
    });
    if (page.next === "") return rows;
    const writer = new Writer();
    const start = writer.begin(CONTINUATION);
    return [...rows, writer.text(1, page.next).end(start).finish()];
  });

/** `ListResponse`: one of the three. */
const COMPUTED = 1;
const RESULT = 2;
const CONTINUATION = 3;

/** Below 1 neither the limit nor the page size means anything. */
const smallest = (...limits: readonly number[]): number => {
  const meant = limits.filter(limit => limit > 0);
  return meant.length === 0 ? 0 : Math.min(...meant);
};
