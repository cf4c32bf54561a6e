import { expect, test } from "vitest";
import { parseBaseUrl } from "../../provider/client/transport.js";
import { documentBody, testService } from "./setup.js";
import { ok, stub } from "./stub.js";

test.each([
  ["https://api.example.com", "https://api.example.com", "https://api.example.com"],
  ["https://api.example.com/", "https://api.example.com", "https://api.example.com"],
  ["https://api.example.com:8443/sign//", "https://api.example.com:8443", "https://api.example.com:8443/sign"],
  ["HTTPS://API.Example.com:443/Sign/a", "https://api.example.com", "https://api.example.com/Sign/a"],
  [" https://api.example.com\n", "https://api.example.com", "https://api.example.com"],
  ["http://localhost:8080", "http://localhost:8080", "http://localhost:8080"],
  ["http://127.9.9.9", "http://127.9.9.9", "http://127.9.9.9"],
  ["http://[::1]:80/x", "http://[::1]", "http://[::1]/x"],
])("%j is %s", (text, origin, href) => {
  expect(parseBaseUrl(text)).toEqual({ origin, href });
});

test.each<[string, RegExp]>([
  ["", /not a URL/],
  ["api.example.com", /not a URL/],
  ["//api.example.com", /not a URL/],
  ["https://me:canary@api example.com", /not a URL/],
  ["ftp://api.example.com", /must start with https/],
  ["file:///etc/passwd", /must start with https/],
  ["http://api.example.com", /in the clear to "api.example.com"/],
  ["http://localhost.example.com", /in the clear/],
  ["http://127.0.0.1.example.com", /in the clear/],
  ["http://128.0.0.1", /in the clear/],
  ["http://[::2]", /in the clear/],
  ["https://user@api.example.com", /user name or password/],
  ["https://:canary@api.example.com", /user name or password/],
  ["https://api.example.com?x=1", /query/],
  ["https://api.example.com/#x", /fragment/],
  ["https://api.example.com/?", /query/],
])("%j is refused", (text, message) => {
  const attempt = () => parseBaseUrl(text);
  expect(attempt).toThrow(message);
  expect(attempt).toThrow(/docsign:baseUrl can/);
  expect(attempt).not.toThrow(/canary/);
});

test("a path in base_url goes before every path, and stays out of the origin", async () => {
  await using server = await stub(response => ok(response, documentBody()));
  await using service = testService(`${server.url}/sign/`);
  await service.getDocument("7");
  expect(server.seen[0]?.url).toBe("/sign/v1/documents/7");
  expect(service).toMatchObject({ origin: server.url, baseUrl: `${server.url}/sign` });
});
