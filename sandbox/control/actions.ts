import { isMoment } from "../clock.js";
import type { Fields } from "../fields.js";
import { notFound } from "../refusal.js";
import type { Sandbox } from "../sandbox.js";
import type { Who } from "../signing.js";
import {
  faultNames,
  parseAccount,
  parseFault,
  parseInvitation,
  parseMatch,
  parseScenario,
  parseSettings,
  pdfOf,
  resetPoints,
  TIME,
  withoutUndefined,
} from "./parse.js";

/** Reads its fields, refuses them if they are wrong, acts, and says what to answer besides `ok`. */
type Action = (sandbox: Sandbox, fields: Fields) => unknown;

/** `POST /_sandbox/<name>` with a JSON body. */
export const actions: Readonly<Record<string, Action>> = {
  sign: (sandbox, fields) => {
    const { documentId, who } = invitee(fields);
    const type = fields.optionalOneOf("type", ["advanced", "autograph"]);
    fields.refuseIfWrong();
    sandbox.sign(documentId, who, withoutUndefined({ type }));
    return sandbox.document(documentId);
  },
  "sign-all": (sandbox, fields) => {
    const documentId = onlyDocument(fields);
    sandbox.signAll(documentId);
    return sandbox.document(documentId);
  },
  decline: (sandbox, fields) => {
    const { documentId, who } = invitee(fields);
    fields.refuseIfWrong();
    sandbox.decline(documentId, who);
    return sandbox.document(documentId);
  },
  certify: (sandbox, fields) => {
    const documentId = fields.integer("documentId");
    const what = fields.optionalOneOf("what", ["requested", "blockchain", "nom151", "all"]);
    const constancia = fields.optionalText("constancia");
    fields.refuseIfWrong();
    sandbox.certify(documentId, what, withoutUndefined({ constancia }));
    return sandbox.document(documentId);
  },
  version: (sandbox, fields) => {
    const documentId = fields.integer("documentId");
    const pdf = pdfOf(fields, fields.text("pdf"));
    fields.refuseIfWrong();
    sandbox.addVersion(documentId, pdf);
    return sandbox.document(documentId);
  },
  comment: (sandbox, fields) => {
    const documentId = fields.integer("documentId");
    const by = fields.text("by");
    const title = fields.optionalText("title") ?? "";
    const text = fields.text("text");
    fields.refuseIfWrong();
    sandbox.addComment(documentId, by, title, text);
    return sandbox.document(documentId);
  },
  status: (sandbox, fields) => {
    const documentId = fields.integer("documentId");
    const status = fields.optionalText("status") ?? null;
    fields.refuseIfWrong();
    sandbox.setStatus(documentId, status);
    return sandbox.document(documentId);
  },
  edit: (sandbox, fields) => {
    const documentId = fields.integer("documentId");
    const nullable = (name: string) => (fields.raw(name) === null ? null : fields.optionalInteger(name));
    const patch = withoutUndefined({
      name: fields.optionalText("name"),
      description: fields.optionalText("description"),
      folderId: nullable("folderId"),
      organizationId: nullable("organizationId"),
    });
    fields.refuseIfWrong();
    sandbox.edit(documentId, patch);
    return sandbox.document(documentId);
  },
  remove: (sandbox, fields) => sandbox.remove(onlyDocument(fields)),
  invite: (sandbox, fields) => {
    const documentId = fields.integer("documentId");
    const invitation = parseInvitation(fields);
    fields.refuseIfWrong();
    return { invitationId: sandbox.addInvitation(documentId, invitation) };
  },
  account: (sandbox, fields) => {
    const account = parseAccount(fields);
    fields.refuseIfWrong();
    return sandbox.addAccount(account);
  },
  user: (sandbox, fields) => {
    const email = fields.text("email");
    const name = fields.text("name");
    fields.refuseIfWrong();
    return sandbox.addUser(email, name);
  },
  organization: (sandbox, fields) => {
    const name = fields.text("name");
    const members = fields.optionalTextList("members");
    fields.refuseIfWrong();
    return sandbox.addOrganization(name, members);
  },
  seed: (sandbox, fields) => {
    const scenario = parseScenario(fields);
    fields.refuseIfWrong();
    return { documentIds: sandbox.seed(scenario) };
  },
  configure: (sandbox, fields) => {
    const settings = parseSettings(fields);
    fields.refuseIfWrong();
    sandbox.configure(settings);
    return sandbox.settings;
  },
  fault: (sandbox, fields) => {
    const fault = parseFault(fields);
    fields.refuseIfWrong();
    sandbox.faults.next(fault);
    return { pending: sandbox.faults.pending.length };
  },
  "rate-limit": (sandbox, fields) => {
    const limit = fields.integer("limit", [0, 1e9]);
    const windowMs = fields.integer("windowMs", [1, TIME[1]]);
    const match = parseMatch(fields);
    const retryAfter = fields.optionalHeader("retryAfter");
    fields.refuseIfWrong();
    sandbox.faults.rateLimit({ limit, windowMs, match, ...withoutUndefined({ retryAfter }) });
    return null;
  },
  disarm: (sandbox, fields) => {
    const kind = fields.optionalOneOf("kind", faultNames);
    if (!fields.has("kind")) fields.problem("kind", `is required, one of ${faultNames.join(", ")}`);
    fields.refuseIfWrong();
    if (kind) sandbox.faults.disarm(kind);
    return { pending: sandbox.faults.pending.length };
  },
  "clear-faults": sandbox => sandbox.faults.clear(),
  hold: (sandbox, fields) => {
    const match = parseMatch(fields);
    const at = fields.optionalOneOf("at", resetPoints);
    fields.refuseIfWrong();
    return { hold: sandbox.faults.hold(match, at).id };
  },
  /** Answers once a request has arrived at the hold. */
  arrived: (sandbox, fields) => findHold(sandbox, fields).arrived,
  release: (sandbox, fields) => findHold(sandbox, fields).release(),
  clock: (sandbox, fields) => {
    const time = fields.optionalText("set");
    const advance = fields.optionalNumber("advance");
    const frozen = fields.optionalBoolean("frozen");
    if (time === undefined && advance === undefined && frozen === undefined)
      fields.problem("", "must have one of set, advance, frozen");
    const from = time === undefined ? sandbox.clock.now() : Date.parse(time);
    if (!isMoment(from)) fields.problem("set", "must be an ISO 8601 time from 1970 to 9999");
    else if (!isMoment(from + (advance ?? 0))) fields.problem("advance", "must lead to a time from 1970 to 9999");
    fields.refuseIfWrong();
    if (frozen !== undefined) frozen ? sandbox.clock.freeze() : sandbox.clock.resume();
    if (time !== undefined) sandbox.clock.set(time);
    if (advance !== undefined) sandbox.clock.advance(advance);
    return { now: new Date(sandbox.clock.now()).toISOString() };
  },
  reset: sandbox => sandbox.reset(),
};

/** `GET /_sandbox/<name>` */
export const views: Readonly<Record<string, (sandbox: Sandbox) => unknown>> = {
  state: sandbox => ({
    now: new Date(sandbox.clock.now()).toISOString(),
    documents: sandbox.documents(),
    folders: sandbox.folders(),
    mails: sandbox.mails,
    history: sandbox.history,
    faults: sandbox.faults.pending,
    settings: sandbox.settings,
  }),
  documents: sandbox => sandbox.documents(),
  folders: sandbox => sandbox.folders(),
  mails: sandbox => sandbox.mails,
  history: sandbox => sandbox.history,
};

function invitee(fields: Fields): { documentId: number; who: Who } {
  const documentId = fields.integer("documentId");
  const who = typeof fields.raw("who") === "number" ? fields.integer("who") : fields.text("who");
  return { documentId, who };
}

function onlyDocument(fields: Fields): number {
  const documentId = fields.integer("documentId");
  fields.refuseIfWrong();
  return documentId;
}

function findHold(sandbox: Sandbox, fields: Fields) {
  const id = fields.integer("hold");
  fields.refuseIfWrong();
  const hold = sandbox.faults.findHold(id);
  if (!hold) throw notFound(`The hold ${id}`);
  return hold;
}
