import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { ask } from "./service.js";

const fixture = (name: string) => JSON.parse(readFileSync(`test/fixtures/wire/${name}.json`, "utf8"));

/** The names and types of a body. What differs from run to run is reduced to its form. */
function shape(value: unknown): unknown {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shape(one)]));
  if (typeof value !== "string") return typeof value;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/.test(value)) return "timestamp";
  if (/^[0-9a-f]{64}$/.test(value)) return "sha256";
  if (/^\d+$/.test(value)) return "digits";
  if (/^https?:\/\//.test(value)) return "address";
  return value.startsWith("<?xml") ? "xml" : "string";
}

async function leaseOf(sandbox: Sandbox): Promise<number> {
  sandbox.addUser("ana@example.com", "Ana Example");
  const { status, body } = await ask(sandbox, "POST /v1/documents", { body: fixture("document.request") });
  expect(status).toBe(201);
  return body.payload.id;
}

const stages: Record<string, (sandbox: Sandbox, id: number) => void> = {
  "document-basic": (sandbox, id) => {
    sandbox.configure({ form: "basic" });
    sandbox.moveToFolder(id, sandbox.addFolder("Leases").id);
    sandbox.moveToOrganization(id, sandbox.addOrganization("Example Homes").id);
    sandbox.addComment(id, "ana@example.com", "Page 2", "Please check the date.");
    sandbox.signAll(id);
  },
  "document-partially-signed": (sandbox, id) => sandbox.sign(id, "ana@example.com"),
  "document-certificates-requested": (sandbox, id) => {
    sandbox.signAll(id);
    sandbox.certify(id, "requested");
  },
  "document-certificates": (sandbox, id) => {
    sandbox.signAll(id);
    sandbox.certify(id, "blockchain");
  },
  "document-nom151": (sandbox, id) => {
    sandbox.signAll(id);
    sandbox.certify(id, "nom151");
  },
};

describe("GET /v1/documents/:id has exactly the fields of the fixture", () => {
  test.each(Object.entries(stages))("%s", async (name, bring) => {
    await using sandbox = await startSandbox();
    const id = await leaseOf(sandbox);
    bring(sandbox, id);
    const { status, body } = await ask(sandbox, `GET /v1/documents/${id}`);
    expect(status).toBe(200);
    expect(shape(body)).toEqual(shape(fixture(name)));
    expect(body.payload.status).toBe(fixture(name).payload.status);
    expect(body.payload.files[0].blockchain_certs_status).toBe(fixture(name).payload.files[0].blockchain_certs_status);
  });
});

test("GET /v1/documents has exactly the fields of the fixture", async () => {
  await using sandbox = await startSandbox({ listOrder: "oldest-first" });
  const id = await leaseOf(sandbox);
  sandbox.moveToFolder(id, sandbox.addFolder("Leases").id);
  sandbox.moveToOrganization(id, sandbox.addOrganization("Example Homes").id);
  await leaseOf(sandbox);
  const { body } = await ask(sandbox, "GET /v1/documents");
  expect(shape(body)).toEqual(shape(fixture("documents")));
});

test("GET /v1/documents/by_date_range has exactly the fields of the fixture", async () => {
  await using sandbox = await startSandbox({ listOrder: "oldest-first", now: "2031-03-14T15:26:53.589Z" });
  const id = await leaseOf(sandbox);
  sandbox.moveToOrganization(id, sandbox.addOrganization("Example Homes").id);
  sandbox.signAll(id);
  sandbox.signAll(await leaseOf(sandbox));
  const { body } = await ask(
    sandbox,
    "GET /v1/documents/by_date_range?from_date=2031-03-14&to_date=2031-03-14&status=signed",
  );
  expect(shape(body)).toEqual(shape(fixture("documents-by-date-range")));
});

test("POST /v1/folders has exactly the fields of the fixture", async () => {
  await using sandbox = await startSandbox();
  const { body } = await ask(sandbox, "POST /v1/folders", { body: fixture("folder.request") });
  expect(shape(body)).toEqual(shape(fixture("folder")));
});

test("POST /v1/login and GET /v1/users/api_key have exactly the fields of the fixtures", async () => {
  const request = fixture("login.request");
  await using sandbox = await startSandbox({ email: request.email, password: request.password });
  const login = await ask(sandbox, "POST /v1/login", { body: request, key: null });
  expect(shape(login.body)).toEqual(shape(fixture("login")));
  const headers = { Authorization: `Bearer ${login.body.token}`, "Content-Type": "application/json" };
  const key = await ask(sandbox, "GET /v1/users/api_key", { headers, key: null });
  expect(shape(key.body)).toEqual(shape(fixture("api-key")));
  expect(key.body.payload.api_key).toBe(sandbox.apiKey);
});
