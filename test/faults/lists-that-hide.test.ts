import { describe, expect, test } from "vitest";
import { type ProgramResource, up } from "./support/engine.js";
import { folder, madeIn, nda, pdf, type Rig, startRig } from "./support/rig.js";

/** A list may be complete and still show no document of some kind: then what isn't in it may have been made. */
async function expectUnsent(rig: Rig, when: "before" | "after", program = [nda()]): Promise<void> {
  rig.service.faults.push({ kind: "reset", when }, "createDocument");
  for (let runs = 0; runs < 3; runs++) {
    const error = (await rig.up(program)).errors["nda"] ?? "";
    expect(error).toMatch(/\[docsign\/create-unconfirmed\]/);
    expect(error).toMatch(/may leave documents out|too young to tell|the service lists no document|nor any other/);
    expect(error).toMatch(/^ {2}look for "[^"]+" on the platform$/m);
    expect(error).toMatch(/send it again: DOCSIGN_FORGET=\w{8} pulumi up$/m);
    rig.later();
  }
  const made = when === "after" ? 1 : 0;
  expect(rig.saw()).toMatchObject({ posts: 1, documents: made, mails: 2 * made });
}

describe("a create without an answer isn't sent again", () => {
  test("where lists leave out what nobody has signed", async () => {
    await using rig = await startRig({ dialect: { unlisted: "unknown-status", unsignedStatus: "drafted" } });
    await expectUnsent(rig, "after");
  });

  test("where lists leave out what is in a folder", async () => {
    await using rig = await startRig({ dialect: { unlisted: "in-a-folder" }, proving: true });
    await rig.up([folder()]);
    const folderId = rig.idOf("leases", "Folder") ?? "";
    await expectUnsent(rig, "after", [folder(), nda({ folderId })]);
  });

  test("where lists are empty", async () => {
    await using rig = await startRig();
    await expectUnsent(rig, "before");
  });

  test("where lists show documents of others only", async () => {
    await using rig = await startRig({ dialect: { order: "newest", decoys: 9 } });
    await expectUnsent(rig, "before");
    expect(rig.read.join("\n")).toContain(
      "nor any other that was sent from here: nothing tells whether they show what is",
    );
  });

  test("where what lists show of this provider's is signed", async () => {
    await using rig = await startRig({ proving: true });
    rig.service.people.signAll(rig.service.ledger.decoys()[0]?.id ?? "");
    await expectUnsent(rig, "before");
  });
});

test("what the platform shows and no list does is taken by a person's word, as the error says it", async () => {
  await using rig = await startRig({ dialect: { pageSize: 2, decoys: 3 } });
  rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  await rig.up([nda()]);
  rig.later();
  const { errors } = await rig.up([nda()]);
  const [, token = ""] = /- it is there: docsign journal resolve (\w{8}) --is ID, then/.exec(errors["nda"] ?? "") ?? [];
  const { run } = rig.process();
  await run.runtime.context.journal.resolve(token, madeIn(rig.service.ledger)[0]?.id, "Ana");
  await run.end();
  expect((await rig.up([nda()])).errors).toEqual({});
  rig.expectOnce();
});

const DAY_MS = 24 * 3_600_000;

test("a machine six days behind the service proves nothing by the days that it asks for", async () => {
  const config = { duplicatePolicy: "create", reconcileTimeout: "0s" };
  await using rig = await startRig({ proving: true, config });
  const { service } = rig;
  for (const document of service.ledger.decoys()) document.createdAt -= 5 * DAY_MS;
  const old = new Set(service.ledger.decoys().map(({ id }) => id));
  rig.machine.pass(-6 * DAY_MS);
  const oldestFirst = ({ payload, ...rest }: { payload: { id: unknown }[] }) => ({
    ...rest,
    payload: payload.filter(({ id }) => old.has(String(id))).reverse(),
  });
  service.faults.otherwise(({ operation }) =>
    operation === "listDocuments" ? { kind: "edit", edit: json => oldestFirst(json as never) as never } : undefined,
  );
  const gate = service.gate("processed", "createDocument");
  await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), rig.process(), gate.reached);
  gate.cut();
  rig.later();
  await rig.up([nda()]);
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
});

