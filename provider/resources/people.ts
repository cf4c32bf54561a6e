import { z } from "zod";
import { type Change, kindOf } from "../../kit/changes.js";
import type { Stored } from "../../kit/check.js";
import { property } from "../../kit/property.js";
import { hasUnknown, isUnknown, known, UNKNOWN, type Unknown, type Value } from "../../kit/values.js";
import { type Address, addressOf, canonicalText, sameText } from "../core/same.js";
import { anyText, emailAddress, oneOf } from "../schema/types.js";

/*
 * Whom a program invites (`invitation`), and is it the same person? `peopleOf` makes them comparable, whoever wrote them;
 * `paired` finds for each whom the program invites the one whom the service shows, or whom it invited before.
 */

// ---- One person ----

const SIGNATURE_TYPES = ["all", "autograph", "advanced"] as const;

export const invitation = property(
  z.strictObject(
    {
      email: property(emailAddress, { description: "Address of the person invited to sign." }),
      name: property(anyText("a name", 10_000).optional(), { description: "Name of the person invited to sign." }),
      message: property(anyText("a message", 100_000).optional(), {
        description:
          "Text sent with the invitation. It is used at creation only and can't be read back, so changing it alone changes nothing and mails no one.",
      }),
      allowedSignatureTypes: property(oneOf(SIGNATURE_TYPES).optional(), {
        description: "How this person may sign. Left out, the service decides.",
        typeName: "SignatureTypes",
      }),
      stage: property(
        z
          .number({ error: "a whole number such as 1" })
          .int({ error: "a whole number such as 1" })
          .min(0, { error: "a whole number from 0 up" })
          .max(1_000_000, { error: "a whole number of at most 1000000" })
          .optional(),
        {
          description: "Signing stage of this person: those of a later stage are asked after those of an earlier one.",
        },
      ),
    },
    { error: 'an object such as { email: "ana@example.com" }' },
  ),
  { description: "A person invited to sign.", typeName: "Invitation" },
);

export type InvitationInput = z.infer<typeof invitation>;
export type ComparedField = Exclude<keyof InvitationInput, "message">;

/** What of a person is compared, in this order in hashes. A message is used at creation only and can't be read back. */
export const COMPARED_OF_PERSON = Object.keys({
  email: true,
  name: true,
  allowedSignatureTypes: true,
  stage: true,
} satisfies Record<ComparedField, true>) as ComparedField[];

/** A person whom the program invites, or whom the service shows, as either writes it. */
export type WrittenPerson = { readonly [F in ComparedField]?: Stored<InvitationInput>[F] | Unknown | null };

/** The same as they are compared. Only `peopleOf` makes one. */
export type Person = {
  readonly [F in ComparedField]: (F extends "email" ? Address : Stored<InvitationInput>[F]) | Unknown | undefined;
};

const comparable = <T extends string>(written: string | Unknown | null | undefined, by: (text: string) => T) =>
  isUnknown(written) ? written : by(written ?? "") || undefined;

const personIn = ({ email, name, allowedSignatureTypes, stage }: WrittenPerson): Person => ({
  email: comparable(email, addressOf),
  name: comparable(name, canonicalText),
  allowedSignatureTypes: comparable(allowedSignatureTypes, canonicalText),
  stage: stage ?? undefined,
});

/** As inputs and outputs have them: each may be unknown, or all. */
type WrittenPeople = readonly (WrittenPerson | Unknown)[] | Unknown | undefined;

/** Of each list, made once: a call compares the same one at several places. */
const comparedLists = new WeakMap<object, readonly Invitee[]>();

/** People as they are compared, whoever wrote them. */
export function peopleOf(written: readonly WrittenPerson[] | undefined): readonly Person[];
export function peopleOf(written: WrittenPeople): readonly Invitee[];
export function peopleOf(written: WrittenPeople): readonly Invitee[] {
  const list = known(written) ?? [];
  const made = comparedLists.get(list) ?? list.map(person => (isUnknown(person) ? undefined : personIn(person)));
  comparedLists.set(list, made);
  return made;
}

