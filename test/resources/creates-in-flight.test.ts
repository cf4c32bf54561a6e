import { expect, test } from "vitest";
import type { DocumentBody } from "../../provider/client/service.js";
import type { Context } from "../../provider/resources/context.js";
import { CreatesInFlight, ExistingDocuments } from "../../provider/resources/creates-of-a-run.js";

const documents = [{ name: "NDA" }] as DocumentBody[];

test("a create waits for each other one of that name, and for no other", async () => {
  const inFlight = new CreatesInFlight();
  const [own, first, second] = [inFlight.begin("NDA"), inFlight.begin("NDA"), inFlight.begin("NDA")];
  inFlight.begin("Lease");
  const others = inFlight.othersThatMade(documents, own);
  for (const flight of [first, second]) inFlight.end(flight);
  expect(await Promise.all(others)).toHaveLength(2);
  expect(inFlight.othersThatMade(documents, own)).toEqual([]);
});

test("no two creates wait for each other", () => {
  const inFlight = new CreatesInFlight();
  const [one, two] = [inFlight.begin("NDA"), inFlight.begin("NDA")];
  expect(inFlight.othersThatMade(documents, one)).toHaveLength(1);
  expect(inFlight.othersThatMade(documents, two)).toEqual([]);
});

test("a resource that is previewed again takes the same document, and no other resource does", () => {
  const existing = new ExistingDocuments({} as Context);
  const taken = ["nda", "nda", "lease"].map(urn => existing.promise({ urn }, "1"));
  expect(taken).toEqual([true, true, false]);
});
