import fc from "fast-check";
import { expect, test } from "vitest";
import { listingOf, mayBePage, provesAbsence } from "../../provider/client/lists.js";

const SINCE = Date.UTC(2026, 0, 31, 12);
const row = (id: number, minutes: number) => ({
  id: String(id),
  createdAt: new Date(SINCE + minutes * 60_000).toISOString(),
});
/** Ten documents, one a minute, newest first; the last is older than SINCE. */
const newestFirst = Array.from({ length: 10 }, (_, index) => row(20 - index, 8 - index));

test.each([
  ["nothing", [], 0, false],
  ["nothing, where another answer had a row", [], 1, true],
  ["one row, where no answer was longer", [row(1, -5)], 1, false],
  ["one row, where another answer had two", [row(1, -5)], 2, true],
  ["ten rows, newest first, reaching back", newestFirst, 10, true],
  ["eight rows, newest first, reaching back", newestFirst.slice(2), 8, true],
  ["seven rows, newest first, reaching back", newestFirst.slice(3), 7, false],
  ["nine rows, newest first, back to the moment itself", newestFirst.slice(0, 9), 9, false],
  ["ten rows, oldest first", newestFirst.toReversed(), 10, false],
  [
    "ten rows, two of them swapped",
    [...newestFirst.slice(0, 4), newestFirst[5], newestFirst[4], ...newestFirst.slice(6)],
    10,
    false,
  ],
  ["newest first by id alone", newestFirst.map((each, index) => row(Number(each.id), index - 20)), 10, false],
  ["newest first by time alone", newestFirst.map((each, index) => ({ ...each, id: String(index + 1) })), 10, false],
  ["a repeated row", [...newestFirst, newestFirst[9]], 20, false],
  ["an unreadable timestamp", [...newestFirst.slice(0, 9), { id: "1", createdAt: "yesterday" }], 20, false],
  ["no timestamp", [{ id: "1", createdAt: null }], 20, false],
] as const)("%s", (_name, rows, longest, proves) => {
  const listing = listingOf(rows.filter(each => each !== undefined));
  expect(provesAbsence(listing, { since: SINCE }, longest)).toBe(proves);
});

/** So many, one a minute, newest first, all younger than SINCE. */
const latest = (count: number) => Array.from({ length: count }, (_, index) => row(count - index, count - index));
const ages = (...minutes: number[]) => minutes.map((minute, index) => row(index + 1, minute));

test.each([
  ["three rows, oldest first, one older and all that are known", ages(-9, -8, 1), ["1"], ["1", "2"], true],
  ["the same, where no time is older", ages(4, 5, 6), ["1"], ["1", "2"], true],
  ["the same, and a known one is missing", ages(-9, -8, 1), ["1"], ["1", "4"], false],
  ["the same, and no older one is shown", ages(4, 5, 6), ["7"], ["1", "2"], true],
  ["the same, newest first", ages(4, 5, 6).toReversed(), ["7"], ["1", "2"], false],
  ["the same, by their times alone", ages(6, 5, 4), [], ["1", "2"], false],
  ["the same, by their ids alone", ages(6, 5, 4).toReversed(), [], ["1", "2"], false],
  ["one row, which is known, and none is older", ages(4), [], ["1"], true],
  ["one row, and a known one is missing", ages(4), [], ["1", "2"], false],
  ["two rows, as a page may have", ages(4, 5), ["1"], ["1", "2"], false],
  ["eleven rows, newest first, all that are known, and none is older", latest(11), [], ["3"], true],
  ["the same, and a known one is missing", latest(11), [], ["99"], false],
  ["nine rows, newest first, all that are known, and none is older", latest(9), [], ["3"], false],
  ["36 rows, as a page may have", latest(36).toReversed(), ["1"], ["1"], false],
  ["72 rows, as a page may have", latest(72).toReversed(), ["1"], ["1"], false],
  ["five rows, as a page may have", ages(-9, -8, -7, -6, 1), ["1"], ["1", "2"], false],
  ["twenty rows, as a page may have", ages(...Array(20).keys()), ["1"], ["1"], false],
  [
    "999 rows, in any order",
    ages(...Array(999).keys())
      .toReversed()
      .toSorted(),
    ["1"],
    ["1", "999"],
    true,
  ],
  ["three rows, where nobody asked what is known", ages(-9, -8, 1), ["1"], undefined, false],
  [
    "ten rows, newest first, which show an older one",
    newestFirst.slice(0, 9).concat(row(11, 0)),
    ["11"],
    undefined,
    true,
  ],
  ["ten rows, newest first, which show none", newestFirst.slice(0, 9).concat(row(11, 0)), ["7"], undefined, false],
] as const)("by what is known: %s", (_name, rows, older, known, proves) => {
  const asked = { since: SINCE, near: SINCE + 10 * 60_000, older, known };
  expect(provesAbsence(listingOf(rows), asked, rows.length)).toBe(proves);
});

test.each([
  [35, ["1"], false],
  [36, ["1"], true],
  [36, ["1", "99"], false],
  [37, ["1"], false],
])("%i rows, known %j: only its number of rows is in the way: %s", (count, known, only) => {
  const asked = { since: SINCE, near: SINCE + 10 * 60_000, older: ["1"], known };
  expect(mayBePage(listingOf(latest(count).toReversed()), asked)).toBe(only);
});

