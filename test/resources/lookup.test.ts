import { expect, test } from "vitest";
import { documentsAre } from "../../provider/resources/document/lookup.js";

test.each([
  [["1"], "document 1 is"],
  [["1", "2"], "documents 1, 2 are"],
  [["1", "2", "3"], "documents 1, 2, 3 are"],
  [["1", "2", "3", "4", "5"], "documents 1, 2, 3 and 2 more are"],
])("documents %j are named in a sentence, of many the first three", (ids, words) => {
  expect(documentsAre(ids)).toBe(words);
});
