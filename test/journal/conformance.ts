import { describe, expect, test } from "vitest";
import type { Content, Journal, Scope } from "../../provider/resources/journal/contract.js";
import { tokenOf } from "../../provider/resources/journal/names.js";

/** One store. Each journal is one process's own; all share the store. */
export interface Store extends AsyncDisposable {
  journal(options?: { run?: string; backend?: string; forget?: readonly string[] }): Journal;
  /** All the store holds, as text: for what must not be in it, and for what must not change. */
  content(): Promise<string>;
}

export const SERVICE = "https://api.example.com";
export const OTHER = "https://sandbox.example.com";
export const scopeOf = (name: string, service = SERVICE): Scope => ({
  service,
  urn: `urn:pulumi:test::contracts::docsign:index:Document::${name}`,
});

export const contentOf = (fingerprint = "f1"): Content => ({
  fingerprint,
  name: "n".repeat(8),
  sha256: "5".repeat(8),
  invitees: "i".repeat(8),
  description: "d".repeat(8),
});

export const begun = (fingerprint = "f1") => ({
  ...contentOf(fingerprint),
  startedAt: 1000,
  supersedes: [],
  owned: [],
});
export const about = (fingerprint: string | undefined = "f1", supersedes: readonly string[] = []) => ({
  fingerprint,
  supersedes,
});

const nda = scopeOf("nda");
const lease = scopeOf("lease");

const idsOf = async (journal: Journal, scope: Scope): Promise<string[]> =>
  (await journal.resource(scope)).owned.map(({ id }) => id).sort();

const tokenFrom = async (journal: Journal): Promise<string> =>
  (await journal.begin(nda, begun(), undefined))?.token ?? "";

