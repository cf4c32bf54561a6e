import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { hasPostgres } from "../journal/support/postgres-server.js";
import { daily, isSample } from "../support/sample.js";
import { atMostOnce } from "./at-most-once.js";
import { ci } from "./ci.js";
import { CREDENTIALS, closePlaces } from "./places.js";
import { replaceGuard } from "./replace-guard.js";
import { claimsOf, type Table, withTables } from "./table.js";

const docs = join(import.meta.dirname, "..", "..", "docs");
const tables: readonly Table[] = [...atMostOnce, ...replaceGuard, ci];
/** What held in this run: a row isn't printed without it. */
const held = new Set<unknown>();

beforeEach(() => {
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
});
afterAll(closePlaces);

describe.each(tables)("$page, $name:", ({ plays, cells }) => {
  const played = daily(plays, Math.ceil(plays.length / 8), ({ title, ends }) => `${title}\u0000${ends}`);
  test.for(played.map(play => [play.title, play.ends, play] as const))("%s: %s", async ([title, ends, play], ctx) => {
    if (!hasPostgres && title.startsWith("Postgres")) ctx.skip("this machine has no Postgres");
    expect(await play.run()).toBe(ends);
    held.add(play);
  });

  test.for(cells.map(({ what, text, ends }) => [what, text, ends] as const))(
    "%s: %s: is how its cases end",
    ([, text, ends]) => {
      expect(ends).not.toEqual([]);
      expect(claimsOf(text)).toEqual(new Set(ends));
    },
  );
});

/** `npm test -- test/doc-tables -u` writes them. */
test.each(isSample ? [] : [...new Set(tables.map(({ page }) => page))])(
  "docs/%s.md has the tables that these cases prove",
  async page => {
    const printed = tables.filter(each => each.page === page);
    const unproven = printed.flatMap(({ plays }) => plays).filter(play => !held.has(play));
    expect(unproven.filter(({ title }) => hasPostgres || !title.startsWith("Postgres"))).toEqual([]);
    const path = join(docs, `${page}.md`);
    await expect(withTables(readFileSync(path, "utf8"), printed)).toMatchFileSnapshot(path);
  },
);