/** Their addresses, as they are written; undefined for one that isn't known yet. */
export const emailsOf = (written: WrittenPeople) =>
  (known(written) ?? []).map(person => known(known(person)?.email) ?? undefined);

/** What counts of people, who may stand in any order. */
export function byPeople(written: WrittenPeople): Value {
  const compared = peopleOf(written).map(person =>
    person === undefined ? UNKNOWN : COMPARED_OF_PERSON.map(field => person[field] ?? null),
  );
  return hasUnknown(compared) ? UNKNOWN : compared.map(person => JSON.stringify(person)).sort();
}

/** What hashes take of people, in any order: their addresses alone, or all that is compared. */
export const addressesIn = (people: readonly Invitee[]): string =>
  people
    .map(person => addressIn(person) ?? "")
    .sort()
    .join("\n");
export const textOf = (people: readonly Invitee[]): string =>
  `[${people
    .map(person => JSON.stringify(person))
    .sort()
    .join(",")}]`;

/** Undefined while it isn't known who that is. */
export type Invitee = Person | undefined;
export type Fit = (a: Invitee, b: Invitee) => boolean;

const samePerson: Fit = (a, b) => a !== undefined && b !== undefined && addressIn(a) === addressIn(b);

/** The same in every field. */
export const sameRow: Fit = (a, b) => samePerson(a, b) && everyField(a, b, (one, other) => one === other);

/** The same in all that both say: the service fills in what a program leaves out, and keeps to itself some of what it says. */
export const agrees: Fit = (a, b) =>
  samePerson(a, b) && everyField(a, b, (one, other) => one === undefined || other === undefined || one === other);

/** The same in all that both say, where the service may have escaped or cut a text. */
export const mayAgree: Fit = (a, b) =>
  samePerson(a, b) &&
  everyField(a, b, (one, other) => one === undefined || other === undefined || sameText(String(one), String(other)));

const everyField = (a: Invitee, b: Invitee, fits: (one: unknown, other: unknown) => boolean): boolean =>
  COMPARED_OF_PERSON.every(field => !isUnknown(a?.[field]) && fits(a?.[field], known(b?.[field])));

const addressIn = (person: Invitee): Address | undefined => known(person?.email);

/** Whether there is somebody, and each has an address. */
export const isAddressed = (people: readonly Invitee[]): boolean =>
  people.length > 0 && people.every(person => person?.email !== undefined);

/** Of how many the address is given more than once in a stage. */
export function invitedTwice(people: readonly Invitee[]): number {
  const known = people.filter(person => person && addressIn(person) !== undefined && !isUnknown(person.stage));
  return [...Map.groupBy(known, addressAndStage).values()].filter(({ length }) => length > 1).length;
}

const addressAndStage = (person: Invitee): string => `${String(person?.stage)} ${addressIn(person)}`;

/** Without a stage it is a place of their own. */
const placeOf = (person: Person): unknown => (typeof person.stage === "number" ? addressAndStage(person) : person);

// ---- People in pairs ----

/** Whether these are the same people, in all that both say of each. */
export function agreeInAll(program: readonly Invitee[], others: readonly Person[], fits: Fit = agrees): boolean {
  const [pairs, left] = paired(program, others, fits);
  return left.length === 0 && program.every((person, index) => fits(person, pairs[index]));
}

/**
 * For each of the program's people one of the others, and those of the others that are left: as many pairs as possible that
 * fit best, then of the same address and stage, then of the same address, then whoever is left.
 */
export function paired(program: readonly Invitee[], others: readonly Invitee[], best: Fit): [Invitee[], Person[]] {
  const theirs = others.filter(person => person !== undefined);
  const takenBy = bestPairs(program, theirs, best);
  for (const keyOf of [placeOf, addressIn, () => "anybody"]) pairByKey(program, theirs, keyOf, takenBy);
  const pairs: Invitee[] = program.map(() => undefined);
  for (const [at, index] of takenBy) pairs[index] = theirs[at];
  return [pairs, theirs.filter((_, at) => !takenBy.has(at))];
}

/** Where each of theirs is that is taken, and by whom of the program's. */
type TakenBy = Map<number, number>;

