import type { Section } from "./error.js";

export const functions: Section = {
  title: "Functions and dynamic resources",
  at: ["functions"],
  rows: [
    {
      id: "not-known-yet",
      says: ["isn't known yet, so the service can't be asked"],
      means: "A function was called with a value that another resource has yet to give.",
      todo: "Use the function's `…Output` form, which waits.",
    },
    {
      id: "no-provider",
      says: ["the TypeScript SDK's resources take no `provider`…"],
      means: "Dynamic resources use the stack's settings.",
      todo: "Take a stack for each account, or [the plugin](plugin-and-dynamic-provider.md).",
      at: [],
    },
    {
      id: "constancia-not-there",
      says: ["the NOM151 certificate isn't there yet."],
      means: "`nom151Asset` was asked for a certificate that the service hasn't made.",
      todo: 'Wait with a gate (`until: "nom151"`).',
      at: [],
    },
  ],
};

export const evidence: Section = {
  title: "Evidence",
  about:
    "`docsign evidence pull` and `docsign verify` print these, and `downloadEvidence` throws them: [evidence](evidence.md).",
  at: [],
  rows: [
    {
      id: "evidence-hash",
      says: ["… isn't what the service says it is: expected SHA-256 …"],
      means: "A file isn't the one that the service states the hash of.",
      todo: "Try again. If it stays so, ask the service's operator.",
    },
    {
      id: "evidence-changed",
      says: ["…, so nothing of document … was written…"],
      means: "The service gives other evidence than before. What was pulled before stays.",
      todo: "Ask the service's operator which one counts.",
    },
  ],
};
