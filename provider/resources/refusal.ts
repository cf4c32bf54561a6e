import type { Facts } from "../schema/facts.js";
import { type CauseName, isUnclear } from "./causes.js";
import { UserError } from "./resource.js";

/** What a person can do about an error. Each front end renders it in its own commands. */
export type Remedy =
  /** Manage what is there. `id` as import takes it; `row` is the key it has in a set, which it would leave. */
  | { readonly kind: "import"; readonly token: string; readonly id: string; readonly row?: string }
  /** Take over this document, exactly alike, in one run: several ids where several rows may. */
  | { readonly kind: "adopt"; readonly id: string }
  /** The resource was renamed or moved: `urn` is the one that it had. */
  | { readonly kind: "alias"; readonly urn: string }
  /** Make the journal forget an attempt or an id. */
  | { readonly kind: "forget"; readonly token: string; readonly effect: string }
  /** Leave the document as it is: take the change back. */
  | { readonly kind: "take-back"; readonly changed?: readonly string[] }
  /** Send the changed contract beside it. */
  | { readonly kind: "send-as-well" }
  /** Remove it from the program, and send the changed contract then. */
  | { readonly kind: "remove-first" }
  | { readonly kind: "untaint" }
  | { readonly kind: "state-delete" }
  /** `once`: a setting of the whole stack, meant for this document alone. */
  | {
      readonly kind: "setting";
      readonly name: string;
      readonly value: string;
      readonly effect: string;
      readonly once?: true;
    }
  /** Words that are the same at every front end. */
  | { readonly kind: "advice"; readonly text: string };

export interface RefusalParts {
  /** Undefined of several rows that are refused for different causes. */
  readonly cause: CauseName | undefined;
  readonly headline: string;
  /** One line each. */
  readonly details?: readonly string[];
  readonly remedies?: readonly Remedy[];
  /** Addresses of those who have signed. */
  readonly signed?: readonly string[];
  /** What machines are told: of several rows more than the cause. */
  readonly facts?: Facts;
}

/** How one front end says what to do. */
export type RenderRemedy = (remedy: Remedy) => string;

/** An error with a name, its facts and its remedies. */
export class Refusal extends UserError {
  override readonly name = "Refusal";

  constructor(
    readonly parts: RefusalParts,
    readonly urn: string,
  ) {
    super(renderRefusal(parts, pluginCommands(urn)));
  }
}

/** What machines are told of an error; undefined of one that isn't a refusal. */
export function factsOf(error: unknown): Facts | undefined {
  // What is kept unfinished has its refusal as its cause.
  if (!(error instanceof Refusal)) return error instanceof Error && error.cause ? factsOf(error.cause) : undefined;
  const { cause, signed = [], facts } = error.parts;
  return (
    facts ?? {
      ...(isUnclear(cause) ? { unclear: 1 } : { refused: 1 }),
      ...(cause === undefined ? {} : { causes: [cause] }),
      signed,
    }
  );
}

export function renderRefusal(
  { cause, headline, details = [], remedies = [] }: RefusalParts,
  say: RenderRemedy,
): string {
  return [
    `${headline}${named(cause)}`,
    ...details.map(line => `  ${line}`),
    ...(remedies.length > 0 ? ["What you can do:", ...remedies.map(remedy => `  - ${say(remedy)}`)] : []),
  ].join("\n");
}

/** A cause as it ends a line. */
export const named = (cause: CauseName | undefined): string => (cause === undefined ? "" : ` [docsign/${cause}]`);

/** The remedies as commands for a plugin's resource. */
const pluginCommands =
  (urn: string): RenderRemedy =>
  remedy => {
    if (remedy.kind !== "import") return commonCommand(remedy, urn);
    const { token, id, row } = remedy;
    const command = (name: string) => `pulumi import --generate-code=false ${token} ${name} ${quoted(id)}`;
    return row === undefined
      ? `keep it: ${command(quoted(nameOf(urn)))}`
      : `${outOfSet(row, id)}, then ${command("NAME")}`;
  };

export const outOfSet = (row: string, id: string): string =>
  `to manage a document by itself, such as ${id}: take ${row} out of the set`;

export function commonCommand(remedy: Exclude<Remedy, { kind: "import" }>, urn: string): string {
  switch (remedy.kind) {
    case "adopt":
      return `take over document ${remedy.id.replaceAll(",", ", ")}, which mails no one: DOCSIGN_ADOPT=${remedy.id} pulumi up`;
    case "alias":
      return `if you renamed or moved it: set the resource option aliases: ["${remedy.urn}"]`;
    case "take-back":
      return `keep this document: take the change back, or set the resource option ${ignoring(remedy.changed)}`;
    case "send-as-well":
      return "send the changed contract as well: declare it as a new resource with its own name";
    case "remove-first":
      return "let go of this one first: remove it from the program, `pulumi up`, then declare the new one (it stays at the service)";
    case "untaint":
      return `if it was tainted: pulumi state untaint ${quoted(urn)}`;
    case "state-delete":
      return `to let go of it: pulumi state delete ${quoted(urn)}`;
    case "forget":
      return `${remedy.effect}: DOCSIGN_FORGET=${remedy.token} pulumi up`;
    case "setting":
      return `${remedy.effect}: pulumi config set docsign:${remedy.name} ${remedy.value}${
        remedy.once ? ` (it holds for the whole stack: afterwards, pulumi config rm docsign:${remedy.name})` : ""
      }`;
    case "advice":
      return remedy.text;
  }
}

/** A PDF is given in one of several ways, and the ways of one kind are ignored together. */
const WAYS = [
  ["file", "base64File"],
  ["template", "variables"],
];

/** The option that ignores these inputs; nothing is known of what a forced replacement would change. */
function ignoring(changed: readonly string[] | undefined): string {
  const names = changed?.flatMap(name => WAYS.find(ways => ways.includes(name)) ?? [name]);
  if (!names || names.length === 0)
    return 'ignoreChanges: ["file", "base64File"] (both), or ["template", "variables"] for a template';
  return `ignoreChanges: [${[...new Set(names)].map(name => JSON.stringify(name)).join(", ")}]${names.includes("file") ? " (both)" : ""}`;
}

/** The same refusal as another front end says it. What was added to the message stays. */
export function rendered({ message, parts, urn }: Refusal, say: RenderRemedy): string {
  return message.replace(renderRefusal(parts, pluginCommands(urn)), () => renderRefusal(parts, say));
}

export const nameOf = (urn: string): string => urn.split("::").at(-1) || "NAME";

/** A word of a shell command. */
export const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
