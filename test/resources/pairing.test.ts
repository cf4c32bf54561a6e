import { expect, test } from "vitest";
import { agrees, type Person, paired, peopleOf, sameRow, type WrittenPerson } from "../../provider/resources/people.js";

const personIn = (written: WrittenPerson) => peopleOf([written])[0] as Person;

const people = (count: number, more: { name?: string } = {}): Person[] =>
  Array.from({ length: count }, (_, index) => personIn({ email: `p${index}@example.com`, ...more }));

test("people are compared with those of the same address alone, however many there are", () => {
  let compared = 0;
  const fits: typeof agrees = (one, other) => {
    compared++;
    return agrees(one, other);
  };
  const there = people(10_000, { name: "A" });
  expect(paired(people(10_000), there.toReversed(), fits)).toEqual([there, []]);
  expect(compared).toBe(10_000);
});

test("what fits best comes first, then address and stage, then the address, then whatever is left, in order", () => {
  const program = [
    personIn({ email: "c@x", name: "C" }),
    personIn({ email: "a@x", name: "new", stage: 2 }),
    personIn({ email: "a@x", name: "A", stage: 1 }),
    personIn({ email: "b@x", name: "B" }),
    undefined,
  ];
  const there = [
    { email: "d@x" },
    { email: "b@x", name: "other" },
    { email: "a@x", name: "A", stage: 1 },
    { email: "a@x", name: "old", stage: 2 },
    { email: "e@x" },
  ].map(personIn);
  const [d, b, a1, a2, e] = there;
  expect(paired(program, there, sameRow)).toEqual([[d, a2, a1, b, undefined], [e]]);
});

test("a row gives way where another one suits it as well", () => {
  const one = personIn({ email: "a@x", name: "A", stage: 1 });
  const either = personIn({ email: "a@x" });
  const other = personIn({ email: "a@x", name: "B", stage: 2 });
  expect(paired([either, one], [one, other], agrees)).toEqual([[other, one], []]);
});
