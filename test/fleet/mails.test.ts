import { expect, test } from "vitest";
import { areProvenGone, locksIn } from "../../fleet/locks.js";
import { mailsIn, plainText } from "../../fleet/mails.js";

const of = (...messages: string[]) => mailsIn(messages.map((message, index) => ({ urn: `urn:${index}`, message })));

test("people of a preview are counted as its notices name them", () => {
  expect(of()).toBe(0);
  expect(of('will mail ana@example.com, bob@example.com: document "NDA"')).toBe(2);
  expect(
    of(
      'will mail ana@example.com, then bob@example.com, eve@example.com (in stage 2, after those before): document "NDA"',
    ),
  ).toBe(3);
  expect(of("will mail 1 person: document (secret name)", "will mail 3 people: document (secret name)")).toBe(4);
  expect(of("will mail ana@example.com: a reminder of document 5 (2 weeks)")).toBe(1);
});

test("a set's rows are counted one by one, or by its total", () => {
  expect(
    of('ana: will mail ana@example.com: document "A"\nbob: will mail bob@example.com, eve@example.com: document "B"'),
  ).toBe(3);
  const set = { urn: "set", message: 'ana: will mail ana@example.com: document "A"\nand the same for 1,014 more rows' };
  expect(mailsIn([set, { urn: "set", message: "will mail 2,030 people in all, for 1,015 documents" }])).toBe(2030);
});

test("the same notice twice is one mail, and people not known yet make the sum unknown", () => {
  const notice = { urn: "nda", message: 'will mail ana@example.com: document "NDA"' };
  expect(mailsIn([notice, notice])).toBe(1);
  expect(mailsIn([notice, { urn: "b", message: "will mail people not known yet: a new document" }])).toBeUndefined();
  expect(plainText("<{%reset%}>will mail ana@example.com<{%reset%}>\n")).toBe("will mail ana@example.com");
});

const LOCKED = `error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.
  file:///state/.pulumi/locks/organization/contracts/dev/5c.json: created by ci@runner-1 (pid 4711) at 2026-11-22T06:00:00Z`;

test("a lock is proven gone by a lease that names its host and process, and by nothing else", () => {
  const locks = locksIn(LOCKED) ?? [];
  expect(locks).toEqual([{ user: "ci", host: "runner-1", pid: 4711 }]);
  const holder = { worker: "w-1", host: "runner-1", engines: [4700, 4711] };
  expect(areProvenGone(locks, [holder])).toBe(true);
  expect(areProvenGone(locks, [])).toBe(false);
  expect(areProvenGone(locks, [{ ...holder, host: "runner-2" }])).toBe(false);
  expect(areProvenGone(locks, [{ ...holder, engines: [4700] }])).toBe(false);
  expect(areProvenGone([...locks, { user: "eve", host: "laptop", pid: 9 }], [holder])).toBe(false);
  expect(areProvenGone([], [holder])).toBe(false);
  expect(locksIn("error: update failed")).toBeUndefined();
});
