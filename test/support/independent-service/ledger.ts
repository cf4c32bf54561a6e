import type { Holdings } from "./holdings.js";
import type { DocumentRecord, FolderRecord, Mail } from "./records.js";
import { type Matcher, matches, type RequestRecord } from "./requests.js";

/** `received`: the body is whole; `over`: answered, broken, hung or abandoned. */
export type Stage = "received" | "over";

interface Watch {
  matcher: Matcher | undefined;
  stage: Stage;
  left: number;
  tell: (request: RequestRecord) => void;
}

/** The history and what can be asked of it. It knows what really happened, not what was answered. */
export class Ledger {
  readonly #requests: RequestRecord[] = [];
  readonly #watches = new Set<Watch>();

  constructor(private readonly holdings: Holdings) {}

  enter(request: RequestRecord): void {
    this.#requests.push(request);
  }

  /** A request has come this far: those who wait for it may hear. */
  announce(stage: Stage, request: RequestRecord): void {
    for (const watch of this.#watches) {
      if (watch.stage !== stage || !matches(request, watch.matcher) || --watch.left > 0) continue;
      this.#watches.delete(watch);
      watch.tell(request);
    }
  }

  nextNumber(): number {
    return this.#requests.length + 1;
  }

  requests(matcher?: Matcher): RequestRecord[] {
    return this.#requests.filter(request => matches(request, matcher));
  }

  /** Settles when this many more matching requests, counted from now, have come this far. */
  whenSeen(matcher?: Matcher, { count = 1, stage = "received" as Stage } = {}): Promise<RequestRecord> {
    return new Promise(tell => {
      this.#watches.add({ matcher, stage, left: count, tell });
    });
  }

  /** Every document ever made, also those removed since. */
  documents(account?: string): DocumentRecord[] {
    return this.holdings.documents.filter(document => account === undefined || document.account === account);
  }

  /** What other people of the account had made before. */
  decoys(): DocumentRecord[] {
    return this.holdings.decoys;
  }

  documentCount(account?: string): number {
    return this.documents(account).length;
  }

  folders(account?: string): FolderRecord[] {
    return this.holdings.folders.filter(folder => account === undefined || folder.account === account);
  }

  mails(kind?: Mail["kind"]): Mail[] {
    return this.holdings.mails.filter(mail => kind === undefined || mail.kind === kind);
  }

  mailsTo(email: string, kind?: Mail["kind"]): Mail[] {
    return this.mails(kind).filter(mail => mail.to.toLowerCase() === email.toLowerCase());
  }

  /** Groups of documents that one account made more than once: same name, same PDF, same invitees in whatever order. */
  duplicates(): DocumentRecord[][] {
    const groups = new Map<string, DocumentRecord[]>();
    for (const document of this.holdings.documents) {
      const key = fingerprint(document);
      groups.set(key, [...(groups.get(key) ?? []), document]);
    }
    return [...groups.values()].filter(group => group.length > 1);
  }
}

function fingerprint({ account, name, uploadedSha256, invitations }: DocumentRecord): string {
  const invitees = invitations.map(({ stage, email }) => `${stage} ${email.toLowerCase()}`).sort();
  return JSON.stringify([account, name, uploadedSha256, invitees]);
}
