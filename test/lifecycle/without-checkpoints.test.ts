import { describe, expect, test } from "vitest";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { daily } from "../support/sample.js";
import { Bail, type Goal, pluginFrontEnd, Ref } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, type Scene, scene } from "./scene.js";

const TYPE = "docsign:index:DocumentSet";
const MINUTES_LATER_MS = 10 * 60_000;
const frontEnds = [
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
] as const;
type FrontEnd = (typeof frontEnds)[number][1];

/** A folder, a document in it, a set, a gate and a reminder. The dynamic provider has another name for the rows. */
const program = (text: string, frontEnd: FrontEnd): Goal[] => {
  const rows = Object.fromEntries(
    ["cleo", "dan"].map(key => [key, { name: `Lease of ${key}`, invitations: [{ email: `${key}@example.com` }] }]),
  );
  const documentId = new Ref("nda", "documentId");
  return [
    { name: "folder", type: "docsign:index:Folder", inputs: { name: "Contracts" } },
    nda({ deleteBeforeReplace: true, inputs: { base64File: base64(text), folderId: new Ref("folder", "folderId") } }),
    {
      name: "leases",
      type: TYPE,
      deleteBeforeReplace: true,
      inputs: {
        [frontEnd === dynamicFrontEnd ? "documentRows" : "documents"]: rows,
        defaults: { base64File: base64(text) },
      },
    },
    { name: "gate", type: "docsign:index:SignatureGate", inputs: { documentId } },
    { name: "reminder", type: "docsign:index:Reminder", inputs: { documentId, minInterval: "0s" } },
  ];
};

/** What state holds and the service has made. Ids are in the order of creation, so they are the same from life to life. */
function books({ stack, service: { ledger } }: Scene) {
  const held = stack.entries.map(({ goal, outputs }) => [goal.name, outputs["name"] ?? null, goal.type ?? null]);
  const made = ledger.documents().map(({ name, uploadedSha256 }) => `${name} ${uploadedSha256}`);
  const ids = JSON.stringify(stack.entries.map(({ id, outputs }) => [id, outputs["documentId"], outputs["documents"]]));
  return {
    held,
    made: made.toSorted(),
    folders: ledger.folders().length,
    invitations: ledger.mails("invitation").length,
    reminders: ledger.mails("reminder").length,
    isInState: ledger.documents().map(({ id, name }) => [name, ids.includes(`"${id}"`)] as const),
  };
}

/** A stack's life up to and including this program; in its last run the engine is killed before the call of that number. */
async function lived(frontEnd: FrontEnd, texts: readonly string[], killedAt?: number, forgets = false) {
  await using s = await scene({ frontEnd });
  const up = async (text: string, before?: (call: string) => void) =>
    s.stack.up(program(text, frontEnd), { skipPreview: true, ...(before && { before }) });
  const later = () => {
    s.service.clock.advance(MINUTES_LATER_MS);
    s.machine.pass(MINUTES_LATER_MS);
  };
  for (const text of texts.slice(0, -1)) expect((await up(text)).error).toBeUndefined();
  const last = texts.at(-1) ?? "";
  if (killedAt !== undefined) {
    // Without checkpoints state is what it was before the run.
    const written = s.stack.entries.map(entry => ({ ...entry }));
    let calls = 0;
    const { error } = await up(last, () => {
      if (++calls > killedAt) throw new Bail("killed");
    });
    expect(error).toBe("killed");
    s.stack.entries = written;
    later();
    if (forgets) await forgetMachine(s);
  }
  const { error, calls } = await up(last);
  return { error, calls: calls.length, books: books(s) };
}

describe.each(frontEnds)(
  "without checkpoints, through %s, whichever call the engine is killed before,",
  (_, frontEnd) => {
    test.each([
      ["a first run", ["one"]],
      ["a run that replaces everything", ["one", "two"]],
    ])("%s ends after the next up as if it had not been killed", async (_, texts) => {
      const whole = await lived(frontEnd, texts);
      expect(whole.error).toBeUndefined();
      const sent = { folders: 1, invitations: 4 * texts.length, reminders: 2 * texts.length };
      expect(whole.books).toMatchObject({ ...sent, made: { length: 3 * texts.length } });
      const places = Array.from({ length: whole.calls }, (_, nth) => nth);
      for (const place of daily(places, 3, String)) {
        const { error, books } = await lived(frontEnd, texts, place);
        expect([place, error, books]).toEqual([place, undefined, whole.books]);
      }
    });
    test("and the journal is lost as well: nothing is sent twice, and what is there is refused as a duplicate", async () => {
      const { calls, books: whole } = await lived(frontEnd, ["one"]);
      const { error, books } = await lived(frontEnd, ["one"], calls - 1, true);
      expect(error).toContain("[docsign/duplicate]");
      expect({ made: books.made, invitations: books.invitations }).toEqual({
        made: whole.made,
        invitations: whole.invitations,
      });
      // A folder can't be looked for: there is a second one, which mails nobody.
      expect(books.folders).toBe(2);
    });
  },
);
