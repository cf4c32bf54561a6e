import type { IncomingMessage, ServerResponse } from "node:http";
import { isOwnAddress } from "../../commands/ui/served.js";
import { own } from "../../kit/records.js";
import { messageOf } from "../../kit/text.js";
import type { SandboxContext } from "../context.js";
import { Fields, jsonIn, notJson } from "../fields.js";
import { missingPage, pageAt } from "../page/page.js";
import { notFound, Refusal } from "../refusal.js";
import { downloads } from "../routes/files.js";
import { idFrom, payload, pdf, type RouteResponse, refused, send } from "../routes/route.js";
import type { Sandbox } from "../sandbox.js";
import { readBody, type Target } from "../server.js";
import { actions, views } from "./actions.js";

const CONTROL_PREFIX = "/_sandbox/";

/** The library's calls over HTTP, for demos, for tests in other languages, and for the page that is drawn from them. */
export class Control {
  /** Pages that are open. */
  readonly #watching = new Set<ServerResponse>();
  #changes = 0;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly context: SandboxContext,
  ) {}

  /** Whether a request is for the control surface or its page, not for the service. */
  takes(request: IncomingMessage, { path }: Target): boolean {
    // Who opens the sandbox's address in a browser means the page; to programs it stays an address that isn't there.
    return path.startsWith(CONTROL_PREFIX) || (path === "/" && request.method === "GET" && wantsHtml(request));
  }

  async answer(request: IncomingMessage, response: ServerResponse, { path, query }: Target): Promise<void> {
    const name = path.slice(CONTROL_PREFIX.length);
    try {
      refuseForeignPages(request, this.sandbox.host);
      if (path === "/" || name === "" || name === "page") send(response, seeOther(`${CONTROL_PREFIX}page/inbox`));
      else if (request.method === "GET" && name === "events") this.#watch(response);
      else send(response, await this.#answerTo(request, name, query));
    } catch (error) {
      send(response, refused(error instanceof Refusal ? error : new Refusal(400, "control_failed", messageOf(error))));
    }
  }

  /** Says that something can be seen that couldn't be seen before. */
  changed(): void {
    this.#changes += 1;
    for (const response of this.#watching) response.write(`event: change\ndata: ${this.#changes}\n\n`);
  }

  /** Server-sent events, until the reader goes away. */
  #watch(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(`retry: 1000\nevent: change\ndata: ${this.#changes}\n\n`);
    this.#watching.add(response);
    response.on("close", () => this.#watching.delete(response));
  }

  async #answerTo(request: IncomingMessage, name: string, query: URLSearchParams): Promise<RouteResponse> {
    const { sandbox, context } = this;
    if (request.method === "GET") {
      const view = own(views, name);
      if (view) return payload(200, view(sandbox));
      const [folder, ...rest] = name.split("/");
      if (folder === "files") {
        const found = downloadOf(context, rest);
        if (found) return found;
      }
      const page = folder === "page" && (await pageAt(rest, { sandbox, context, query }));
      if (page) return page;
      if (wantsHtml(request)) return missingPage({ sandbox, context, query });
    }
    const action = request.method === "POST" ? own(actions, name) : undefined;
    if (!action) throw notFound(`${request.method} ${CONTROL_PREFIX}${name}`);
    const given = jsonIn((await readBody(request)) || "{}");
    if (given === undefined) throw notJson();
    const fields = new Fields(given, "", [], true);
    const act = action(fields, sandbox);
    fields.refuseIfWrong();
    const answer = await act();
    await sandbox.save();
    this.changed();
    return payload(200, answer ?? null);
  }
}

const wantsHtml = (request: IncomingMessage): boolean => /\btext\/html\b/.test(request.headers.accept ?? "");

const seeOther = (location: string): RouteResponse => ({ status: 303, headers: { location }, body: Buffer.alloc(0) });

/** Looking from here leaves no request in the history, and needs no key. */
function downloadOf(context: SandboxContext, [id = "", name = ""]: readonly string[]): RouteResponse | undefined {
  const file = context.store.files.find(one => one.id === idFrom(id));
  const download = own(downloads, name);
  const bytes = file && download?.isThere(file) ? download.bytes(context, file) : undefined;
  if (!file || !bytes) return undefined;
  const answer = pdf(bytes);
  if (name.endsWith(".asn1")) {
    answer.headers["Content-Type"] = "application/octet-stream";
    answer.headers["Content-Disposition"] = `attachment; filename="document-${file.documentId}-v${file.version}.asn1"`;
  }
  const headers = { ...answer.headers, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" };
  return { ...answer, headers };
}

/**
 * Keeps pages of other sites from driving the sandbox through their reader's browser. Browsers name the page's origin in
 * every POST; programs such as curl name none, and are let through.
 */
function refuseForeignPages(request: IncomingMessage, listensOn: string): void {
  const { host = "", origin } = request.headers;
  if (!isOwnAddress(host, listensOn)) {
    throw new Refusal(403, "foreign_host", `expected this machine's address in the header Host, got ${host}`);
  }
  if (origin === undefined) return;
  if (URL.parse(origin)?.host !== host) {
    throw new Refusal(403, "foreign_origin", `expected a request of the sandbox's own page, got one of ${origin}`);
  }
  // What a form of another site could send would be of another type.
  if (request.method === "POST" && !/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new Refusal(415, "not_json", "expected Content-Type application/json from a page");
  }
}
