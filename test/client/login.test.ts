import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { Credentials } from "../../provider/client/service.js";
import { contract, documentBody, failure, testService } from "./setup.js";
import { json, ok, type Seen, stub } from "./stub.js";

const source = "docsign:email and docsign:password";
const credentials: Credentials = { kind: "login", email: "ana@example.com", password: 'canary-"pass\\word', source };

/** Logs in, and takes only the key it gave last. */
function account(
  answers: {
    login?: (r: ServerResponse) => void;
    apiKey?: (r: ServerResponse) => void;
    accepts?: (key: string) => boolean;
  } = {},
) {
  let keys = 0;
  return (response: ServerResponse, { url, headers }: Seen) => {
    if (url === "/v1/login")
      return (answers.login ?? (r => json(r, { token: "eyJhbGciOiJIUzI1NiJ9.canary.token", expiration: 1 })))(response);
    if (url === "/v1/users/api_key") return (answers.apiKey ?? (r => ok(r, { api_key: `key-${++keys}` })))(response);
    const accepted = answers.accepts?.(String(headers["x-api-key"])) ?? true;
    return accepted ? ok(response, documentBody()) : json(response, { ok: false }, 401);
  };
}

const paths = (seen: readonly Seen[]) => seen.map(({ method, url }) => `${method} ${url}`);

test("log-in happens once, at the first call, and its key goes along from then on", async () => {
  await using server = await stub(account());
  await using service = testService(server.url, { credentials, maxConcurrency: 2 });
  expect(server.seen).toEqual([]);
  await Promise.all([service.getDocument("7"), service.getDocument("7"), service.createFolder({ name: "a" })]);
  await service.getDocument("7");
  expect(paths(server.seen).sort()).toEqual([
    "GET /v1/documents/7",
    "GET /v1/documents/7",
    "GET /v1/documents/7",
    "GET /v1/users/api_key",
    "POST /v1/folders",
    "POST /v1/login",
  ]);
  const [login, apiKey, first] = server.seen;
  expect(login).toMatchObject({ body: JSON.stringify({ email: credentials.email, password: credentials.password }) });
  expect(login?.headers).toMatchObject({ "content-type": "application/json" });
  expect(login?.headers).not.toHaveProperty("x-api-key");
  expect(apiKey?.headers).toMatchObject({
    authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.canary.token",
    "content-type": "application/json",
  });
  expect(first?.headers).toMatchObject({ "x-api-key": "key-1" });
});

test("with a single slot, the log-in doesn't wait for its own caller", async () => {
  await using server = await stub(account());
  await using service = testService(server.url, { credentials, maxConcurrency: 1 });
  await Promise.all([service.getDocument("7"), service.getDocument("7")]);
  expect(server.seen).toHaveLength(4);
});

test("a 401 later on logs in again, once, and repeats reads and writes", async () => {
  await using server = await stub(account({ accepts: key => key !== "key-1" }));
  await using service = testService(server.url, { credentials });
  expect(await service.createDocument(contract)).toMatchObject({ hints: ["7"] });
  expect(paths(server.seen)).toEqual([
    "POST /v1/login",
    "GET /v1/users/api_key",
    "POST /v1/documents",
    "POST /v1/login",
    "GET /v1/users/api_key",
    "POST /v1/documents",
  ]);
  expect(server.seen[5]?.body).toBe(server.seen[2]?.body);
});

test("a second 401 is the answer", async () => {
  await using server = await stub(account({ accepts: () => false }));
  await using service = testService(server.url, { credentials });
  expect(await failure(service.getDocument("7"))).toMatchObject({
    name: "UnauthorizedError",
    message: expect.stringContaining(source),
  });
  expect(server.seen).toHaveLength(6);
});

test("many calls refused at once share one new log-in", async () => {
  await using server = await stub(account({ accepts: key => key !== "key-1" }));
  await using service = testService(server.url, { credentials });
  await Promise.all(Array.from({ length: 8 }, () => service.getDocument("7")));
  expect(paths(server.seen).filter(path => path === "POST /v1/login")).toHaveLength(2);
});

test.each<[string, Parameters<typeof account>[0], string, RegExp]>([
  [
    "wrong password",
    { login: r => json(r, { ok: false }, 401) },
    "UnauthorizedError",
    /^logging in with docsign:email and docsign:password failed/,
  ],
  ["refused", { login: r => json(r, { ok: false }, 422) }, "RefusedError", /^logging in/],
  ["no such address", { login: r => json(r, { ok: false }, 404) }, "LoginError", /^logging in/],
  ["no token", { login: r => json(r, { expiration: 1 }) }, "LoginError", /^logging in .*usable "token"/],
  ["a page", { login: r => json(r, "<html>") }, "LoginError", /^logging in .*web page/],
  ["no key", { apiKey: r => ok(r, {}) }, "LoginError", /^asking for the API key .*"payload.api_key"/],
  ["a key with a line break", { apiKey: r => ok(r, { api_key: "a\r\nb" }) }, "LoginError", /"payload.api_key"/],
  ["forbidden key", { apiKey: r => json(r, {}, 404) }, "LoginError", /^asking for the API key/],
  ["login down", { login: r => json(r, {}, 500) }, "ServiceFaultError", /v1\/login answered 500/],
])("%s: the error names the step, and a write it was for was never sent", async (_name, answers, name, message) => {
  await using server = await stub(account(answers));
  await using service = testService(server.url, { credentials });
  for (const call of [() => service.getDocument("7"), () => service.createDocument(contract)]) {
    expect(await failure(call())).toMatchObject({ name, message: expect.stringMatching(message) });
  }
  expect(paths(server.seen).filter(path => path.includes("documents"))).toEqual([]);
});

test("log-in is tried again like a read, and a failed one isn't remembered", async () => {
  let n = 0;
  await using server = await stub(account({ login: r => json(r, { token: "t" }, ++n < 7 ? 503 : 200) }));
  await using service = testService(server.url, { credentials });
  expect(await failure(service.getDocument("7"))).toMatchObject({ name: "ServiceFaultError" });
  expect(await service.getDocument("7")).toMatchObject({ id: "7" });
});

test("a cancelled caller doesn't cancel the others' log-in", async () => {
  let release = () => {};
  const held = new Promise<void>(done => {
    release = done;
  });
  await using server = await stub(account({ login: r => void held.then(() => json(r, { token: "t" })) }));
  await using service = testService(server.url, { credentials });
  const quitter = new AbortController();
  const quit = failure(service.getDocument("7", { signal: quitter.signal }));
  const stayed = service.getDocument("7");
  quitter.abort();
  expect(await quit).toMatchObject({ name: "CancelledError", sent: false });
  release();
  expect(await stayed).toMatchObject({ id: "7" });
});
