import type { CauseName } from "./causes.js";
import { UserError } from "./resource.js";

/** What a person can do about an error. Each front end renders it in its own commands. */
export type Remedy =
  /** Manage what is there. `id` as import takes it. */
  | { readonly kind: "import"; readonly token: string; readonly id: string }
  /** Make the journal forget an attempt or an id. */
  | { readonly kind: "forget"; readonly token: string; readonly effect: string }
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
  readonly cause: CauseName;
  readonly headline: string;
  /** One line each. */
  readonly details?: readonly string[];
  readonly remedies?: readonly Remedy[];
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

export function renderRefusal(
  { cause, headline, details = [], remedies = [] }: RefusalParts,
  say: RenderRemedy,
): string {
  return [
    `${headline} [docsign/${cause}]`,
    ...details.map(line => `  ${line}`),
    ...(remedies.length > 0 ? ["What you can do:", ...remedies.map(remedy => `  - ${say(remedy)}`)] : []),
  ].join("\n");
}

/** The remedies as commands for a plugin's resource. */
const pluginCommands =
  (urn: string): RenderRemedy =>
  remedy =>
    remedy.kind === "import"
      ? `keep it: pulumi import --generate-code=false ${remedy.token} ${quoted(nameOf(urn))} ${quoted(remedy.id)}`
      : commonCommand(remedy, urn);

export function commonCommand(remedy: Exclude<Remedy, { kind: "import" }>, urn: string): string {
  switch (remedy.kind) {
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

/** The same refusal as another front end says it. What was added to the message stays. */
export function rendered({ message, parts, urn }: Refusal, say: RenderRemedy): string {
  return message.replace(renderRefusal(parts, pluginCommands(urn)), () => renderRefusal(parts, say));
}

export const nameOf = (urn: string): string => urn.split("::").at(-1) || "NAME";

/** A word of a shell command. */
export const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
