import { describe, expect, test } from "vitest";
import { forgetMachine, nda, scene } from "../lifecycle/scene.js";
import type { NewDocument } from "../support/independent-service/records.js";
import { checking, failures, good, urn } from "./checking.js";

describe("text", () => {
  test.each<[string, string]>([
    ["a megabyte", "x".repeat(1_000_000)],
    ["nothing", ""],
  ])("a name of %s is refused in few words", async (_, name) => {
    const found = await failures({ ...good, name });
    expect(found).toEqual([{ property: "", reason: expect.stringMatching(/^name: expected a title.*, got /) }]);
    expect(found[0]?.reason.length).toBeLessThan(300);
  });

  test("a name with a line break and a direction mark arrives as it is, and no message repeats either", async () => {
    const name = "NDA\r\nwarning: not ours \u202E";
    await using s = await scene();
    const up = await s.stack.up([nda({ inputs: { name } })]);
    expect(up.error).toBeUndefined();
    expect(s.service.ledger.documents()[0]?.name).toBe(name);
    expect((await s.stack.up([nda({ inputs: { name } })])).calls).toHaveLength(2);
    s.service.people.signAll(s.id());
    const refused = await s.stack.up([nda({ inputs: { name: `${name}, changed` } })]);
    expect(refused.error).toContain("[docsign/replace-signed]");
    const said = [...up.previewLines, ...up.lines, refused.error ?? ""].join("\n");
    expect(said).toContain("not ours");
    expect(said).not.toMatch(/\r|\u202E|^\s*warning: not ours/m);
  });

  test.each(["Añexo “Ω” 契約 👩‍⚖️", "'; DROP TABLE--", '"quoted" \\ <b>', "__proto__"])(
    "a name such as %j arrives as it is",
    async name => {
      await using s = await scene();
      expect((await s.stack.up([nda({ inputs: { name } })])).error).toBeUndefined();
      expect(s.service.ledger.documents()[0]?.name).toBe(name);
      expect((await s.stack.up([nda({ inputs: { name } })])).calls).toHaveLength(2);
    },
  );

  test("an import of texts in another Unicode form, or with other spaces, is no change, signed or not", async () => {
    const apart = (text: string): string => text.normalize("NFD").replaceAll(" ", "  ");
    const people = [{ email: "ana@example.com", name: "Ana Muñoz" }];
    const goal = nda({ inputs: { name: "Añexo de León", description: "Mutuo según ley", invitations: people } });
    const stores = (wanted: NewDocument): NewDocument => ({
      ...wanted,
      name: apart(wanted.name),
      description: apart(wanted.description ?? ""),
      invitations: wanted.invitations.map(one => ({ ...one, name: apart(one.name ?? "") })),
    });
    await using s = await scene({ dialect: { stores } });
    expect((await s.stack.up([goal])).error).toBeUndefined();
    const id = s.id();
    s.service.people.signAll(id);
    s.stack.entries = [];
    await forgetMachine(s);
    expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
    s.sent();
    const again = await s.stack.up([goal]);
    expect(again.error).toBeUndefined();
    expect(again.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    expect(s.stack.entry("nda").outputs["drift"]).toEqual([]);
  });

  test.each(["../1", "1/2", "12?x=1", "1\r\n2", "١٢", "0", "01", "-1", "1e3", 1.5, -1, "9".repeat(21)])(
    "the folderId %j is refused",
    async folderId => {
      expect(await failures({ ...good, folderId })).toEqual([
        { property: "", reason: expect.stringMatching(/^folderId: expected .*, got /s) },
      ]);
    },
  );

  test("a folderId that is no id is refused with the expected form", async () => {
    for (const folderId of ["01", 2 ** 60]) {
      const found = await failures({ ...good, folderId });
      expect(found.map(({ reason }) => reason)).toEqual([
        expect.stringContaining("expected a folder's id: digits such as"),
      ]);
    }
  });

  test("a folderId that is a number is the same as its digits", async () => {
    const { inputs } = await checking(frontEnd => frontEnd.check({ urn, news: { ...good, folderId: 77 } }));
    expect(inputs["folderId"]).toBe("77");
  });
});
