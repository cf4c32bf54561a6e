import fc from "fast-check";
import { expect, test } from "vitest";
import { listingOf, provesAbsenceSince } from "../../provider/client/completeness.js";

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
  expect(provesAbsenceSince(listing, SINCE, longest)).toBe(proves);
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
    return {
      all,
      shown: (order === "newest" ? sorted.toReversed() : sorted).slice(0, page),
      longest: Math.min(page, count + elsewhere),
    };
  });

test("a proven list contains every document since then, also where it was cut", () => {
  fc.assert(
    fc.property(services, fc.integer({ min: -30, max: 10 }), ({ all, shown, longest }, minutes) => {
      const since = SINCE + minutes * 60_000;
      if (!provesAbsenceSince(listingOf(shown), since, longest)) return;
      const ids = new Set(shown.map(({ id }) => id));
      const missing = all.filter(({ id, createdAt }) => Date.parse(createdAt) >= since && !ids.has(id));
      // Eight rows in descending order by chance: the rule takes that for an order.
      const descending = shown.every((each, index) => index === 0 || Number(shown[index - 1]?.id) > Number(each.id));
      if (shown.length < longest || !descending || shown.length < 8) expect(missing).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test("a proof for a moment holds for every later moment, and a longer answer elsewhere takes none away", () => {
  fc.assert(
    fc.property(services, fc.nat(60), fc.nat(60), fc.nat(40), ({ shown }, early, later, longest) => {
      const listing = listingOf(shown);
      const since = SINCE + (early - 30) * 60_000;
      if (!provesAbsenceSince(listing, since, longest)) return;
      expect(provesAbsenceSince(listing, since + later * 60_000, longest)).toBe(true);
      expect(provesAbsenceSince(listing, since, longest + 1)).toBe(true);
    }),
  );
});
