import { folderVerdictsOn, folderViolationsIn } from "./folders.js";
import { type Doc, emptiedIn, type Facts, type Rule, slotOf, type Verdict } from "./model.js";
import { type Declared, keyOf, type Program } from "./program.js";
import type { Went } from "./world.js";

export interface Violation {
  readonly kind:
    | "mailed"
    | "mailed by a command that mails nobody"
    | "replaced a signed one"
    | "stopped"
    | "stopped in the preview"
    | "went on"
    | "holds another document"
    | "holds another folder"
    | "let go of"
    | "lost";
  readonly rule?: Rule | ReturnType<typeof folderVerdictsOn>[number]["may"] | undefined;
  /** What the resource is. */
  readonly of?: Declared["kind"] | undefined;
  readonly what: string;
}

interface Passed {
  readonly program: Program;
  readonly verdicts: readonly Verdict[];
  readonly before: Facts;
  readonly after: Facts;
  readonly outcome: Went;
}

/** Where an `up` did another thing than its verdicts allow. */
export function violationsIn(passed: Passed): Violation[] {
  const { program, verdicts, before, after, outcome } = passed;
  const folders = folderVerdictsOn(program, before);
  const made = [...after.docs.values()].filter(({ id }) => !before.docs.has(id));
  const wanted = new Set(verdicts.map(({ content }) => keyOf(content)));
  const stray = made.filter(({ content }) => !wanted.has(keyOf(content)));
  const emptied = emptiedIn(program, before);
  const held = [...after.held.values()];
  const heldBefore = new Set(before.held.values());
  const shared = [...after.docs.values()].filter(({ id }) => {
    const old = before.docs.get(id);
    const isUnseen = old?.holder !== undefined && old.lastSeenBy !== before.journal;
    const isNew = held.includes(id) && !heldBefore.has(id);
    const slots = [...after.held].flatMap(([slot, each]) => (each === id ? [slot] : []));
    // What leaves the program is let go of last, and not at all where something failed before.
    const staying =
      outcome.error === undefined ? slots : slots.filter(slot => verdicts.some(each => each.slot === slot));
    const wasTwice = [...before.held.values()].filter(each => each === id).length > 1;
    return (staying.length > 1 && !wasTwice) || (isNew && old?.holder !== undefined && !isUnseen);
  });
  return [
    ...shared.map(doc => ({ kind: "holds another document" as const, what: `${named(doc)} is held twice` })),
    ...verdicts.flatMap(verdict => ofSlot(verdict, made, passed)),
    ...folderViolationsIn(folders, after, outcome.error),
    ...stray.map(doc => ({ kind: "mailed" as const, what: `${named(doc)} is in no program` })),
    ...(outcome.error === undefined
      ? whenItWentOn(passed, emptied)
      : folders.some(({ may, isStale }) => isStale || may === "refuse" || may === "make or take back")
        ? []
        : whenItStopped(passed, emptied)),
  ];
}

function ofSlot(verdict: Verdict, made: readonly Doc[], { verdicts, before, after, outcome }: Passed): Violation[] {
  const { slot, may, rule, resource, content } = verdict;
  const about = { rule, of: resource.kind };
  const was = heldOf(verdict, before);
  const id = heldOf(verdict, after);
  const doc = id === undefined ? undefined : after.docs.get(id);
  const old = was === undefined ? undefined : before.docs.get(was);
  const mine = made.filter(each => keyOf(each.content) === keyOf(content));
  const list = mine.map(named).join(", ");
  // Two slots may want the same: each is sent its own.
  const alike = verdicts.filter(each => keyOf(each.content) === keyOf(content));
  const most = alike.filter(each => each.may.has("send")).length;
  if (mine.length > most) return [{ ...about, kind: "mailed", what: `${short(slot)}: ${list}` }];
  if (mine.some(({ holder }) => !alike.some(each => each.slot === holder?.slot)))
    return [{ ...about, kind: "lost", what: `${short(slot)}: ${list} is in no state` }];
  if (id === was && (outcome.error !== undefined || may.has("keep"))) return [];
  // By force the Delete comes first; where no preview was asked, what refuses the Create comes too late for state.
  if (old && !old.signed && !doc && rule === "by force" && outcome.failed === "up") return [];
  if (old && !doc) return [{ ...about, kind: "let go of", what: `${short(slot)} held ${named(old)}` }];
  if (old?.signed && id !== was)
    return [{ ...about, kind: "replaced a signed one", what: `${short(slot)} held ${named(old)}` }];
  if (isSent(verdict, doc, mine) || isTaken(verdict, id)) return [];
  return doc && id !== was
    ? [{ ...about, kind: "holds another document", what: `${short(slot)}: ${named(doc)}` }]
    : [{ ...about, kind: "went on", what: `${short(slot)} wasn't refused, and holds ${id ?? "nothing"}` }];
}

