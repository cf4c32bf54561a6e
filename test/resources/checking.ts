import { expect } from "vitest";
import type { Values } from "../../kit/values.js";
import { nda, scene } from "../lifecycle/scene.js";
import { urnOf } from "../support/engine-client.js";
import type { FrontEnd } from "../support/simulated-engine.js";

export const urn = urnOf("docsign:index:Document", "nda");
export const good = { ...nda().inputs } as Values;
export const { base64File: _pdf, ...withoutPdf } = good;

/** The result of `work` on a plugin; the service gets no request meanwhile. */
export async function checking<T>(work: (frontEnd: FrontEnd) => Promise<T>): Promise<T> {
  await using s = await scene();
  const frontEnd = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:1", pid: 7 });
  try {
    return await work(frontEnd);
  } finally {
    expect(s.asked()).toEqual([]);
    await frontEnd[Symbol.asyncDispose]();
  }
}

export const failures = (news: Values, olds?: Values) =>
  checking(async frontEnd => (await frontEnd.check(olds ? { urn, olds, news } : { urn, news })).failures);
