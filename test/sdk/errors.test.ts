import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { PartialFailure, UserError } from "../../provider/resources/resource.js";
import { keepHostQuiet, toProviderError } from "../../sdk/dynamic/errors.js";

const answering = {
  cancelled: false,
  redact: (text: string) => text.replaceAll("CANARY", "[secret]"),
  properties: () => ({}),
};

/** What the host of dynamic providers prints of an error, whoever threw it. */
function printed(error: unknown): string[] {
  const lines: string[] = [];
  const console = { error: (line: string) => void lines.push(line) };
  keepHostQuiet(console);
  console.error(`${error}: ${(error as Error).stack}`);
  return lines;
}

test("the engine gets the message and a code, and no stack is printed beside it", () => {
  const error = toProviderError(new UserError("document 1 is signed\n  by CANARY"), answering);
  expect(error).toMatchObject({ message: "document 1 is signed\n  by [secret]", code: status.FAILED_PRECONDITION });
  expect(printed(error)).toEqual([]);
});

test("errors of others in the same process are printed as ever", () => {
  expect(printed(new Error("theirs"))).toEqual([expect.stringContaining("Error: theirs: Error: theirs\n    at ")]);
});

test("a partial create keeps the id however large the outputs are", () => {
  const failure = new PartialFailure("4711", {}, {}, ["first reason", "second reason"]);
  const properties = () => ({
    __provider: "p",
    resourceKey: "k",
    documentId: "4711",
    service: "https://api.example.com",
    signers: Array.from({ length: 150_000 }, (_, i) => ({ email: `person-${i}@example.com` })),
    status: "unsigned",
  });
  const error = toProviderError(failure, { ...answering, properties });
  expect(error).toMatchObject({
    id: "4711",
    message: "first reason\nsecond reason",
    reasons: ["first reason", "second reason"],
    properties: { __provider: "p", resourceKey: "k", documentId: "4711", status: "unsigned" },
  });
  expect(JSON.stringify(error.properties).length).toBeLessThan(4_000_000);
});
