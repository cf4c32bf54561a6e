import { expect, test } from "vitest";
import { locksIn } from "../../commands/engine-words.js";
import { areProvenGone } from "../../commands/fleet/leases.js";

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
