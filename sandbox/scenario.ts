import { sha256 } from "./content.js";
import { createDocument } from "./documents.js";
import type { AllowedSignatureTypes, DocumentRecord } from "./entities.js";
import { makePdf } from "./pdf.js";
import { accountNamed, addAccount, addFolder, addOrganization, addUser, type NewAccount } from "./platform.js";
import { certify, sign } from "./signing.js";
import type { World } from "./world.js";

export interface ScenarioInvitation {
  email: string;
  name?: string;
  message?: string;
  allowedSignatureTypes?: AllowedSignatureTypes;
  stage?: number;
}

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
  invitations: ScenarioInvitation[];
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
export function play(world: World, scenario: Scenario): number[] {
  for (const account of scenario.accounts ?? []) addAccount(world, account);
  for (const user of scenario.users ?? []) addUser(world, user.email, user.name);
  for (const { name, members } of scenario.organizations ?? []) addOrganization(world, name, members);
  for (const { name, owner } of scenario.folders ?? []) addFolder(world, accountOrMain(world, owner), name);
  return (scenario.documents ?? []).map(wanted => playDocument(world, wanted).id);
}

function playDocument(world: World, wanted: ScenarioDocument): DocumentRecord {
  const { folders, organizations } = world.store.data;
  const bytes = Buffer.from(wanted.pdf ?? makePdf([wanted.name]));
  const document = createDocument(world, accountOrMain(world, wanted.owner), {
    name: wanted.name,
    description: wanted.description ?? "",
    folderId: wanted.folder === undefined ? null : named(folders, wanted.folder).id,
    invitations: wanted.invitations.map(one => ({
      email: one.email,
      name: one.name ?? "",
      message: one.message ?? "",
      allowedSignatureTypes: one.allowedSignatureTypes ?? "all",
      stage: one.stage ?? 1,
    })),
    content: { sha256: sha256(bytes), byteLength: bytes.length, bytes },
  });
  if (wanted.organization !== undefined) document.organizationId = named(organizations, wanted.organization).id;
  const inOrder = [...document.invitations].sort((one, other) => one.stage - other.stage);
  const signed = wanted.signed === "all" ? inOrder.map(one => one.email) : (wanted.signed ?? []);
  for (const email of signed) sign(world, document, email);
  if (wanted.certified) certify(world, document, "all");
  return document;
}

function accountOrMain(world: World, email: string | undefined) {
  const [main] = world.store.data.accounts;
  if (email !== undefined || !main) return accountNamed(world, email ?? "");
  return main;
}

function named<T extends { name: string }>(records: readonly T[], name: string): T {
  const found = records.find(one => one.name === name);
  if (!found) throw new Error(`The scenario names nothing called ${JSON.stringify(name)}`);
  return found;
}
