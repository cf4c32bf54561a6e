import { expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { rawRequest } from "./support/raw-request.js";

const html = { accept: "text/html,application/xhtml+xml" };

test("the sandbox's address leads browsers to the page, and programs nowhere", async () => {
  await using sandbox = await startSandbox({ control: true });
  const page = await fetch(sandbox.url, { headers: html });
  expect([page.url, page.status]).toEqual([`${sandbox.url}/_sandbox/page/inbox`, 200]);
  expect((await fetch(sandbox.url)).status).toBe(404);
  expect(sandbox.history.map(({ path }) => path)).toEqual(["/"]);
});

test("there is no page without control", async () => {
  await using sandbox = await startSandbox();
  for (const path of ["/", "/_sandbox/page/inbox", "/_sandbox/events"]) {
    expect((await fetch(sandbox.url + path, { headers: html })).status).toBe(404);
  }
});

test("the page loads nothing from elsewhere, sets no cookie and can't be framed", async () => {
  await using sandbox = await startSandbox({ control: true });
  const { headers } = await fetch(`${sandbox.url}/_sandbox/page/inbox`);
  expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(headers.get("content-security-policy")).not.toContain("unsafe");
  expect(headers.get("set-cookie")).toBeNull();
});

test.each([
  ["a page of another site", { origin: "https://attacker.example" }, 403],
  ["a page without an origin of its own", { origin: "null" }, 403],
  ["a page on another port of this machine", { origin: "http://127.0.0.1:1" }, 403],
  ["a site whose name leads to this machine", { host: "attacker.example" }, 403],
  ["a form of the sandbox's own origin", { origin: "own", "content-type": "text/plain" }, 415],
  ["the sandbox's own page", { origin: "own", "content-type": "application/json" }, 200],
  ["a program on this machine", { "content-type": "application/x-www-form-urlencoded" }, 200],
  ["a program in another container", { host: "sandbox:4010" }, 200],
])("%s asks for an action: %o answers %i", async (_, headers: Record<string, string>, status) => {
  await using sandbox = await startSandbox({ control: true, scenario: { documents: [] } });
  const sent = { ...headers, ...(headers["origin"] === "own" && { origin: sandbox.url }) };
  const answer = await rawRequest(sandbox.url, "POST", "/_sandbox/user", sent, `{"email":"a@b.example","name":"A"}`);
  expect(answer.status).toBe(status);
  const known = await fetch(`${sandbox.url}/_sandbox/user`, { method: "POST", body: `{"email":"c@d.example"}` });
  expect(known.status).toBe(422);
});

test("a site whose name leads to this machine can't read the state either", async () => {
  await using sandbox = await startSandbox({ control: true });
  for (const path of ["/_sandbox/state", "/_sandbox/page/inbox", "/_sandbox/events"]) {
    expect((await rawRequest(sandbox.url, "GET", path, { host: "attacker.example:4010" })).status).toBe(403);
  }
});

test("looking leaves no trace among the requests, and downloads need no key", async () => {
  const documents = [
    { name: "Lease", signed: "all" as const, certified: true, invitations: [{ email: "ana@example.com" }] },
  ];
  await using sandbox = await startSandbox({ control: true, filesNeedKey: true, scenario: { documents } });
  const [file] = sandbox.documents()[0]?.files ?? [];
  const names = ["original.pdf", "signed.pdf", "btc.pdf", "eth.pdf", "constancia.asn1"];
  const answers = await Promise.all(names.map(name => fetch(`${sandbox.url}/_sandbox/files/${file?.id}/${name}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(Buffer.from(await (answers[4] as Response).arrayBuffer()).toString("base64")).toBe(file?.constancia);
  expect((await fetch(`${sandbox.url}/_sandbox/files/1/original.pdf`)).status).toBe(404);
  expect(sandbox.history).toEqual([]);
});

test("an armed fault is taken back by its kind", async () => {
  await using sandbox = await startSandbox({ control: true });
  sandbox.faults.next({ kind: "never" });
  sandbox.faults.next({ kind: "bom" });
  const disarm = (body: unknown) =>
    fetch(`${sandbox.url}/_sandbox/disarm`, { method: "POST", body: JSON.stringify(body) });
  expect((await disarm({ kind: "never" })).status).toBe(200);
  expect(sandbox.faults.pending).toEqual([{ kind: "bom" }]);
  expect((await disarm({})).status).toBe(422);
});

test("the history says what was answered, without keys, and only where the page can show it", async () => {
  await using sandbox = await startSandbox({ control: true, apiKey: "very-secret" });
  const login = JSON.stringify({ email: sandbox.email, password: sandbox.password });
  const json = { "content-type": "application/json" };
  const { token }: { token?: string } = JSON.parse(
    await (await fetch(`${sandbox.url}/v1/login`, { method: "POST", body: login, headers: json })).text(),
  );
  await fetch(`${sandbox.url}/v1/users/api_key`, { headers: { ...json, authorization: `Bearer ${token}` } });
  const answers = sandbox.history.map(({ answer }) => JSON.parse(answer ?? ""));
  expect(answers[0]).toMatchObject({ token: "***" });
  expect(answers[1]).toEqual({ ok: true, payload: { api_key: "***" } });
  await using plain = await startSandbox();
  await fetch(`${plain.url}/v1/documents`);
  expect(plain.history[0]).not.toHaveProperty("answer");
});
