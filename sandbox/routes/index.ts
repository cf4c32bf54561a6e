import { documentRoutes, folderRoutes, invitationRoutes } from "./documents.js";
import { storageRoutes, timestampRoutes } from "./files.js";
import { loginRoutes } from "./login.js";
import type { Route } from "./route.js";

const routes: readonly Route[] = [
  ...loginRoutes,
  ...documentRoutes,
  ...invitationRoutes,
  ...folderRoutes,
  ...timestampRoutes,
  ...storageRoutes,
];

export type RouteMatch = { route: Route; parameter: string } | { allow: string[] };

/** The route for a request, or the methods that its path does accept. */
export function findRoute(method: string, path: string): RouteMatch {
  const there = routes.filter(route => route.path.test(path));
  const route = there.find(one => one.methods.includes(method));
  if (route) return { route, parameter: decoded(route.path.exec(path)?.[1] ?? "") };
  return { allow: there.flatMap(one => one.methods) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
