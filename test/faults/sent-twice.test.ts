import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Dialect, Fault, IndependentService } from "../support/independent-service/index.js";
import { ANA, BOB, folder, madeIn, nda, pdf, type Rig, startRig, urnOf } from "./support/rig.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const BEFORE = { kind: "reset", when: "before" } as const;
const AFTER = { kind: "reset", when: "after" } as const;

const lease = (nth: number) => nda({ name: `Lease ${nth}`, base64File: pdf(`lease ${nth}`) }, `lease${nth}`);
const three = [1, 2, 3].map(lease);

/** `pulumi up` as a pipeline does it, nobody acts in between, and time enough to send again. */
async function often(rig: Rig, program: Parameters<Rig["up"]>[0], times = 3): Promise<Record<string, string>> {
  let errors: Record<string, string> = {};
  for (let count = 0; count < times; count++) {
    errors = (await rig.up(program)).errors as Record<string, string>;
    rig.later();
  }
  return errors;
}

const sha256 = (base64: string) => createHash("sha256").update(Buffer.from(base64, "base64")).digest("hex");

const uploadedOf = (rig: Rig) => madeIn(rig.service.ledger).map(({ uploadedSha256 }) => uploadedSha256);
const expectNoneTwice = (rig: Rig) => expect(uploadedOf(rig)).toEqual([...new Set(uploadedOf(rig))]);

type Json = { payload: { id: unknown; created_at?: string }[] };
const isList = (operation: string) => operation === "listDocuments" || operation === "listByDateRange";
const editLists = (service: IndependentService, edit: (rows: Json["payload"]) => Json["payload"]) =>
  service.faults.otherwise(({ operation }): Fault | undefined =>
    isList(operation)
      ? {
          kind: "edit",
          edit: json => ({ ...(json as object), payload: edit((json as never as Json).payload) }) as never,
        }
      : undefined,
  );

describe("lists of the last 24 hours, and a pipeline that runs every 24 hours", () => {
  test.each([1, 3])("a create is lost, and %i later ones are confirmed", async others => {
    await using rig = await startRig();
    const { service } = rig;
    editLists(service, rows =>
      rows.filter(({ created_at }) => Date.parse(created_at ?? "") >= service.clock.now() - DAY_MS),
    );
    service.faults.push(AFTER, "createDocument");
    const more = Array.from({ length: others }, (_, nth) => lease(nth));
    const gate = service.gate("processed", "createDocument");
    const went = rig.up([nda()]);
    await gate.reached;
    // Lists lag behind a little.
    const made = service.ledger.documents().at(-1) ?? expect.fail();
    made.unseen = { get: 1000, list: 1000 };
    gate.open();
    await went;
    service.people.reveal(made.id);
    rig.machine.pass(MINUTE_MS);
    service.clock.advance(MINUTE_MS);
    expect((await rig.up(more)).errors).toEqual({});
    rig.machine.pass(DAY_MS - MINUTE_MS / 2);
    service.clock.advance(DAY_MS - MINUTE_MS / 2);
    await rig.up([...more, nda()]);
    expectNoneTwice(rig);
  });
});

describe("created_at by another clock than Date", () => {
  test("one server behind the address is 15 minutes slow: what it made is listed, and looks older", async () => {
    await using rig = await startRig({ config: { resendAfter: "8s" } });
    expect((await rig.up(three)).errors).toEqual({});
    const gate = rig.service.gate("processed", "createDocument");
    rig.service.faults.push(AFTER, "createDocument");
    const went = rig.up([...three, nda()]);
    await gate.reached;
    const made = rig.service.ledger.documents().at(-1) ?? expect.fail();
    made.createdAt -= 15 * MINUTE_MS;
    gate.open();
    await went;
    rig.later();
    await often(rig, [...three, nda()]);
    expectNoneTwice(rig);
  });
});

