import { describe, expect, test } from "vitest";
import type { Fault, Operation, Taste } from "../support/independent-service/index.js";
import { cell } from "./support/cells.js";
import { nda, type Rig, startRig } from "./support/rig.js";

const FAULTS: Record<string, Fault> = {
  "503": { kind: "status", when: "before", status: 503 },
  "503, 1 second": { kind: "status", when: "before", status: 503, retryAfter: "1" },
  "429": { kind: "status", when: "before", status: 429 },
  "429, 1 second": { kind: "status", when: "before", status: 429, retryAfter: "1" },
  "a reset before anything is done": { kind: "reset", when: "before" },
  "a reset after": { kind: "reset", when: "after" },
  "the connection closed before anything is done": { kind: "close", when: "before" },
  "a web page in its place": { kind: "html", when: "before" },
  "502 after it was done": { kind: "status", when: "after", status: 502, body: "html" },
  "a truncated answer": { kind: "truncated-json" },
  "a redirect": { kind: "redirect", when: "before", status: 302, location: "https://elsewhere.example/login" },
};
const PLACES: readonly Operation[] = ["createDocument", "getDocument", "listDocuments", "listByDateRange"];
const CELLS = Object.keys(FAULTS).flatMap(fault => PLACES.map(place => [fault, place] as const));

/** In an empty account nothing shows whether lists leave out a whole kind. */
const NEEDS_A_PERSON = [
  "503",
  "a reset before anything is done",
  "the connection closed before anything is done",
  "a web page in its place",
];

const three = [1, 2, 3].map(nth => nda({ name: `Lease ${nth}` }, `lease${nth}`));

/** `pulumi up` three times, as a pipeline does; nobody acts in between. What the last one said of the document. */
async function threeTimes(rig: Rig, fault: string, place: Operation): Promise<string | undefined> {
  const planned = FAULTS[fault] ?? expect.fail(fault);
  rig.service.faults.push(planned, place);
  const program = [...three.filter(({ name }) => rig.idOf(name)), nda()];
  let said: string | undefined;
  for (let count = 0; count < 3; count++) said = (await rig.up(program)).errors["nda"];
  return said;
}

describe("a single fault in an account that holds three contracts of the stack: nobody is asked", () => {
  for (const order of ["oldest", "newest", "shuffled"] as const satisfies readonly Taste["order"][])
    test.for(CELLS)(`%s at %s, lists ${order} first`, async ([fault, place], context) => {
      await using rig = await startRig({ config: { resendAfter: "8s" }, taste: { order } });
      cell(context, { matrix: "single faults", row: `${fault}, ${order}`, column: place }, rig);
      expect((await rig.up(three)).errors).toEqual({});
      expect(await threeTimes(rig, fault, place)).toBeUndefined();
      expect(rig.saw()).toMatchObject({ documents: 4, mails: 8 });
    });
});

describe("a single fault in an empty account", () => {
  test.for(CELLS)("%s at %s", async ([fault, place], context) => {
    await using rig = await startRig({ config: { resendAfter: "8s" } });
    cell(context, { matrix: "single faults", row: `${fault}, empty`, column: place }, rig);
    const said = await threeTimes(rig, fault, place);
    const isAsked = place === "createDocument" && NEEDS_A_PERSON.includes(fault);
    if (isAsked) expect(said).toMatch(/\[docsign\/create-unconfirmed\].*look for "NDA" on the platform/s);
    else {
      expect(said).toBeUndefined();
      rig.expectOnce();
    }
    expect(rig.saw().mails).toBe(isAsked ? 0 : 2);
  });
});

describe.each(["oldest", "newest", "shuffled"] as const)("an account whose lists are whole, %s first", order => {
  test("one create of many is lost: the next run after resendAfter sends it", async () => {
    await using rig = await startRig({ taste: { order } });
    const program = Array.from({ length: 34 }, (_, nth) => nda({ name: `NDA ${nth}` }, `nda${nth}`));
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument", { skip: 17 });
    expect(Object.keys((await rig.up(program)).errors)).toEqual(["nda17"]);
    rig.later();
    expect((await rig.up(program)).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 35, documents: 34, mails: 68 });
  });
});
