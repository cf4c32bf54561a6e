import { describe, expect, it } from "vitest";
import { type ListArguments, UserError } from "../../provider/resources/resource.js";
import { connect, type EngineConnection, type Givens, toStruct } from "../support/engine-client.js";
import { type Rpc, rpc } from "../support/proto.js";
import { DOCUMENT, fakeProvider } from "./support/fake-provider.js";

interface ListOptions {
  readonly type?: string;
  readonly query?: Givens;
  readonly limit?: number;
  readonly pageSize?: number;
  readonly token?: string;
}

/** Messages as plain objects, in the order they came. */
function list({ stub }: EngineConnection, options: ListOptions = {}): Promise<object[]> {
  const request = new rpc.ListRequest()
    .setToken(options.type ?? DOCUMENT)
    .setQuery(toStruct(options.query ?? {}))
    .setLimit(options.limit ?? 0)
    .setPageSize(options.pageSize ?? 0)
    .setContinuationToken(options.token ?? "");
  return new Promise((resolve, reject) => {
    const messages: object[] = [];
    stub
      .list(request)
      .on("data", (message: Rpc.ListResponse) => messages.push(shown(message)))
      .on("end", () => resolve(messages))
      .on("error", reject);
  });
}

function shown(message: Rpc.ListResponse): object {
  if (message.hasComputed()) return { computed: true };
  const result = message.getResult();
  if (result) return { id: result.getId(), name: result.getName() };
  return { continuation: message.getContinuation()?.getContinuationToken() };
}

describe("List", () => {
  it("answers with the rows of a page, then with the token of the next", async () => {
    const asked: ListArguments[] = [];
    const found = [
      { id: "1", name: "Lease" },
      { id: "2", name: "NDA" },
    ];
    const provider = fakeProvider({
      document: {
        list: async (_call, args) => {
          asked.push(args);
          return { found, next: args.token === "" ? "after:2" : "" };
        },
      },
    });
    await using engine = await connect(provider, { config: {} });
    expect(await list(engine, { query: { folderId: "901" } })).toEqual([...found, { continuation: "after:2" }]);
    expect(await list(engine, { token: "after:2" })).toEqual(found);
    expect(asked).toEqual([
      { query: { folderId: "901" }, limit: 0, token: "" },
      { query: {}, limit: 0, token: "after:2" },
    ]);
  });

  it.each([
    [0, 0, 0],
    [-1, 0, 0],
    [5, 0, 5],
    [0, 7, 7],
    [5, 7, 5],
    [9, 7, 7],
  ])("of limit %i and page size %i takes the smaller that means anything: %i", async (limit, pageSize, expected) => {
    const limits: number[] = [];
    const provider = fakeProvider({
      document: {
        list: async (_call, args) => {
          limits.push(args.limit);
          return { found: [], next: "" };
        },
      },
    });
    await using engine = await connect(provider, { config: {} });
    expect(await list(engine, { limit, pageSize })).toEqual([]);
    expect(limits).toEqual([expected]);
  });

  it("refuses a resource that the service has no list of, and one that doesn't exist", async () => {
    await using engine = await connect(fakeProvider(), { config: {} });
    await expect(list(engine)).rejects.toMatchObject({
      code: 12,
      details: `${DOCUMENT} can't be listed: the service has no list of them`,
    });
    await expect(list(engine, { type: "docsign:index:Letter" })).rejects.toMatchObject({ code: 5 });
  });

  it("reports an error as a status, and is refused after Cancel", async () => {
    const provider = fakeProvider({
      document: {
        list: async () => {
          throw new UserError("folderId: expected digits");
        },
      },
    });
    await using engine = await connect(provider, { config: {} });
    await expect(list(engine)).rejects.toMatchObject({ code: 9, details: "folderId: expected digits" });
    await engine.cancel();
    await expect(list(engine)).rejects.toMatchObject({ code: 1 });
  });
});
