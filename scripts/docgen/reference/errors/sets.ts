import type { Section } from "./error.js";

export const sets: Section = {
  title: "Sets of documents",
  about: "A set reports everything wrong with its rows at once: by line and column of a table, or by key.",
  at: ["DocumentSet"],
  rows: [
    {
      id: "set-rows",
      says: [
        "expected one of `documents` and `table`, got …",
        "key: expected a text such as {{email}} beside `table`, got none",
        "key: expected `table` beside it, got `documents`, whose keys are its own",
        "defaults: expected what a Document takes, got something else",
        "documents: expected a map of keys and what a Document takes",
        "expected an asset with a CSV: a file, a string or a remote address",
        "expected an asset with one CSV, got an archive",
        "…and … more mistakes",
      ],
      means: "The rows of a set, or what holds for all of them, can't be read.",
      todo: "Put right what it lists.",
    },
    {
      id: "set-guard",
      says: [
        "… of … changed rows can't be replaced, so nothing was sent.",
        "… of … rows can't be replaced, so nothing was sent.",
      ],
      means:
        "Changed rows, or rows of a set that is replaced by force, have documents that aren't unsigned, or that couldn't be read.",
      todo: 'Put those rows back as they were, or set `whenSigned: "keep"`: the others are replaced then. A second contract beside the signed one takes another key.',
    },
    {
      id: "set-partly",
      says: [
        "… of … rows are done, … are not. Those that are done aren't sent again; `pulumi up` goes on with the others.",
        "… and the same for … more rows: …",
        "and for … more rows; `--debug` shows all",
        "… of … rows can't be sent.",
        "… of … rows can't be sent. `pulumi up` does the others, and fails at the end.",
        "the rows of the set aren't known any more, so nothing was sent. Run `pulumi up` again.",
      ],
      means: "Some rows failed. The others are done and stay done.",
      todo: "Put right what the lines below say, and run `pulumi up` again: nobody is mailed twice.",
    },
    {
      id: "set-reading",
      says: ["document … couldn't be read, so state keeps what it knew: …"],
      means: "A document of the set couldn't be read.",
      todo: "Refresh again once the service answers.",
    },
    {
      id: "set-import",
      says: [
        "expected `folder/<id>` or `documents/<id>,<id>` (keyed by id), with `/name`, `/description` or `/email` (the first person invited) after it to be keyed by that, got …",
        "expected documents in folder …, got an empty list",
        "expected each document under a key of its own: …",
      ],
      means: "Documents can't be imported as a set under these keys.",
      todo: "Leave out the field: documents are then keyed by their id.",
    },
    {
      id: "set-taken-over",
      says: [
        "the documents aren't what the program says, so they are not taken over. They stay as they are, and no one was mailed about them.",
      ],
      means: "The resource option `import` of the TypeScript SDK names documents that differ from the program.",
      todo: "Make the program say what the lines below name, or leave out `import`.",
    },
  ],
};
