import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createService } from "../../provider/client/client.js";
import { Redactor } from "../../provider/client/json.js";
import type { Credentials, Service } from "../../provider/client/service.js";
import { contract, DEFAULTS, failure, fakeClock, KEY, pdfOf, SOURCE } from "./setup.js";
import { json, type Seen, stub } from "./stub.js";

const PASSWORD = 'canary-"password\\ é';
const TOKEN = "eyJhbGciOiJIUzI1NiJ9.canarytoken.signature";
const BYTES = Buffer.from(`%PDF-1.7 ${"canary bytes of a contract ".repeat(20)}`);
const CREDENTIALS: Credentials[] = [
  { kind: "apiKey", apiKey: KEY, source: SOURCE },
  { kind: "login", email: "ana@example.com", password: PASSWORD, source: "docsign:password" },
];
const SECRETS = [KEY, PASSWORD, TOKEN].flatMap(secret => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
  Buffer.from(secret).toString("hex"),
]);

function everythingOf(value: unknown): string {
  const error = value instanceof Error ? [value.message, value.stack, String(value.cause)] : [];
  return [
    inspect(value, { depth: 20, showHidden: true, getters: true }),
    JSON.stringify(value),
    String(value),
    ...error,
  ].join("\n");
}

function expectClean(value: unknown): void {
  const shown = everythingOf(value);
  for (const secret of SECRETS) expect(shown).not.toContain(secret);
  expect(shown).not.toContain(BYTES.toString("base64").slice(0, 60));
  expect(shown).not.toContain("canary bytes of a contract canary");
}

const CALLS: ((service: Service) => Promise<unknown>)[] = [
  service => service.getDocument("7"),
  service => service.listDocuments({}),
  service => service.turn(turn => turn.createDocument({ ...contract, pdf: pdfOf(BYTES) })),
  service => service.createFolder({ name: "a" }),
  service => service.turn(turn => turn.remind("5")),
  service => service.download("/1.pdf", { withKey: true }),
];

/** A hostile service: it echoes every request. */
const echo = (seen: Seen) => JSON.stringify({ ok: false, headers: seen.headers, body: seen.body, known: SECRETS });

test.each([200, 302, 400, 401, 403, 404, 422, 429, 500])(
  "%i with everything we sent in it: no secret comes out",
  async status => {
    for (const credentials of CREDENTIALS) {
      await using server = await stub((response, seen) => {
        if (seen.url === "/v1/login") return json(response, { token: TOKEN });
        if (seen.url === "/v1/users/api_key") return json(response, { ok: true, payload: { api_key: KEY } });
        json(response, echo(seen), status, { location: `https://elsewhere.example/${KEY}` });
      });
      for (const call of CALLS) {
        const service = createService({
          ...DEFAULTS,
          baseUrl: server.url,
          credentials,
          clock: fakeClock(),
          limits: { callMs: 5000 },
        });
        const error = await failure(
          call(service).then(stream => (status === 200 ? Promise.reject(new Error("a stream")) : stream)),
        );
        expectClean(error);
        expectClean(service);
        await service.close();
      }
    }
  },
);

test("a failed log-in shows neither password nor token", async () => {
  const credentials = CREDENTIALS[1] ?? expect.fail("no log-in");
  for (const [step, status] of [
    ["/v1/login", 401],
    ["/v1/login", 400],
    ["/v1/users/api_key", 401],
    ["/v1/users/api_key", 200],
  ] as const) {
    await using server = await stub((response, seen) =>
      seen.url === step ? json(response, echo(seen), status) : json(response, { token: TOKEN }),
    );
    const service = createService({ ...DEFAULTS, baseUrl: server.url, credentials, clock: fakeClock() });
    expectClean(await failure(service.getDocument("7")));
    await service.close();
  }
});

test("a key that no header can carry is refused without being shown", () => {
  for (const apiKey of ["", `${KEY}\r\nx: y`, `${KEY}\n`, ` ${KEY}`, `${KEY}é`]) {
    const attempt = () =>
      createService({
        ...DEFAULTS,
        baseUrl: "https://api.example.com",
        credentials: { kind: "apiKey", apiKey, source: SOURCE },
      });
    expect(attempt).toThrow(SOURCE);
    expect(attempt).not.toThrow(KEY);
  }
});

test("an excerpt is short, on one line, without secrets, tokens or base64", () => {
  const redactor = new Redactor();
  redactor.learn(KEY);
  const edge = "x ".repeat(90);
  expect(redactor.excerpt(`${edge}${KEY}`)).toBe(`${edge}[secret]`);
  expect(redactor.excerpt(`${"y ".repeat(2045)}${KEY}`)).not.toContain(KEY.slice(0, 4));
  expect(redactor.excerpt("a\r\n\u001b[31mred\u202e")).toBe("a \\u001b[31mred\\u202e");
  expect(redactor.excerpt(`{"token":"${TOKEN}"}`)).toBe('{"token":"[token]"}');
  expect(redactor.excerpt(`a ${BYTES.toString("base64")} b`)).toMatch(/^a \[\d+ characters\] b$/);
  expect(redactor.excerpt("z ".repeat(10_000)).length).toBeLessThanOrEqual(201);
});