/** As many pairs that fit as there can be: who finds nobody free takes one whose holder finds another one. */
function bestPairs(program: readonly Invitee[], theirs: readonly Person[], fits: Fit): TakenBy {
  const takenBy: TakenBy = new Map();
  const ofAddress = Map.groupBy(theirs.keys(), at => addressIn(theirs[at]));
  const take = (index: number, asked: Set<number>): boolean => {
    const person = program[index];
    const fitting = (ofAddress.get(addressIn(person)) ?? []).filter(each => fits(person, theirs[each]));
    const at = fitting.find(each => !takenBy.has(each)) ?? fitting.find(each => isGivenUp(each, asked));
    if (at !== undefined) takenBy.set(at, index);
    return at !== undefined;
  };
  const isGivenUp = (at: number, asked: Set<number>): boolean => {
    const holder = takenBy.get(at);
    if (holder === undefined || asked.has(at)) return false;
    asked.add(at);
    return take(holder, asked);
  };
  for (const index of program.keys()) take(index, new Set());
  return takenBy;
}

/** Each who has no pair yet takes the first of theirs that is left under the same key. */
function pairByKey(
  program: readonly Invitee[],
  theirs: readonly Person[],
  keyOf: (person: Person) => unknown,
  takenBy: TakenBy,
): void {
  const isPaired = new Set(takenBy.values());
  // The first one last: what is taken off the end moves nothing.
  const free = [...theirs.entries()].filter(([at]) => !takenBy.has(at)).reverse();
  const left = Map.groupBy(free, ([, person]) => keyOf(person));
  for (const [index, person] of program.entries()) {
    const next = person === undefined || isPaired.has(index) ? undefined : left.get(keyOf(person))?.pop();
    if (next) takenBy.set(next[0], index);
  }
}

// ---- What differs ----

/** One difference of the program's people, by its path in the list; `unknown` while a value isn't known yet. */
interface PeopleDifference extends Pick<Change, "path" | "what"> {
  readonly unknown?: true;
}

/**
 * How the program's people differ from those whom it invited before. What the service shows already is no difference. Taken out
 * is whom the program invited before, while the service shows them, or shows nobody. Of an import nobody wrote who was invited
 * before: what either side leaves out is no difference, and taken out is who else is shown.
 */
export function differencesOf(
  people: readonly Invitee[],
  before: readonly Invitee[],
  shown: readonly Person[],
  { isImported }: { readonly isImported: boolean },
): PeopleDifference[] {
  const [invitedBefore, left] = paired(people, before, isImported ? agrees : sameRow);
  const [shownAs, shownBesides] = paired(people, shown, agrees);
  const isShown = (person: Person) => shown.length === 0 || shownBesides.some(other => samePerson(person, other));
  const gone = isImported ? shownBesides : left.filter(isShown);
  // Each who isn't known yet may be one of these.
  const unknown = people.filter(person => person === undefined).length;
  return [
    ...people.flatMap((person, index) => {
      const there = samePerson(person, shownAs[index]) ? shownAs[index] : undefined;
      return ofPerson(`[${index}]`, person, invitedBefore[index], there, isImported);
    }),
    ...gone.slice(unknown).map((_, at) => ({ path: `[${people.length + at}]`, what: "delete" }) as const),
  ];
}

/** `was` by the program before, `there` by the service; undefined where there is no such person. */
function ofPerson(path: string, is: Invitee, was: Invitee, there: Invitee, isImported: boolean): PeopleDifference[] {
  if (is === undefined) return [{ path, what: "update", unknown: true }];
  if (was === undefined && there === undefined) return [{ path, what: "add" }];
  return COMPARED_OF_PERSON.flatMap((field): PeopleDifference[] => {
    const given = is[field];
    if (isUnknown(given)) return [{ path: `${path}.${field}`, what: "update", unknown: true }];
    const [before, shown] = [known(was?.[field]), known(there?.[field])];
    const isLeftOut = given === undefined || (before === undefined && shown === undefined);
    if (given === before || (given !== undefined && given === shown) || (isImported && isLeftOut)) return [];
    return [{ path: `${path}.${field}`, what: kindOf(before, given) }];
  });
}