describe("a create that was lost under another key", () => {
  /** Lists fail once the document is made, so that this run doesn't find it. */
  async function lostInFirst(rig: Rig, program: Parameters<Rig["up"]>[0]): Promise<void> {
    const { length } = madeIn(rig.service.ledger);
    rig.service.faults.push(AFTER, "createDocument");
    rig.service.faults.otherwise(({ operation }) =>
      isList(operation) && madeIn(rig.service.ledger).length > length
        ? { kind: "status", when: "before", status: 500 }
        : undefined,
    );
    expect(Object.keys((await rig.up(program)).errors)).toEqual(["nda"]);
    rig.service.faults.otherwise(undefined);
    rig.later();
  }

  test.each(["oldest", "newest"] as const)(
    "another account's, whose lists are whole and %s first: it isn't sent from there, and found once the key is back",
    async order => {
      await using rig = await startRig({ dialect: { order } });
      const theirs = { config: { apiKey: rig.service.second.apiKey } };
      const nine = Array.from({ length: 9 }, (_, nth) => lease(nth));
      expect((await rig.up(nine, { ...theirs, stack: "other" })).errors).toEqual({});
      rig.state.clear();
      await lostInFirst(rig, [nda()]);
      for (let count = 0; count < 2; count++) {
        const error = (await rig.up([nda()], theirs)).errors["nda"];
        expect(error).toContain("[docsign/create-unconfirmed]");
        expect(error).toContain("it was sent with other credentials than are configured now");
        rig.later();
      }
      expectNoneTwice(rig);
      expect((await rig.up([nda()])).errors).toEqual({});
      expect(rig.saw()).toMatchObject({ posts: 10, documents: 10, mails: 20 });
    },
  );

  test("another account's, for another resource exactly alike: it isn't sent either", async () => {
    await using rig = await startRig({ dialect: { order: "newest" } });
    const theirs = { config: { apiKey: rig.service.second.apiKey }, stack: "other" };
    const nine = Array.from({ length: 9 }, (_, nth) => lease(nth));
    expect((await rig.up(nine, theirs)).errors).toEqual({});
    const held = new Map(rig.state);
    rig.state.clear();
    await lostInFirst(rig, [nda()]);
    rig.state = held;
    expect((await rig.up([...nine, nda()], theirs)).errors["nda"]).toContain("[docsign/create-elsewhere]");
    expectNoneTwice(rig);
  });
});

