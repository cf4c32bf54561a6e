import { z } from "zod";
import { property, type ResourceDeclaration } from "../../schema/property.js";
import { duration, emailAddress, idInput } from "../../schema/types.js";

/** What the schema tells SDKs to fill in, and what is meant where nothing is given. */
export const DEFAULT_MIN_INTERVAL = "24h";

export const reminderInputs = z.object({
  documentId: property(idInput("a document's id").optional(), {
    description: "Id of the document to remind people of. Give either this or `documentIds`.",
    replaces: true,
  }),
  documentIds: property(z.array(idInput("a document's id"), { error: "a list of documents' ids" }).optional(), {
    description:
      "Ids of several documents to remind people of, such as all contracts of a set. Another list is gone through in place; nobody is reminded twice.",
  }),
  signers: property(z.array(emailAddress, { error: "a list of e-mail addresses" }).optional(), {
    description: "Who may be reminded, by e-mail address. Left out, everyone who hasn't signed.",
  }),
  triggers: property(z.unknown().optional(), {
    description:
      "Any value, such as the number of the week: when it changes, people are reminded again. Each person is reminded once for each value it takes on.",
  }),
  minInterval: property(duration("how long to leave a person in peace").optional(), {
    description:
      "How long to leave a person in peace after their last reminder, and after their invitation. `0s` reminds at once. A bare number is seconds.",
    default: DEFAULT_MIN_INTERVAL,
  }),
});

const sent = property(
  z.object({
    email: property(z.string(), { description: "Address of the person reminded." }),
    invitationId: property(z.string(), { description: "Id of their invitation." }),
    at: property(z.string(), { description: "When the reminder was sent, by the service's clock." }),
    outcome: property(z.string(), {
      description:
        "`sent`, or `unknown` where the service's answer was lost: the reminder counts as sent all the same, and isn't sent again.",
    }),
  }),
  { description: "A person who was reminded.", typeName: "SentReminder" },
);

const skipped = property(
  z.object({
    email: property(z.string(), { description: "Address of the person." }),
    reason: property(z.string(), { description: "Why they weren't reminded." }),
    dueAt: property(z.string().optional(), {
      description:
        "From when on they may be reminded, where it was only too soon: the first `pulumi up` after that reminds them.",
    }),
  }),
  { description: "A person who wasn't reminded.", typeName: "SkippedReminder" },
);

export const reminderOutputs = z.object({
  documentId: property(z.string().optional(), { description: "Id of the document. Not there with `documentIds`." }),
  signedIds: property(z.array(z.string()), {
    description: "Documents that everyone had signed. Of `documentIds`, these aren't read again.",
  }),
  sent: property(z.array(sent), {
    description: "Who was reminded for the present `triggers`.",
    derivedFrom: ["signers"],
  }),
  skipped: property(z.array(skipped), { description: "Who wasn't, and why.", derivedFrom: ["signers"] }),
  lastSentAt: property(z.record(z.string(), z.string()), {
    description:
      "When each invitation was last reminded by this resource, by invitation id: `minInterval` counts from there.",
  }),
  round: property(z.string(), {
    description: "Hash of the `triggers` that `sent` belongs to.",
    derivedFrom: ["triggers"],
  }),
  service: property(z.string(), { description: "Origin of the service that holds the document." }),
});

export type ReminderOutputs = z.infer<typeof reminderOutputs>;
export type SentReminder = z.infer<typeof sent>;
export type SkippedReminder = z.infer<typeof skipped>;

export const reminderDeclaration: ResourceDeclaration = {
  token: "docsign:index:Reminder",
  description: `Reminds the people who haven't signed a document yet.

Creating a reminder, or changing its \`triggers\`, mails everyone who hasn't signed and whose turn it is: in a document signed in
stages, only the current stage. Nobody is mailed within \`minInterval\` of their invitation or of their last reminder, more than once for
the same \`triggers\`, or in a preview, which says who would be. For whom it was only too soon, the reminder stays due: the first
\`pulumi up\` after that reminds them. A reminder that was sent is never sent again, also when its answer was lost. With nothing
changed and nobody due, \`pulumi up\` asks the service nothing.

Deleting the resource forgets it: a sent mail can't be taken back.`,
  inputs: reminderInputs,
  outputs: reminderOutputs,
};
