import type { SeenRequest } from "../history.js";
import type { Match } from "./fault.js";

/** Tells whether a request fits, counting those that do so that `nth` can pick one. */
export function matcher(match: Match = {}): (request: SeenRequest) => boolean {
  const fitsPath = pathMatcher(match.path);
  let fitting = 0;
  return request => {
    const fits =
      (match.route === undefined || match.route === request.route) &&
      (match.method === undefined || match.method.toUpperCase() === request.method) &&
      fitsPath(request.path) &&
      (match.reusedSocket === undefined || match.reusedSocket === request.reusedSocket) &&
      (match.where === undefined || match.where(request));
    if (!fits) return false;
    fitting += 1;
    return match.nth === undefined || match.nth === fitting;
  };
}

/** A text is a glob of the whole path: `*` is any part of it. It takes time in proportion to the path, whatever it is. */
function pathMatcher(path: RegExp | string | undefined): (path: string) => boolean {
  if (path === undefined) return () => true;
  if (typeof path !== "string") return given => new RegExp(path).test(given);
  const [first = "", ...rest] = path.split("*");
  const last = rest.pop();
  if (last === undefined) return given => given === path;
  return given => {
    if (!given.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = given.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return given.length - last.length >= at && given.endsWith(last);
  };
}