test("a list whose documents are all much younger proves nothing: it may show what is recent alone", () => {
  const asked = { since: SINCE, near: SINCE + 4 * 60_000, older: [], known: ["1"] };
  expect(provesAbsence(listingOf(ages(4, 5, 6)), asked, 3)).toBe(false);
  expect(provesAbsence(listingOf(ages(3, 5, 6)), asked, 3)).toBe(true);
});

test("one that the journal has beside it is about as old, whatever the times say", () => {
  const asked = { since: SINCE - 24 * 60 * 60_000, older: [], known: ["1"] };
  const listing = listingOf(ages(4, 5, 6));
  expect(provesAbsence(listing, asked, 3)).toBe(false);
  expect(provesAbsence(listing, { ...asked, beside: ["2"] }, 3)).toBe(true);
  expect(provesAbsence(listing, { ...asked, beside: ["7"] }, 3)).toBe(false);
  expect(provesAbsence(listingOf(ages(4, 5)), { ...asked, beside: ["2"] }, 2)).toBe(false);
  expect(provesAbsence(listingOf(ages(6, 5, 4)), { ...asked, beside: ["2"] }, 3)).toBe(false);
});

/** A folder with documents 1…n, one a minute, beside others, at a service that cuts lists at `page` and orders them its own way. */
const services = fc
  .record({
    count: fc.integer({ min: 0, max: 30 }),
    elsewhere: fc.nat(20),
    page: fc.integer({ min: 1, max: 15 }),
    seed: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
    order: fc.constantFrom("newest", "oldest", "shuffled"),
  })
  .map(({ count, elsewhere, page, seed, order }) => {
    const all = Array.from({ length: count }, (_, index) => row(index + 1, index - count + 5));
    const keyed = all.map(each => ({ each, key: order === "shuffled" ? (seed.next().value as number) : 0 }));
    const sorted = keyed.sort((a, b) => a.key - b.key).map(({ each }) => each);
    const inOrder = order === "newest" ? sorted.toReversed() : sorted;
    return {
      all,
      sorted: inOrder,
      shown: inOrder.slice(0, page),
      longest: Math.min(page, count + elsewhere),
    };
  });

test("a proven list contains every document since then, also where it was cut", () => {
  fc.assert(
    fc.property(services, fc.integer({ min: -30, max: 10 }), ({ all, shown, longest }, minutes) => {
      const since = SINCE + minutes * 60_000;
      if (!provesAbsence(listingOf(shown), { since }, longest)) return;
      const ids = new Set(shown.map(({ id }) => id));
      const missing = all.filter(({ id, createdAt }) => Date.parse(createdAt) >= since && !ids.has(id));
      // Eight rows in descending order by chance: the rule takes that for an order.
      const descending = shown.every((each, index) => index === 0 || Number(shown[index - 1]?.id) > Number(each.id));
      if (shown.length < longest || !descending || shown.length < 8) expect(missing).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test("a list that shows an older document and all that are known contains every document, unless it is cut at no page's size", () => {
  const pages = fc.constantFrom(2, 5, 10, 12, 15, 16, 20, 24, 25, 30, 36, 1000);
  const part = fc.array(fc.nat(30), { maxLength: 6 });
  fc.assert(
    fc.property(services, pages, part, part, ({ all, sorted }, page, olderAt, knownAt) => {
      const shown = sorted.slice(0, page);
      const since = SINCE - 10 * 60_000;
      const idsOf = (at: readonly number[], among: readonly { id: string }[]) =>
        at.flatMap(index => among[index]?.id ?? []);
      const older = idsOf(
        olderAt,
        all.filter(({ createdAt }) => Date.parse(createdAt) < since),
      );
      const known = [...older, ...idsOf(knownAt, all)];
      if (!provesAbsence(listingOf(shown), { since: Number.NEGATIVE_INFINITY, older, known }, shown.length)) return;
      const ids = new Set(shown.map(({ id }) => id));
      const missing = all.filter(({ id, createdAt }) => Date.parse(createdAt) >= since && !ids.has(id));
      const descending = shown.every((each, index) => index === 0 || Number(shown[index - 1]?.id) > Number(each.id));
      if (!descending || shown.length < 8) expect(missing).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test("a list that shows all that are known, and one about as old, contains every document, unless it is cut at no page's size", () => {
  const pages = fc.constantFrom(2, 5, 10, 12, 15, 16, 20, 24, 25, 30, 36, 1000);
  const at = fc.array(fc.nat(30), { minLength: 1, maxLength: 6 });
  let proven = 0;
  fc.assert(
    fc.property(services, pages, at, ({ all, sorted }, page, knownAt) => {
      const shown = sorted.slice(0, page);
      const known = knownAt.flatMap(index => all[index]?.id ?? []);
      const asked = { since: SINCE - 60 * 60_000, near: SINCE, older: [], known };
      if (!provesAbsence(listingOf(shown), asked, shown.length)) return;
      proven++;
      expect(shown).toHaveLength(all.length);
    }),
    { numRuns: 2000 },
  );
  expect(proven).toBeGreaterThan(0);
});

test("a proof for a moment holds for every later moment, and a longer answer elsewhere takes none away", () => {
  fc.assert(
    fc.property(services, fc.nat(60), fc.nat(60), fc.nat(40), ({ shown }, early, later, longest) => {
      const listing = listingOf(shown);
      const since = SINCE + (early - 30) * 60_000;
      if (!provesAbsence(listing, { since }, longest)) return;
      expect(provesAbsence(listing, { since: since + later * 60_000 }, longest)).toBe(true);
      expect(provesAbsence(listing, { since }, longest + 1)).toBe(true);
    }),
  );
});
