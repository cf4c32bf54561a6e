import type { IncomingMessage, ServerResponse } from "node:http";
import { isOwnAddress } from "../../commands/ui/served.js";
import { messageOf } from "../../kit/text.js";
import type { SandboxContext } from "../context.js";
import type { FileRecord } from "../entities.js";
import { Fields, jsonIn, notJson } from "../fields.js";
import { openPage } from "../page/page.js";
import { notFound, Refusal } from "../refusal.js";
import { certificatePdf } from "../routes/files.js";
import { idFrom, payload, pdf, type RouteResponse, refused, send } from "../routes/route.js";
import type { Sandbox } from "../sandbox.js";
import { readBody, type Target } from "../server.js";
import { signedContent } from "../signing.js";
import { actions, views } from "./actions.js";

const CONTROL_PREFIX = "/_sandbox/";

export interface Control {
  /** Whether a request is for the control surface or its page, not for the service. */
  takes(request: IncomingMessage, target: Target): boolean;
  answer(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void>;
  /** Says that something can be seen that couldn't be seen before. */
  changed(): void;
}

/** The library's calls over HTTP, for demos, for tests in other languages, and for the page that is drawn from them. */
export function openControl(sandbox: Sandbox, context: SandboxContext): Control {
  const changes = new Changes();
  const page = openPage(sandbox, context);

  async function answerTo(request: IncomingMessage, name: string, query: URLSearchParams): Promise<RouteResponse> {
    if (request.method === "GET") {
      const [folder = "", ...rest] = name.split("/");
      const view = Object.hasOwn(views, name) ? views[name] : undefined;
      if (view) return payload(200, view(sandbox));
      const found =
        folder === "files" ? downloadOf(context, rest) : folder === "page" ? await page(rest, query) : undefined;
      if (found) return found;
      if (wantsHtml(request)) return page.missing();
    }
    const action = request.method === "POST" && Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!action) throw notFound(`${request.method} ${CONTROL_PREFIX}${name}`);
    const given = jsonIn((await readBody(request)) || "{}");
    if (given === undefined) throw notJson();
    const fields = new Fields(given, "", [], true);
    const act = action(fields, sandbox);
    fields.refuseIfWrong();
    const answer = await act();
    await sandbox.save();
    changes.tell();
    return payload(200, answer ?? null);
  }

  return {
    takes: (request, { path }) => path.startsWith(CONTROL_PREFIX) || wantsThePage(request, path),
    changed: () => changes.tell(),
    async answer(request, response, { path, query }) {
      const name = path.slice(CONTROL_PREFIX.length);
      const answer = await attempted(async () => {
        refuseForeignPages(request, sandbox.host);
        if (path === "/" || name === "" || name === "page") return seeOther(`${CONTROL_PREFIX}page/inbox`);
        if (request.method === "GET" && name === "events") return changes.stream(response);
        return answerTo(request, name, query);
      });
      if (answer) send(response, answer);
    },
  };
}

/** Who opens the sandbox's address in a browser means the page; to programs it stays an address that isn't there. */
const wantsThePage = (request: IncomingMessage, path: string): boolean =>
  path === "/" && request.method === "GET" && wantsHtml(request);

const wantsHtml = (request: IncomingMessage): boolean => /\btext\/html\b/.test(request.headers.accept ?? "");

const seeOther = (location: string): RouteResponse => ({ status: 303, headers: { location }, body: Buffer.alloc(0) });

async function attempted<T>(answer: () => Promise<T>): Promise<T | RouteResponse> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    return refused(new Refusal(400, "control_failed", messageOf(error)));
  }
}

// ---- Server-sent events ----

/** Tells pages that are open, as server-sent events, that there is something new to see. */
class Changes {
  readonly #open = new Set<ServerResponse>();
  #changes = 0;

  tell(): void {
    this.#changes += 1;
    for (const response of this.#open) response.write(`event: change\ndata: ${this.#changes}\n\n`);
  }

  /** Takes the response over until the reader goes away. */
  stream(response: ServerResponse): undefined {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(`retry: 1000\nevent: change\ndata: ${this.#changes}\n\n`);
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
    return undefined;
  }
}

// ---- Pages of other sites ----

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
  if (hostOf(origin) !== host) {
    throw new Refusal(403, "foreign_origin", `expected a request of the sandbox's own page, got one of ${origin}`);
  }
  // What a form of another site could send would be of another type.
  if (request.method === "POST" && !/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new Refusal(415, "not_json", "expected Content-Type application/json from a page");
  }
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

// ---- Downloads ----

/** What can be downloaded of a version. Looking from here leaves no request in the history, and needs no key. */
const downloads: Readonly<Record<string, (context: SandboxContext, file: FileRecord) => RouteResponse | undefined>> = {
  "original.pdf": (context, file) => asPdf(context.store.pdfs.get(file.sha256)),
  "signed.pdf": (context, file) => (file.signedEndedAt === null ? undefined : asPdf(signedContent(context, file))),
  "btc.pdf": (_, file) => (file.xmlBtcCert === null ? undefined : asPdf(certificatePdf(file, "Bitcoin"))),
  "eth.pdf": (_, file) => (file.xmlEthCert === null ? undefined : asPdf(certificatePdf(file, "Ethereum"))),
  "constancia.asn1": (_, file) =>
    file.constancia === null
      ? undefined
      : {
          status: 200,
          headers: {
            "Content-Type": "application/octet-stream",
            "Content-Disposition": `attachment; filename="document-${file.documentId}-v${file.version}.asn1"`,
          },
          body: Buffer.from(file.constancia, "base64"),
        },
};

function downloadOf(context: SandboxContext, [id = "", name = ""]: readonly string[]): RouteResponse | undefined {
  const file = context.store.files.find(one => one.id === idFrom(id));
  const make = Object.hasOwn(downloads, name) ? downloads[name] : undefined;
  const answer = file && make?.(context, file);
  return (
    answer && {
      ...answer,
      headers: { ...answer.headers, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" },
    }
  );
}

const asPdf = (bytes: Buffer | undefined): RouteResponse | undefined => bytes && pdf(bytes);