const isSent = ({ may }: Verdict, doc: Doc | undefined, mine: readonly Doc[]): boolean =>
  may.has("send") && doc !== undefined && mine.includes(doc);

export const isTaken = ({ may, takes }: Verdict, id: string | undefined): boolean =>
  may.has("take back") && id !== undefined && takes.includes(id);

function whenItWentOn({ program, verdicts, after }: Passed, emptied: readonly Declared[]): Violation[] {
  const slots = new Set(verdicts.map(({ slot }) => slot));
  const left = [...after.held].filter(([slot]) => !slots.has(slot));
  const empty = program.filter(each => each.kind === "document" && !after.held.has(slotOf(each)));
  return [
    ...emptied.map(
      ({ name }) => ({ kind: "let go of", rule: "emptied", of: "set", what: `${name} became empty` }) as const,
    ),
    ...left.map(
      ([slot, id]) => ({ kind: "holds another document", what: `${short(slot)}, which left, holds ${id}` }) as const,
    ),
    ...empty.map(({ name }) => ({ kind: "holds another document", what: `${name} holds nothing` }) as const),
  ];
}

/** Only where something is to be refused may an `up` stop, and what is refused in a set stops nothing else of the set. */
function whenItStopped({ verdicts, before, after, outcome }: Passed, emptied: readonly Declared[]): Violation[] {
  const what = outcome.error ?? "";
  const isLeft = (each: Verdict): boolean => !each.may.has("keep") && heldOf(each, after) === heldOf(each, before);
  const refused = verdicts.filter(({ may }) => may.has("refuse"));
  if (refused.length === 0 && emptied.length === 0) {
    const asked = verdicts.filter(({ resource }) => resource.name === lastAsked(outcome));
    const suspect = asked.find(isLeft) ?? asked[0];
    return [{ kind: "stopped", rule: suspect?.rule, of: suspect?.resource.kind, what }];
  }
  const stopsAll = refused.some(
    ({ rule, stale, resource }) => ["signed", "held twice"].includes(rule) || stale || resource.kind === "document",
  );
  if (stopsAll || emptied.length > 0) return [];
  const sets = new Set(refused.map(({ resource }) => resource));
  const others = verdicts.filter(each => sets.has(each.resource) && !each.may.has("refuse") && isLeft(each));
  const [first] = others;
  // A set of which nothing else is to be done fails its preview, and so that of the stack.
  const isWhole = [...sets].some(set => !others.some(({ resource }) => resource === set));
  if (outcome.failed === "preview")
    return first && !isWhole ? [{ kind: "stopped in the preview", rule: first.rule, of: "set", what }] : [];
  return others
    .filter(() => sets.size === 1)
    .map(({ slot, rule }) => ({ kind: "stopped", rule, of: "set", what: `${short(slot)} isn't done: ${what}` }));
}

/** The resource that the engine's last call was about. */
function lastAsked({ failed, calls, previewCalls }: Went): string | undefined {
  const [, name] = (failed === "preview" ? previewCalls : calls).at(-1)?.split(" ") ?? [];
  return name;
}

/** The id that the verdict's slot has, under its name or the one it had. */
function heldOf({ slot, resource, content }: Verdict, { held }: Facts): string | undefined {
  const { kind, alias } = resource;
  return held.get(slot) ?? (alias === undefined ? undefined : held.get(slotOf({ kind, name: alias }, content.person)));
}

export const named = ({ id, content, signed }: Doc): string =>
  `document ${id} (${keyOf(content)}${signed ? ", signed" : ""})`;

export const short = (slot: string): string => slot.replace(/^docsign:index:/, "").replace("@example.com", "");
