import { chance, seedFrom, shuffled } from "./chance.js";
import { dayOf, isDay } from "./clock.js";
import { createAnswers } from "./created.js";
import { type Holdings, type Lag, sha256Of } from "./holdings.js";
import { readNewDocument, Unfit } from "./intake.js";
import { isObject, type Json } from "./json.js";
import { Looks } from "./looks.js";
import { type Account, type DocumentRecord, statusOf } from "./records.js";
import type { Operation, RequestRecord } from "./requests.js";
import { type HttpResponse, nothing, refusal, say, text } from "./response.js";

const KNOWN_STATUSES = ["signed", "unsigned", "partially_signed"];

interface Call {
  request: RequestRecord;
  /** The body with the PDF still in it. */
  body: Json;
  account: Account;
  lag: Lag;
}

/** What the service does when it is well: sections 3 to 5 and 8 of the interface. */
export class Service {
  readonly #looks: Looks;

  constructor(
    private readonly holdings: Holdings,
    private readonly origin: () => string,
    private readonly seed: number,
  ) {
    this.#looks = new Looks(holdings.dialect, origin);
  }

  /** Whose key or token this is; the label goes into the record, whatever the answer. */
  identify(request: RequestRecord): Account | undefined {
    if (request.operation === "apiKey") {
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
      const session = token === undefined ? undefined : this.holdings.tokens.get(token);
      return session && session.until > this.holdings.clock.now() ? this.holdings.account(session.account) : undefined;
    }
    const key = request.headers["x-api-key"];
    return this.holdings.accounts.find(account => account.apiKey === key);
  }

  answer(request: RequestRecord, body: Json, lag: Lag): HttpResponse {
    const { refusesEvery, retryAfter } = this.holdings.dialect;
    if (request.number % refusesEvery === 0) {
      const refused = this.#refuse(429, "slow_down");
      return { ...refused, headers: { ...(retryAfter !== undefined && { "retry-after": retryAfter }) } };
    }
    try {
      return this.#route(request, body, lag);
    } catch (error) {
      if (error instanceof Unfit) return this.#refuse(422, error.message);
      throw error;
    }
  }

