import { describe, expect, it } from "vitest";
import { Asset, UNKNOWN, type Values } from "../../kit/values.js";
import {
  type Call,
  NO_CHANGE,
  PartialFailure,
  type PropertyChange,
  type ProviderFunction,
  type Resource,
} from "../../provider/resources/resource.js";
import { connect, secret, urnOf } from "../support/engine-client.js";
import { DOCUMENT, fakeProvider, GET_DOCUMENT } from "./support/fake-provider.js";

const urn = urnOf(DOCUMENT, "contract");

describe("check", () => {
  it("takes the empty old inputs of a first check and of a forced replace for none", async () => {
    const seen: (Values | undefined)[] = [];
    const check = async (_call: unknown, { olds, news }: { olds: Values | undefined; news: Values }) => {
      seen.push(olds);
      return { inputs: news, failures: [] };
    };
    await using engine = await connect(fakeProvider({ document: { check } }));
    await engine.check({ urn, news: { name: "a" } });
    await engine.check({ urn, olds: { name: "a" }, news: { name: "b" } });
    expect(seen).toEqual([undefined, { name: "a" }]);
  });

  it("keeps secrets where they were, also around normalised values", async () => {
    const check = async () => ({
      inputs: { name: "A", invitations: [{ email: "x@y" }, { email: "z@y" }], other: "o", base64File: "sha256:1" },
      failures: [],
    });
    const secrecy = () => ({ secretOutputs: [], derivedFrom: {}, secretInputs: ["base64File"] });
    await using engine = await connect(fakeProvider({ document: { check }, secrecy }));
    const news = { name: secret("a"), invitations: [{ email: secret("X@Y") }, { email: "z@y" }], gone: secret(1) };
    expect(await engine.check({ urn, news })).toEqual({
      inputs: (await check()).inputs,
      secrets: ["base64File", "invitations[0].email", "name"],
      failures: [],
    });
  });

  it("marks a list whose length changed secret as a whole", async () => {
    const check = async () => ({ inputs: { list: ["b"] }, failures: [] });
    await using engine = await connect(fakeProvider({ document: { check } }));
    const { secrets } = await engine.check({ urn, news: { list: ["a", secret("b")] } });
    expect(secrets).toEqual(["list"]);
  });

  it("reports every failure, without the secrets in its words and without control characters", async () => {
    const failures = [
      { property: "", reason: "no 'hunter22' here" },
      { property: "name", reason: "\u001b[31mred\u202e" },
      { property: "name", reason: "the name is too short", saysProperty: true } as const,
    ];
    const check = async () => ({ inputs: {}, failures });
    await using engine = await connect(fakeProvider({ document: { check } }));
    expect((await engine.check({ urn, news: { name: secret("hunter22") } })).failures).toEqual([
      { property: "", reason: "no '[secret]' here" },
      { property: "name", reason: "\\u001b[31mred\\u202e" },
      { property: "", reason: "the name is too short" },
    ]);
  });
});

describe("diff", () => {
  it("hands over ids, old outputs, old inputs, news and ignoreChanges", async () => {
    let seen: unknown;
    const diff = async (_call: unknown, args: unknown) => {
      seen = args;
      return { changes: "none", detailed: {}, deleteBeforeReplace: false } as const;
    };
    await using engine = await connect(fakeProvider({ document: { diff } }));
    const news: Values = { a: UNKNOWN };
    const args = { id: "7", olds: { a: 1 }, oldInputs: { a: 2 }, news, ignoreChanges: ["file"] };
    const answer = await engine.diff({ urn, ...args });
    expect(seen).toEqual(args);
    expect(answer).toEqual({
      changes: "none",
      diffs: [],
      replaces: [],
      deleteBeforeReplace: false,
      hasDetailedDiff: true,
      detailed: {},
    });
  });

  it("reads diffs and replaces off the detailed paths", async () => {
    const detailed: Record<string, PropertyChange> = {
      "invitations[1].email": "update-replace",
      "invitations[2]": "delete-replace",
      file: "add",
      '["a.b"].c': "update",
    };
    const diff = async () => ({ changes: "some", detailed, deleteBeforeReplace: true }) as const;
    await using engine = await connect(fakeProvider({ document: { diff } }));
    expect(await engine.diff({ urn, id: "7", olds: {}, news: {} })).toEqual({
      changes: "some",
      diffs: ["invitations", "file", "a.b"],
      replaces: ["invitations"],
      deleteBeforeReplace: true,
      hasDetailedDiff: true,
      detailed: Object.fromEntries(Object.entries(detailed).map(([path, kind]) => [path, { kind, inputDiff: true }])),
    });
  });

  it("gives empty old inputs where an older engine sends none", async () => {
    let seen: Values | undefined;
    const diff = async (_call: unknown, { oldInputs }: { oldInputs: Values }) => {
      seen = oldInputs;
      return { changes: "none", detailed: {}, deleteBeforeReplace: false } as const;
    };
    await using engine = await connect(fakeProvider({ document: { diff } }));
    await engine.diff({ urn, id: "7", olds: { a: 1 }, news: {} });
    expect(seen).toEqual({});
  });
});

