import { describe, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { ask, create, wanted } from "./service.js";

const names = (reply: { body: { payload: { name: string }[] } }) => reply.body.payload.map(one => one.name);

describe("GET /v1/documents", () => {
  test("filters by folder and by organization, newest first", async () => {
    await using sandbox = await startSandbox();
    const folder = sandbox.addFolder("Leases");
    const organization = sandbox.addOrganization("Example Homes");
    await create(sandbox, { ...wanted(), name: "one" });
    await create(sandbox, { ...wanted(), name: "two", folder_id: folder.id });
    sandbox.moveToOrganization(await create(sandbox, { ...wanted(), name: "three" }), organization.id);
    expect(names(await ask(sandbox, "GET /v1/documents"))).toEqual(["three", "two", "one"]);
    expect(names(await ask(sandbox, `GET /v1/documents?folder_id=${folder.id}`))).toEqual(["two"]);
    expect(names(await ask(sandbox, `GET /v1/documents?organization_id=${organization.id}`))).toEqual(["three"]);
    expect((await ask(sandbox, "GET /v1/documents?folder_id=x")).status).toBe(422);
  });
});

describe("GET /v1/documents/by_date_range", () => {
  test("takes both days in, by the service's own calendar, and filters by status and folder", async () => {
    await using sandbox = await startSandbox({ frozen: true, listOrder: "oldest-first" });
    // 05:59Z is still the evening of the 9th, six hours west of Greenwich.
    for (const time of ["2031-05-10T05:59:59Z", "2031-05-10T06:00:00Z", "2031-05-12T05:59:59Z"]) {
      sandbox.clock.set(time);
      await create(sandbox, { ...wanted(), name: time });
    }
    const range = "GET /v1/documents/by_date_range?from_date=2031-05-10&to_date=2031-05-11";
    expect(names(await ask(sandbox, range))).toEqual(["2031-05-10T06:00:00Z", "2031-05-12T05:59:59Z"]);
    sandbox.signAll(sandbox.documents()[1]?.id ?? 0);
    expect(names(await ask(sandbox, `${range}&status=signed`))).toEqual(["2031-05-10T06:00:00Z"]);
    expect(names(await ask(sandbox, `${range}&status=unsigned`))).toEqual(["2031-05-12T05:59:59Z"]);
    expect(names(await ask(sandbox, `${range}&folder_id=1`))).toEqual([]);
  });

  test.each([
    "from_date=2031-05-10",
    "from_date=2031-02-30&to_date=2031-03-01",
    "from_date=10.5.2031&to_date=2031-05-11",
    "from_date=2031-05-10&to_date=2031-05-11&status=open",
  ])("refuses %s", async query => {
    await using sandbox = await startSandbox();
    const { status, body } = await ask(sandbox, `GET /v1/documents/by_date_range?${query}`);
    expect([status, body.ok]).toEqual([422, false]);
  });
});

describe("POST /v1/folders", () => {
  test("makes a folder", async () => {
    await using sandbox = await startSandbox();
    const { status, body } = await ask(sandbox, "POST /v1/folders", { body: { name: "Leases" } });
    expect([status, body.payload.name]).toEqual([201, "Leases"]);
    expect(sandbox.folders()).toMatchObject([{ id: body.payload.id, name: "Leases" }]);
  });

  test("needs a name", async () => {
    await using sandbox = await startSandbox();
    expect((await ask(sandbox, "POST /v1/folders", { body: {} })).status).toBe(422);
    expect(sandbox.folders()).toEqual([]);
  });
});

describe("/v1/invitations/:id/reminder", () => {
  test("mails the invitee and answers 204 without a body", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    const invitationId = sandbox.document(id).invitations[0]?.id;
    const { status, text } = await ask(sandbox, `POST /v1/invitations/${invitationId}/reminder`);
    expect([status, text]).toEqual([204, ""]);
    expect(sandbox.mails.at(-1)).toMatchObject({
      kind: "reminder",
      documentId: id,
      invitationId,
      to: "ana@example.com",
    });
  });

  test("refuses who has signed, whose stage isn't open, and people who were not invited", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox, {
      ...wanted(),
      invitations_attributes: ["ana", "ben", "eva"].map((name, at) => ({
        invite_email: `${name}@example.com`,
        stage: at,
      })),
    });
    sandbox.sign(id, "ana@example.com");
    const [ana, , eva] = sandbox.document(id).invitations;
    const mails = sandbox.mails.length;
    const { apiKey: key } = sandbox.addAccount({ email: "other@example.org" });
    const remind = async (who: number | undefined, key?: string) =>
      (await ask(sandbox, `POST /v1/invitations/${who}/reminder`, key ? { key } : {})).status;
    expect(await remind(ana?.id)).toBe(409);
    expect(await remind(eva?.id)).toBe(409);
    expect(await remind(eva?.id, key)).toBe(404);
    expect(await remind(1)).toBe(404);
    expect(sandbox.mails).toHaveLength(mails);
  });

  test.each([
    [["POST"], 405, 204, 405],
    [["GET"], 405, 405, 204],
    [["GET"], 404, 404, 204],
    [["GET", "POST"], 405, 204, 204],
  ] as const)("accepting %j and else answering %i", async (reminderMethods, reminderRefusal, post, get) => {
    await using sandbox = await startSandbox({ reminderMethods, reminderRefusal });
    const [invitation] = sandbox.document(await create(sandbox)).invitations;
    const address = `/v1/invitations/${invitation?.id}/reminder`;
    expect((await ask(sandbox, `POST ${address}`)).status).toBe(post);
    expect((await ask(sandbox, `GET ${address}`)).status).toBe(get);
    expect(sandbox.mails.filter(mail => mail.kind === "reminder")).toHaveLength(
      [post, get].filter(status => status === 204).length,
    );
  });
});

