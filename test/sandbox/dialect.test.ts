import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describedPoints, points } from "../../sandbox/dialect/dialect.js";
import { readFlags } from "../../sandbox/flags.js";
import { type Dialect, parseDialect, randomDialect, type Sandbox, startSandbox } from "../../sandbox/index.js";
import { daily } from "../support/sample.js";
import { ask, create, wanted } from "./service.js";

const cells = Object.entries(points).flatMap(([point, { answers }]) =>
  Object.entries(answers).map(([answer, sets]) => ({ point, answer, own: Object.keys(sets).length === 0 })),
);

const started = (dialect: Dialect) =>
  startSandbox({ dialect, seed: 1, apiKey: "key", now: "2031-03-14T15:26:53.589Z", frozen: true });

/** Everything a client sees of a document's life: the same for two sandboxes only where they answer alike. */
async function seen(sandbox: Sandbox): Promise<string> {
  const replies: unknown[] = [];
  const asked = async (request: string, body?: object) => {
    const { status, text, headers } = await ask(sandbox, request, { body }).catch(() => ({
      status: 0,
      text: "",
      headers: new Headers(),
    }));
    const described = ["date", "location", "retry-after"].map(name => headers.get(name));
    replies.push([
      request,
      status,
      text.replaceAll(sandbox.url, ""),
      ...described.map(one => one?.replace(sandbox.url, "")),
    ]);
  };
  const { id: folder } = sandbox.addFolder("Leases");
  const large = (id: number): string =>
    sandbox.settings.ids === "large" ? `1${String(id).padStart(18, "0")}` : `${id}`;
  const lease = { ...wanted("Ana@example.com", "bob@example.com"), name: " Lease & annex, with a long name " };
  for (const nth of [1, 2, 3]) {
    sandbox.clock.advance(1_000);
    await asked("POST /v1/documents", nth === 1 ? { ...lease, folder_id: folder } : lease);
  }
  const mine = sandbox.documents().find(one => one.name.includes("Lease"));
  const id = mine?.id ?? 0;
  for (let reads = 0; reads < 3; reads++) await asked(`GET /v1/documents/${large(id)}`);
  for (let nth = 0; nth < 18; nth++) await create(sandbox, wanted()).catch(() => {});
  const others = sandbox.documents().filter(one => one.id !== id);
  if (others[0]) sandbox.setStatus(others[0].id, "archived");
  const dates = "from_date=2031-03-01&to_date=2031-03-14";
  const lists = ["?x", `/by_date_range?${dates}`, `/by_date_range?${dates}&status=unsigned`];
  for (const list of lists) await asked(`GET /v1/documents${list}`);
  const invitation = large(mine?.invitations[0]?.id ?? 0);
  for (const method of ["POST", "GET"]) await asked(`${method} /v1/invitations/${invitation}/reminder`);
  if (mine) {
    sandbox.signAll(id);
    sandbox.certify(id);
    await asked(`GET /v1/documents/${large(id)}`);
    await asked(`GET /v3/timestamps/${sandbox.document(id).files[0]?.signedSha256}.pdf`);
    await ask(sandbox, `GET /v1/documents/${large(id)}`, { key: null });
    replies.push(
      (await ask(sandbox, `GET /v3/timestamps/${sandbox.document(id).files[0]?.signedSha256}.pdf`, { key: null }))
        .status,
    );
  }
  sandbox.faults.next({ kind: "reset", at: "after", match: { route: "createDocument" } });
  await asked("POST /v1/documents", lease);
  for (let seconds = 0; seconds <= 20; seconds += 5) {
    sandbox.clock.advance(5_000);
    await new Promise(setImmediate);
    replies.push(sandbox.documents().length);
  }
  return JSON.stringify(replies, null, 1);
}

let plain: Promise<string> | undefined;
const seenByDefault = async () => {
  await using sandbox = await started({});
  return await seen(sandbox);
};

