import { expect } from "vitest";
import type { Values } from "../../provider/schema/values.js";
import { nda, scene } from "../lifecycle/scene.js";
import { urnOf } from "../support/engine-client.js";
import type { Door } from "../support/simulated-engine.js";

export const urn = urnOf("docsign:index:Document", "nda");
export const good = { ...nda().inputs } as Values;
export const { base64File: _pdf, ...withoutPdf } = good;

/** What the work at the plugin's door comes to; the service is asked nothing meanwhile. */
export async function checking<T>(work: (door: Door) => Promise<T>): Promise<T> {
  await using s = await scene();
  const door = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:1", pid: 7 });
  try {
    return await work(door);
  } finally {
    expect(s.asked()).toEqual([]);
    await door[Symbol.asyncDispose]();
  }
}

export const failures = (news: Values, olds?: Values) =>
  checking(async door => (await door.check(olds ? { urn, olds, news } : { urn, news })).failures);
