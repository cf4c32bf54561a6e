import { describe, expect, it } from "vitest";
import { startServer } from "../../kit/server.js";
import type { Values } from "../../kit/values.js";
import { type Call, UserError } from "../../provider/resources/resource.js";
import { connect, dial, secret, urnOf } from "../support/engine-client.js";
import { Empty, rpc, rpcGrpc, Struct, Value } from "../support/proto.js";
import { fakeEngine } from "./support/fake-engine.js";
import { DOCUMENT, fakeProvider, GET_DOCUMENT } from "./support/fake-provider.js";

const urn = urnOf(DOCUMENT);

describe("greeting", () => {
  it("works for an engine that never shakes hands", async () => {
    await using engine = await connect(fakeProvider(), { handshake: false, config: { baseUrl: "https://x" } });
    const { id, secrets } = await engine.create({ urn, inputs: { a: secret("x") } });
    expect([id, secrets]).toEqual(["42", ["a"]]);
  });

  it("takes the configuration of engines from before args out of their variables", async () => {
    const provider = fakeProvider();
    await using engine = await connect(provider);
    const request = new rpc.ConfigureRequest();
    request.getVariablesMap().set("docsign:config:baseUrl", "https://x:8");
    await engine.ask("configure", request);
    expect(provider.configured).toEqual([{ baseUrl: "https://x:8" }]);
  });

  it("returns its version and its schema", async () => {
    await using engine = await connect(fakeProvider());
    expect([await engine.pluginVersion(), await engine.schema()]).toEqual(["1.2.3", '{"name":"docsign"}']);
    await expect(engine.schema(1)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("has no mappings", async () => {
    await using engine = await connect(fakeProvider());
    const mapping = await engine.ask<InstanceType<typeof rpc.GetMappingResponse>>(
      "getMapping",
      new rpc.GetMappingRequest().setKey("terraform"),
    );
    const mappings = await engine.ask<InstanceType<typeof rpc.GetMappingsResponse>>(
      "getMappings",
      new rpc.GetMappingsRequest(),
    );
    expect([mapping.getProvider(), mappings.getProvidersList()]).toEqual(["", []]);
  });

  it("leaves parts of the protocol out, cleanly", async () => {
    await using engine = await connect(fakeProvider());
    for (const [method, request] of [
      ["parameterize", new rpc.ParameterizeRequest()],
      ["construct", new rpc.ConstructRequest()],
      ["call", new rpc.CallRequest()],
    ] as const)
      await expect(engine.ask(method, request)).rejects.toMatchObject({ code: "UNIMPLEMENTED" });
    const unknown = new Promise((resolve, reject) =>
      engine.stub.makeUnaryRequest(
        "/pulumirpc.ResourceProvider/StreamInvoke",
        () => Buffer.alloc(0),
        resolve,
        null,
        error => reject(error),
      ),
    );
    await expect(unknown).rejects.toMatchObject({ code: 12 });
  });
});

describe("configuration", () => {
  it("hands news and olds over, no olds at first, and wraps declared secrets", async () => {
    const seen: unknown[] = [];
    const checkConfig = (news: Values, olds: Values | undefined) => {
      seen.push(news, olds);
      return { inputs: { ...news, apiKey: "from env" }, failures: [{ property: "baseUrl", reason: "is missing" }] };
    };
    const tokens: string[] = [];
    const secrecy = (token: string) => {
      tokens.push(token);
      return { secretOutputs: [], derivedFrom: {}, secretInputs: ["apiKey"] };
    };
    await using engine = await connect(fakeProvider({ checkConfig, secrecy }));
    expect(await engine.checkConfig({ a: 1 })).toEqual({
      inputs: { a: 1, apiKey: "from env" },
      secrets: ["apiKey"],
      failures: [{ property: "baseUrl", reason: "is missing" }],
    });
    await engine.checkConfig({ a: 1 }, { a: 2 });
    expect(seen).toEqual([{ a: 1 }, undefined, { a: 1 }, { a: 2 }]);
    expect(tokens).toContain("pulumi:providers:docsign");
  });

  it("never lets a changed configuration replace anything", async () => {
    const diffConfig = () =>
      ({ changes: "some", detailed: { baseUrl: "update-replace" }, deleteBeforeReplace: true }) as const;
    await using engine = await connect(fakeProvider({ diffConfig }));
    expect(await engine.diffConfig({ baseUrl: "a" }, { baseUrl: "b" })).toMatchObject({
      changes: "some",
      diffs: ["baseUrl"],
      replaces: [],
      deleteBeforeReplace: false,
      detailed: { baseUrl: { kind: "update" } },
    });
  });

  it("reports what Configure throws", async () => {
    const configure = () => {
      throw new UserError("maxConcurrency must be a number");
    };
    await using engine = await connect(fakeProvider({ configure }));
    await expect(engine.configure({})).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
  });
});

describe("absent fields", () => {
  it("come as empty values", async () => {
    await using engine = await connect(fakeProvider());
    const bare = [
      ["check", new rpc.CheckRequest().setUrn(urn)],
      ["diff", new rpc.DiffRequest().setUrn(urn)],
      ["create", new rpc.CreateRequest().setUrn(urn)],
      ["read", new rpc.ReadRequest().setUrn(urn).setId("1")],
      ["update", new rpc.UpdateRequest().setUrn(urn)],
      ["delete", new rpc.DeleteRequest().setUrn(urn)],
      ["invoke", new rpc.InvokeRequest().setTok(GET_DOCUMENT)],
      ["checkConfig", new rpc.CheckRequest()],
      ["diffConfig", new rpc.DiffRequest()],
      ["configure", new rpc.ConfigureRequest()],
      ["handshake", new rpc.ProviderHandshakeRequest()],
    ] as const;
    for (const [method, request] of bare) await engine.ask(method, request);
  });

  it("and a missing or odd URN is a plain error", async () => {
    await using engine = await connect(fakeProvider());
    for (const odd of ["", "urn:pulumi:dev", "urn:pulumi:dev::p::a$b::n"])
      await expect(engine.check({ urn: odd, news: {} })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await engine.check({ urn: urnOf(`a:b:C$${DOCUMENT}`, "a::b"), news: {} })).failures).toEqual([]);
  });
});

describe("sizes", () => {
  it("takes and gives messages far over gRPC's usual 4 MB", async () => {
    await using engine = await connect(fakeProvider());
    const large = "x".repeat(30 * 1024 * 1024);
    expect((await engine.check({ urn, news: { large } })).inputs["large"]).toHaveLength(large.length);
  });

  it.each([100, 1_000, 4_000, 10_000])("survives values nested %i deep", async depth => {
    await using engine = await connect(fakeProvider());
    const request = new rpc.CheckRequest().setUrn(urn).serializeBinary();
    const answer = new Promise((resolve, reject) =>
      engine.stub.makeUnaryRequest(
        rpcGrpc.ResourceProviderService.check.path,
        () => Buffer.concat([request, field(0x1a, structOfLists(depth))]),
        () => "answered",
        null,
        (error, value) => (error ? reject(error) : resolve(value)),
      ),
    );
    if (depth === 100) expect(await answer).toBe("answered");
    if (depth === 10_000) await expect(answer).rejects.toMatchObject({ code: 3 });
    await answer.catch(() => {});
    expect((await engine.check({ urn, news: {} })).failures).toEqual([]);
  });
});

/** `{a: [[[…1…]]]}`, written by hand: google-protobuf itself can't serialise it so deep. */
function structOfLists(depth: number): Uint8Array {
  let value = new Value().setNumberValue(1).serializeBinary();
  // Value.list_value of ListValue.values
  for (let i = 0; i < depth; i++) value = field(0x32, field(0x0a, value));
  const entry = Buffer.concat([field(0x0a, Buffer.from("a")), field(0x12, value)]);
  return field(0x0a, entry);
}

/** A length-delimited field: tag, length as a varint, content. */
function field(tag: number, content: Uint8Array): Uint8Array {
  const length: number[] = [];
  for (let rest = content.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

describe("cancel", () => {
  const waiting = () => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const create = ({ signal }: Call) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        start();
      });
    return { create, started };
  };

  it("is fine before anything else, and twice", async () => {
    const ends: string[] = [];
    await using engine = await connect(fakeProvider(), { handshake: false, onEnd: why => ends.push(why) });
    await engine.cancel();
    await engine.cancel();
    expect(ends).toEqual(["the deployment was cancelled", "the deployment was cancelled"]);
  });

  it("aborts what's in flight and refuses what comes after, until another engine attaches", async () => {
    const { create, started } = waiting();
    await using engine = await connect(fakeProvider({ document: { create } }));
    const creating = engine.create({ urn, inputs: {} });
    creating.catch(() => {});
    await started;
    await engine.cancel();
    const cancelled = { code: "CANCELLED", message: "the deployment was cancelled" };
    await expect(creating).rejects.toMatchObject(cancelled);
    await expect(engine.check({ urn, news: {} })).rejects.toMatchObject(cancelled);
    await engine.attach(engine.engineAddress);
    expect((await engine.check({ urn, news: {} })).failures).toEqual([]);
  });

  it("serves one deployment at a time: another engine may ask for the schema before, and attach after it", async () => {
    await using engine = await connect(fakeProvider());
    await engine.attach("127.0.0.1:1");
    await engine.attach("127.0.0.1:2");
    await engine.configure({});
    await engine.attach("127.0.0.1:2");
    await expect(engine.attach("127.0.0.1:3")).rejects.toMatchObject({
      message: expect.stringContaining("this process serves a deployment of the engine at 127.0.0.1:2"),
    });
    expect((await engine.check({ urn, news: {} })).failures).toEqual([]);
    await engine.cancel();
    await engine.attach("127.0.0.1:3");
    expect((await engine.check({ urn, news: {} })).failures).toEqual([]);
  });

  it("ends with its engine, however that ended, and another may attach", async () => {
    const { create, started } = waiting();
    await using engine = await connect(fakeProvider({ document: { create } }));
    const killed = await fakeEngine();
    await engine.attach(killed.address);
    await engine.configure({});
    const creating = engine.create({ urn, inputs: {} });
    creating.catch(() => {});
    await started;
    await killed.close();
    await expect(creating).rejects.toMatchObject({ code: "CANCELLED", message: "the engine is gone" });
    await engine.attach("127.0.0.1:3");
    expect((await engine.check({ urn, news: {} })).failures).toEqual([]);
  });

  it("aborts a single call that the engine gives up", async () => {
    const { promise: aborted, resolve: abort } = Promise.withResolvers<unknown>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const create = ({ signal }: Call) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => {
          abort(signal.reason);
          reject(signal.reason);
        });
        start();
      });
    await using engine = await connect(fakeProvider({ document: { create } }));
    const call = engine.stub.create(new rpc.CreateRequest().setUrn(urn), () => {});
    await started;
    call.cancel();
    expect(await aborted).toMatchObject({ name: "AbortError" });
    expect((await engine.check({ urn, news: {} })).failures).toEqual([]);
  });

  it("stop closes the provider and waits for answers, but not for ever", async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const provider = fakeProvider({
      close: async () => close(),
      document: { create: () => new Promise<never>(() => {}) },
    });
    const server = await startServer(provider);
    const client = await dial(server.port, "127.0.0.1:1");
    const creating = client.create({ urn, inputs: {} });
    creating.catch(() => {});
    await client.check({ urn, news: {} });
    await server.stop("enough");
    await closed;
    await expect(creating).rejects.toMatchObject({ code: expect.stringMatching(/UNAVAILABLE|CANCELLED|INTERNAL/) });
    await expect(client.ask("getPluginInfo", new Empty())).rejects.toMatchObject({ code: "UNAVAILABLE" });
    client.close();
  });
});

it("a struct without fields and a value without a kind are nothing and null", async () => {
  await using engine = await connect(fakeProvider());
  const news = new Struct();
  news.getFieldsMap().set("a", new Value());
  const response = await engine.ask<InstanceType<typeof rpc.CheckResponse>>(
    "check",
    new rpc.CheckRequest().setUrn(urn).setNews(news),
  );
  expect(response.getInputs()?.toJavaScript()).toEqual({ a: null });
});