test.each([404, 410, 400])("a document let go of that is answered with %i is not sent again", async status => {
  await using rig = await startRig();
  await rig.up([nda()]);
  const id = rig.idOf("nda") ?? "";
  await rig.up([]);
  const without = ({ payload, ...rest }: { payload: { id: unknown }[] }) => ({
    ...rest,
    payload: payload.filter(row => String(row.id) !== id),
  });
  rig.service.faults.otherwise(({ operation, path }) => {
    if (path.endsWith(`/documents/${id}`)) return { kind: "status", when: "before", status };
    const isList = operation === "listDocuments" || operation === "listByDateRange";
    return isList ? { kind: "edit", edit: json => without(json as never) as never } : undefined;
  });
  expect(JSON.stringify((await rig.up([nda()])).errors)).toContain("docsign/duplicate-unconfirmed");
  expect(rig.saw()).toMatchObject({ posts: 1 });
});

interface ListRow {
  readonly id: unknown;
  readonly created_at?: string;
}
type ReadList = (context: ReturnType<Rig["process"]>["run"]["runtime"]["context"]) => Promise<unknown>;

/** Lists as `shown` makes them of all rows. A create is lost, and the next run has `asked` for another list before. */
async function expectSentOnce(
  rig: Rig,
  shown: (rows: readonly ListRow[], asked: { readonly operation: string; readonly query: URLSearchParams }) => unknown,
  { passes, asked }: { readonly passes: number; readonly asked: ReadList },
): Promise<void> {
  const { service } = rig;
  const leases = [1, 2, 3].map(nth => nda({ name: `Lease ${nth}`, base64File: pdf(`lease ${nth}`) }, `lease${nth}`));
  const run = async (program: typeof leases, asks: ReadList) => {
    const process = rig.process();
    await asks(process.run.runtime.context);
    await up(process.frontEnd, rig.state, program);
    await process.run.end();
  };
  await run(leases, async () => undefined);
  const lists = { fail: true };
  service.faults.otherwise(({ operation, query }) => {
    if (operation !== "listDocuments" && operation !== "listByDateRange") return undefined;
    if (lists.fail && madeIn(service.ledger).length > leases.length)
      return { kind: "status", when: "before", status: 500 };
    return {
      kind: "edit",
      edit: json => {
        const { payload, ...rest } = json as never as { payload: ListRow[] };
        return { ...rest, payload: shown(payload, { operation, query }) } as never;
      },
    };
  });
  service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  await run([...leases, nda()], async () => undefined);
  lists.fail = false;
  rig.machine.pass(passes);
  service.clock.advance(passes);
  const later = nda({ name: "Lease 4", base64File: pdf("lease 4") }, "lease4");
  await run([...leases, later], async () => undefined);
  rig.later();
  await run([...leases, later, nda()], asked);
  expect(madeIn(service.ledger).filter(({ name }) => name === "NDA")).toHaveLength(1);
}

const filler = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    ...{ id: nth + 1, name: "Older", description: "", status: "signed", created_at: "2020-01-02T00:00:00.000+00:00" },
  }));
const config = { reconcileTimeout: "0s" };

describe("a list that is shorter than another one may hide what was lost", () => {
  test("where a folder is shown whole, and all documents cut behind the third", async () => {
    await using rig = await startRig({ config });
    await expectSentOnce(rig, (rows, { query }) => (query.has("folder_id") ? filler(30) : rows.slice(0, 3)), {
      passes: 0,
      asked: context => context.service().listDocuments({ folderId: "7" }),
    });
  });

  test("where lists by date show the last week of the days that are asked for", async () => {
    await using rig = await startRig({ config });
    const { clock } = rig.service;
    const isRecent = ({ created_at = "" }: ListRow) => Date.parse(created_at) > clock.now() - 7 * DAY_MS;
    await expectSentOnce(
      rig,
      (rows, { operation, query }) => {
        if (operation === "listDocuments") return rows.slice(0, 3);
        return query.get("from_date") === "2020-01-01" ? filler(30) : rows.filter(isRecent);
      },
      {
        passes: 8 * DAY_MS,
        asked: context =>
          context
            .service()
            .listDocumentsByDateRange({ fromDate: "2020-01-01", toDate: "2020-01-07", status: "signed" }),
      },
    );
  });
});

