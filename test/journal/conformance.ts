import { describe, expect, test } from "vitest";
import {
  type Content,
  contentHashesOf,
  type Journal,
  type Scope,
  tokenOf,
} from "../../provider/resources/journal/contract.js";
import type { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";

/** One store. Each journal is one process's own; all share the store. */
export interface Store extends AsyncDisposable {
  journal(options?: { run?: string; backend?: string; forget?: readonly string[] }): LoggedJournal;
  /** All the store holds, as text: for what must not be in it, and for what must not change. */
  content(): Promise<string>;
  /** Keeps what is there now; what it answers with puts that back, as a restored backup or a lagging replica would. */
  save(): Promise<() => Promise<void>>;
}

export const SERVICE = "https://api.example.com";
export const OTHER = "https://sandbox.example.com";
export const scopeOf = (name: string, service = SERVICE): Scope => ({
  service,
  urn: `urn:pulumi:test::contracts::docsign:index:Document::${name}`,
});

export const contentOf = (fingerprint = "f1"): Content => ({
  fingerprint,
  name: `name of ${fingerprint}`,
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
export const about = (fingerprint = "f1", supersedes: readonly string[] = []) => ({
  ...contentHashesOf(contentOf(fingerprint)),
  supersedes,
});

const nda = scopeOf("nda");
const lease = scopeOf("lease");
const elsewhere: Scope = { ...nda, urn: nda.urn.replace(":test:", ":prod:") };

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
    check.each =
      <Case>(cases: readonly Case[]) =>
      (title: string, body: (store: Store, one: Case) => Promise<void>) =>
        test.each(cases.map(one => [one]))(title, async one => {
          await using store = await start();
          await body(store, one);
        });

    check("holds nothing of a resource that nothing was written of", async store => {
      const journal = store.journal();
      expect(await journal.resource(nda)).toEqual({ attempt: undefined, owned: [] });
      expect(await journal.ofContract(SERVICE, contentOf("f1"))).toEqual({ attempts: [], owned: [] });
      expect(await journal.owner(SERVICE, "5001")).toBeUndefined();
      expect(await journal.atOtherServices(nda)).toEqual([]);
      expect(await journal.reminded(nda, ["1"])).toEqual([]);
    });

    check("an attempt knows what its run had within ten minutes by its clock", async store => {
      const now = Date.now();
      const [first, second] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      await first.begin(nda, { ...begun(), startedAt: now }, undefined);
      await first.begin(lease, { ...begun("f2"), startedAt: now - 11 * 60_000 }, undefined);
      await second.claim(scopeOf("other"), "10", about("f10"));
      await first.claim({ ...elsewhere, service: OTHER }, "11", about("f11"));
      for (const id of ["12", "13", "14", "15"]) await first.claim(scopeOf(`other${id}`), id, about(`f${id}`));
      const next = store.journal({ run: "r3" });
      expect((await next.resource(nda)).attempt?.beside).toEqual(["12", "13", "14"]);
      expect((await next.resource(lease)).attempt?.beside).toBeUndefined();
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
      expect((await other.ofContract(SERVICE, contentOf("f1"))).attempts).toEqual([attempt]);
      expect((await other.resource(lease)).attempt).toBeUndefined();
      expect((await other.ofContract(OTHER, contentOf("f1"))).attempts).toEqual([]);
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
      expect((await journal.ofContract(SERVICE, contentOf("f1"))).attempts).toEqual([]);
    });

    check(
      "of two that begin the same content in two stacks, the first counts, unless the other knew of it",
      async store => {
        const [first, second] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
        // Both have looked.
        for (const journal of [first, second]) await journal.ofContract(SERVICE, contentOf("f1"));
        const won = await first.begin(nda, { ...begun(), knows: [] }, undefined);
        expect(await second.begin(elsewhere, { ...begun(), knows: [] }, undefined)).toBeUndefined();
        expect((await second.ofContract(SERVICE, contentOf("f1"))).attempts).toEqual([won]);
        expect(await second.begin(elsewhere, { ...begun("f2"), knows: [] }, undefined)).toBeDefined();
        const other = await store
          .journal({ run: "r3" })
          .begin(lease, { ...begun(), knows: [won?.token ?? ""] }, undefined);
        expect(other).toBeDefined();
        expect(await first.owns(nda, won?.token ?? "")).toBe(false);
        expect((await first.resource(nda)).attempt).toEqual({ ...won, overtaken: true });
      },
    );

    check("of two that begin the same contract in two stacks, with other content, the first counts", async store => {
      const [first, second] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      for (const journal of [first, second]) await journal.ofContract(SERVICE, contentOf());
      const won = await first.begin(nda, { ...begun(), knows: [] }, undefined);
      const other = { ...begun(), fingerprint: "f2", description: "another", knows: [] };
      expect(await second.begin(elsewhere, other, undefined)).toBeUndefined();
      expect((await second.ofContract(SERVICE, other)).attempts).toEqual([won]);
      await first.claim(nda, "5001", about());
      expect(await second.begin(elsewhere, other, undefined)).toBeUndefined();
      const knows = [tokenOf(SERVICE, "5001")];
      expect(await second.begin(elsewhere, { ...other, knows }, undefined)).toBeDefined();
    });

    check("the same URN in two backends begins the same content once", async store => {
      const backends = ["file:///a", "file:///b"].map((backend, nth) => store.journal({ run: `r${nth}`, backend }));
      const begins = await Promise.all(
        backends.map(journal => journal.begin(nda, { ...begun(), knows: [] }, undefined)),
      );
      expect(begins.filter(attempt => attempt !== undefined)).toHaveLength(1);
    });

    check("what another stack has claimed since is in the way of the same content, until it is known", async store => {
      const [slow, fast] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      expect(await slow.ofContract(SERVICE, contentOf("f1"))).toEqual({ attempts: [], owned: [] });
      await fast.claim(elsewhere, "5001", about());
      expect(await slow.begin(nda, { ...begun(), knows: [] }, undefined)).toBeUndefined();
      const knows = (await slow.ofContract(SERVICE, contentOf("f1"))).owned.map(({ token }) => token);
      expect(knows).toEqual([tokenOf(SERVICE, "5001")]);
      expect(await slow.begin(nda, { ...begun(), knows }, undefined)).toBeDefined();
    });

    check("creates of one run, and those that don't look, may be alike", async store => {
      const [own, other] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      const first = await own.begin(nda, { ...begun(), knows: [] }, undefined);
      expect(await own.begin(lease, { ...begun(), knows: [] }, undefined)).toBeDefined();
      expect(await other.begin(elsewhere, begun(), undefined)).toBeDefined();
      expect(await own.owns(nda, first?.token ?? "")).toBe(true);
    });

    check("an attempt is owned until it is withdrawn, claimed or replaced", async store => {
      const [journal, other] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      const token = await tokenFrom(journal);
      expect(await journal.owns(nda, token)).toBe(true);
      expect(await journal.owns(nda, "00000000")).toBe(false);
      expect(await other.begin(nda, begun(), token)).toBeDefined();
      expect(await journal.owns(nda, token)).toBe(false);
    });

    check("begin says for how long its request may be on its way", async store => {
      const attempt = await store.journal().begin(nda, { ...begun(), lasts: 240_000 }, undefined);
      expect(attempt?.lasts).toBe(240_000);
      expect((await store.journal().resource(nda)).attempt).toEqual(attempt);
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
        elsewhere: false,
        ...about("f1", ["4"]),
        shown: false,
        replaced: false,
        released: false,
        run: "r1",
      };
      expect(await other.resource(nda)).toEqual({ attempt: undefined, owned: [owned] });
      expect(await other.owner(SERVICE, "5001")).toEqual(owned);
      expect(await other.ofContract(SERVICE, contentOf("f1"))).toEqual({ attempts: [], owned: [owned] });
      expect(await other.owner(OTHER, "5001")).toBeUndefined();
    });

    check("a folder and a document of the same id are two, each with a token of its own", async store => {
      const journal = store.journal();
      const folder: Scope = { service: SERVICE, urn: "urn:pulumi:test::contracts::docsign:index:Folder::leases" };
      expect(await journal.claim(nda, "7", about("f1"))).toBe(true);
      expect(await journal.claim(folder, "7", about("f2"))).toBe(true);
      expect(await idsOf(journal, nda)).toEqual(["7"]);
      expect(await idsOf(journal, folder)).toEqual(["7"]);
      await journal.release(folder, "7");
      const next = store.journal();
      const tokens = { document: tokenOf(SERVICE, "7"), folder: tokenOf(SERVICE, "7", "folder") };
      expect(await next.owner(SERVICE, "7")).toMatchObject({ released: false, urn: nda.urn, token: tokens.document });
      expect(await next.owner(SERVICE, "7", "folder")).toMatchObject({
        ...{ released: true, urn: folder.urn },
        token: tokens.folder,
      });
      expect(await next.documents(SERVICE)).toEqual(["7"]);
      await store.journal({ forget: [tokens.folder] }).claim(lease, "8", about("f3"));
      const last = store.journal();
      expect(await last.owner(SERVICE, "7", "folder")).toBeUndefined();
      expect(await idsOf(last, nda)).toEqual(["7"]);
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

    check("claim releases what it replaces, by name or by what was given up", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.claim(nda, "5002", about());
      await journal.claim(nda, "5003", about());
      await journal.replace(nda, "5002", ["4"]);
      await journal.claim(nda, "5004", about("f2", ["5001"]));
      expect(await idsOf(store.journal(), nda)).toEqual(["5003", "5004"]);
    });

    check("what a claim replaced is nobody's, and known by its content", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about("f1", ["4"]));
      await journal.replace(nda, "5001", ["4"]);
      await journal.claim(nda, "5002", about("f2", ["4", "5001"]));
      const other = store.journal();
      const superseded = { id: "5001", urn: nda.urn, released: true, superseded: true, replaced: false };
      expect((await other.ofContract(SERVICE, contentOf("f1"))).owned).toMatchObject([superseded]);
      expect(await other.claim(nda, "5001", about("f1", ["5002"]))).toBe(true);
      const [taken, ...more] = (await other.resource(nda)).owned;
      expect([taken, more]).toMatchObject([{ id: "5001", released: false, shown: false, supersedes: ["5002"] }, []]);
      expect(await other.owner(SERVICE, "5002")).toMatchObject({ released: true, superseded: true });
    });

    check("claim takes an id from the resource that lets go of it, and from no other", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      const other = store.journal();
      expect(await other.claim(lease, "5001", { ...about(), from: scopeOf("else").urn })).toBe(false);
      expect(await other.claim(lease, "5001", { ...about(), from: nda.urn })).toBe(true);
      await journal.release(nda, "5001");
      expect(await store.journal().owner(SERVICE, "5001")).toMatchObject({
        ...{ urn: lease.urn, released: false, shown: false, moved: true },
      });
    });

    check("an import of what another resource has moves it on", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.show(lease, "5001", { supersedes: [], imported: true });
      await journal.show(lease, "5001", { supersedes: ["4"] });
      await journal.refresh();
      expect(await store.journal().owner(SERVICE, "5001")).toMatchObject({ urn: lease.urn, moved: true });
      await journal.release(lease, "5001");
      const released = await store.journal().owner(SERVICE, "5001");
      expect([released?.released, released?.moved, released?.supersedes]).toEqual([true, undefined, ["4"]]);
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

    const importedBeside = async (store: Store) => {
      const [preview, other] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      const attempt = await preview.begin(nda, begun(), undefined);
      await preview.claim(nda, "5001", about("f0"));
      await preview.show(nda, "7001", { supersedes: [], imported: true });
      await other.show(nda, "7001", { supersedes: [], imported: true });
      for (const each of [preview, other]) {
        await each.show(nda, "7001", { supersedes: [] });
        await each.refresh();
      }
      const known = await store.journal().resource(nda);
      expect([known.attempt?.token, known.owned.map(({ id }) => id)]).toEqual([attempt?.token, ["5001", "7001"]]);
    };
    const onlyTheImport = async (store: Store, ids: readonly string[]) => {
      const { attempt, owned } = await store.journal().resource(nda);
      expect([attempt, owned.map(({ id }) => id)]).toEqual([undefined, ids]);
    };

    check("an import ends the attempt and forgets all else once another run shows that state holds it", async store => {
      await importedBeside(store);
      const next = store.journal({ run: "r3" });
      await next.show(nda, "7002", { supersedes: [], besides: ["7001"] });
      expect((await next.resource(nda)).attempt).toBeDefined();
      await next.show(nda, "7001", { supersedes: [] });
      await next.refresh();
      await onlyTheImport(store, ["7001"]);
    });

    check("an import ends the attempt and forgets all else once state lets go of it", async store => {
      await importedBeside(store);
      await store.journal({ run: "r2" }).release(nda, "7001");
      await onlyTheImport(store, []);
    });

    check("an import of what another resource holds ends no attempt before that one lets go of it", async store => {
      const attempt = await store.journal({ run: "r0" }).begin(nda, begun(), undefined);
      await store.journal({ run: "r0" }).show(lease, "7001", { supersedes: [] });
      await store.journal({ run: "r1" }).show(nda, "7001", { supersedes: [], imported: true });
      for (const run of ["r2", "r3"]) {
        const journal = store.journal({ run });
        await journal.show(nda, "7001", { supersedes: [] });
        await journal.refresh();
      }
      expect((await store.journal().resource(nda)).attempt?.token).toBe(attempt?.token);
      await store.journal({ run: "r4" }).release(lease, "7001");
      for (const run of ["r5", "r6"]) {
        const journal = store.journal({ run });
        await journal.show(nda, "7001", { supersedes: [] });
        await journal.refresh();
      }
      await onlyTheImport(store, ["7001"]);
    });

    check("an import ends no attempt that was begun after it", async store => {
      const journal = store.journal({ run: "r1" });
      await journal.show(nda, "7001", { supersedes: [], imported: true });
      await journal.begin(nda, { ...begun(), owned: ["7001"] }, undefined);
      const next = store.journal({ run: "r2" });
      await next.show(nda, "7001", { supersedes: [] });
      await next.refresh();
      expect((await store.journal().resource(nda)).attempt).toBeDefined();
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
      expect((await other.ofContract(SERVICE, contentOf("f1"))).owned).toMatchObject([{ id: "5001", released: true }]);
      expect(await other.claim(lease, "5001", about())).toBe(true);
      expect(await other.owner(SERVICE, "5001")).toMatchObject({ released: false, urn: lease.urn });
    });

    check("release of what another resource has changes nothing", async store => {
      const journal = store.journal();
      await journal.claim(nda, "5001", about());
      await journal.release(lease, "5001");
      expect(await journal.owner(SERVICE, "5001")).toMatchObject({ released: false, urn: nda.urn });
    });

    check.each(["show", "replace", "release"] as const)(
      "%s says what another machine has replaced",
      async (store, call) => {
        const journal = store.journal();
        await journal.claim(nda, "5001", about());
        await journal.claim(lease, "5002", about());
        const supersedes = ["5001", "5002"];
        if (call === "show") await journal.show(nda, "5003", { supersedes });
        else await journal[call](nda, "5003", supersedes);
        await journal.refresh();
        const other = store.journal();
        expect(await other.owner(SERVICE, "5001")).toMatchObject({
          released: true,
          superseded: true,
          fingerprint: "f1",
        });
        expect(await other.owner(SERVICE, "5002")).toMatchObject({ released: false, urn: lease.urn });
        expect(await idsOf(other, nda)).toEqual(call === "release" ? [] : ["5003"]);
      },
    );

    check("atOtherServices names what the resource holds at other services", async store => {
      const journal = store.journal();
      await journal.claim(scopeOf("nda", OTHER), "88", about());
      await journal.claim(scopeOf("nda", OTHER), "89", about());
      await journal.release(scopeOf("nda", OTHER), "89");
      await journal.claim(nda, "5001", about());
      expect(await store.journal().atOtherServices(nda)).toEqual([
        { service: OTHER, id: "88", token: tokenOf(OTHER, "88") },
      ]);
    });

    check("the same URN in two backends is two resources", async store => {
      const here = store.journal({ backend: "s3://one" });
      const there = store.journal({ backend: "s3://two" });
      await here.claim(nda, "5001", about());
      await here.begin(nda, { ...begun("f2"), owned: ["5001"] }, undefined);
      expect(await there.resource(nda)).toEqual({ attempt: undefined, owned: [] });
      expect(await there.claim(nda, "5001", about())).toBe(false);
      expect((await there.owner(SERVICE, "5001"))?.urn).toBe(`${nda.urn} (s3://one)`);
      expect((await there.ofContract(SERVICE, contentOf("f2"))).attempts.map(({ urn }) => urn)).toEqual([
        `${nda.urn} (s3://one)`,
      ]);
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

    check("remembers who was reminded, and by whom, for whoever asks", async store => {
      const about = { invitationId: "1", round: "r", at: "2027-01-01T00:00:00Z" };
      const journal = store.journal();
      const token = (await journal.remind(nda, about, [])) ?? "";
      const row = { ...about, token, urn: nda.urn, outcome: "unknown", own: true };
      expect(await store.journal().reminded(nda, ["2", "1"])).toEqual([row]);
      await journal.confirmReminder(nda, token);
      expect(await store.journal().reminded(lease, ["1"])).toEqual([{ ...row, outcome: "sent", own: false }]);
      expect(await store.journal().reminded({ ...nda, service: OTHER }, ["1"])).toEqual([]);
      expect(await journal.owns(nda, token)).toBe(true);
      await store.journal().unremind(nda, token);
      expect(await journal.owns(nda, token)).toBe(false);
      expect(await store.journal().reminded(nda, ["1"])).toEqual([]);
    });

    check("of two that remind one invitation, one does, whatever their resources and backends", async store => {
      const about = { invitationId: "1", round: "r", at: "2027-01-01T00:00:00Z" };
      const journals = ["s3://one", "s3://two"].map(backend => store.journal({ run: backend, backend }));
      const other = { service: SERVICE, urn: nda.urn.replace(":test:", ":prod:") };
      const reminds = await Promise.all([
        ...journals.map(journal => journal.remind(nda, about, [])),
        store.journal().remind(other, about, []),
      ]);
      const [won, ...more] = reminds.filter(token => token !== undefined);
      expect(more).toEqual([]);
      const all = await store.journal().reminded(nda, ["1"]);
      expect(all.map(({ token }) => token)).toEqual([won]);
      expect(await store.journal().remind(lease, { ...about, round: "r2" }, [])).toBeUndefined();
      expect(await store.journal().remind(lease, { ...about, round: "r2" }, [won ?? ""])).toBeDefined();
    });

    check("shows a person all open attempts, of whatever stack, backend and service", async store => {
      const other = { service: OTHER, urn: nda.urn.replace(":test:", ":prod:") };
      const first = await store.journal({ backend: "s3://one" }).begin(nda, begun(), undefined);
      const second = await store.journal({ backend: "s3://two" }).begin(other, begun("f2"), undefined);
      await store.journal().claim(lease, "5001", about());
      expect(await store.journal({ backend: "s3://one" }).open()).toEqual([
        { ...first, service: SERVICE },
        { ...second, service: OTHER, urn: `${other.urn} (s3://two)` },
      ]);
    });

    check("a person says which document an attempt came to, or that it came to none", async store => {
      const attempts = [await store.journal().begin(nda, begun(), undefined)];
      attempts.push(await store.journal().begin(lease, begun("f2"), undefined));
      const [first = "", second = ""] = attempts.map(attempt => attempt?.token);
      const person = store.journal();
      expect(await person.resolve("00000000", undefined, "ana")).toBe(false);
      expect(await person.resolve(first, "5001", "ana")).toBe(true);
      expect(await person.resolve(second, undefined, "bob")).toBe(true);
      const next = store.journal();
      expect((await next.resource(nda)).attempt).toMatchObject({
        ...{ said: "5001", saidBy: "ana" },
        ...{ hints: ["5001"], answered: true },
      });
      expect(await store.content()).toMatch(/"by": ?"bob"/);
      expect((await next.resource(lease)).attempt).toBeUndefined();
      expect(await person.resolve(second, undefined, "bob")).toBe(false);
    });

    check("that lost lines and got as many others is read anew before anything is added to it", async store => {
      const [running, next] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      await running.claim(lease, "6001", about());
      await running.resource(nda);
      const restore = await store.save();
      for (const name of ["aaa", "bbb"]) await running.begin(scopeOf(name), begun(name), undefined);
      await restore();
      for (const name of ["nda", "ccc"]) await next.begin(scopeOf(name), begun(name), undefined);
      const { attempt } = await next.resource(nda);
      expect(attempt?.run).toBe("r2");
      expect(await running.begin(nda, begun("nda"), undefined)).toBeUndefined();
      for (const journal of [running, store.journal()]) {
        expect((await journal.resource(nda)).attempt).toEqual(attempt);
        expect((await journal.resource(scopeOf("aaa"))).attempt).toBeUndefined();
        expect((await journal.owner(SERVICE, "6001"))?.urn).toBe(lease.urn);
      }
    });

    check.each(["", "ccc"])("that lost an attempt says so when it is read again (%j)", async (store, name) => {
      const journal = store.journal({ run: "r1" });
      await journal.claim(lease, "6001", about());
      const restore = await store.save();
      await journal.begin(nda, begun(), undefined);
      await restore();
      if (name !== "") await store.journal({ run: "r2" }).begin(scopeOf(name), begun(), undefined);
      expect(journal.losses()).toBe(0);
      await journal.refresh();
      expect(journal.losses()).toBe(1);
      expect((await journal.resource(nda)).attempt).toBeUndefined();
      expect(await journal.begin(nda, begun("f2"), undefined)).toBeDefined();
    });

    check("that lost its last line after it was compacted is read anew", async store => {
      const [journal, other] = [store.journal({ run: "r1" }), store.journal({ run: "r2" })];
      const restore = await store.save();
      await journal.claim(nda, "5001", about());
      for (let nth = 0; nth < 4; nth++) await Promise.all(Array.from({ length: 60 }, () => journal.withdraw(nda, "0")));
      expect(journal.losses()).toBe(0);
      await restore();
      expect(await other.begin(nda, begun(), undefined)).toBeDefined();
      expect(await journal.begin(nda, begun(), undefined)).toBeUndefined();
      expect(journal.losses()).toBe(1);
      expect(await journal.owner(SERVICE, "5001")).toBeUndefined();
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
