import type { Section } from "./error.js";

export const sets: Section = {
  title: "Sets of documents",
  about:
    "A set says everything wrong with its rows at once: by line and column of a table, or by key. A row says what a Document would.",
  at: ["DocumentSet"],
  rows: [
    {
      id: "set-guard",
      says: ["… of … can't be replaced, so nothing was sent…"],
      means: "Somebody has signed the documents of these rows, or they couldn't be read.",
      todo: 'Put the rows back, or set `whenSigned: "keep"`: then the others are replaced. For a second contract beside a signed one, give the row another key.',
    },
    {
      id: "set-partly",
      says: [
        "… of … rows are done, … not. Those that are done aren't sent again…",
        "… of … rows can't be sent…",
        "the rows of the set aren't known any more…",
      ],
      means: "Some rows failed; the others are done and stay done.",
      todo: "Put right what the lines below it say, and run `pulumi up` again: nobody is mailed twice.",
    },
    {
      id: "set-reading",
      says: ["document … couldn't be read, so state keeps what it knew…"],
      means: "A refresh couldn't read a document of the set.",
      todo: "Refresh again once the service answers.",
    },
    {
      id: "set-import",
      says: ["expected each document under a key of its own…"],
      means: "Several documents have the same name, description or first person.",
      todo: "Leave out that part of the import id: documents are then keyed by their id.",
    },
    {
      id: "set-taken-over",
      says: ["the documents aren't what the program says, so they are not taken over…"],
      means: "Dynamic resources: the option `import` names documents that differ from the program.",
      todo: "Make the program say what the lines below it name, or leave out `import`.",
    },
  ],
};
