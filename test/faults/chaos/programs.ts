import { type Fault, passingFaults } from "../../support/independent-service/index.js";
import type { ProgramResource } from "../support/engine.js";
import { titleOf } from "./checker.js";
import type { Program } from "./script.js";

/** What a request may meet with. */
export const AMONG: readonly Fault[] = [
  ...passingFaults,
  { kind: "redirect", when: "before", status: 302, location: "https://elsewhere.example/" },
  { kind: "wrong-ids", as: "negative" },
  { kind: "status", when: "before", status: 404, body: "html" },
  { kind: "empty", when: "after" },
  { kind: "deep", levels: 5_000 },
  { kind: "bom" },
];

const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");
const TYPES = { folder: "Folder" } as const;

/** A program as the engine registers it. */
export const wantedOf = (program: Program): ProgramResource[] =>
  Object.entries(program).map(([name, content]) =>
    name in TYPES
      ? { name, type: "Folder", inputs: { name: titleOf(content) } }
      : {
          name,
          type: "Document",
          inputs: {
            name: titleOf(content),
            description: `of ${content}`,
            invitations: [{ email: "ana@example.com" }, { email: "bob@example.org", stage: 2 }],
            base64File: pdf(content),
          },
        },
  );