describe("create, update, read and delete", () => {
  it("knows URN, preview and customTimeouts", async () => {
    const calls: unknown[] = [];
    const create = async (call: { urn: string; preview: boolean; timeoutMs?: number }) => {
      calls.push([call.urn, call.preview, call.timeoutMs]);
      return { id: "1", outputs: {} };
    };
    await using engine = await connect(fakeProvider({ document: { create } }));
    await engine.create({ urn, inputs: {}, preview: true });
    await engine.create({ urn, inputs: {}, timeout: 1.5 });
    expect(calls).toEqual([
      [urn, true, undefined],
      [urn, false, 1500],
    ]);
  });

  it("passes unknowns in a preview, and leaves them out of anything else, which the engine would refuse whole", async () => {
    const outputs: Values = { id: UNKNOWN, name: "a", list: [UNKNOWN] };
    const create = async () => ({ id: "1", outputs });
    await using engine = await connect(fakeProvider({ document: { create } }));
    const preview = await engine.create({ urn, inputs: {}, preview: true });
    expect(preview.values).toEqual(outputs);
    expect((await engine.create({ urn, inputs: {} })).values).toEqual({ name: "a", list: [null] });
  });

  it("marks outputs secret: declared ones, same-named ones, and those made from secret inputs", async () => {
    const outputs = { name: "a", token: "t", signers: [{ email: "x" }], meta: { a: 1, b: 2 }, list: [1], open: "o" };
    const create = async () => ({ id: "1", outputs });
    const secrecy = () => ({
      secretOutputs: ["token", "absent"],
      derivedFrom: { signers: ["invitations"], open: ["other"] },
    });
    await using engine = await connect(fakeProvider({ document: { create, update: async () => outputs }, secrecy }));
    const inputs = {
      name: secret("a"),
      invitations: [{ email: secret("x") }],
      meta: { a: secret(1), b: 2 },
      list: [secret(1)],
      other: 1,
    };
    const secrets = ["list", "meta.a", "name", "signers", "token"];
    expect(await engine.create({ urn, inputs })).toEqual({ id: "1", values: outputs, secrets });
    expect(await engine.update({ urn, id: "1", olds: {}, news: inputs })).toEqual({ values: outputs, secrets });
  });

  it("answers an engine that knows no secrets in plain values", async () => {
    await using engine = await connect(fakeProvider({ secrecy: () => ({ secretOutputs: ["a"], derivedFrom: {} }) }), {
      handshake: false,
      config: {},
      acceptSecrets: false,
    });
    expect((await engine.create({ urn, inputs: { a: 1 } })).secrets).toEqual([]);
  });

  it("imports without inputs and outputs, and lets get's empty ones count as none", async () => {
    const seen: unknown[] = [];
    const read = async (_call: unknown, args: { id: string }) => {
      seen.push(args);
      return { id: args.id, inputs: { name: "n" }, outputs: { status: "signed" } };
    };
    await using engine = await connect(fakeProvider({ document: { read } }));
    const expected = {
      id: "7",
      inputs: { values: { name: "n" }, secrets: [] },
      outputs: { values: { status: "signed" }, secrets: [] },
    };
    expect(await engine.read({ urn, id: "7" })).toEqual(expected);
    expect(await engine.read({ urn, id: "7", inputs: {}, outputs: {} })).toEqual(expected);
    const none = { id: "7", inputs: undefined, outputs: undefined };
    expect(seen).toEqual([none, none]);
  });

  it("keeps what was secret in state secret on refresh", async () => {
    await using engine = await connect(fakeProvider());
    const answer = await engine.read({
      urn,
      id: "7",
      inputs: { name: secret("n"), file: new Asset({ hash: "h" }) },
      outputs: { name: "n", url: secret("u") },
    });
    expect(answer.inputs).toEqual({ values: { name: "n", file: new Asset({ hash: "h" }) }, secrets: ["name"] });
    expect(answer.outputs).toEqual({ values: { name: "n", url: "u" }, secrets: ["name", "url"] });
  });

  it("says that a resource is gone with an empty id and nothing else", async () => {
    const read = async () => ({ id: "", inputs: { a: 1 }, outputs: { a: 1 } });
    await using engine = await connect(fakeProvider({ document: { read } }));
    const empty = { values: {}, secrets: [] };
    expect(await engine.read({ urn, id: "7", inputs: { a: 1 } })).toEqual({ id: "", inputs: empty, outputs: empty });
  });

  it("hands outputs and old inputs to delete", async () => {
    const seen: unknown[] = [];
    const forget = async (_call: unknown, args: unknown) => void seen.push(args);
    await using engine = await connect(fakeProvider({ document: { delete: forget } }));
    await engine.delete({ urn, id: "7", outputs: { a: 1 }, inputs: { b: 1 } });
    await engine.delete({ urn, id: "7", outputs: { a: 1 } });
    expect(seen).toEqual([
      { id: "7", outputs: { a: 1 }, inputs: { b: 1 } },
      { id: "7", outputs: { a: 1 }, inputs: {} },
    ]);
  });

  it("answers a partial failure with id, outputs, inputs and reasons, secrets wrapped", async () => {
    const create = async () => {
      throw new PartialFailure("42", { name: "n", ok: UNKNOWN }, { name: "n" }, ["not in the folder", "ask again"]);
    };
    await using engine = await connect(fakeProvider({ document: { create } }));
    await expect(engine.create({ urn, inputs: { name: secret("n") } })).rejects.toMatchObject({
      code: "UNKNOWN",
      message: "not in the folder\nask again",
      partial: {
        id: "42",
        outputs: { values: { name: "n" }, secrets: ["name"] },
        inputs: { values: { name: "n" }, secrets: ["name"] },
        reasons: ["not in the folder", "ask again"],
        refreshBeforeUpdate: false,
      },
    });
  });
});

