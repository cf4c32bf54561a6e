import { sendMail } from "../documents.js";
import { notFound, Refusal } from "../refusal.js";
import { refuseUnlessTheirTurn } from "../rules.js";
import { maySee } from "../visibility.js";
import { authenticated, idFrom, json, nothing, type Route } from "./route.js";

export const invitationRoutes: readonly Route[] = [
  {
    name: "sendReminder",
    methods: ["POST", "GET"],
    path: /^\/v1\/invitations\/([^/]+)\/reminder$/,
    handle: call => {
      const { context, method } = call;
      const { reminderMethods, reminderRefusal } = context.settings;
      if (!reminderMethods.some(accepted => accepted === method)) {
        if (reminderRefusal === 404) throw notFound("This address");
        throw new Refusal(405, "method_not_allowed", `${method} is not accepted here`, [], {
          Allow: reminderMethods.join(", "),
        });
      }
      const account = authenticated(call);
      const id = idFrom(call.parameter);
      const document = context.store.documentOfInvitation(id);
      const invitation = document?.invitations.find(one => one.id === id);
      if (!document || !invitation || !maySee(context, account, document)) throw notFound("The invitation");
      refuseUnlessTheirTurn(document, invitation);
      const { reminderAnswer } = context.settings;
      if (reminderAnswer === "501") throw new Refusal(501, "not_implemented", "Reminders are not offered");
      if (reminderAnswer === "302") return { ...nothing(302), headers: { Location: `${context.origin}/sign_in` } };
      if (reminderAnswer === "not-ok") return json(200, { ok: false });
      sendMail(context, "reminder", invitation);
      return reminderAnswer === "ok" ? json(200, { ok: true }) : nothing(204);
    },
  },
];
