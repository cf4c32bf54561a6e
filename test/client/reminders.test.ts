import { expect, test } from "vitest";
import type { ReminderMethod } from "../../provider/client/service.js";
import { failure, KEY, testService } from "./setup.js";
import { stub } from "./stub.js";

async function remind(method: ReminderMethod, post: number, get: number, times = 1) {
  await using server = await stub((response, { method: asked }) => {
    response.writeHead(asked === "POST" ? post : get);
    response.end(post === 404 ? '{"ok":false}' : "");
  });
  await using service = testService(server.url, { reminderMethod: method });
  const outcomes: string[] = [];
  for (let n = 0; n < times; n++)
    outcomes.push(
      await service.remind("5").then(
        () => "sent",
        error => `${error.name} ${error.status}`,
      ),
    );
  return { outcomes, asked: server.seen.map(seen => `${seen.method} ${seen.url}`), seen: server.seen };
}

const POST = "POST /v1/invitations/5/reminder";
const GET = "GET /v1/invitations/5/reminder";

test.each<[ReminderMethod, number, number, string, string[]]>([
  ["auto", 204, 500, "sent", [POST]],
  ["auto", 200, 500, "sent", [POST]],
  ["auto", 405, 204, "sent", [POST, GET]],
  ["auto", 404, 204, "sent", [POST, GET]],
  ["auto", 404, 404, "NotFoundError 404", [POST, GET]],
  ["auto", 405, 404, "NotFoundError 404", [POST, GET]],
  ["auto", 404, 405, "NotFoundError 404", [POST, GET]],
  ["auto", 405, 405, "RefusedError 405", [POST, GET]],
  ["auto", 405, 500, "AmbiguousWriteError 500", [POST, GET]],
  ["auto", 422, 204, "RefusedError 422", [POST]],
  ["auto", 500, 204, "AmbiguousWriteError 500", [POST]],
  ["auto", 501, 204, "RefusedError 501", [POST]],
  ["auto", 302, 204, "RefusedError 302", [POST]],
  ["auto", 409, 204, "AmbiguousWriteError 409", [POST]],
  ["auto", 429, 204, "AmbiguousWriteError 429", [POST]],
  ["POST", 405, 204, "RefusedError 405", [POST]],
  ["POST", 404, 204, "NotFoundError 404", [POST]],
  ["GET", 204, 501, "RefusedError 501", [GET]],
  ["GET", 204, 204, "sent", [GET]],
])("%s, POST says %i, GET says %i: %s", async (method, post, get, outcome, asked) => {
  expect(await remind(method, post, get)).toMatchObject({ outcomes: [outcome], asked });
});

test.each([
  ["auto", "GET"],
  ["POST", "GET"],
  ["GET", "POST"],
] as const)("with %s, 200 and ok: false is a no that names %s to try", async (reminderMethod, other) => {
  await using server = await stub(response => void response.end('{"ok":false,"error":"no route"}'));
  await using service = testService(server.url, { reminderMethod });
  expect(await failure(service.remind("5"))).toMatchObject({
    name: "RefusedError",
    message: expect.stringContaining(`\`pulumi config set docsign:reminderMethod ${other}\``),
  });
  expect(server.seen).toHaveLength(1);
});

test.each([401, 403])("%i is about the key, and names no method", async status => {
  await using server = await stub(response => void response.writeHead(status).end());
  await using service = testService(server.url);
  expect((await failure(service.remind("5"))).message).not.toContain("reminderMethod");
});

test("the method that worked is tried first the next time", async () => {
  expect(await remind("auto", 405, 204, 2)).toMatchObject({ outcomes: ["sent", "sent"], asked: [POST, GET, GET] });
});

test("a reminder has no body", async () => {
  const [{ headers, body } = expect.fail("nothing was asked")] = (await remind("auto", 204, 500)).seen;
  expect(body).toBe("");
  expect(headers).toMatchObject({ "content-length": "0", "x-api-key": KEY });
  expect(headers).not.toHaveProperty("content-type");
});

test("a page instead of an answer isn't a reminder sent", async () => {
  await using server = await stub(response => void response.end("<html>proxy</html>"));
  await using service = testService(server.url);
  expect(await failure(service.remind("5"))).toMatchObject({ name: "AmbiguousWriteError" });
});
