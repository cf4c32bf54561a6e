import { z } from "zod";
import { addressOf } from "./documents.js";
import { kindOf } from "./state.js";

const stateSchema = z.looseObject({ inputs: z.record(z.string(), z.unknown()).optional() });
const stepSchema = z.looseObject({
  op: z.string(),
  urn: z.string(),
  oldState: stateSchema.nullish(),
  newState: stateSchema.nullish(),
});
const previewSchema = z.looseObject({
  steps: z.array(stepSchema),
  diagnostics: z
    .array(z.looseObject({ urn: z.string().optional(), message: z.string(), severity: z.string() }))
    .nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});

/** What a merge would do to contracts, read off `pulumi preview --json`. */
export interface Plan {
  readonly stack: string;
  /** Contracts that would be sent, and what each would replace. */
  readonly mails: readonly PlannedMail[];
  /** Contracts that a change would touch, and that are left alone because somebody has signed. */
  readonly refused: readonly Refused[];
  /** Other errors of the preview, first lines only. */
  readonly failures: readonly string[];
  /** Contracts that stay as they are; undefined where the preview doesn't list them (`--show-sames` does). */
  readonly unchanged: number | undefined;
  /** Contracts that the stack lets go of. They stay at the service. */
  readonly forgotten: readonly string[];
}

export interface PlannedMail {
  readonly resource: string;
  readonly name: string;
  readonly kind: "create" | "replace" | "reminder";
  /** Undefined where the program keeps them secret or they aren't known yet. */
  readonly people: readonly string[] | undefined;
}

export interface Refused {
  readonly resource: string;
  /** The provider's reason: its first line, and who has signed. */
  readonly reason: string;
  readonly signedBy: readonly string[];
}

export const isPreview = (value: unknown): boolean => previewSchema.safeParse(value).success;

export function readPreview(value: unknown): Plan {
  const { steps, diagnostics, changeSummary } = previewSchema.parse(value);
  const documents = steps.filter(({ urn }) => ["Document", "DocumentSet"].includes(kindOf(typeOf(urn)) ?? ""));
  const errors = (diagnostics ?? []).filter(({ severity }) => severity === "error");
  const refused = errors.filter(isRefusal);
  const sames = documents.filter(({ op }) => op === "same").length;
  return {
    stack: stackOf(steps[0]?.urn ?? diagnostics?.find(({ urn }) => urn)?.urn ?? ""),
    mails: [
      ...[...new Map(documents.filter(({ op }) => SENDS.has(op)).map(step => [step.urn, plannedMail(step)])).values()],
      ...reminders(diagnostics ?? []),
    ],
    refused: refused.map(({ urn, message }) => ({
      resource: nameOf(urn ?? ""),
      reason: firstLine(message),
      signedBy: signedBy(message),
    })),
    failures: errors.filter(one => !isRefusal(one)).map(({ message }) => firstLine(message)),
    unchanged: sames > 0 || (changeSummary?.["same"] ?? 0) === 0 ? sames : undefined,
    forgotten: documents.filter(({ op }) => op === "delete").map(({ urn }) => nameOf(urn)),
  };
}

type Step = z.infer<typeof stepSchema>;
type Diagnostic = { urn?: string | undefined; message: string };

/** A replacement has several steps, which are about the same mails. */
const SENDS = new Set(["create", "replace", "create-replacement"]);

/** By the cause that the provider names, which of a set's rows may stand on a later line. */
const isRefusal = ({ message }: Diagnostic): boolean => /\[docsign\/(replace-[a-z-]+|folder-not-empty)\]/.test(message);

function plannedMail({ op, urn, newState }: Step): PlannedMail {
  const kind = op === "create" ? "create" : "replace";
  const { inputs = {} } = newState ?? {};
  const name = typeof inputs["name"] === "string" ? inputs["name"] : nameOf(urn);
  return { resource: nameOf(urn), name, kind, people: invited(inputs) };
}

const invitationsSchema = z.array(z.looseObject({ email: z.string() }));

function invited(inputs: Readonly<Record<string, unknown>>): string[] | undefined {
  const parsed = invitationsSchema.safeParse(inputs["invitations"]);
  return parsed.success ? [...new Set(parsed.data.map(({ email }) => addressOf(email)))] : undefined;
}

/** A reminder's preview says whom it would mail, and is the only one who knows. */
function reminders(diagnostics: readonly Diagnostic[]): PlannedMail[] {
  return diagnostics.flatMap(({ urn = "", message }) => {
    const [, people] = /will mail ([^:\n]+): a reminder/.exec(message) ?? [];
    if (people === undefined || kindOf(typeOf(urn)) !== "Reminder") return [];
    return [{ resource: nameOf(urn), name: nameOf(urn), kind: "reminder" as const, people: people.split(", ") }];
  });
}

const firstLine = (message: string): string => (message.split("\n")[0] ?? "").replace(/^error: /, "");

/** A document's details are a line each, those of a set's row stand on its line. */
function signedBy(message: string): string[] {
  const found = [...message.matchAll(/(?:^\s*|; )signed: ([^;\n]+)/gm)];
  return found.flatMap(([, people = ""]) => people.split(/,\s(?=[^\s,]+@)/));
}

const typeOf = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";
const nameOf = (urn: string): string => urn.split("::").slice(3).join("::");
const stackOf = (urn: string): string => {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined ? "the stack" : `${project}/${stack}`;
};
