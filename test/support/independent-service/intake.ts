import type { Holdings } from "./holdings.js";
import { isObject, type Json } from "./json.js";
import type { NewDocument } from "./records.js";

/** Thrown for a body the service does not take; becomes a refusal with this code. */
export class Unfit extends Error {}

const SIGNATURE_TYPES = ["all", "autograph", "advanced"];
const PDF_PREFIX = "data:application/pdf;base64,";

/** Section 4.3, strictly: what the interface calls required is, and a data URI is a data URI. Unlisted fields are let through. */
export function readNewDocument(body: Json, holdings: Holdings, account: string): NewDocument {
  if (!isObject(body)) throw new Unfit("body_not_an_object");
  const { name, description, invitations_attributes: invitees, base64_file: file } = body;
  if (typeof name !== "string" || name === "") throw new Unfit("name_missing");
  if (description !== undefined && description !== null && typeof description !== "string") {
    throw new Unfit("description_not_text");
  }
  if (!Array.isArray(invitees) || invitees.length === 0) throw new Unfit("invitations_missing");
  return {
    name,
    description: description ?? null,
    folderId: readFolder(body["folder_id"], holdings, account),
    invitations: invitees.map(readInvitee),
    pdf: readPdf(file),
  };
}

function readInvitee(invitee: Json): NewDocument["invitations"][number] {
  if (!isObject(invitee)) throw new Unfit("invitation_not_an_object");
  const { invite_email: email, invite_name: name, message, allowed_signature_types: types, stage } = invitee;
  if (typeof email !== "string" || !/^[^@\s]+@[^@\s]+$/.test(email)) throw new Unfit("invite_email_unfit");
  if (name !== undefined && name !== null && typeof name !== "string") throw new Unfit("invite_name_not_text");
  if (message !== undefined && message !== null && typeof message !== "string") throw new Unfit("message_not_text");
  if (types !== undefined && !(typeof types === "string" && SIGNATURE_TYPES.includes(types))) {
    throw new Unfit("allowed_signature_types_unfit");
  }
  if (stage !== undefined && !(typeof stage === "number" && Number.isInteger(stage))) throw new Unfit("stage_unfit");
  return {
    email,
    name: name ?? "",
    message: message ?? null,
    allowedSignatureTypes: types ?? "all",
    stage: stage ?? 1,
  };
}

function readPdf(file: Json): Buffer {
  if (typeof file !== "string") throw new Unfit("base64_file_missing");
  if (!file.startsWith(PDF_PREFIX)) throw new Unfit("base64_file_no_data_uri");
  const base64 = file.slice(PDF_PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  // Buffer.from forgives everything; the way back shows what it forgave.
  if (bytes.toString("base64") !== base64) throw new Unfit("base64_file_broken");
  if (bytes.subarray(0, 5).toString("latin1") !== "%PDF-") throw new Unfit("base64_file_no_pdf");
  return bytes;
}

function readFolder(folder: Json, holdings: Holdings, account: string): string | null {
  if (folder === undefined || folder === null || holdings.dialect.folderId === "ignore") return null;
  if (holdings.dialect.folderId === "reject") throw new Unfit("folder_id_unknown_parameter");
  const id = typeof folder === "string" ? folder : typeof folder === "object" ? "" : String(folder);
  const known = holdings.folders.some(one => one.id === id && one.account === account);
  if (!known) throw new Unfit("folder_not_found");
  return id;
}
