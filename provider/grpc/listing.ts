import { type Rpc, rpc } from "../engine/proto.js";
import { UnimplementedError, UnknownTokenError } from "../engine/status.js";
import { hasUnknown } from "../schema/values.js";
import type { Provider } from "./provider.js";
import type { Session } from "./session.js";

/** List: what exists at the service, for `pulumi do … list`. */
export const listing = (provider: Provider, session: Session) =>
  session.streaming(async (request: Rpc.ListRequest, context): Promise<Rpc.ListResponse[]> => {
    const token = request.getToken();
    const resource = provider.resource(token);
    if (!resource) throw new UnknownTokenError("resource", token, provider.tokens?.resources);
    if (!resource.list) throw new UnimplementedError(`${token} can't be listed: the service has no list of them`);
    const query = context.open(request.getQuery()).values;
    if (hasUnknown(query)) return [new rpc.ListResponse().setComputed(new rpc.ListResponse.Computed())];
    const page = await resource.list(context.call(""), {
      query,
      limit: smallest(request.getLimit(), request.getPageSize()),
      token: request.getContinuationToken(),
    });
    const rows = page.found.map(({ id, name }) =>
      new rpc.ListResponse().setResult(new rpc.ListResponse.Result().setId(id).setName(name)),
    );
    if (page.next === "") return rows;
    const more = new rpc.ListResponse.Continuation().setContinuationToken(page.next);
    return [...rows, new rpc.ListResponse().setContinuation(more)];
  });

/** Below 1 neither the limit nor the page size means anything. */
const smallest = (...limits: readonly number[]): number => {
  const meant = limits.filter(limit => limit > 0);
  return meant.length === 0 ? 0 : Math.min(...meant);
};