describe("authentication", () => {
  test.each(["GET /v1/documents", "GET /v1/documents/1", "POST /v1/documents", "POST /v1/folders"])(
    "%s needs a key that is known",
    async request => {
      await using sandbox = await startSandbox();
      const missing = await ask(sandbox, request, { key: null });
      const wrong = await ask(sandbox, request, { key: "nobody's" });
      expect([missing.status, missing.body.error.code]).toEqual([401, "api_key_missing"]);
      expect([wrong.status, wrong.body.error.code]).toEqual([401, "api_key_unknown"]);
    },
  );

  test("POST /v1/login refuses a wrong password, and the history hides every password", async () => {
    await using sandbox = await startSandbox();
    const body = { email: sandbox.email, password: "a guess" };
    expect((await ask(sandbox, "POST /v1/login", { body, key: null })).status).toBe(401);
    expect(sandbox.history[0]?.body).toEqual({ email: sandbox.email, password: "***" });
  });

  test("a token ends, and a made-up one never works", async () => {
    await using sandbox = await startSandbox({ frozen: true, tokenLifetime: 60 });
    const { body } = await ask(sandbox, "POST /v1/login", {
      body: { email: sandbox.email, password: sandbox.password },
      key: null,
    });
    expect(body.expiration).toBe(Math.floor(sandbox.clock.now() / 1000) + 60);
    const status = async (token: string) =>
      (await ask(sandbox, "GET /v1/users/api_key", { key: null, headers: { Authorization: `Bearer ${token}` } }))
        .status;
    expect(await status(body.token)).toBe(200);
    expect(await status(`${body.token}x`)).toBe(401);
    expect(await status("a.b.c")).toBe(401);
    sandbox.clock.advance(60_000);
    expect(await status(body.token)).toBe(401);
  });
});

describe("addresses that lead nowhere", () => {
  test("are answered 404 or 405 in JSON, and recorded as they were sent", async () => {
    await using sandbox = await startSandbox();
    expect((await ask(sandbox, "GET /v2/documents")).status).toBe(404);
    const wrongMethod = await ask(sandbox, "DELETE /v1/documents");
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "POST, GET"]);
    expect((await ask(sandbox, "GET /v1/documents/%2e%2e%2ffolders")).status).toBe(404);
    expect(sandbox.history.map(seen => [seen.path, seen.route])).toEqual([
      ["/v2/documents", null],
      ["/v1/documents", null],
      ["/v1/documents/%2e%2e%2ffolders", "getDocument"],
    ]);
  });

  test("the control surface is one of them unless it was asked for", async () => {
    await using sandbox = await startSandbox();
    expect((await ask(sandbox, "GET /_sandbox/state")).status).toBe(404);
  });
});