/** What every store must do, whatever it is kept in. */
export function conformance(name: string, start: () => Promise<Store>): void {
  describe(`the journal in ${name}`, () => {
    const check = (title: string, body: (store: Store) => Promise<void>) =>
      test(title, async () => {
        await using store = await start();
        await body(store);
      });

    check("holds nothing of a resource that nothing was written of", async store => {
      const journal = store.journal();
      expect(await journal.resource(nda)).toEqual({ attempt: undefined, owned: [] });
      expect(await journal.content(SERVICE, "f1")).toEqual({ attempts: [], owned: [] });
      expect(await journal.owner(SERVICE, "5001")).toBeUndefined();
      expect(await journal.elsewhere(nda)).toEqual([]);
      expect(await journal.reminders(nda)).toEqual([]);
    });

    check("begin is seen by every other process, whole", async store => {
      const attempt = await store
        .journal({ run: "r1" })
        .begin(nda, { ...begun(), marker: "m", supersedes: ["4"] }, undefined);
      expect(attempt).toMatchObject({
        ...contentOf(),
        marker: "m",
        urn: nda.urn,
        run: "r1",
        startedAt: 1000,
        hints: [],
        supersedes: ["4"],
      });
      expect(attempt?.token).toMatch(/^[0-9a-f]{8}$/);
      const other = store.journal({ run: "r2" });
      expect((await other.resource(nda)).attempt).toEqual(attempt);
      expect((await other.content(SERVICE, "f1")).attempts).toEqual([attempt]);
      expect((await other.resource(lease)).attempt).toBeUndefined();
      expect((await other.content(OTHER, "f1")).attempts).toEqual([]);
    });

    check("of two that begin one resource's create, one does", async store => {
      const journals = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      const begins = await Promise.all(journals.map(journal => journal.begin(nda, begun(), undefined)));
      const [won, ...more] = begins.filter(attempt => attempt !== undefined);
      expect(more).toEqual([]);
      for (const journal of journals) expect((await journal.resource(nda)).attempt).toEqual(won);
    });

    check("begin is refused where another run has created the resource since its caller looked", async store => {
      const [slow, fast] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      expect(await slow.resource(nda)).toEqual({ attempt: undefined, owned: [] });
      await fast.begin(nda, begun(), undefined);
      await fast.claim(nda, "5001", about());
      expect(await slow.begin(nda, begun(), undefined)).toBeUndefined();
      expect((await slow.resource(nda)).attempt).toBeUndefined();
      expect(await slow.begin(nda, { ...begun(), owned: ["5001"] }, undefined)).toBeDefined();
    });

    check("begin replaces the attempt it names and no other", async store => {
      const journal = store.journal();
      const first = await journal.begin(nda, begun(), undefined);
      expect(await journal.begin(nda, begun("f2"), undefined)).toBeUndefined();
      expect(await journal.begin(nda, begun("f2"), "00000000")).toBeUndefined();
      expect((await journal.resource(nda)).attempt).toEqual(first);
      const second = await journal.begin(nda, begun("f2"), first?.token);
      expect(await store.journal().resource(nda)).toEqual({ attempt: second, owned: [] });
      expect((await journal.content(SERVICE, "f1")).attempts).toEqual([]);
    });

    check("an answer without an id is remembered", async store => {
      const journal = store.journal();
      const token = await tokenFrom(journal);
      expect((await journal.resource(nda)).attempt?.answered).toBeUndefined();
      await journal.hint(nda, token, undefined);
      expect((await store.journal().resource(nda)).attempt).toMatchObject({ answered: true, hints: [] });
    });

    check("hint adds an id to the attempt once", async store => {
      const journal = store.journal();
      const token = await tokenFrom(journal);
      for (const id of ["5001", "9007199254740993", "5001"]) await journal.hint(nda, token, id);
      expect((await store.journal().resource(nda)).attempt?.hints).toEqual(["5001", "9007199254740993"]);
    });

    check("withdraw ends the attempt and leaves what is owned", async store => {
      const journal = store.journal();
      const token = await tokenFrom(journal);
      await journal.claim(nda, "5001", about("f0"));
      await journal.withdraw(nda, token);
      const { attempt, owned } = await store.journal().resource(nda);
      expect([attempt, owned.map(({ id }) => id)]).toEqual([undefined, ["5001"]]);
    });

    check("what became of an attempt says nothing of one that another run began in its place", async store => {
      const [slow, other] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      const token = await tokenFrom(slow);
      const second = await other.begin(nda, begun(), token);
      await slow.hint(nda, token, "5001");
      await slow.withdraw(nda, token);
      expect((await store.journal().resource(nda)).attempt).toEqual(second);
    });

    check("claim takes an id, ends the attempt of the same content and names the run", async store => {
      const journal = store.journal({ run: "r1" });
      await journal.begin(nda, begun(), undefined);
      expect(await journal.claim(nda, "5001", about("f1", ["4"]))).toBe(true);
      const other = store.journal({ run: "r2" });
      const owned = {
        id: "5001",
        token: tokenOf(SERVICE, "5001"),
        urn: nda.urn,
        fingerprint: "f1",
        supersedes: ["4"],
        shown: false,
        replaced: false,
        released: false,
        run: "r1",
      };
      expect(await other.resource(nda)).toEqual({ attempt: undefined, owned: [owned] });
      expect(await other.owner(SERVICE, "5001")).toEqual(owned);
      expect(await other.content(SERVICE, "f1")).toEqual({ attempts: [], owned: [owned] });
      expect(await other.owner(OTHER, "5001")).toBeUndefined();
    });

    check("claim of other content leaves the attempt", async store => {
      const journal = store.journal();
      const attempt = await journal.begin(nda, begun("f1"), undefined);
      await journal.claim(nda, "5001", about("f2"));
      expect((await journal.resource(nda)).attempt).toEqual(attempt);
    });

    check("claim of what another resource has is refused and changes nothing", async store => {
      await store.journal().claim(nda, "5001", about());
      const journal = store.journal();
      const attempt = await journal.begin(lease, begun(), undefined);
      expect(await journal.claim(lease, "5001", about())).toBe(false);
      expect(await journal.resource(lease)).toEqual({ attempt, owned: [] });
      expect((await journal.owner(SERVICE, "5001"))?.urn).toBe(nda.urn);
    });

    check("claims at the same moment: each id has one owner", async store => {
      const journals = ["a", "b", "c"].map(run => ({ scope: scopeOf(run), journal: store.journal({ run }) }));
      const ids = Array.from({ length: 20 }, (_, nth) => String(nth + 1));
      const won = await Promise.all(
        journals.map(async ({ scope, journal }) => {
          const got = await Promise.all(ids.map(async id => ((await journal.claim(scope, id, about())) ? [id] : [])));
          return got.flat();
        }),
      );
      expect(won.flat().sort()).toEqual([...ids].sort());
      for (const [nth, { scope }] of journals.entries())
        expect(await idsOf(store.journal(), scope)).toEqual(won[nth]?.sort());
    });

    check("claim forgets what it replaces, by name or by what was given up", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.claim(nda, "5002", about());
      await journal.claim(nda, "5003", about());
      await journal.replace(nda, "5002", ["4"]);
      await journal.claim(nda, "5004", about("f2", ["5001"]));
      expect(await idsOf(store.journal(), nda)).toEqual(["5003", "5004"]);
    });

    check("claim again keeps that state has shown it", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.show(nda, "5001", { supersedes: [] });
      await journal.refresh();
      expect(await journal.claim(nda, "5001", about())).toBe(true);
      expect((await journal.owner(SERVICE, "5001"))?.shown).toBe(true);
    });

    check("show marks, moves and forgets what the engine showed before", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.show(nda, "5001", { supersedes: ["4"] });
      await journal.refresh();
      expect(await journal.owner(SERVICE, "5001")).toMatchObject({ shown: true, fingerprint: "f1", supersedes: ["4"] });
      await journal.claim(lease, "6001", about());
      await journal.claim(lease, "6002", about());
      await journal.show(lease, "6001", { supersedes: [] });
      await journal.show(lease, "5001", { supersedes: [] });
      await journal.refresh();
      const other = store.journal();
      expect([await idsOf(other, nda), await idsOf(other, lease)]).toEqual([[], ["5001", "6002"]]);
    });

    check("show keeps what it is asked to keep", async store => {
      const journal = store.journal();
      for (const id of ["5001", "5002"]) await journal.claim(nda, id, about());
      await journal.show(nda, "5001", { supersedes: [] });
      await journal.show(nda, "5002", { supersedes: [], besides: ["5001"] });
      await journal.refresh();
      expect(await idsOf(store.journal(), nda)).toEqual(["5001", "5002"]);
      await journal.show(nda, "5002", { supersedes: [] });
      await journal.refresh();
      expect(await idsOf(store.journal(), nda)).toEqual(["5002"]);
    });

    check("an import ends the attempt and forgets all else", async store => {
      const journal = store.journal();
      await journal.begin(nda, begun(), undefined);
      await journal.claim(nda, "5001", about("f0"));
      await journal.show(nda, "7001", { supersedes: [], imported: true });
      await journal.refresh();
      const { attempt, owned } = await store.journal().resource(nda);
      expect([attempt, owned.map(({ id }) => id)]).toEqual([undefined, ["7001"]]);
    });

    check("what was shown is written when the journal is closed", async store => {
      const [journal, other] = [store.journal(), store.journal()];
      for (const id of ["5001", "5002"]) await journal.claim(scopeOf(id), id, about());
      await Promise.all(["5001", "5002"].map(id => journal.show(scopeOf(id), id, { supersedes: [] })));
      await journal.close();
      for (const id of ["5001", "5002"]) expect((await other.owner(SERVICE, id))?.shown).toBe(true);
    });

    check("answers from what was read last until it is refreshed", async store => {
      const [journal, other] = [store.journal(), store.journal()];
      await journal.resource(nda);
      await other.claim(nda, "5001", about());
      expect(await idsOf(journal, nda)).toEqual([]);
      await journal.refresh();
      expect(await idsOf(journal, nda)).toEqual(["5001"]);
    });

    check("show that changes nothing writes nothing", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.show(nda, "5001", { supersedes: [] });
      await journal.refresh();
      const before = await store.content();
      for (const again of [journal, store.journal()]) {
        await again.show(nda, "5001", { supersedes: [] });
        await again.refresh();
      }
      expect(await store.content()).toBe(before);
    });

    check("reading writes nothing", async store => {
      const journal = store.journal();
      await journal.resource(nda);
      await journal.owner(SERVICE, "5001");
      expect(await store.content()).toBe("");
    });

    check("replace keeps the id known under the URN", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.replace(nda, "5001", ["4"]);
      const { owned } = await store.journal().resource(nda);
      expect(owned).toMatchObject([{ id: "5001", replaced: true, shown: true, supersedes: ["4"], fingerprint: "f1" }]);
    });

    check("release leaves the id known as nobody's, free for any claim", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.release(nda, "5001");
      const other = store.journal();
      expect(await idsOf(other, nda)).toEqual([]);
      expect(await other.owner(SERVICE, "5001")).toMatchObject({ released: true, fingerprint: "f1" });
      expect((await other.content(SERVICE, "f1")).owned).toMatchObject([{ id: "5001", released: true }]);
      expect(await other.claim(lease, "5001", about())).toBe(true);
      expect(await other.owner(SERVICE, "5001")).toMatchObject({ released: false, urn: lease.urn });
    });

    check("release of what another resource has changes nothing", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.release(lease, "5001");
      expect(await journal.owner(SERVICE, "5001")).toMatchObject({ released: false, urn: nda.urn });
    });

    check("elsewhere names what the resource holds at other services", async store => {
      const journal = store.journal();
      await journal.claim(scopeOf("nda", OTHER), "88", about());
      await journal.claim(scopeOf("nda", OTHER), "89", about());
      await journal.release(scopeOf("nda", OTHER), "89");
      await journal.claim(nda, "5001", about());
      expect(await store.journal().elsewhere(nda)).toEqual([{ service: OTHER, id: "88", token: tokenOf(OTHER, "88") }]);
    });

    check("the same URN in two backends is two resources", async store => {
      const here = store.journal({ backend: "s3://one" });
      const there = store.journal({ backend: "s3://two" });
      await here.claim(nda, "5001", about());
      await here.begin(nda, { ...begun("f2"), owned: ["5001"] }, undefined);
      expect(await there.resource(nda)).toEqual({ attempt: undefined, owned: [] });
      expect(await there.claim(nda, "5001", about())).toBe(false);
      expect((await there.owner(SERVICE, "5001"))?.urn).toBe(`${nda.urn} (s3://one)`);
      expect((await there.content(SERVICE, "f2")).attempts.map(({ urn }) => urn)).toEqual([`${nda.urn} (s3://one)`]);
      // Where none is known they may be one.
      expect(await idsOf(store.journal(), nda)).toEqual(["5001"]);
    });

    check("a person's forgetting frees an attempt and an id, and is written with the next line", async store => {
      const journal = store.journal();
      const attempt = await journal.begin(nda, begun(), undefined);
      await journal.claim(lease, "5001", about());
      const before = await store.content();
      const forget = [attempt?.token ?? "", tokenOf(SERVICE, "5001")];
      const forgetting = store.journal({ forget });
      expect(await forgetting.resource(nda)).toEqual({ attempt: undefined, owned: [] });
      expect(await forgetting.owner(SERVICE, "5001")).toBeUndefined();
      expect(await store.content()).toBe(before);
      expect(await forgetting.claim(nda, "5001", about())).toBe(true);
      expect(await store.journal().resource(lease)).toEqual({ attempt: undefined, owned: [] });
      expect(await idsOf(store.journal(), nda)).toEqual(["5001"]);
    });

    check("remembers what was reminded, per resource", async store => {
      const row = { invitationId: "1", round: "r", at: "2027-01-01T00:00:00Z", outcome: "unknown" } as const;
      await store.journal().remind(nda, row);
      expect(await store.journal().reminders(nda)).toEqual([row]);
      await store.journal().remind(nda, { ...row, outcome: "sent" });
      expect(await store.journal().reminders(nda)).toEqual([{ ...row, outcome: "sent" }]);
      const other = { ...row, invitationId: "2" };
      await store.journal().remind(nda, other);
      expect(await store.journal().reminders(nda)).toEqual([{ ...row, outcome: "sent" }, other]);
      await store.journal().unremind(nda, "1", row);
      await store.journal().unremind(nda, "2", undefined);
      expect(await store.journal().reminders(nda)).toEqual([row]);
      expect(await store.journal().reminders(lease)).toEqual([]);
    });

    check("stays the same, and small, over thousands of changes by two processes", async store => {
      const journals = [store.journal({ run: "a" }), store.journal({ run: "b" })];
      await journals[0]?.claim(lease, "6001", about());
      for (let round = 0; round < 12; round++) {
        await Promise.all(
          journals.map(async (journal, nth) => {
            const scope = scopeOf(`nda-${nth}`);
            await Promise.all(Array.from({ length: 60 }, () => journal.withdraw(scope, "0")));
            const { attempt } = await journal.resource(scope);
            await journal.begin(scope, begun(`f${round}`), attempt?.token);
          }),
        );
      }
      for (const journal of [...journals, store.journal()]) {
        await journal.refresh();
        expect(await idsOf(journal, lease)).toEqual(["6001"]);
        for (const nth of [0, 1])
          expect((await journal.resource(scopeOf(`nda-${nth}`))).attempt?.fingerprint).toBe("f11");
      }
      expect((await store.content()).split("\n").length).toBeLessThan(500);
    });
  });
}
