import type { Section } from "./error.js";

export const people: Section = {
  title: "Gates and reminders",
  about: "How they work: [people](people.md).",
  at: ["SignatureGate"],
  rows: [
    {
      id: "gate-waits",
      says: ["…, and the … to wait for it are over…", "…, and asking for it failed: …"],
      means: "`mode: wait` ended first: the time was over, Ctrl-C, or the service failed five times in a row.",
      todo: "Run `pulumi up` again: it goes on waiting. For longer: `customTimeouts`.",
    },
    {
      id: "list-unread",
      says: ["… of … couldn't be read:", "couldn't be read, so nobody was reminded of it…"],
      means: "The gate stays open. The reminder reminded the people of the other documents.",
      todo: "Run `pulumi up` again once the service answers.",
      warning: true,
      at: ["SignatureGate", "Reminder"],
    },
    {
      id: "gate-kept",
      says: ["the gate is kept as it was…"],
      means: "A refresh couldn't see the gate's document.",
      todo: "Check the key and the address.",
      warning: true,
    },
    {
      id: "gate-stays",
      says: ["the gate was satisfied and stays so…"],
      means: "A signature has gone, such as after a new version on the platform.",
      todo: "Nothing, or start the gate anew with the line it prints.",
      warning: true,
    },
    {
      id: "gate-late",
      says: ["… still waits for …, and the deadline has passed…"],
      means: "The gate's `deadline` is over.",
      todo: "Set a later one, take it out, or send another contract.",
    },
    {
      id: "not-reminded",
      says: ["not everyone could be reminded", "… wasn't reminded: …", "If reminders want … at this service: …"],
      means: "A reminder was refused, or not tried. Everybody else was reminded.",
      todo: "Run `pulumi up` again: whoever was reminded isn't reminded again. If the message names a method, set it first.",
      at: ["Reminder"],
    },
    {
      id: "reminder-unknown",
      says: [
        "it isn't known whether the reminder for … went out…",
        "an earlier run was interrupted while it reminded …",
      ],
      means: "A reminder's answer was lost.",
      todo: "Nothing, or ask the person.",
      warning: true,
      at: ["Reminder"],
    },
  ],
};
