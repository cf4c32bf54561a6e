import type {
  AccountRecord,
  DocumentRecord,
  FolderRecord,
  InvitationRecord,
  MailRecord,
  OrganizationRecord,
  UserRecord,
} from "./entities.js";

const firstIds = {
  user: 201,
  organization: 31,
  folder: 901,
  document: 5_001,
  file: 32_001,
  signer: 64_001,
  invitation: 81_001,
};

export type Sequence = keyof typeof firstIds;

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
