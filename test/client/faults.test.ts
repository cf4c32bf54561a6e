import { describe, expect, test } from "vitest";
import type { Service } from "../../provider/client/service.js";
import { contract, documentBody, failure, SOURCE, type TestService, testService } from "./setup.js";
import { json, ok, stub } from "./stub.js";

const READS: Record<string, (service: Service) => Promise<unknown>> = {
  "GET document": service => service.getDocument("7"),
  list: service => service.listDocuments({}),
  by_date_range: service =>
    service.listDocumentsByDateRange({ fromDate: "2026-01-01", toDate: "2026-01-31", status: "signed" }),
};
const WRITES: Record<string, (service: TestService) => Promise<unknown>> = {
  "POST document": service => service.createDocument(contract),
  "POST folder": service => service.createFolder({ name: "Leases" }),
  "POST reminder": service => service.remind("5"),
};

async function asked(
  status: number,
  body: string,
  headers: Record<string, string>,
  call: (service: TestService) => Promise<unknown>,
) {
  await using server = await stub(response => {
    response.writeHead(status, headers);
    response.end(body);
  });
  await using service = testService(server.url);
  const error = await failure(call(service));
  return { error, requests: server.seen.map(seen => seen.method), waits: service.clock.waits, origin: server.url };
}

describe.each(Object.entries(READS))("%s", (_, call) => {
  test.each([
    [400, "RefusedError", 1],
    [401, "UnauthorizedError", 1],
    [403, "ForbiddenError", 1],
    [404, "NotFoundError", 1],
    [405, "RefusedError", 1],
    [408, "RefusedError", 5],
    [409, "RefusedError", 1],
    [422, "RefusedError", 1],
    [425, "RefusedError", 5],
    [500, "ServiceFaultError", 5],
    [501, "ServiceFaultError", 1],
    [502, "ServiceFaultError", 5],
    [503, "ServiceFaultError", 5],
    [504, "ServiceFaultError", 5],
    [302, "RedirectError", 1],
    [304, "RedirectError", 1],
  ])("%i is a %s after %i requests", async (status, name, requests) => {
    const result = await asked(status, '{"ok":false,"error":"no"}', {}, call);
    expect(result.error).toMatchObject({ name, status });
    expect(result.requests).toHaveLength(requests);
    expect(result.waits).toEqual(requests === 1 ? [] : [100, 200, 400, 800]);
    expect(result.error.message).toContain(`answered ${status}`);
  });

  test.each<[string, string, RegExp, number]>([
    ["a web page", "<!doctype html><title>Log in</title>", /web page; check docsign:baseUrl/, 1],
    ["nothing", "", /with nothing/, 5],
    ["truncated JSON", '{"ok":true,"payload":{"id":', /isn't JSON/, 5],
    ["10,000 levels", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, /nested too deep/, 1],
    ["no envelope", '{"hello":1}', /without the \{ok, payload\} envelope/, 1],
    ["a number", "12", /without the \{ok, payload\} envelope/, 1],
    ["another kind of payload", '{"ok":true,"payload":"x"}', /can't be read: payload/, 1],
  ])("200 with %s is unreadable", async (_name, body, message, requests) => {
    const result = await asked(200, body, {}, call);
    expect(result.error).toMatchObject({ name: "UnreadableAnswerError", message: expect.stringMatching(message) });
    expect(result.requests).toHaveLength(requests);
  });

  test("200 with ok: false is a refusal", async () => {
    const result = await asked(200, '{"ok":false,"error":"no such organization"}', {}, call);
    expect(result.error).toMatchObject({
      name: "RefusedError",
      message: expect.stringContaining("no such organization"),
    });
    expect(result.requests).toHaveLength(1);
  });

  test("a compressed answer is refused unread", async () => {
    const result = await asked(200, "x", { "content-encoding": "gzip" }, call);
    expect(result.error).toMatchObject({
      name: "UnreadableAnswerError",
      message: expect.stringContaining("compressed"),
    });
  });

  test("a redirect names the other origin, not the other address, and isn't followed", async () => {
    const result = await asked(307, "", { location: "https://elsewhere.example/steal?token=abc" }, call);
    expect(result.error).toMatchObject({
      name: "RedirectError",
      message: expect.stringContaining("https://elsewhere.example,"),
    });
    expect(result.error.message).not.toMatch(/steal|abc/);
    expect(result.requests).toHaveLength(1);
  });

  test("401 and 403 say where the key came from", async () => {
    for (const status of [401, 403]) {
      expect((await asked(status, "", {}, call)).error.message).toContain(SOURCE);
    }
  });
});

test.each([
  ['{"ok":false}', true],
  ['{"error":"not found"}', true],
  ["<html>nginx</html>", false],
  ["", false],
  ["[]", false],
  ["not found", false],
])("a 404 with %j speaks the service's JSON: %s", async (body, spoken) => {
  const { error } = await asked(404, body, { "content-type": "text/plain" }, service => service.getDocument("7"));
  expect(error).toMatchObject({ name: "NotFoundError", json: spoken });
});

test("a 404 below a base URL that ends in a version names that as the cause", async () => {
  await using server = await stub(response => json(response, { ok: false }, 404));
  await using service = testService(`${server.url}/v1`);
  const { message } = await failure(service.getDocument("7"));
  expect(message).toContain("; it ends in a version, which every request adds: take that out");
});

describe.each(Object.entries(WRITES))("%s", (_, call) => {
  test.each([
    [400, "RefusedError"],
    [401, "UnauthorizedError"],
    [403, "ForbiddenError"],
    [411, "RefusedError"],
    [413, "RefusedError"],
    [415, "RefusedError"],
    [422, "RefusedError"],
    [451, "RefusedError"],
  ])("%i is a definite %s", async (status, kind) => {
    const result = await asked(status, '{"ok":false}', {}, call);
    expect(result.error).toMatchObject({ name: kind, status });
    expect(result.requests).toEqual(["POST"]);
  });

  test.each([408, 409, 425, 418, 499, 500, 502, 503, 504])("%i is ambiguous and sent once", async status => {
    const result = await asked(status, "", {}, call);
    expect(result.error).toMatchObject({ name: "AmbiguousWriteError", status, cause: { status } });
    expect(result.requests).toEqual(["POST"]);
    expect(result.waits).toEqual([]);
    expect(result.error.message).toContain("isn't sent again");
  });

  test("200 with a web page is ambiguous", async () => {
    const result = await asked(200, "<html>proxy</html>", {}, call);
    expect(result.error).toMatchObject({ name: "AmbiguousWriteError" });
    expect(result.requests).toEqual(["POST"]);
  });
});

const LATER: [number, Record<string, string>][] = [
  [429, {}],
  [429, { "retry-after": "1" }],
  [503, { "retry-after": "1" }],
];
test.each(LATER)("a document refused for now with %i %j wasn't made", async (status, headers) => {
  const { error, requests } = await asked(status, "", headers, WRITES["POST document"] ?? expect.fail());
  expect(error).toMatchObject({ status, meaning: { done: "no", retry: "writes" } });
  expect(error.name).not.toBe("AmbiguousWriteError");
  expect(requests).toEqual(["POST"]);
});

test.each(LATER)("a folder refused for now with %i %j is sent again after the wait", async (status, headers) => {
  let asks = 0;
  await using server = await stub(response => {
    if (++asks < 3) response.writeHead(status, headers).end();
    else ok(response, { id: 7, name: "Leases" });
  });
  await using service = testService(server.url);
  expect(await service.createFolder({ name: "Leases" })).toMatchObject({ id: "7" });
  expect(server.seen).toHaveLength(3);
});

test.each(LATER)(
  "a reminder refused for now with %i %j may have gone out: nothing would show it",
  async (status, headers) => {
    const { error, requests } = await asked(status, "", headers, WRITES["POST reminder"] ?? expect.fail());
    expect(error).toMatchObject({ name: "AmbiguousWriteError", status });
    expect(requests).toEqual(["POST"]);
  },
);

test.each(["POST document", "POST folder", "POST reminder"])("%s: a redirect passes nothing on", async operation => {
  for (const status of [301, 302, 307, 308]) {
    const call = WRITES[operation] ?? expect.fail(operation);
    const { error, requests } = await asked(status, "", { location: "/elsewhere" }, call);
    expect(error).toMatchObject({ name: operation === "POST reminder" ? "RefusedError" : "RedirectError", status });
    expect(requests).toEqual(["POST"]);
  }
});

test.each(["POST document", "POST folder", "POST reminder"])("%s: a log-in page passes nothing on", async operation => {
  for (const field of ['<input name=p type="password">', '<input type="hidden" name="SAMLRequest" value="fZ">']) {
    const page = `<html><form>${field}</form></html>`;
    const { error, requests } = await asked(200, page, {}, WRITES[operation] ?? expect.fail(operation));
    expect(error).toMatchObject({ name: "LogInPageError", meaning: { done: "no", retry: "nothing" } });
    expect(error.message).toContain("answered 200 with a log-in page");
    expect(requests).toEqual(["POST"]);
  }
});

test.each([
  ["/v1/documents/7", "to a document"],
  ["https://app.example.com/contracts/7/?new=1", "to something elsewhere by its id"],
  ["/v1/documents", "to the list"],
  ["/v1/documents/?page=1", "to a page of the list"],
])("POST document: a redirect to %s, %s, may show what was done", async location => {
  for (const status of [301, 302, 307, 308]) {
    const { error, requests } = await asked(status, "", { location }, service => service.createDocument(contract));
    expect(error).toMatchObject({ name: "AmbiguousWriteError", status });
    expect(requests).toEqual(["POST"]);
  }
});

const [{ email = "" } = {}] = contract.invitations;
test.each([
  ["the document's name", `<h1>${contract.name}</h1>`],
  ["whom it invites", `<p>We have mailed ${email}.</p>`],
  ["a document by its id", '<a href="/documents/7">Your document</a>'],
])("POST document: a page with a field to log in by, and %s, may be the new document's", async (_, words) => {
  const page = `<html><form><input type="password"></form>${words}</html>`;
  const { error, requests } = await asked(200, page, {}, service => service.createDocument(contract));
  expect(error).toMatchObject({ name: "AmbiguousWriteError" });
  expect(requests).toEqual(["POST"]);
});

describe.each([
  ["POST document", "AmbiguousWriteError"],
  ["POST folder", "AmbiguousWriteError"],
  ["POST reminder", "RefusedError"],
])("%s: what can't be looked for afterwards is believed", (operation, name) => {
  const call = WRITES[operation] ?? expect.fail(operation);

  test.each([303, 304, 501, 505])(`%i is sent once`, async status => {
    const result = await asked(status, "", { location: "/elsewhere" }, call);
    expect(result.error).toMatchObject({ name, status });
    expect(result.requests).toEqual(["POST"]);
    expect(result.waits).toEqual([]);
  });

  test(`200 and ok: false is a ${name}, and sent once`, async () => {
    const result = await asked(200, '{"ok":false,"error":"later"}', {}, call);
    expect(result.error).toMatchObject({ name });
    expect(result.requests).toEqual(["POST"]);
  });
});

test("POST folder: 2xx without an id is ambiguous", async () => {
  const call = WRITES["POST folder"] ?? expect.fail();
  for (const body of [
    "",
    "{",
    "{}",
    "null",
    '{"ok":true}',
    '{"ok":true,"payload":{}}',
    '{"ok":true,"payload":{"id":-1}}',
    '{"id":"../x"}',
  ]) {
    const result = await asked(201, body, {}, call);
    expect(result.error, body).toMatchObject({ name: "AmbiguousWriteError" });
    expect(result.requests).toEqual(["POST"]);
  }
});

test("an answer larger than its limit is dropped, with and without an announced length", async () => {
  await using server = await stub((response, { url }) => {
    if (url.endsWith("/7")) response.setHeader("content-length", 3_000_000);
    for (let n = 0; n < 3; n++) response.write(" ".repeat(1_000_000));
    response.end();
  });
  await using service = testService(server.url, { limits: { answerBytes: 2_000_000, listBytes: 2_000_000 } });
  const error = await failure(service.getDocument("7"));
  expect(error).toMatchObject({ name: "TooLargeError", message: expect.stringContaining("larger than 2 MB") });
  expect(await failure(service.listDocuments({}))).toMatchObject({ name: "TooLargeError" });
  expect(server.seen).toHaveLength(2);
});

test("valid JSON is taken whatever its content type, with a byte order mark too", async () => {
  await using server = await stub(response => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`\ufeff${JSON.stringify({ ok: true, payload: documentBody() })}`);
  });
  await using service = testService(server.url);
  expect(await service.getDocument("7")).toMatchObject({ id: "7" });
});

test("a read gets through when the service recovers", async () => {
  let n = 0;
  await using server = await stub(response => (++n < 4 ? json(response, {}, 503) : ok(response, documentBody())));
  await using service = testService(server.url);
  expect(await service.getDocument("7")).toMatchObject({ id: "7" });
  expect(service.clock.waits).toEqual([100, 200, 400]);
});

test("an answer about another document is unreadable", async () => {
  await using server = await stub(response => ok(response, documentBody(8)));
  await using service = testService(server.url);
  expect(await failure(service.getDocument("7"))).toMatchObject({ name: "UnreadableAnswerError" });
});
