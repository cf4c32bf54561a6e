import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Deadline } from "../../provider/client/transport.js";

const open = () => new Deadline(undefined, new AbortController().signal);

test("a race that is over leaves nothing behind, or a download's pieces would be held until its end", async () => {
  const ending = open();
  for (let piece = 0; piece < 100; piece++) expect(await ending.race(Promise.resolve(piece))).toBe(piece);
  await expect(ending.race(Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(getEventListeners(ending.signal, "abort")).toEqual([]);
});

test("what is there wins over an end that came before, and an end over what never comes", async () => {
  const close = new AbortController();
  const ending = new Deadline(undefined, close.signal);
  const waiting = ending.race(new Promise(() => {}));
  close.abort();
  await expect(waiting).rejects.toBe(ending.signal.reason);
  expect(await ending.race(Promise.resolve(1))).toBe(1);
  await expect(ending.race(new Promise(() => {}))).rejects.toBe(ending.signal.reason);
});
