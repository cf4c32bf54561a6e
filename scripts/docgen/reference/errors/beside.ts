import type { Section } from "./error.js";

export const functions: Section = {
  title: "Functions",
  at: ["functions"],
  rows: [
    {
      id: "not-known-yet",
      says: ["…: isn't known yet, so the service can't be asked"],
      means: "A function was called directly with a value that a resource of the same preview has yet to give.",
      todo: "Use the function's `…Output` form, which waits.",
    },
    {
      id: "date-range",
      says: [
        "toDate: expected a date not before fromDate…",
        "splitDays: expected … days or more, got …, which splits the range into … parts (… at most)",
      ],
      means: "The range is turned around, or cut too small.",
      todo: "Give what the message expects.",
      at: ["getDocumentsByDateRange"],
    },
    {
      id: "bad-date",
      says: ["… must be a date like 2026-01-31, got …"],
      means: "A date isn't one.",
      todo: "Year, month and day, with dashes.",
      at: ["getDocumentsByDateRange"],
    },
  ],
};

export const sdk: Section = {
  title: "TypeScript SDK",
  about: "What it does differently: [the plugin and the dynamic provider](plugin-and-dynamic-provider.md).",
  at: [],
  rows: [
    {
      id: "old-node",
      says: ["pulumi-docsign: expected Node 22.19 or newer as the first `node` on PATH, got Node …."],
      means: "The engine starts the first `node` it finds, and that one is too old.",
      todo: "Install a newer Node, or put it first on PATH.",
    },
    {
      id: "no-provider",
      says: [
        "pulumi-docsign: the TypeScript SDK's resources take no `provider`; they use the stack's configuration (docsign:baseUrl, docsign:apiKey).",
      ],
      means: "Dynamic resources have no explicit providers.",
      todo: "A stack for each account, or the plugin.",
    },
    {
      id: "constancia-not-there",
      says: ["the NOM151 certificate isn't there yet."],
      means: "`nom151Asset` was asked for a certificate that the service hasn't made.",
      todo: 'Wait with a gate (`until: "nom151"`).',
    },
  ],
};

export const evidence: Section = {
  title: "Evidence",
  about:
    "`downloadEvidence` throws these as `EvidenceError`, and writes no file; `docsign evidence pull` and `docsign verify` print them: [evidence](evidence.md).",
  at: [],
  rows: [
    {
      id: "evidence-hash",
      says: ["… isn't what the service says it is: expected SHA-256 … (…), found …. Nothing was written."],
      means: "A file isn't the one the service states the hash of.",
      todo: "Try again; if it stays, ask the service's operator.",
    },
    {
      id: "evidence-directory",
      says: [
        "directory: expected the path of a folder",
        "… isn't the evidence of document … at …: give each document a directory of its own",
        "allowOrigins: expected an origin such as https://files.example, got …",
      ],
      means: "The folder is missing, or holds another document's evidence; or an origin is none.",
      todo: "Give each document a directory of its own.",
    },
    {
      id: "evidence-no-file",
      says: ["document … has no file yet"],
      means: "The service is still working on the document.",
      todo: "Try again later.",
    },
    {
      id: "evidence-folder",
      says: [
        "…: expected an empty folder or one of an earlier pull, got one with …",
        "…: expected the evidence of …, got that of …. Give each service a folder of its own.",
        "…: expected no other pull into it, got process … on …",
      ],
      means: "The folder isn't one of this service's pulls alone, or another pull fills it just now.",
      todo: "Give another folder, or wait for the other pull.",
    },
    {
      id: "evidence-changed",
      says: [
        "…: the service has another one, so nothing of document … was written. To take what it has now, move … away.",
        "…: the service has none any more, so nothing of document … was written. To take what it has now, move … away.",
      ],
      means: "The service gives other evidence than was pulled before, or less. What was pulled stays.",
      todo: "Ask the service's operator which one counts.",
    },
    {
      id: "evidence-manifest",
      says: [
        "…: expected the folder of a pull, got none with a manifest.json",
        "…: expected the manifest of a pull, got something else",
      ],
      means: "The folder isn't one that `docsign evidence pull` has finished.",
      todo: "Run the pull to its end, or give its folder.",
    },
    {
      id: "evidence-packages",
      says: ["the document has a NOM151 constancia, and the packages that read it aren't installed: …"],
      means: "Reading a constancia takes two packages that are optional.",
      todo: "Run the `npm install` line it prints.",
    },
  ],
};

export const sandbox: Section = {
  title: "The sandbox's program",
  about:
    "`docsign sandbox --help` says what it takes. It ends with 2 where it was started wrongly, and with 1 for any other error.",
  at: [],
  rows: [
    {
      id: "sandbox-usage",
      says: [
        "there is no flag …",
        "expected flags only, got …",
        "--… must not be empty",
        "--…: expected a whole number from 0 to …, got …",
        "--seed takes a number or a readable JSON file; …: …",
      ],
      means: "A flag isn't there, or has a value it doesn't take.",
      todo: "Give what the message expects.",
    },
    {
      id: "sandbox-address",
      says: [
        "port … on … is already in use; choose another with --port, or --port 0",
        "this user may not listen on port …; choose one from 1024 on with --port",
        "--host … is no address of this machine",
      ],
      means: "The sandbox can't listen there.",
      todo: "Choose another port or host.",
    },
    {
      id: "sandbox-file",
      says: ["… was not written by this version of the sandbox"],
      means: "The file given with `--file` is from another version, or isn't the sandbox's.",
      todo: "Give another path, or delete the file.",
    },
  ],
};
