import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import {
  BadRequestError,
  PartialCreation,
  statusByName,
  toStatus,
  UnimplementedError,
  UnknownTokenError,
} from "../../kit/status";
import { Writer } from "../../kit/wire";
import { PartialFailure, UserError } from "../../provider/resources/resource";
import { connect, type StatusError, secret, urnOf } from "../support/engine-client";
import { DOCUMENT, fakeProvider } from "./support/fake-provider";

const named = (name: string, message = "it") => Object.assign(new Error(message), { name });
const urn = urnOf(DOCUMENT);
const provider = "docsign";

describe("codes", () => {
  it.each([
    ["a user's error", new UserError("do this"), "FAILED_PRECONDITION", "do this"],
    ["a senseless request", new BadRequestError("no"), "INVALID_ARGUMENT", "no"],
    [
      "an unknown token",
      new UnknownTokenError("docsign", "function", "x"),
      "NOT_FOUND",
      "pulumi-docsign has no function 'x'.",
    ],
    ["a missing part of the protocol", new UnimplementedError("none"), "UNIMPLEMENTED", "none"],
    ["a cancelled call", new DOMException("stop", "AbortError"), "CANCELLED", "stop"],
    ["an aborted request", named("AbortError"), "CANCELLED", "it"],
    [
      "a bug",
      new TypeError("x is undefined"),
      "INTERNAL",
      "this is a bug in pulumi-docsign, please report it: x is undefined",
    ],
    ["a bug without words", new Error(), "INTERNAL", "this is a bug in pulumi-docsign, please report it: Error"],
    [
      "something thrown that is no error",
      "text",
      "INTERNAL",
      "this is a bug in pulumi-docsign, please report it: text",
    ],
  ] as const)("%s", (_what, error, code, message) => {
    expect(toStatus(error, { provider })).toEqual({ code: status[code], message });
  });

  it("what fails in an unknown way after Cancel fails because of it", () => {
    expect(toStatus(named("SocketError"), { provider, cancelled: true })).toMatchObject({
      code: status.CANCELLED,
      message: "it",
    });
    expect(toStatus(new UserError("do this"), { provider, cancelled: true }).code).toBe(status.FAILED_PRECONDITION);
  });

  it("asks the layers below for their errors first", () => {
    const statusOf = statusByName<"NotFoundError" | "LostError">({ NotFoundError: "NOT_FOUND", LostError: "INTERNAL" });
    expect(toStatus(named("NotFoundError"), { provider, statusOf })).toMatchObject({
      code: status.NOT_FOUND,
      message: "it",
    });
    expect(toStatus(named("LostError"), { provider, statusOf })).toMatchObject({
      code: status.INTERNAL,
      message: "it",
    });
    expect(toStatus(named("OtherError"), { provider, statusOf }).code).toBe(status.INTERNAL);
    // @ts-expect-error a name without a code doesn't compile
    statusByName<"NotFoundError" | "LostError">({ NotFoundError: "NOT_FOUND" });
  });
});

describe("through gRPC", () => {
  const failing = (error: unknown) => {
    const create = async () => {
      throw error;
    };
    return connect(fakeProvider({ document: { create } }));
  };
  const create = async (error: unknown, inputs = {}): Promise<StatusError> => {
    await using engine = await failing(error);
    return await engine.create({ urn, inputs }).then(
      () => expect.fail("must fail"),
      error => error,
    );
  };

  it("hides this call's secrets and the configuration's, longest first", async () => {
    await using engine = await connect(
      fakeProvider({
        document: {
          create: async () => {
            throw new Error("key-123 and key-123-long and p4ss and abc");
          },
        },
      }),
    );
    await engine.configure({ apiKey: secret("key-123"), short: secret("abc") });
    const inputs = { a: secret({ deep: ["key-123-long"] }), b: secret("p4ss") };
    await expect(engine.create({ urn, inputs })).rejects.toThrow(
      "please report it: [secret] and [secret] and [secret] and abc",
    );
  });

  it("sends control characters, bidi marks, lone surrogates and any script as something a terminal may show", async () => {
    const { message } = await create(new UserError("a\u001b[2Jb\r\nc\u202ed\ud800 ñ 契約 😀 50%"));
    expect(message).toBe("a\\u001b[2Jb\nc\\u202ed\\ud800 ñ 契約 😀 50%");
  });

  it("shortens a message that wouldn't fit a header", async () => {
    const { code, message } = await create(new UserError("契".repeat(100_000)));
    expect(code).toBe("FAILED_PRECONDITION");
    expect(message).toMatch(/^契{1000,} … \(shortened\)$/);
  });

  it("delivers a partial failure as it is up to 30 KB", async () => {
    const outputs = { constancia: "x".repeat(30_000), documentId: "42" };
    const { partial } = await create(new PartialFailure("42", outputs, { name: "n" }, ["late"]));
    expect(partial).toMatchObject({ id: "42", outputs: { values: outputs }, inputs: { values: { name: "n" } } });
    expect(partial?.reasons).toEqual(["late"]);
  });

  it("keeps id and outputs of a partial failure with endless reasons", async () => {
    const reasons = Array.from({ length: 100 }, (_, i) => `${i} ${"ñ".repeat(5_000)}`);
    const { partial } = await create(new PartialFailure("42", { documentId: "42" }, { name: "n" }, reasons));
    expect(partial).toMatchObject({
      id: "42",
      outputs: { values: { documentId: "42" } },
      inputs: { values: { name: "n" } },
    });
    expect(partial?.reasons.length).toBe(20);
  });

  it("gives up the largest outputs before the id", async () => {
    const outputs = { constancia: "x".repeat(10_000_000), documentId: "42", status: "unsigned" };
    const { partial } = await create(new PartialFailure("42", outputs, { file: "y".repeat(50_000) }, ["late"]));
    expect(partial?.id).toBe("42");
    expect(partial?.outputs.values).toEqual({ documentId: "42", status: "unsigned" });
    expect(partial?.reasons).toEqual([
      "late",
      "'constancia' is too large to be kept after a failure; `pulumi refresh` reads it again.",
    ]);
  });

  it("keeps no part of a state without an output that no refresh brings back", () => {
    const struct = (fields: Record<string, number>): Buffer =>
      Object.entries(fields)
        .reduce((writer, [name, size]) => {
          const end = writer.begin(1);
          return writer.text(1, name).bytes(2, Buffer.alloc(size)).end(end);
        }, new Writer())
        .finish();
    const failed = (fields: Record<string, number>) => {
      const failure = new PartialCreation(new PartialFailure("42", {}, {}, ["late"]), struct(fields), Buffer.alloc(0));
      return toStatus(failure, { provider, keptWhole: new Set(["rows"]) });
    };
    expect(failed({ rows: 6_000_000, others: 4_000_000 })).toMatchObject({ code: status.UNKNOWN });
    const whole = failed({ rows: 10_000_000, others: 10 });
    expect(whole).toMatchObject({ code: status.FAILED_PRECONDITION, message: "late" });
    expect(whole.details).toBeUndefined();
  });
});