describe("each answer to an open point", () => {
  test.each(daily(cells, 15, ({ point, answer }) => `${point}=${answer}`))(
    "$point=$answer shows in answers",
    async ({ point, answer, own }) => {
      plain ??= seenByDefault();
      await using other = await started(parseDialect(`${point}=${answer}`));
      const [before, after] = [await plain, await seen(other)];
      if (own) expect(after).toBe(before);
      else expect(after).not.toBe(before);
    },
  );
});

test("a create that answers with misleading ids: there are other people's documents under them", async () => {
  await using sandbox = await started({ create: "file" });
  const { body } = await ask(sandbox, "POST /v1/documents", { body: wanted() });
  const { id, document_id } = body.payload;
  const read = await ask(sandbox, `GET /v1/documents/${id}`);
  expect(read.body.payload).toMatchObject({ id, name: `Somebody else's contract ${id}` });
  expect((await ask(sandbox, `GET /v1/documents/${document_id}`)).body.payload.name).toBe("Lease 12");
  expect(sandbox.mails.map(mail => mail.to)).toEqual(["ana@example.com"]);
});

test("ids above 2^53 are taken back in paths, queries and bodies", async () => {
  await using sandbox = await started({ ids: "large" });
  const folder = (await ask(sandbox, "POST /v1/folders", { body: { name: "Leases" } })).text;
  const id = /"id":(\d+)/.exec(folder)?.[1] ?? "";
  expect(id).toBe("1000000000000000901");
  const body = JSON.stringify(wanted()).replace(/\}$/, `,"folder_id":${id}}`);
  await ask(sandbox, "POST /v1/documents", { body });
  expect((await ask(sandbox, `GET /v1/documents?folder_id=${id}`)).text).toContain(`"folder_id":${id}`);
  expect((await ask(sandbox, "GET /v1/documents/1000000000000005001")).status).toBe(200);
});

test("a seed is the same dialect everywhere, and points beside it win", () => {
  expect(randomDialect(7)).toEqual(randomDialect(7));
  expect(randomDialect(7)).not.toEqual(randomDialect(8));
  expect(parseDialect("seed=7")).toEqual(randomDialect(7));
  expect(parseDialect("seed=7,paging=5")).toEqual({ ...randomDialect(7), paging: "5" });
});

test.each([
  ["paging=3", 'paging: expected one of whole, 2, 5, 20, got "3"'],
  ["oder=asc", /^expected one of create, order, .*\(order\?\), got "oder"$/],
  ["order=ascending", 'order: expected one of desc, asc, none, got "ascending"'],
  ["order", 'expected point=answer, got "order"'],
  ["seed=x", 'seed: expected a number, got "x"'],
])("%s is refused: %s", (text, message) => {
  expect(() => parseDialect(text)).toThrow(message);
});

test("--dialect may be given several times; a wrong one is a mistake in the flags", () => {
  expect(readFlags(["--dialect", "paging=5,order=asc", "--dialect", "ids=large"]).options.dialect).toEqual({
    paging: "5",
    order: "asc",
    ids: "large",
  });
  expect(() => readFlags(["--dialect", "ids=huge"])).toThrow(
    "--dialect ids: expected one of numbers, small, large, strings",
  );
});

test("settings of one's own win over the dialect", async () => {
  await using sandbox = await startSandbox({ dialect: { order: "asc", paging: "5" }, listOrder: "newest-first" });
  expect(sandbox.settings).toMatchObject({ listOrder: "newest-first", listLimit: 5 });
});

/** The rows of the table in docs/sandbox.md. */
const rows = Object.entries(describedPoints()).map(([point, described]) => {
  const [, about, answers = ""] = /^(.*): (.*)$/s.exec(described) ?? [];
  return `| \`${point}\` | ${about} | ${answers.replace(/[^, ]+/g, "`$&`")} |`;
});

test("docs/sandbox.md has a row for each point", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/sandbox.md"), "utf8");
  const table = page.split("\n").filter(line => rows.some(row => line.startsWith(row.split(" | ")[0] ?? "")));
  expect(table).toEqual(rows);
});
