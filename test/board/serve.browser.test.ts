import { expect, test } from "vitest";
import { boardOf, readExport } from "../../commands/board/index.js";
import { boardPage, versionOf } from "../../commands/board/page/page.js";
import { serve } from "../../commands/board/serve.js";
import { Tab } from "../support/browser/browser.js";
import { options } from "./support/options.js";
import { document, exported } from "./support/states.js";

const boardWhere = (signed: boolean, madeAt = options.now) => {
  const lease = document("5001", "Lease 12", [{ email: "ana@example.com", signed }]);
  return boardOf([readExport(exported("leases/prod", [lease]))], { ...options, now: madeAt });
};

test("a page that was loaded just before the board changed shows the newer one", async () => {
  let signed = false;
  const stop = new AbortController();
  const address = Promise.withResolvers<string>();
  const serving = serve(
    () =>
      Promise.resolve(boardWhere(signed)).then(board => ({
        page: boardPage(board, { refreshSeconds: 1 }),
        version: versionOf(board),
      })),
    { port: 0, everySeconds: 0.02 },
    {
      out: text => address.resolve(/http:\S+/.exec(text)?.[0] ?? ""),
      err: text => address.reject(new Error(text)),
      stop: stop.signal,
    },
  );
  try {
    const url = await address.promise;
    await using tab = await Tab.open(url);
    await tab.page.getByRole("heading", { name: "0 of 1 contract signed" }).waitFor();
    const etag = async () => (await fetch(url, { method: "HEAD" })).headers.get("etag");
    const before = await etag();
    signed = true;
    // The page's first look comes after the change: what it sees there isn't what it shows.
    await expect.poll(etag, { interval: 20 }).not.toBe(before);
    await tab.page.getByRole("heading", { name: "1 of 1 contract signed" }).waitFor();
    expect(tab.errors).toEqual([]);
  } finally {
    stop.abort();
    await serving;
  }
});

test("a board that was made anew and shows the same has the same version", () => {
  expect(versionOf(boardWhere(false, new Date(options.now.getTime() + 1000)))).toBe(versionOf(boardWhere(false)));
  expect(versionOf(boardWhere(true))).not.toBe(versionOf(boardWhere(false)));
});
