import { existsSync, readFileSync } from "node:fs";
import { writeWhole } from "../commands/cli/flags.js";
import { isRecord } from "../kit/records.js";
import type {
  AccountRecord,
  DocumentRecord,
  FolderRecord,
  InvitationRecord,
  MailRecord,
  OrganizationRecord,
  UserRecord,
} from "./entities.js";
import { notFound } from "./refusal.js";

const firstIds = {
  user: 201,
  organization: 31,
  folder: 901,
  document: 5_001,
  file: 32_001,
  signer: 64_001,
  invitation: 81_001,
};

type Sequence = keyof typeof firstIds;

/** Everything that survives a restart. Each kind of id counts from its own number, so mixing two up shows. */
export interface Stored {
  nextIds: Record<Sequence, number>;
  users: UserRecord[];
  accounts: AccountRecord[];
  organizations: OrganizationRecord[];
  folders: FolderRecord[];
  documents: DocumentRecord[];
  mails: MailRecord[];
}

export function emptyStore(): Stored {
  return {
    nextIds: { ...firstIds },
    users: [],
    accounts: [],
    organizations: [],
    folders: [],
    documents: [],
    mails: [],
  };
}

export class Store {
  data: Stored = emptyStore();
  /** PDFs by their hash; identical ones are held once. */
  readonly pdfs = new Map<string, Buffer>();

  constructor(private readonly keepsPdfs: boolean) {}

  keepPdf(hash: string, bytes: Buffer): void {
    if (this.keepsPdfs) this.pdfs.set(hash, bytes);
  }

  /** Every kind of id starts at this number. */
  countFrom(first: number): void {
    for (const name of Object.keys(firstIds) as Sequence[]) this.data.nextIds[name] = first;
  }

  nextId(sequence: Sequence): number {
    const id = this.data.nextIds[sequence];
    this.data.nextIds[sequence] = id + 1;
    return id;
  }

  accountByKey(apiKey: string): AccountRecord | undefined {
    return this.data.accounts.find(account => account.apiKey === apiKey);
  }

  accountByEmail(email: string): AccountRecord | undefined {
    return this.data.accounts.find(account => sameAddress(account.email, email));
  }

  /** Refuses where there is none. */
  accountNamed(email: string): AccountRecord {
    const account = this.accountByEmail(email);
    if (!account) throw notFound(`The account ${email}`);
    return account;
  }

  account(id: number): AccountRecord | undefined {
    return this.data.accounts.find(account => account.id === id);
  }

  /** Owners of accounts and everybody else who is registered. */
  registered(email: string): UserRecord | undefined {
    return this.accountByEmail(email) ?? this.data.users.find(user => sameAddress(user.email, email));
  }

  organization(id: number | null): OrganizationRecord | undefined {
    return this.data.organizations.find(organization => organization.id === id);
  }

  folder(id: number): FolderRecord | undefined {
    return this.data.folders.find(folder => folder.id === id);
  }

  document(id: number): DocumentRecord | undefined {
    return this.data.documents.find(document => document.id === id);
  }

  invitation(id: number): { document: DocumentRecord; invitation: InvitationRecord } | undefined {
    for (const document of this.data.documents) {
      const invitation = document.invitations.find(one => one.id === id);
      if (invitation) return { document, invitation };
    }
    return undefined;
  }

  get files() {
    return this.data.documents.flatMap(document => document.files);
  }
}

export function sameAddress(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

// ---- In a file ----

const FORMAT = 1;

/** Keeps the store in one JSON file, replaced as a whole so that a crash leaves the old or the new one. */
export class Persistence {
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(
    private readonly file: string,
    private readonly store: Store,
  ) {}

  /** Whether there was something to load. */
  load(): boolean {
    if (!existsSync(this.file)) return false;
    const saved: unknown = JSON.parse(readFileSync(this.file, "utf8"));
    if (!isSaved(saved)) throw new Error(`${this.file} was not written by this version of the sandbox`);
    this.store.data = saved.stored;
    for (const [hash, text] of Object.entries(saved.content)) this.store.keepPdf(hash, Buffer.from(text, "base64"));
    return true;
  }

  /** Resolves once everything stored so far is on disk. Calls that come while a write is under way share the next one. */
  save(): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      this.#writing = this.#write();
      return this.#writing;
    });
    return this.#next;
  }

  async #write(): Promise<void> {
    const content = Object.fromEntries([...this.store.pdfs].map(([hash, bytes]) => [hash, bytes.toString("base64")]));
    const state = JSON.stringify({ format: FORMAT, stored: this.store.data, content });
    await writeWhole(this.file, state, { mode: 0o600 });
  }
}

function isSaved(value: unknown): value is { stored: Stored; content: Record<string, string> } {
  if (!isRecord(value) || value["format"] !== FORMAT) return false;
  const stored = value["stored"];
  return (
    isRecord(value["content"]) && isRecord(stored) && Object.keys(emptyStore()).every(key => Object.hasOwn(stored, key))
  );
}
