import { trimmed } from "../../kit/records.js";
import { isMoment } from "../clock.js";
import type { Fields } from "../fields.js";
import { notFound } from "../refusal.js";
import type { Sandbox } from "../sandbox.js";
import type { Who } from "../signing.js";
import {
  parseAccount,
  parseFault,
  parseInvitation,
  parseKind,
  parseMatch,
  parseScenario,
  parseSettings,
  pdfOf,
  resetPoints,
  TIME,
} from "./parse.js";

/** Reads its fields; what it answers acts once none of them is wrong, and says what to answer besides `ok`. */
type Action = (fields: Fields, sandbox: Sandbox) => () => unknown;

/** An action on a document, which is answered as it is then. */
const onDocument =
  (read: (fields: Fields) => (sandbox: Sandbox, documentId: number) => void): Action =>
  (fields, sandbox) => {
    const documentId = fields.integer("documentId");
    const act = read(fields);
    return () => {
      act(sandbox, documentId);
      return sandbox.document(documentId);
    };
  };

/** `POST /_sandbox/<name>` with a JSON body. */
export const actions: Readonly<Record<string, Action>> = {
  sign: onDocument(fields => {
    const who = invitee(fields);
    const type = fields.optionalOneOf("type", ["advanced", "autograph"]);
    return (sandbox, documentId) => sandbox.sign(documentId, who, trimmed({ type }));
  }),
  "sign-all": onDocument(() => (sandbox, documentId) => sandbox.signAll(documentId)),
  decline: onDocument(fields => {
    const who = invitee(fields);
    return (sandbox, documentId) => sandbox.decline(documentId, who);
  }),
  certify: onDocument(fields => {
    const what = fields.optionalOneOf("what", ["requested", "blockchain", "nom151", "all"]);
    const constancia = fields.optionalText("constancia");
    return (sandbox, documentId) => sandbox.certify(documentId, what, trimmed({ constancia }));
  }),
  version: onDocument(fields => {
    const pdf = pdfOf(fields, fields.text("pdf"));
    return (sandbox, documentId) => sandbox.addVersion(documentId, pdf);
  }),
  comment: onDocument(fields => {
    const by = fields.text("by");
    const title = fields.optionalText("title") ?? "";
    const text = fields.text("text");
    return (sandbox, documentId) => sandbox.addComment(documentId, by, title, text);
  }),
  status: onDocument(fields => {
    const status = fields.optionalText("status") ?? null;
    return (sandbox, documentId) => sandbox.setStatus(documentId, status);
  }),
  edit: onDocument(fields => {
    const nullable = (name: string) => (fields.raw(name) === null ? null : fields.optionalInteger(name));
    const patch = trimmed({
      name: fields.optionalText("name"),
      description: fields.optionalText("description"),
      folderId: nullable("folderId"),
      organizationId: nullable("organizationId"),
    });
    return (sandbox, documentId) => sandbox.edit(documentId, patch);
  }),
  remove: (fields, sandbox) => {
    const documentId = fields.integer("documentId");
    return () => sandbox.remove(documentId);
  },
  invite: (fields, sandbox) => {
    const documentId = fields.integer("documentId");
    const invitation = parseInvitation(fields);
    return () => ({ invitationId: sandbox.addInvitation(documentId, invitation) });
  },
  account: (fields, sandbox) => {
    const account = parseAccount(fields);
    return () => sandbox.addAccount(account);
  },
  user: (fields, sandbox) => {
    const email = fields.text("email");
    const name = fields.text("name");
    return () => sandbox.addUser(email, name);
  },
  organization: (fields, sandbox) => {
    const name = fields.text("name");
    const members = fields.optionalTextList("members");
    return () => sandbox.addOrganization(name, members);
  },
  seed: (fields, sandbox) => {
    const scenario = parseScenario(fields);
    return () => ({ documentIds: sandbox.seed(scenario) });
  },
  configure: (fields, sandbox) => {
    const settings = parseSettings(fields);
    return () => {
      sandbox.configure(settings);
      return sandbox.settings;
    };
  },
  fault: (fields, sandbox) => {
    const fault = parseFault(fields);
    return () => {
      sandbox.faults.next(fault);
      return { pending: sandbox.faults.pending.length };
    };
  },
  "rate-limit": (fields, sandbox) => {
    const limit = fields.integer("limit", [0, 1e9]);
    const windowMs = fields.integer("windowMs", [1, TIME[1]]);
    const match = parseMatch(fields);
    const retryAfter = fields.optionalHeader("retryAfter");
    return () => {
      sandbox.faults.rateLimit({ limit, windowMs, match, ...trimmed({ retryAfter }) });
    };
  },
  disarm: (fields, sandbox) => {
    const kind = parseKind(fields);
    return () => {
      if (kind) sandbox.faults.disarm(kind);
      return { pending: sandbox.faults.pending.length };
    };
  },
  "clear-faults": (_, sandbox) => () => sandbox.faults.clear(),
  hold: (fields, sandbox) => {
    const match = parseMatch(fields);
    const at = fields.optionalOneOf("at", resetPoints);
    return () => ({ hold: sandbox.faults.hold(match, at).id });
  },
  /** Answers once a request has arrived at the hold. */
  arrived: (fields, sandbox) => {
    const id = fields.integer("hold");
    return () => findHold(sandbox, id).arrived;
  },
  release: (fields, sandbox) => {
    const id = fields.integer("hold");
    return () => findHold(sandbox, id).release();
  },
  clock: (fields, sandbox) => {
    const time = fields.optionalText("set");
    const advance = fields.optionalNumber("advance");
    const frozen = fields.optionalBoolean("frozen");
    if (time === undefined && advance === undefined && frozen === undefined)
      fields.problem("", "must have one of set, advance, frozen");
    const from = time === undefined ? sandbox.clock.now() : Date.parse(time);
    if (!isMoment(from)) fields.problem("set", "must be an ISO 8601 time from 1970 to 9999");
    else if (!isMoment(from + (advance ?? 0))) fields.problem("advance", "must lead to a time from 1970 to 9999");
    return () => {
      if (frozen !== undefined) frozen ? sandbox.clock.freeze() : sandbox.clock.resume();
      if (time !== undefined) sandbox.clock.set(time);
      if (advance !== undefined) sandbox.clock.advance(advance);
      return { now: new Date(sandbox.clock.now()).toISOString() };
    };
  },
  reset: (_, sandbox) => () => sandbox.reset(),
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

const invitee = (fields: Fields): Who =>
  typeof fields.raw("who") === "number" ? fields.integer("who") : fields.text("who");

function findHold(sandbox: Sandbox, id: number) {
  const hold = sandbox.faults.findHold(id);
  if (!hold) throw notFound(`The hold ${id}`);
  return hold;
}
