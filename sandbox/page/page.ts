import type { Html } from "../../commands/ui/html.js";
import { type Asset, asset } from "../../commands/ui/served.js";
import type { SandboxContext } from "../context.js";
import { idFrom, type RouteResponse } from "../routes/route.js";
import type { Sandbox } from "../sandbox.js";
import { documentView } from "./document.js";
import { documentsView } from "./documents.js";
import { faultsView } from "./faults.js";
import { inboxView } from "./inbox.js";
import { layout, missingView, type View } from "./layout.js";
import { mailView } from "./mail.js";
import { redlineView } from "./redline.js";
import { requestsView } from "./requests.js";

/** What the views are drawn from. They read; whatever changes something goes through the control surface. */
export interface Scene {
  readonly sandbox: Sandbox;
  readonly context: SandboxContext;
  readonly query: URLSearchParams;
}

/** What is below `/_sandbox/page/`. */
export async function pageAt(path: readonly string[], scene: Scene): Promise<RouteResponse | undefined> {
  const [place] = path;
  if (place === "sandbox.js") return assetResponse("text/javascript", place);
  if (place === "style.css") return assetResponse("text/css", place);
  const view = await viewAt(path, scene);
  return view && htmlResponse(layout(scene, view));
}

/** For an address that has no view. */
export const missingPage = (scene: Scene): RouteResponse => ({
  ...htmlResponse(layout(scene, missingView())),
  status: 404,
});

function viewAt(
  [place, id, part, number]: readonly string[],
  scene: Scene,
): View | Promise<View | undefined> | undefined {
  switch (place) {
    case "inbox":
      return id === undefined ? inboxView(scene) : mailView(scene, idFrom(id));
    case "documents":
      if (id === undefined) return documentsView(scene);
      if (part === "versions" && number !== undefined) return redlineView(scene, idFrom(id), idFrom(number));
      return documentView(scene, idFrom(id));
    case "requests":
      return requestsView(scene);
    case "faults":
      return faultsView(scene);
    default:
      return undefined;
  }
}

/** Nothing but the sandbox's own files is loaded, and no other page may frame this one. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "object-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const htmlResponse = (page: Html): RouteResponse => ({
  status: 200,
  headers: {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  },
  body: Buffer.from(page.text),
});

const assetResponse = (type: string, name: Asset): RouteResponse => ({
  status: 200,
  headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "no-cache" },
  body: Buffer.from(asset(name)),
});
