import type { Section } from "./error.js";

export const watch: Section = {
  title: "`docsign watch`",
  at: [],
  rows: [
    {
      id: "watch-alone",
      says: ["expected to be the only watcher of its memory…", "another watcher took over: …"],
      means: "Two watchers have one memory.",
      todo: "Stop one, or give it a `memory` of its own.",
    },
    {
      id: "watch-untold",
      says: ["not all could be told: …", "… couldn't be woken, and is tried again: …"],
      means: "A document couldn't be read, or a chat or a command failed. Nothing is forgotten.",
      todo: "Run it again.",
    },
  ],
};