test("a Date that is a second behind the one before proves what lists by date prove", async () => {
  await using rig = await startRig({ config });
  const { service } = rig;
  const leases = [1, 2, 3, 4].map(nth => nda({ name: `Lease ${nth}`, base64File: pdf(`lease ${nth}`) }, `lease${nth}`));
  await rig.up(leases);
  service.faults.push({ kind: "reset", when: "before" }, "createDocument");
  expect(Object.keys((await rig.up([...leases, nda()])).errors)).toEqual(["nda"]);
  rig.later();

  let behindMs = 0;
  service.faults.otherwise(({ operation, query }) => {
    if (operation !== "listDocuments" && operation !== "listByDateRange") return undefined;
    behindMs += 1_000;
    service.dialect.date = { aheadMs: -behindMs };
    const isEarlier = query.get("from_date") === "2020-01-01";
    const shown = (rows: ListRow[]) =>
      isEarlier ? filler(30) : operation === "listDocuments" ? rows.slice(0, 3) : rows;
    return {
      kind: "edit",
      edit: json => {
        const { payload, ...rest } = json as never as { payload: ListRow[] };
        return { ...rest, payload: shown(payload) } as never;
      },
    };
  });
  const { run, frontEnd } = rig.process();
  const earlier = { fromDate: "2020-01-01", toDate: "2020-01-07", status: "signed" } as const;
  await run.runtime.context.service().listDocumentsByDateRange(earlier);
  expect((await up(frontEnd, rig.state, [...leases, nda()])).errors).toEqual({});
  await run.end();
  expect(rig.saw()).toMatchObject({ posts: 6, documents: 5, mails: 10 });
});

describe("an account from which somebody has removed a document that state still has", () => {
  const five = [1, 2, 3, 4, 5].map(nth =>
    nda({ name: `Lease ${nth}`, base64File: pdf(`lease ${nth}`) }, `lease${nth}`),
  );

  /** The third of five is gone, and a create is lost. What the runs said of it, one `resendAfter` later. */
  async function afterRemoval(rig: Rig): Promise<string | undefined> {
    expect((await rig.up(five)).errors).toEqual({});
    rig.service.people.removeDocument(rig.idOf("lease3") ?? "");
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
    await rig.up([...five, nda()]);
    rig.later();
    return (await rig.up([...five, nda()])).errors["nda"];
  }

  test.each(["oldest", "shuffled"] as const)(
    "lists are whole, %s first: the lost create is sent again",
    async order => {
      await using rig = await startRig({ dialect: { order } });
      expect(await afterRemoval(rig)).toBeUndefined();
      expect(rig.saw()).toMatchObject({ posts: 7, documents: 6, mails: 12 });
    },
  );

  test.each([
    ["shows it after all, at the third time", 2, "json"],
    ["says so in words of a proxy", 3, "text"],
  ] as const)("a service that lists it no more, and by its id %s: nothing is proven", async (_, times, body) => {
    await using rig = await startRig();
    expect((await rig.up(five)).errors).toEqual({});
    const hidden = rig.idOf("lease3") ?? "";
    let read = 0;
    rig.service.faults.otherwise(({ operation, path }) => {
      if (operation === "getDocument" && path.endsWith(`/${hidden}`))
        return ++read % (times + 1) === 0 ? undefined : { kind: "status", when: "before", status: 404, body };
      if (operation !== "listDocuments" && operation !== "listByDateRange") return undefined;
      return {
        kind: "edit",
        edit: json => {
          const { payload, ...rest } = json as never as { payload: ListRow[] };
          return { ...rest, payload: payload.filter(({ id }) => String(id) !== hidden) } as never;
        },
      };
    });
    rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
    for (let count = 0; count < 3; count++) {
      const error = (await rig.up([...five, nda()])).errors["nda"];
      expect(error).toContain("[docsign/create-unconfirmed]");
      rig.later();
    }
    expect(rig.saw()).toMatchObject({ posts: 6, documents: 5, mails: 10 });
  });

  const four = five.slice(0, 4);
  test.each([
    ["the last that was made before", four.length - 1, []],
    ["one that was made since", four.length, [nda({ name: "Lease 6", base64File: pdf("lease 6") }, "lease6")]],
  ] as const)("%s isn't shown any more, nor is what was lost: nothing is proven", async (_, nth, since) => {
    await using rig = await startRig({ config: { reconcileTimeout: "0s" } });
    expect((await rig.up(four)).errors).toEqual({});
    rig.service.faults.push({ kind: "reset", when: "after" }, "createDocument");
    rig.service.faults.push({ kind: "status", when: "before", status: 500 }, "listDocuments", { times: 9, skip: 1 });
    expect(Object.keys((await rig.up([...four, nda()])).errors)).toEqual(["nda"]);
    rig.service.faults.clear();
    if (since.length > 0) expect((await rig.up([...four, ...since])).errors).toEqual({});

    // Whoever was moved to another organization sees nothing of this one.
    const made = madeIn(rig.service.ledger);
    const hidden = [made.find(({ name }) => name === "NDA")?.id, made.filter(({ name }) => name !== "NDA")[nth]?.id];
    rig.service.faults.otherwise(({ operation, path }) => {
      if (operation === "getDocument" && hidden.some(id => path.endsWith(`/${id}`)))
        return { kind: "status", when: "before", status: 404 };
      if (operation !== "listDocuments" && operation !== "listByDateRange") return undefined;
      return {
        kind: "edit",
        edit: json => {
          const { payload, ...rest } = json as never as { payload: ListRow[] };
          return { ...rest, payload: payload.filter(({ id }) => !hidden.includes(String(id))) } as never;
        },
      };
    });
    for (let count = 0; count < 2; count++) {
      rig.later();
      expect((await rig.up([...four, ...since, nda()])).errors["nda"]).toContain("[docsign/create-unconfirmed]");
    }
    expect(rig.saw()).toMatchObject({ documents: 5 + since.length });
  });
});

