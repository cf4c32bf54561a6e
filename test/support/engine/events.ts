import { readFileSync } from "node:fs";
import { wordsIn } from "../../../provider/schema/facts.js";

/** What the engine did and said in one command, read off its own event log. */
export interface EngineEvents {
  /** Operations on our resources other than `same`, in the order they began: `create nda`, `refresh contracts`. */
  readonly steps: string[];
  /** What the plugin and the engine said about resources: `info nda: …`, without colours, facts for machines and trailing blanks. */
  readonly notes: string[];
}

interface StepMetadata {
  readonly op: string;
  readonly urn: string;
  readonly type: string;
}

interface EngineEvent {
  readonly resourcePreEvent?: { readonly metadata: StepMetadata };
  readonly diagnosticEvent?: {
    readonly urn?: string;
    readonly message: string;
    readonly severity: string;
    readonly ephemeral?: boolean;
  };
}

/** What stands above an error counts what it refuses, and says nothing of its own. */
const isAboveAnError = (words: string): boolean => words.endsWith(": the error says why");

const nameOf = (urn: string | undefined): string => urn?.split("::").at(-1) ?? "";

export function readEvents(path: string): EngineEvents {
  const steps: string[] = [];
  const notes: string[] = [];
  for (const event of eventsIn(path)) {
    const { resourcePreEvent: step, diagnosticEvent: note } = event;
    if (step && step.metadata.op !== "same" && step.metadata.type.startsWith("docsign:"))
      steps.push(`${step.metadata.op} ${nameOf(step.metadata.urn)}`);
    if (!note || note.severity === "debug" || note.ephemeral) continue;
    const words = wordsIn(note.message);
    if (words !== "" && !isAboveAnError(words)) notes.push(`${note.severity} ${nameOf(note.urn)}: ${words}`);
  }
  return { steps, notes };
}

function eventsIn(path: string): EngineEvent[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // A command that failed before anything happened has written none.
    return [];
  }
  return text
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line) as EngineEvent);
}