it("passes a resource which of its inputs hold a secret", async () => {
  const seen: string[][] = [];
  const note = (call: Call) => seen.push([...call.secrets].sort());
  const document: Partial<Resource> = {
    check: async (call, { news }) => {
      note(call);
      return { inputs: news, failures: [] };
    },
    diff: async call => {
      note(call);
      return NO_CHANGE;
    },
  };
  await using engine = await connect(fakeProvider({ document }));
  await engine.check({ urn, olds: { a: secret(1) }, news: { b: [{ c: secret(1) }], d: 1 } });
  await engine.diff({ urn, id: "1", olds: {}, oldInputs: { a: secret(1) }, news: { a: 1 } });
  expect(seen).toEqual([["a", "b"], ["a"]]);
});

describe("invoke", () => {
  it("answers with a result or with failures", async () => {
    const invoke: ProviderFunction["invoke"] = async (_call, { id }) =>
      id === undefined ? { failures: [{ property: "id", reason: "is missing" }] } : { result: { id } };
    await using engine = await connect(fakeProvider({ invoke }));
    expect(await engine.invoke(GET_DOCUMENT, { id: "1" })).toEqual({ values: { id: "1" }, secrets: [], failures: [] });
    expect(await engine.invoke(GET_DOCUMENT, {})).toEqual({
      values: {},
      secrets: [],
      failures: [{ property: "id", reason: "is missing" }],
    });
  });

  it("makes all of the result secret when an argument is", async () => {
    await using engine = await connect(fakeProvider());
    const { secrets } = await engine.invoke(GET_DOCUMENT, { id: secret("1"), other: 2 });
    expect(secrets).toEqual(["id", "other"]);
  });
});

it("names the tokens it knows when it's asked for another", async () => {
  await using engine = await connect(fakeProvider());
  await expect(engine.create({ urn: urnOf("docsign:index:Dokument"), inputs: {} })).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "pulumi-docsign has no resource 'docsign:index:Dokument'. It has docsign:index:Document.",
  });
  await expect(engine.invoke("docsign:index:get", {})).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "pulumi-docsign has no function 'docsign:index:get'. It has docsign:index:getDocument.",
  });
});