  #route(request: RequestRecord, body: Json, lag: Lag): HttpResponse {
    const { operation } = request;
    if (operation === "unknown") return this.#refuse(404, "no_such_route");
    if (operation === "download") return this.#download(request);
    if (operation === "login" || operation === "createDocument" || operation === "createFolder") {
      const type = request.headers["content-type"] ?? "";
      if (!/^application\/json\s*(;|$)/i.test(type)) return this.#refuse(415, "json_expected");
      if (!isObject(body)) return this.#refuse(400, "body_unreadable");
    }
    if (operation === "login") return this.#login(body);
    const account = this.identify(request);
    if (operation === "timestamp") return this.#timestampPdf(request);
    if (!account) return this.#refuse(401, "who_are_you");
    return this.#data[operation]({ request, body, account, lag });
  }

  readonly #data: Record<
    Exclude<Operation, "unknown" | "download" | "login" | "timestamp">,
    (call: Call) => HttpResponse
  > = {
    apiKey: ({ account }) => say(200, { ok: true, payload: { api_key: account.apiKey } }),
    createDocument: call => this.#createDocument(call),
    getDocument: call => this.#getDocument(call),
    listDocuments: call => this.#listDocuments(call),
    listByDateRange: call => this.#listByDateRange(call),
    remind: call => this.#remind(call),
    createFolder: call => this.#createFolder(call),
  };

  #login(body: Json): HttpResponse {
    const { email, password } = isObject(body) ? body : {};
    const account = this.holdings.accounts.find(one => one.email === email && one.password === password);
    if (!account) return this.#refuse(401, "login_failed");
    const until = this.holdings.clock.now() + this.holdings.dialect.tokenLifeMs;
    const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString("base64url");
    const claims = part({ sub: account.userId, exp: Math.floor(until / 1000), n: this.holdings.tokens.size });
    const token = `${part({ alg: "HS256", typ: "JWT" })}.${claims}.${sha256Of(claims).slice(0, 43)}`;
    this.holdings.tokens.set(token, { account: account.label, until });
    return say(200, { token, expiration: Math.floor(until / 1000) });
  }

  #createDocument({ request, body, account, lag }: Call): HttpResponse {
    const wanted = readNewDocument(body, this.holdings, account.label);
    const document = this.holdings.createDocument(account, wanted, request.number, lag);
    request.made.document = document.id;
    const { createAnswer, createStatus } = this.holdings.dialect;
    return createAnswers(this.#looks, document, createStatus, this.origin())[createAnswer]();
  }

  #getDocument({ request, account }: Call): HttpResponse {
    const id = /^\/v1\/documents\/([1-9]\d*)$/.exec(request.path)?.[1];
    const document = this.holdings.documents.find(one => one.id === id);
    if (document && document.account !== account.label) {
      return this.#refuse(this.holdings.dialect.foreign, "no_such_document");
    }
    if (!document || !this.#isSeen(document, "get")) return this.#refuse(404, "no_such_document");
    const { reads } = this.holdings.dialect;
    const nth = ++document.reads;
    if (reads === "403-always") return this.#refuse(403, "not_yours");
    const isMissed = reads === "404-always" || (reads === "404-first" ? nth === 1 : nth % 3 === 0);
    if (reads.startsWith("404") && isMissed) return this.#refuse(404, "no_such_document");
    const other = this.holdings.documents.find(one => one.account === account.label && one !== document);
    const shown = reads === "another-document" && other ? other : document;
    return say(200, { ok: true, payload: this.#looks.document(shown) });
  }

  #listDocuments({ request, account }: Call): HttpResponse {
    const folder = digits(request.query, "folder_id");
    const organization = digits(request.query, "organization_id");
    const found = this.#seenBy(account, folder !== undefined).filter(
      document =>
        (folder === undefined || document.folderId === folder) &&
        (organization === undefined || document.organization?.id === organization),
    );
    return say(200, { ok: true, payload: this.#page(found, request).map(one => this.#looks.row(one)) });
  }

  #listByDateRange({ request, account }: Call): HttpResponse {
    const from = request.query.get("from_date") ?? "";
    const to = request.query.get("to_date") ?? "";
    const status = request.query.get("status");
    const { dayOffset, toDate } = this.holdings.dialect;
    if (!isDay(from) || !isDay(to)) throw new Unfit("dates_unfit");
    if (status === null || !KNOWN_STATUSES.includes(status)) throw new Unfit("status_unfit");
    const found = this.#seenBy(account).filter(document => {
      const day = dayOf(document.createdAt, dayOffset);
      const inRange = day >= from && (toDate === "inclusive" ? day <= to : day < to);
      return inRange && statusOf(document) === status;
    });
    const items = this.#page(found, request).map(document => this.#looks.dateRangeItem(document, account));
    return say(200, { ok: true, payload: items });
  }

  #remind({ request, account }: Call): HttpResponse {
    const { reminderMethod, reminderAnswer } = this.holdings.dialect;
    const accepted = reminderMethod === "both" ? ["POST", "GET"] : [reminderMethod];
    if (!accepted.includes(request.method)) return this.#refuse(405, "not_that_way");
    const id = /^\/v1\/invitations\/([1-9]\d*)\/reminder$/.exec(request.path)?.[1];
    for (const document of this.holdings.documents) {
      const invitation = document.invitations.find(one => one.id === id);
      if (!invitation || document.account !== account.label || document.removedAt !== null) continue;
      if (reminderAnswer === "501") return this.#refuse(501, "not_offered");
      if (reminderAnswer === "302") return nothing(302, { location: `${this.origin()}/sign_in` });
      if (reminderAnswer === "not-ok") return say(200, { ok: false });
      this.holdings.mail("reminder", document, invitation, request.number);
      request.made.reminded = invitation.id;
      return reminderAnswer === "sent" ? nothing(204) : say(200, { ok: true });
    }
    return this.#refuse(404, "no_such_invitation");
  }

  #createFolder({ request, body, account }: Call): HttpResponse {
    const name = isObject(body) ? body["name"] : undefined;
    if (typeof name !== "string" || name === "") throw new Unfit("name_missing");
    const folder = this.holdings.createFolder(account, name, request.number);
    request.made.folder = folder.id;
    return say(this.holdings.dialect.createStatus, { ok: true, payload: this.#looks.folder(folder, account) });
  }

  #download(request: RequestRecord): HttpResponse {
    const { downloads } = this.holdings.dialect;
    const [, , kind, versionId, file] = request.path.split("/");
    if (downloads === "missing") return this.#refuse(404, "no_such_file");
    if (downloads === "key" && !this.identify(request)) return this.#refuse(401, "who_are_you");
    if (downloads === "redirect" && !request.query.has("again")) return nothing(302, { location: "?again=1" });
    const version = this.holdings.documents.flatMap(one => one.versions).find(one => one.id === versionId);
    const bytes = version && this.holdings.blobs.get(version.pdf.sha256);
    if (!version || !bytes) return this.#refuse(404, "no_such_file");
    if (kind === "original" && file === `${version.pdf.sha256}.pdf`) return text(200, "application/pdf", bytes);
    if (kind !== "signed" || file !== `${version.sha256Signed}.pdf`) return this.#refuse(404, "no_such_file");
    return text(200, "application/pdf", Buffer.concat([bytes, Buffer.from("% signed\n")]));
  }

  #timestampPdf(request: RequestRecord): HttpResponse {
    const { certificates } = this.holdings.dialect;
    if (certificates === "never") return this.#refuse(404, "no_such_certificate");
    if (certificates === "key" && !this.identify(request)) return this.#refuse(401, "who_are_you");
    if (certificates === "elsewhere") return nothing(302, { location: `https://chain.elsewhere.test${request.path}` });
    const sha256 = /([0-9a-f]{64})\.pdf$/.exec(request.path)?.[1];
    const ready = this.holdings.documents
      .flatMap(document => document.versions)
      .some(version => version.chain === "sended" && version.sha256Signed === sha256);
    if (!ready) return this.#refuse(404, "no_such_certificate");
    return text(200, "application/pdf", `%PDF-1.7 certificate of ${sha256}\n`);
  }

  #seenBy(account: Account, inFolder = false): DocumentRecord[] {
    const { unlisted, listedMs } = this.holdings.dialect;
    const now = this.holdings.clock.now();
    return this.holdings.documents.filter(
      one =>
        one.account === account.label &&
        now - one.createdAt <= listedMs &&
        this.#isSeen(one, "list") &&
        (unlisted !== "unknown-status" || KNOWN_STATUSES.includes(statusOf(one))) &&
        (unlisted !== "in-a-folder" || inFolder || one.folderId === null),
    );
  }

  /** Each look wears the lag off by one. */
  #isSeen(document: DocumentRecord, list: keyof Lag): boolean {
    if (document.removedAt !== null) return false;
    if (document.unseen[list] <= 0) return true;
    document.unseen[list]--;
    return false;
  }

  #page(documents: DocumentRecord[], request: RequestRecord): DocumentRecord[] {
    const { pageSize, repeatsRows } = this.holdings.dialect;
    const page = this.#ordered(documents, request).slice(0, pageSize);
    return repeatsRows ? page.flatMap(document => [document, document]) : page;
  }

  #ordered(documents: DocumentRecord[], request: RequestRecord): DocumentRecord[] {
    const { order } = this.holdings.dialect;
    if (order === "shuffled") return shuffled(documents, chance(seedFrom(this.seed, request.number)));
    return order === "newest" ? documents.toReversed() : documents;
  }

  #refuse(status: number, code: string): HttpResponse {
    return refusal(this.holdings.dialect, status, code);
  }
}

function digits(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  if (value !== null && !/^\d+$/.test(value)) throw new Unfit(`${name}_unfit`);
  return value ?? undefined;
}
