import type { Section } from "./error.js";

export const people: Section = {
  title: "Gates and reminders",
  about: "How they work: [people](people.md).",
  at: ["SignatureGate"],
  rows: [
    {
      id: "gate-required",
      says: ["… waits for …, and the gate requires it. `pulumi up` looks again; `mode: wait` would wait."],
      means: "`mode: require`, and somebody or something is missing.",
      todo: "Run `pulumi up` again later.",
    },
    {
      id: "gate-waits",
      says: [
        "…, and the … to wait for it are over. Longer: the resource option customTimeouts.",
        "cancelled while ….",
        "…, and asking for it failed: …",
        "The gate is kept: `pulumi up` goes on waiting.",
      ],
      means:
        "`mode: wait` ended before everyone had signed: the time was over, Ctrl-C, or the service failed five times in a row.",
      todo: "Run `pulumi up` again. Raise `customTimeouts` for a longer wait.",
    },
    {
      id: "gate-preview",
      says: ["… waits for ……"],
      means: "A preview of a gate with `mode: require` that isn't satisfied: `pulumi up` would fail.",
      todo: "Wait, or go on and see it fail.",
      warning: true,
    },
    {
      id: "list-unread",
      says: ["… of … documents couldn't be read:", "document …: couldn't be read, so nobody was reminded of it: …"],
      means:
        "Some documents of `documentIds` couldn't be read. The gate stays open, the reminder reminded the people of the others.",
      todo: "Run `pulumi up` again once the service answers.",
      warning: true,
      at: ["SignatureGate", "Reminder"],
    },
    {
      id: "gate-kept",
      says: ["the gate is kept as it was: the service doesn't show …. …"],
      means: "A refresh couldn't see the gate's document.",
      todo: "Check the key and the address.",
      warning: true,
    },
    {
      id: "gate-stays",
      says: ["the gate was satisfied and stays so, though document … now waits for …."],
      means: "A signature that was there has gone, such as after a new version.",
      todo: "Nothing, or start the gate anew with the line it prints.",
      warning: true,
    },
    {
      id: "gate-late",
      says: [
        "… still waits for …, and the deadline has passed: …. Set a later `deadline`, or take it out, to go on.",
        "deadline: the service doesn't say when document … was created; expected a date, got …",
      ],
      means: "The gate's `deadline` is over, or can't be counted.",
      todo: "Give people more time with a later `deadline`, or send another contract.",
      at: ["SignatureGate"],
    },
    {
      id: "gate-end",
      says: [
        "expiresAt: expected the contract's last day beside `until: expiresAt`, got none",
        "documentId: expected one document beside `until: expiresAt`, got `documentIds`",
        "expiresAt: expected `until: expiresAt` beside it, got another",
        "renewBefore: expected `until: expiresAt` beside it, got another",
      ],
      means: "A gate waits for an end that it isn't given, or is given one that it doesn't wait for.",
      todo: "Give `until: expiresAt`, `expiresAt` and one `documentId` together.",
      at: ["SignatureGate"],
    },
    {
      id: "not-invited",
      says: ["signers: … … invited to sign document …. Invited: …."],
      means: "`signers` names an address that isn't among the invited.",
      todo: "Take one of those it lists.",
      at: ["SignatureGate", "Reminder"],
    },
    {
      id: "not-reminded",
      says: [
        "not everyone could be reminded",
        "… wasn't reminded: …",
        "… wasn't reminded: it can't be remembered that they are. …",
        "the reminder couldn't be sent",
        "…. If reminders want … at this service: `pulumi config set docsign:reminderMethod …`",
        "Run `pulumi up` again: whoever was reminded isn't reminded again.",
      ],
      means: "A reminder was refused, or not tried. Everybody else was reminded.",
      todo: "Run `pulumi up` again: whoever was reminded isn't reminded again. Where the message names a method, try it first.",
      at: ["Reminder"],
    },
    {
      id: "reminder-unknown",
      says: [
        "it isn't known whether the reminder for … went out. It counts as sent, and isn't sent again. …",
        "an earlier run was interrupted while it reminded …: that counts as sent, and isn't sent again",
      ],
      means: "A reminder's answer was lost.",
      todo: "Nothing, or ask the person.",
      warning: true,
      at: ["Reminder"],
    },
    {
      id: "reminder-import",
      says: [
        "a reminder can't be imported: the service doesn't say whom it reminded. Declare it; `minInterval` still counts from the invitation.",
        "pulumi-docsign: the reminder \"…\" can't be imported: the service doesn't say whom it reminded.",
      ],
      means: "There is nothing to import: a reminder was a mail.",
      todo: "Declare it.",
      at: ["Reminder"],
    },
  ],
};
