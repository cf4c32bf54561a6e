import { firstFew, quoted } from "../core/text.js";
import type { Facts } from "../schema/facts.js";
import type { Context } from "./context.js";
import { UserError } from "./resource.js";

// ---- Causes ----

/**
 * Why the provider refuses: each cause's name is at the end of its message's first line, as `[docsign/<name>]`. What it means
 * and what to do stand under a heading of that name in docs/errors.md.
 */
export const CAUSES = [
  "replace-signed",
  "replace-unconfirmed",
  "replace-unknown-predecessor",
  "folder-not-empty",
  "emptied-set",
  "create-unconfirmed",
  "create-elsewhere",
  "create-ambiguous",
  "created-with-other-content",
  "duplicate",
  "duplicate-unconfirmed",
  "held-twice",
  "other-service",
  "not-shown",
  "other-document",
  "folder-unconfirmed",
  "folder-placement",
  "cancelled-create",
  "update-replaces",
] as const;

type CauseName = (typeof CAUSES)[number];

/** Nothing is wrong: whether the document was sent isn't known. */
const UNCLEAR: readonly (CauseName | undefined)[] = [
  "create-unconfirmed",
  "create-elsewhere",
  "create-ambiguous",
  "duplicate-unconfirmed",
];

// ---- Refusals ----

/** What a person can do about an error. Each front end renders it in its own commands. */
export type Remedy =
  /** Manage what is there. `id` as import takes it; `row` is the key it has in a set, which it would leave. */
  | { readonly kind: "import"; readonly token: string; readonly id: string; readonly row?: string }
  /** Take over this document, exactly alike, in one run: several ids where several rows may. */
  | { readonly kind: "adopt"; readonly id: string }
  /** The resource was renamed or moved: `urn` is the one that it had. */
  | { readonly kind: "alias"; readonly urn: string }
  /** Make the journal forget an attempt or an id. `one`: of several rows with this remedy, the first is enough. */
  | { readonly kind: "forget"; readonly token: string; readonly effect: string; readonly one?: true }
  /** Tell the journal which document a create made: one of `ids`, or what a person finds on the platform. */
  | { readonly kind: "resolve"; readonly token: string; readonly ids: readonly string[] }
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

export const advice = (text: string): Remedy => ({ kind: "advice", text });

export const forget = (token: string, effect: string, more: { readonly one?: true } = {}): Remedy => ({
  kind: "forget",
  token,
  effect,
  ...more,
});

/** `when` it is meant: for which rows of a set, where not for all that are refused. */
export type MeantRemedy = Remedy & { readonly when?: string };

export interface RefusalParts {
  /** Undefined of several rows that are refused for different causes. */
  readonly cause: CauseName | undefined;
  readonly headline: string;
  /** What the headline ends with. A set says it once for all of its rows. */
  readonly ending?: string;
  /** One line each. */
  readonly details?: readonly string[];
  readonly remedies?: readonly MeantRemedy[];
  /** What tells refusals of one cause apart, for whom the same can't be done. */
  readonly why?: string;
  /** Addresses of those who have signed. */
  readonly signed?: readonly string[];
  /** Of a set, the rows that are refused. */
  readonly rows?: readonly string[];
  /** What machines are told: of several rows more than the cause. */
  readonly facts?: Facts;
}

/** How one front end says what to do. */
type RenderRemedy = (remedy: Remedy) => string;

/** An error with a name, its facts and its remedies. */
export class Refusal extends UserError {
  override readonly name = "Refusal";
  /** What a refused change would have made of the contract, for machines. */
  change: string | undefined;

  constructor(
    readonly parts: RefusalParts,
    readonly urn: string,
  ) {
    super(renderRefusal(parts, pluginCommands(urn)));
  }
}

/** What the log says of an error, above it: the facts for machines, in words for people first. */
export function noteOf(error: unknown): { readonly words: string; readonly facts: Facts } | undefined {
  const facts = factsOf(error);
  if (!facts || Object.keys(facts).length === 0) return undefined;
  const { refused = 0, unclear = 0 } = facts;
  const counts = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(unclear > 0 ? [`${unclear} not known to be sent or not`] : []),
  ];
  return { words: `${counts.join(", ")}: the error says why`, facts };
}

