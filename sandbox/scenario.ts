import { nearest } from "../kit/text.js";
import type { SandboxContext } from "./context.js";
import { createDocument, type NewInvitation, pdfOf } from "./documents.js";
import type { AccountRecord } from "./entities.js";
import { makePdf } from "./pdf.js";
import type { NewAccount, Platform } from "./platform.js";
import { Refusal } from "./refusal.js";
import { inOrderOfStages } from "./rules.js";
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
export function play(platform: Platform, context: SandboxContext, scenario: Scenario): number[] {
  const { accounts, users, organizations, folders, documents } = scenario;
  each("accounts", accounts, account => platform.addAccount(account));
  each("users", users, ({ email, name }) => platform.addUser(email, name));
  each("organizations", organizations, ({ name, members }) => platform.addOrganization(name, members));
  each("folders", folders, ({ name, owner }) => platform.addFolder(name, owner));
  return each("documents", documents, wanted => playDocument(context, wanted, platform.account));
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

function playDocument(context: SandboxContext, wanted: ScenarioDocument, main: AccountRecord): number {
  const { folders, organizations } = context.store.data;
  const owner = wanted.owner === undefined ? main : context.store.accountNamed(wanted.owner);
  const document = createDocument(context, owner, {
    name: wanted.name,
    description: wanted.description ?? "",
    folderId: wanted.folder === undefined ? null : recordNamed("folder", folders, wanted.folder).id,
    invitations: wanted.invitations,
    pdf: pdfOf(Buffer.from(wanted.pdf ?? makePdf([wanted.name]))),
  });
  if (wanted.organization !== undefined)
    document.organizationId = recordNamed("organization", organizations, wanted.organization).id;
  const signed = wanted.signed === "all" ? inOrderOfStages(document).map(one => one.email) : (wanted.signed ?? []);
  for (const email of signed) sign(context, document, email);
  if (wanted.certified) certify(context, document, "all");
  return document.id;
}

function recordNamed<T extends { name: string }>(kind: string, records: readonly T[], name: string): T {
  const found = records.find(one => one.name === name);
  if (found) return found;
  const names = records.map(one => one.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
  throw new Refusal(422, "unknown_name", `no ${kind} is called ${JSON.stringify(name)}${hint}`);
}