test("lists that show one with the same other parameters prove that a create isn't there", async () => {
  await using rig = await startRig({ config: { resendAfter: "8s" } });
  const [one, two, three] = ["one", "two", "three"].map(name =>
    nda({ name, base64File: pdf(name), extraParameters: { organization_id: 7 } }, name),
  ) as [ProgramResource, ProgramResource, ProgramResource];
  const plain = nda({ name: "Lease" }, "lease");
  expect((await rig.up([one, two, plain])).errors).toEqual({});
  rig.service.faults.push({ kind: "reset", when: "before" }, "createDocument");
  await rig.up([one, two, plain, three]);
  rig.later();
  expect((await rig.up([one, two, plain, three])).errors).toEqual({});
  expect(rig.saw()).toMatchObject({ posts: 5, documents: 4, mails: 8 });
});

test("lists that leave out what other parameters of the create put elsewhere prove nothing of it", async () => {
  await using rig = await startRig({ config: { reconcileTimeout: "0s" } });
  const { service } = rig;
  const leases = [1, 2, 3, 4].map(nth => nda({ name: `Lease ${nth}`, base64File: pdf(`lease ${nth}`) }, `lease${nth}`));
  expect((await rig.up(leases)).errors).toEqual({});
  service.faults.otherwise(({ operation }) => {
    if (operation !== "listDocuments" && operation !== "listByDateRange") return undefined;
    return {
      kind: "edit",
      edit: json => {
        const { payload, ...rest } = json as never as { payload: (ListRow & { name: string })[] };
        return { ...rest, payload: payload.filter(({ name }) => name !== "NDA") } as never;
      },
    };
  });
  service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  const theirs = nda({ extraParameters: { organization_id: 7 } });
  for (let count = 0; count < 3; count++) {
    expect((await rig.up([...leases, theirs])).errors["nda"]).toContain("[docsign/create-unconfirmed]");
    rig.later();
  }
  expect(rig.saw()).toMatchObject({ posts: 5, documents: 5, mails: 10 });
});