describe("a service that changes names and PDFs", () => {
  const STORES: Record<string, Dialect["stores"]> = {
    "cuts names at 12": wanted => ({ ...wanted, name: wanted.name.slice(0, 12) }),
  };
  test.each(Object.keys(STORES))("%s: a lost create is not sent again", async how => {
    await using rig = await startRig({ dialect: { sha256: "stamped", stores: STORES[how] ?? expect.fail() } });
    expect((await rig.up(three)).errors).toEqual({});
    rig.service.faults.push(AFTER, "createDocument");
    await often(rig, [...three, nda({ name: "Non-disclosure agreement" })]);
    expectNoneTwice(rig);
  });

  test("names cut at 20, two contracts for the same people: the one that never arrived takes none", async () => {
    const stores: Dialect["stores"] = wanted => ({ ...wanted, name: wanted.name.slice(0, 20) });
    await using rig = await startRig({ dialect: { sha256: "stamped", stores } });
    expect((await rig.up(three)).errors).toEqual({});
    const a = nda({ name: "Non-disclosure agreement, part A", base64File: pdf("A") }, "a");
    const b = nda({ name: "Non-disclosure agreement, part B", base64File: pdf("B") }, "b");
    // A never arrives. B does, and while its outcome is looked for lists fail.
    rig.service.faults.push(BEFORE, "createDocument");
    rig.service.faults.push(AFTER, "createDocument");
    rig.service.faults.otherwise(({ operation }) =>
      isList(operation) && madeIn(rig.service.ledger).length > 3
        ? { kind: "status", when: "before", status: 500 }
        : undefined,
    );
    await rig.up([...three, a, b]);
    rig.service.faults.otherwise(undefined);
    const made = madeIn(rig.service.ledger).at(-1) ?? expect.fail();
    expect(made.name).toBe("Non-disclosure agree");
    await often(rig, [...three, a, b]);
    const theirs = made.uploadedSha256 === sha256(pdf("A")) ? "b" : "a";
    expect(rig.idOf(theirs)).not.toBe(made.id);
    expectNoneTwice(rig);
  });

  test("a person's document of the same name and people with another PDF isn't taken, also where PDFs are known to change", async () => {
    await using rig = await startRig({ dialect: { sha256: "stamped" } });
    expect((await rig.up(three)).errors).toEqual({});
    rig.service.faults.push(BEFORE, "createDocument");
    const gate = rig.service.gate("received-headers", "createDocument");
    const went = rig.up([...three, nda()]);
    await gate.reached;
    const theirs = { name: "NDA", description: "between friends", pdf: Buffer.from("%PDF-1.4 x"), emails: [ANA, BOB] };
    const other = rig.service.people.upload("first", theirs);
    gate.open();
    await went;
    expect(rig.idOf("nda")).not.toBe(other);
  });

  test("a person's document of the same name and people whose PDF goes on where ours ends isn't taken", async () => {
    await using rig = await startRig();
    rig.service.faults.push(BEFORE, "createDocument");
    const gate = rig.service.gate("received-headers", "createDocument");
    const went = rig.up([nda()]);
    await gate.reached;
    const bytes = Buffer.concat([Buffer.from(pdf("one"), "base64"), Buffer.from("1 0 obj\n<<>>\nendobj\n%%EOF\n")]);
    const theirs = { name: "NDA", description: "between friends", pdf: bytes, emails: [ANA, BOB] };
    const other = rig.service.people.upload("first", theirs);
    gate.open();
    await went;
    expect(rig.idOf("nda")).not.toBe(other);
  });

  test.each(["shows no hash", "stamps anew at each read"])("%s: what was let go of isn't sent again", async how => {
    await using rig = await startRig({ dialect: { sha256: "stamped" } });
    let read = 0;
    rig.service.faults.otherwise(({ operation }) =>
      operation === "getDocument"
        ? {
            kind: "edit",
            edit: json => {
              const { payload, ...rest } = json as never as { payload: { files: object[] } };
              const sha256 = how === "shows no hash" ? null : String(++read).padStart(64, "0");
              return {
                ...rest,
                payload: { ...payload, files: payload.files.map(file => ({ ...file, sha256 })) },
              } as never;
            },
          }
        : undefined,
    );
    for (const program of [[nda()], [], [nda()]]) await rig.up(program);
    expectNoneTwice(rig);
  });
});

