import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { ask, create, lease, wanted } from "./service.js";

function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "sandbox-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

describe("a seed", () => {
  test("gives the same key, ids and addresses each time; no seed gives others", async () => {
    const look = async (seed?: number) => {
      await using sandbox = await startSandbox(seed === undefined ? {} : { seed });
      const id = await create(sandbox);
      return { key: sandbox.apiKey, password: sandbox.password, id, token: sandbox.document(id).files[0]?.token };
    };
    const first = await look(42);
    expect(await look(42)).toEqual(first);
    expect((await look(43)).key).not.toBe(first.key);
    expect((await look()).key).not.toBe((await look()).key);
  });
});

describe("a scenario", () => {
  test("fills accounts, users, organizations, folders and documents", async () => {
    await using sandbox = await startSandbox();
    const [first, second] = sandbox.seed({
      accounts: [{ email: "other@example.org" }],
      users: [{ email: "ana@example.com", name: "Ana Example" }],
      organizations: [{ name: "Example Homes", members: ["other@example.org"] }],
      folders: [{ name: "Leases" }],
      documents: [
        {
          name: "Lease 12",
          folder: "Leases",
          organization: "Example Homes",
          invitations: [{ email: "ben@example.org", stage: 2 }, { email: "ana@example.com" }],
          signed: "all",
          certified: true,
        },
        { name: "Lease 13", owner: "other@example.org", pdf: lease, invitations: [{ email: "ana@example.com" }] },
      ],
    });
    expect(sandbox.document(first ?? 0)).toMatchObject({
      status: "signed",
      withNom151: true,
      folderId: sandbox.folders()[0]?.id,
      files: [{ certsStatus: "sended" }],
    });
    expect(sandbox.content(second ?? 0)).toEqual(lease);
    expect((await ask(sandbox, `GET /v1/documents/${second}`)).status).toBe(404);
    expect(() => sandbox.seed({ documents: [{ name: "x", folder: "Nowhere", invitations: [] }] })).toThrow(
      'documents[0]: no folder is called "Nowhere"',
    );
  });
});

describe("reset", () => {
  test("goes back to the start and keeps the key", async () => {
    await using sandbox = await startSandbox({ scenario: { folders: [{ name: "Leases" }] } });
    const { apiKey } = sandbox;
    const id = await create(sandbox);
    sandbox.configure({ form: "extended" });
    sandbox.faults.next({ kind: "status", times: "always" });
    sandbox.reset();
    expect([sandbox.apiKey, sandbox.documents(), sandbox.mails, sandbox.history]).toEqual([apiKey, [], [], []]);
    expect([sandbox.folders().length, sandbox.settings.form]).toEqual([1, "auto"]);
    expect(await create(sandbox)).toBe(id);
  });
});

describe("a state file", () => {
  test("carries everything over a restart", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "state.json");
    const first = await startSandbox({ file });
    const { apiKey } = first;
    const id = await create(first, wanted("ana@example.com", "ben@example.org"));
    first.sign(id, "ana@example.com");
    const { mails } = first;
    await first.close();
    await using second = await startSandbox({ file, scenario: { folders: [{ name: "only for a new file" }] } });
    expect([second.apiKey, second.mails, second.folders()]).toEqual([apiKey, mails, []]);
    expect(second.document(id).status).toBe("partially_signed");
    expect(second.content(id)).toEqual(lease);
    expect(await create(second)).toBe(id + 1);
    second.signAll(id);
    const [payload] = (await ask(second, `GET /v1/documents/${id}`)).body.payload.files;
    expect((await fetch(payload.signed_file_url)).status).toBe(200);
  });

  test("opens with another key when one is given", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "state.json");
    await (await startSandbox({ file })).close();
    await using sandbox = await startSandbox({ file, apiKey: "own-key" });
    expect((await ask(sandbox, "GET /v1/documents", { key: "own-key" })).status).toBe(200);
  });

  test("is written before a request is answered, whole, and leaves nothing else behind", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "state.json");
    await using sandbox = await startSandbox({ file });
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => create(sandbox)));
    const saved = JSON.parse(readFileSync(file, "utf8"));
    expect(saved.stored.documents.map((one: { id: number }) => one.id).sort()).toEqual(ids.sort());
    expect(readdirSync(folder.path)).toEqual(["state.json"]);
  });

  test("of something else is refused, and left alone", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "package.json");
    writeFileSync(file, '{"name":"x"}');
    await expect(startSandbox({ file })).rejects.toThrow("was not written by this version of the sandbox");
    expect(readFileSync(file, "utf8")).toBe('{"name":"x"}');
  });
});
