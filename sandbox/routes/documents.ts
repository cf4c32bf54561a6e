import { addDecoys, listed, storedDocument } from "../dialect/documents.js";
import { addFolder, createDocument, type NewDocument, sendMail } from "../documents.js";
import type { AccountRecord, DocumentRecord } from "../entities.js";
import { Fields } from "../fields.js";
import { createdOn, dateRangeItemBody, documentBody, folderBody, rowBody } from "../formatters.js";
import { methodNotAllowed, notFound, Refusal } from "../refusal.js";
import {
  allowedSignatureTypes,
  documentRead,
  documentStatus,
  documentStatuses,
  hasArrived,
  hasArrivedInLists,
  maySee,
  refuseUnlessTheirTurn,
} from "../rules.js";
import { answerCreated } from "./create-answer.js";
import { authenticated, type Call, idFrom, json, nothing, payload, type Route, redirected } from "./route.js";

export const documentRoutes: readonly Route[] = [
  {
    name: "createDocument",
    methods: ["POST"],
    path: /^\/v1\/documents$/,
    handle: call => {
      const owner = authenticated(call);
      const document = createDocument(
        call.context,
        owner,
        storedDocument(wantedDocument(call, owner), call.context.settings),
      );
      if (call.context.settings.idsCollide) addDecoys(call.context, owner, document);
      const { variant, status } = call.createAnswer;
      return answerCreated(variant, { context: call.context, document, status });
    },
  },
  {
    name: "listDocuments",
    methods: ["GET"],
    path: /^\/v1\/documents$/,
    handle: call => {
      const account = authenticated(call);
      const query = new Fields(call.query);
      const belongs = placeFilter(query);
      query.refuseIfWrong();
      const found = documentsThatFit(call, account, belongs);
      return payload(
        200,
        found.map(document => rowBody(call.context, document)),
      );
    },
  },
  {
    name: "documentsByDateRange",
    methods: ["GET"],
    path: /^\/v1\/documents\/by_date_range$/,
    handle: call => {
      const account = authenticated(call);
      const query = new Fields(call.query);
      const from = query.date("from_date");
      const to = query.date("to_date");
      const status = query.optionalOneOf("status", documentStatuses);
      const belongs = placeFilter(query);
      query.refuseIfWrong();
      const fits = (document: DocumentRecord) => {
        const day = createdOn(call.context, document);
        const inRange = day >= from && (call.context.settings.toDate === "inclusive" ? day <= to : day < to);
        return belongs(document) && inRange && (!status || documentStatus(document, call.context.settings) === status);
      };
      const found = documentsThatFit(call, account, fits);
      return payload(
        200,
        found.map(document => dateRangeItemBody(call.context, document)),
      );
    },
  },
  {
    name: "getDocument",
    methods: ["GET"],
    path: /^\/v1\/documents\/([^/]+)$/,
    handle: call => {
      const account = authenticated(call);
      const document = call.context.store.document(idFrom(call.parameter));
      if (!document || !maySee(call.context, account, document) || !hasArrived(call.context, document)) {
        throw notFound("The document");
      }
      return payload(200, documentBody(call.context, documentRead(call.context, document)));
    },
  },
];

function placeFilter(query: Fields): (document: DocumentRecord) => boolean {
  const folderId = query.optionalDigits("folder_id");
  const organizationId = query.optionalDigits("organization_id");
  return document =>
    (folderId === undefined || document.folderId === folderId) &&
    (organizationId === undefined || document.organizationId === organizationId);
}

function documentsThatFit(
  call: Call,
  account: AccountRecord,
  fits: (document: DocumentRecord) => boolean,
): DocumentRecord[] {
  const { store, settings } = call.context;
  const documents = store.data.documents.filter(
    document => maySee(call.context, account, document) && fits(document) && hasArrivedInLists(call.context, document),
  );
  return listed(documents, settings);
}

function wantedDocument(call: Call, owner: AccountRecord): NewDocument {
  const fields = new Fields(call.json());
  const name = fields.text("name");
  const description = fields.optionalText("description") ?? "";
  const folderId = wantedFolder(call, owner, fields);
  if (!fields.has("invitations_attributes")) fields.problem("invitations_attributes", "is required");
  const invitees = fields.each("invitations_attributes");
  if (invitees.length === 0) fields.problem("invitations_attributes", "must not be empty");
  const invitations = invitees.map(invitee => ({
    email: wantedAddress(invitee),
    name: invitee.optionalText("invite_name"),
    message: invitee.optionalText("message"),
    allowedSignatureTypes: invitee.optionalOneOf("allowed_signature_types", allowedSignatureTypes),
    stage: invitee.optionalInteger("stage"),
  }));
  fields.text("base64_file");
  const problem = call.upload ? call.upload.problem : "must be of the form data:application/pdf;base64,<BASE64_PDF>";
  if (problem) fields.problem("base64_file", problem);
  fields.refuseIfWrong();
  return { name, description, folderId, invitations, pdf: call.upload ?? { sha256: "", byteLength: 0 } };
}

function wantedAddress(invitee: Fields): string {
  const email = invitee.text("invite_email");
  if (email !== "" && !/^[^\s@]+@[^\s@]+$/.test(email)) invitee.problem("invite_email", "must be an e-mail address");
  return email;
}

function wantedFolder(call: Call, owner: AccountRecord, fields: Fields): number | null {
  const folderId = fields.optionalInteger("folder_id");
  const { createFolderId } = call.context.settings;
  if (folderId !== undefined && createFolderId === "refused") fields.problem("folder_id", "is not a known field");
  if (folderId === undefined || createFolderId !== "honoured") return null;
  if (call.context.store.folder(folderId)?.ownerId !== owner.id) fields.problem("folder_id", "names no folder");
  return folderId;
}

// ---- Invitations ----

export const invitationRoutes: readonly Route[] = [
  {
    name: "sendReminder",
    methods: ["POST", "GET"],
    path: /^\/v1\/invitations\/([^/]+)\/reminder$/,
    handle: call => {
      const { context, method } = call;
      const { reminderMethods, reminderRefusal } = context.settings;
      if (!reminderMethods.some(accepted => accepted === method))
        throw reminderRefusal === 404 ? notFound("This address") : methodNotAllowed(method, reminderMethods);
      const account = authenticated(call);
      const found = context.store.invitation(idFrom(call.parameter));
      if (!found || !maySee(context, account, found.document)) throw notFound("The invitation");
      const { document, invitation } = found;
      refuseUnlessTheirTurn(document, invitation);
      const { reminderAnswer } = context.settings;
      if (reminderAnswer === "501") throw new Refusal(501, "not_implemented", "Reminders are not offered");
      if (reminderAnswer === "302") return redirected(`${context.origin}/sign_in`);
      if (reminderAnswer === "not-ok") return json(200, { ok: false });
      sendMail(context, "reminder", invitation);
      return reminderAnswer === "ok" ? json(200, { ok: true }) : nothing(204);
    },
  },
];

// ---- Folders ----

export const folderRoutes: readonly Route[] = [
  {
    name: "createFolder",
    methods: ["POST"],
    path: /^\/v1\/folders$/,
    handle: call => {
      const owner = authenticated(call);
      const fields = new Fields(call.json());
      const name = fields.text("name");
      fields.refuseIfWrong();
      return payload(201, folderBody(call.context, addFolder(call.context, owner, name)));
    },
  },
];
