import type { SeenRequest } from "../history.js";
import type { Match } from "./fault.js";

/** Tells whether a request fits, counting those that do so that `nth` can pick one. */
export function matcher(match: Match = {}): (request: SeenRequest) => boolean {
  const path = match.path === undefined ? undefined : new RegExp(match.path);
  let fitting = 0;
  return request => {
    const fits =
      (match.route === undefined || match.route === request.route) &&
      (match.method === undefined || match.method.toUpperCase() === request.method) &&
      (path === undefined || path.test(request.path)) &&
      (match.reusedSocket === undefined || match.reusedSocket === request.reusedSocket) &&
      (match.where === undefined || match.where(request));
    if (!fits) return false;
    fitting += 1;
    return match.nth === undefined || match.nth === fitting;
  };
}
