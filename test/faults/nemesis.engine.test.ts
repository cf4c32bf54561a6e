import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../journal/support/postgres-server.js";
import { missingEngine } from "../support/engine/found.js";
import { live } from "./nemesis/life.js";
import { lifeOf } from "./nemesis/script.js";

/** `npm run chaos -- --engine`: so many lives, from this seed on. */
const LIVES = Number(process.env["DOCSIGN_TEST_LIVES"] ?? 2);
const FIRST = Number(process.env["DOCSIGN_TEST_FIRST_LIFE"] ?? 1);
/** A file for what happened in each of them. */
const STORIES = process.env["DOCSIGN_TEST_STORIES"];

describe.skipIf(missingEngine !== undefined || !hasPostgres)(
  "two machines, a journal in Postgres, and whatever may happen",
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test.each(Array.from({ length: LIVES }, (_, nth) => FIRST + nth))(
      "life %i: nothing is sent twice, nothing signed is replaced, nobody is reminded twice",
      async seed => {
        const { violations, story } = await live(lifeOf(seed), server);
        if (STORIES) appendFileSync(STORIES, `${[`life ${seed}`, ...story, ...violations].join("\n")}\n\n`);
        expect(violations, story.join("\n")).toEqual([]);
      },
    );
  },
);