/** What machines are told of an error; undefined of one that isn't a refusal. */
export function factsOf(error: unknown): Facts | undefined {
  // What is kept unfinished has its refusal as its cause.
  if (!(error instanceof Refusal)) return error instanceof Error && error.cause ? factsOf(error.cause) : undefined;
  const { cause, signed = [], facts } = error.parts;
  const { change } = error;
  return {
    ...(facts ?? {
      ...(UNCLEAR.includes(cause) ? { unclear: 1 } : { refused: 1 }),
      ...(cause === undefined ? {} : { causes: [cause] }),
      signed,
    }),
    ...(change === undefined ? {} : { change }),
  };
}

function renderRefusal(
  { cause, headline, ending = "", details = [], remedies = [] }: RefusalParts,
  say: RenderRemedy,
): string {
  return [
    `${headline}${ending}${causeSuffix(cause)}`,
    ...details.map(line => `  ${line}`),
    ...(remedies.length > 0
      ? [
          "What you can do:",
          ...remedies.map(remedy => `  - ${remedy.when === undefined ? "" : `${remedy.when}: `}${say(remedy)}`),
        ]
      : []),
  ].join("\n");
}

/** A cause as it ends a line. */
export const causeSuffix = (cause: CauseName | undefined): string => (cause === undefined ? "" : ` [docsign/${cause}]`);

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
      return `take over ${documentsIn(remedy.id.split(","))}, which mails no one: DOCSIGN_ADOPT=${remedy.id} pulumi up`;
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
    case "resolve": {
      const [id = "ID", ...more] = remedy.ids;
      const is = more.length > 0 ? "ID" : id;
      return `${id === "ID" ? "it is there" : "it is one of these"}: docsign journal resolve ${remedy.token} --is ${is}, then \`pulumi up\` takes it`;
    }
    case "setting":
      return `${remedy.effect}: pulumi config set docsign:${remedy.name} ${remedy.value}${
        remedy.once ? ` (it holds for the whole stack: afterwards, pulumi config rm docsign:${remedy.name})` : ""
      }`;
    case "advice":
      return remedy.text;
  }
}

export const documentsIn = (ids: readonly string[]): string =>
  `${ids.length === 1 ? "document" : "documents"} ${firstFew(ids)}`;

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
  const all = [...new Set(names)];
  const every = names.includes("file") ? (all.length > 2 ? " (all of them)" : " (both)") : "";
  return `ignoreChanges: [${all.map(name => JSON.stringify(name)).join(", ")}]${every}`;
}

/** The same refusal as another front end says it. What was added to the message stays. */
export function rendered({ message, parts, urn }: Refusal, say: RenderRemedy): string {
  return message.replace(renderRefusal(parts, pluginCommands(urn)), () => renderRefusal(parts, say));
}

export const nameOf = (urn: string): string => urn.split("::").at(-1) || "NAME";

const MOVE_IT: Remedy = advice(
  "only its folder changes: move it there on the platform and run `pulumi refresh`, then nothing is replaced",
);

/** The engine deletes what depends on a replaced resource, and on one that it only destroys (`--target`), by the same calls. */
export const NOT_KNOWN_YET: readonly Remedy[] = [
  advice(
    "take back the change of the resource that it comes from; to make that change all the same, first say the value itself in the program, run `pulumi up`, and then make it",
  ),
  advice("where both are to go (`--target`): destroy this one first, in a run of its own"),
];

/** Remedies, where it is known which inputs change. */
export function remediesFor(remedies: readonly Remedy[], changed: readonly string[] = []): readonly Remedy[] {
  if (changed.length === 0) return remedies;
  const named = remedies.map(each => (each.kind === "take-back" ? { ...each, changed } : each));
  return changed.every(name => name === "folderId") ? [MOVE_IT, ...named] : named;
}

// ---- Another service ----

/** Where a resource lives, as state tells; empty where it doesn't. */
export const originIn = ({ service }: { readonly service?: unknown }): string =>
  typeof service === "string" ? service : "";

/** Refuses a resource that state has at another service than the configured one. */
export function assertSameService(context: Context, origin: unknown, what: string, urn: string): void {
  const here = context.service().origin;
  if (typeof origin !== "string" || origin === "" || origin === here) return;
  throw new Refusal(
    {
      cause: "other-service",
      headline: `${what} lives at ${origin}, and the provider is configured for ${here}. Nothing of another service is read or replaced.`,
      remedies: [
        {
          kind: "setting",
          name: "baseUrl",
          value: origin,
          effect:
            "go back (refresh and destroy use the settings of the last `pulumi up`: run that first, or add `--run-program`)",
        },
        advice("give this resource a provider of its own that is configured for it"),
        { kind: "state-delete" },
      ],
    },
    urn,
  );
}