describe("a create that is answered later than it is done, or the other way round", () => {
  test.each(['{"status":"queued"}', "{}", '{"message":"Document created"}', "true"])(
    "200 with %s, and the document an hour later",
    async body => {
      await using rig = await startRig({ dialect: { lateMs: 60 * MINUTE_MS } });
      expect((await rig.up(three)).errors).toEqual({});
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`;
      rig.service.faults.push(
        { kind: "raw", when: "after", bytes: `${head}connection: close\r\n\r\n${body}` },
        "createDocument",
      );
      await often(rig, [...three, nda()], 9);
      expect(rig.saw().posts).toBe(4);
      expectNoneTwice(rig);
    },
  );

  test("an answer that lists the account's documents, oldest first: another machine's twin isn't taken", async () => {
    await using rig = await startRig({ config: { duplicatePolicy: "create" } });
    const theirs = {
      name: "NDA",
      description: "between friends",
      pdf: Buffer.from(pdf("one"), "base64"),
      emails: [ANA, BOB],
    };
    const other = rig.service.people.upload("first", theirs);
    rig.later();
    rig.later();
    rig.service.faults.push(
      {
        kind: "edit",
        edit: json =>
          ({ ok: true, payload: [{ id: BigInt(other) }, (json as never as { payload: object }).payload] }) as never,
      },
      "createDocument",
    );
    await rig.up([nda()]);
    expect(rig.idOf("nda")).not.toBe(other);
  });
});

test("an id that the service gives a second time: a lost create isn't sent again", async () => {
  await using rig = await startRig({ config: { resendAfter: "8s" } });
  expect((await rig.up([...three, lease(4)])).errors).toEqual({});
  const old = rig.service.ledger.documents().at(-1) ?? expect.fail();
  const { id } = old;
  await rig.up(three);
  rig.service.people.removeDocument(id);
  rig.later();
  const gate = rig.service.gate("processed", "createDocument");
  rig.service.faults.push(AFTER, "createDocument");
  const went = rig.up([...three, nda()]);
  await gate.reached;
  const made = rig.service.ledger.documents().at(-1) ?? expect.fail();
  old.id = "1";
  made.id = id;
  gate.open();
  await went;
  rig.later();
  await often(rig, [...three, nda()]);
  expectNoneTwice(rig);
});

test("two resources that swap names by aliases, leave and come back: lists that show nothing send nothing again", async () => {
  await using rig = await startRig();
  const [first, second] = [lease(1), lease(2)];
  for (let count = 0; count < 2; count++) expect((await rig.up([first, second])).errors).toEqual({});
  const [one, other] = [first, second].map(({ name }) => rig.state.get(urnOf(name)) ?? expect.fail());
  if (!one || !other) expect.fail();
  // As the engine shows an alias: the old id under the new name.
  rig.state.set(urnOf(first.name), other).set(urnOf(second.name), one);
  const swapped = [
    { ...second, name: first.name },
    { ...first, name: second.name },
  ];
  expect((await rig.up(swapped)).errors).toEqual({});
  editLists(rig.service, () => []);
  for (const program of [[], swapped]) expect((await rig.up(program)).errors).toEqual({});
  expect(rig.saw().posts).toBe(2);
  expectNoneTwice(rig);
});

describe("lists that hide what is in a folder", () => {
  test("a create in a folder is lost, and the program drops the folder: it is not sent again", async () => {
    await using rig = await startRig({ config: { resendAfter: "8s" }, dialect: { unlisted: "in-a-folder" } });
    expect((await rig.up([...three, folder()])).errors).toEqual({});
    const folderId = rig.idOf("leases", "Folder") ?? "";
    rig.service.faults.push(AFTER, "createDocument");
    await rig.up([...three, folder(), nda({ folderId })]);
    rig.later();
    const errors = await often(rig, [...three, folder(), nda()]);
    expect(errors["nda"]).toMatch(/\[docsign\/create-unconfirmed\]/);
    expect(rig.saw()).toMatchObject({ posts: 4, documents: 4, mails: 8 });
  });

  test("a create without a folder never arrived, and the program names one: it is sent", async () => {
    await using rig = await startRig({ dialect: { unlisted: "in-a-folder" } });
    expect((await rig.up([...three, folder()])).errors).toEqual({});
    const folderId = rig.idOf("leases", "Folder") ?? "";
    rig.service.faults.push(BEFORE, "createDocument");
    expect(Object.keys((await rig.up([...three, folder(), nda()])).errors)).toEqual(["nda"]);
    rig.later();
    expect(await often(rig, [...three, folder(), nda({ folderId })])).toEqual({});
    expect(rig.saw()).toMatchObject({ documents: 4, mails: 8 });
  });
});

test("created_at is always slower than Date, lists are newest first and cut: a lost create isn't sent again", async () => {
  await using rig = await startRig({ config: { resendAfter: "8s" } });
  editLists(rig.service, rows =>
    rows
      .map(row => ({ ...row, created_at: new Date(Date.parse(row.created_at ?? "") - 30 * MINUTE_MS).toISOString() }))
      .toReversed()
      .slice(0, 10),
  );
  rig.service.faults.push(AFTER, "createDocument");
  const gate = rig.service.gate("processed", "createDocument");
  const went = rig.up([nda()]);
  await gate.reached;
  const made = rig.service.ledger.documents().at(-1) ?? expect.fail();
  made.unseen = { get: 1000, list: 1000 };
  gate.open();
  await went;
  rig.service.people.reveal(made.id);
  const others = Array.from({ length: 12 }, (_, nth) => lease(nth));
  expect((await rig.up(others)).errors).toEqual({});
  rig.later();
  await often(rig, [...others, nda()]);
  expectNoneTwice(rig);
});
