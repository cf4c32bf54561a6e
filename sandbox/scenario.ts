import { nearest } from "../kit/text.js";
import { type SandboxContext, sha256 } from "./context.js";
import { createDocument, type NewInvitation } from "./documents.js";
import type { DocumentRecord } from "./entities.js";
import { makePdf } from "./pdf.js";
import { accountNamed, addAccount, addFolder, addOrganization, addUser, type NewAccount } from "./platform.js";
import { Refusal } from "./refusal.js";
import { certify, sign } from "./signing.js";

export interface ScenarioDocument {
  name: string;
  description?: string;
  /** E-mail of the account that owns it; the main account unless given. */
  owner?: string;
  /** Name of a folder of the scenario. */
  folder?: string;
  /** Name of an organization of the scenario. */
  organization?: string;
  /** The PDF's bytes; a page with the name on it unless given. */
  pdf?: Uint8Array;
  invitations: NewInvitation[];
  /** E-mails of those who have signed, in order, or everybody. */
  signed?: string[] | "all";
  certified?: boolean;
}

/** What a sandbox can be filled with at once. */
export interface Scenario {
  accounts?: NewAccount[];
  users?: { email: string; name: string }[];
  organizations?: { name: string; members: string[] }[];
  folders?: { name: string; owner?: string }[];
  documents?: ScenarioDocument[];
}

/** Fills the service; returns the ids of the documents made. */
export function play(context: SandboxContext, scenario: Scenario): number[] {
  const { accounts, users, organizations, folders, documents } = scenario;
  each("accounts", accounts, account => addAccount(context, account));
  each("users", users, user => addUser(context, user.email, user.name));
  each("organizations", organizations, ({ name, members }) => addOrganization(context, name, members));
  each("folders", folders, ({ name, owner }) => addFolder(context, accountOrMain(context, owner), name));
  return each("documents", documents, wanted => playDocument(context, wanted).id);
}

/** What the service refuses is reported with its place in the scenario. */
function each<T, R>(list: string, items: readonly T[] = [], make: (item: T) => R): R[] {
  return items.map((item, index) => {
    try {
      return make(item);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(error.status, error.code, `${list}[${index}]: ${error.message}`);
    }
  });
}

function playDocument(context: SandboxContext, wanted: ScenarioDocument): DocumentRecord {
  const { folders, organizations } = context.store.data;
  const bytes = Buffer.from(wanted.pdf ?? makePdf([wanted.name]));
  const document = createDocument(context, accountOrMain(context, wanted.owner), {
    name: wanted.name,
    description: wanted.description ?? "",
    folderId: wanted.folder === undefined ? null : recordNamed("folder", folders, wanted.folder).id,
    invitations: wanted.invitations,
    content: { sha256: sha256(bytes), byteLength: bytes.length, bytes },
  });
  if (wanted.organization !== undefined)
    document.organizationId = recordNamed("organization", organizations, wanted.organization).id;
  const inOrder = [...document.invitations].sort((one, other) => one.stage - other.stage);
  const signed = wanted.signed === "all" ? inOrder.map(one => one.email) : (wanted.signed ?? []);
  for (const email of signed) sign(context, document, email);
  if (wanted.certified) certify(context, document, "all");
  return document;
}

function accountOrMain(context: SandboxContext, email: string | undefined) {
  const [main] = context.store.data.accounts;
  if (email !== undefined || !main) return accountNamed(context, email ?? "");
  return main;
}

function recordNamed<T extends { name: string }>(kind: string, records: readonly T[], name: string): T {
  const found = records.find(one => one.name === name);
  if (found) return found;
  const names = records.map(one => one.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
  throw new Refusal(422, "unknown_name", `no ${kind} is called ${JSON.stringify(name)}${hint}`);
}
