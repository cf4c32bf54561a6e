// Property tests try the same cases at every run of a commit, so that a red run is about that commit. To search for
// more: DOCSIGN_TEST_SEED=random npm test -- test/property-based. A failure prints its seed, which can be given here too.
import { randomInt } from "node:crypto";
import fc from "fast-check";

const asked = process.env["DOCSIGN_TEST_SEED"] ?? "1";
const seed = asked === "random" ? randomInt(2 ** 31) : Number(asked);
if (!Number.isInteger(seed))
  throw new Error(`DOCSIGN_TEST_SEED: expected an integer, or random, got ${JSON.stringify(asked)}`);
fc.configureGlobal({ seed });
