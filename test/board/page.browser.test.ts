import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { boardOf, boardPage, readExport } from "../../commands/board/index.js";
import { Tab } from "../support/browser/browser.js";
import { options } from "./support/options.js";
import { document, exported, type Made, manyContracts } from "./support/states.js";

const folder = mkdtempSync(join(tmpdir(), "docsign-board-"));
afterAll(() => rmSync(folder, { recursive: true }));
let pages = 0;

/** The page of these stacks, opened from disk. */
function opened(stacks: Record<string, readonly Made[]>, how?: BrowserContextOptions): Promise<Tab> {
  const states = Object.entries(stacks).map(([name, made]) => readExport(exported(name, made)));
  const path = join(folder, `${++pages}.html`);
  writeFileSync(path, boardPage(boardOf(states, options)));
  return Tab.open(`file://${path}`, how);
}

const ana = { email: "ana@example.com", name: "Ana Torres" };
const bob = { email: "bob@example.org", name: "Bob Lindqvist" };
const lease = document("5001", "Lease 12", [ana, bob], { createdAt: "2026-11-02T09:00:00Z" });
const nda = document("5002", "Mutual NDA", [{ ...ana, signed: true }], { supersedes: ["4001"] });
const stacks = { "leases/prod": [lease], "sales/prod": [nda] };

describe("in the board's page, a reader", () => {
  test.each([true, false])(
    "finds who is late, on which contract, since when, and the signed PDF (JavaScript: %s)",
    async javaScriptEnabled => {
      await using tab = await opened(stacks, { javaScriptEnabled });
      const waiting = tab.page.locator("#waiting li").filter({ hasText: "Ana Torres" });
      expect((await waiting.textContent())?.replace(/\s+/g, " ")).toBe(
        "Ana Torres ana@example.com late waiting for 19 daysLease 12sent 2 Nov 2026",
      );
      await waiting.getByRole("link", { name: "Lease 12" }).click();
      expect(await tab.page.locator("li:target h3").textContent()).toBe("Lease 12");
      const signed = tab.page.locator("#contracts li").filter({ hasText: "Mutual NDA" }).first();
      expect(await signed.getByRole("link", { name: "Signed PDF" }).getAttribute("href")).toMatch(
        /^https:.*signed\.pdf$/,
      );
      expect(tab.errors).toEqual([]);
    },
  );

  test("is told where there is nothing yet, and gets no empty list", async () => {
    await using tab = await opened({ "sales/prod": [] }, { bypassCSP: true });
    expect(await tab.page.getByRole("heading", { level: 1 }).textContent()).toBe("No contracts yet");
    await tab.page.getByText("There is no contract yet").waitFor();
    expect(await tab.page.locator("#rows").isVisible()).toBe(false);
    expect(await tab.page.getByLabel("Find").isVisible()).toBe(false);
    expect(await tab.accessibility()).toEqual([]);
    expect(tab.errors).toEqual([]);
  });

  test("searches, filters and sorts", async () => {
    await using tab = await opened({ "leases/prod": manyContracts(250), "sales/prod": [nda] });
    const found = tab.page.locator("#found");
    const first = tab.page.locator("#rows > li h3").first();
    expect(await found.textContent()).toBe("251 of 251");
    await tab.page.getByLabel("Find").fill("mutual");
    await expect.poll(() => found.textContent()).toBe("1 of 251");
    await tab.page.getByLabel("Find").fill("");
    await tab.page.getByLabel("Status").selectOption("drifted or replaced");
    await expect.poll(() => found.textContent()).toBe("4 of 251");
    await tab.page.getByLabel("Status").selectOption("all");
    await tab.page.getByLabel("Stack", { exact: true }).selectOption("leases/prod");
    await expect.poll(() => found.textContent()).toBe("250 of 251");
    await tab.page.getByLabel("Sort by").selectOption("name");
    await expect.poll(() => first.textContent()).toBe("Lease of flat 1");
    expect(await tab.page.locator("#rows > li").count()).toBe(100);
    await tab.page.getByRole("button", { name: "Show more", exact: true }).click();
    expect(await tab.page.locator("#rows > li").count()).toBe(200);
  });

  test("follows a link to a contract that isn't shown yet, whatever is filtered", async () => {
    await using tab = await opened({
      "leases/prod": manyContracts(250),
      "sales/prod": [document("9", "Last", [bob], { createdAt: "2026-01-01T09:00:00Z" })],
    });
    await tab.page.getByLabel("Find").fill("nothing like it");
    await expect.poll(() => tab.page.locator("#found").textContent()).toBe("0 of 251");
    await tab.page.locator("#waiting").getByRole("link", { name: "Last" }).click();
    await tab.page.locator("#c1-9").waitFor();
    expect(await tab.page.locator("#c1-9").isVisible()).toBe(true);
  });

  test("takes what is shown into a spreadsheet, where no cell is a formula", async () => {
    await using tab = await opened({
      "leases/prod": [lease, document("7", '=HYPERLINK("x")', [ana])],
      "sales/prod": [nda],
    });
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("button", { name: "CSV" }).click();
    const csv = readFileSync(await (await download).path(), "utf8").split("\r\n");
    expect(csv[0]).toBe(
      '\u{feff}"Contract","Document","Status","Late","Sent","Deadline","Signed by","To sign","PDF","Details"',
    );
    expect(csv[1]).toContain(
      '"Lease 12","5001","unsigned","late","2026-11-02T09:00:00.000Z","","","ana@example.com; bob@example.org"',
    );
    expect(csv[2]).toContain(`"'=HYPERLINK(""x"")"`);
    expect(csv[3]).toMatch(/"ana@example.com","","https:.*signed\.pdf"/);
  });

  test("prints every contract that is found, and no controls", async () => {
    await using tab = await opened({ "leases/prod": manyContracts(250) });
    await tab.page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await tab.page.emulateMedia({ media: "print" });
    expect(await tab.page.locator("#rows > li").count()).toBe(250);
    expect(await tab.page.locator("#tools").isVisible()).toBe(false);
  });
});

const HOSTILE = `<script>alert(1)</script></style>"'><img src=x onerror=alert(2)> \u202egnp.exe \u05d0\u05d1\u05d2`;
const LONG = "Extraordinarily".repeat(67).slice(0, 1000);
const hostile = [
  document("1", HOSTILE, [{ email: `"${HOSTILE}"@example.com`, name: HOSTILE }], {
    status: HOSTILE,
    drift: [HOSTILE],
    supersedes: [HOSTILE],
  }),
  document("2", LONG, [{ email: `${LONG}@example.com`, name: LONG, signed: true }, { email: LONG }]),
  document("3", "Script address", [{ ...ana, signed: true }], { signedFileUrl: "javascript:alert(3)" }),
];

test.each(["light", "dark"] as const)("is WCAG AA in the %s, with hostile names, on a phone", async colorScheme => {
  const how = { colorScheme, viewport: { width: 360, height: 740 }, bypassCSP: true };
  await using tab = await opened(
    { [`p/${HOSTILE.replace(/:/g, "")}`]: hostile, "sales/prod": [...manyContracts(30)] },
    how,
  );
  expect(await tab.accessibility()).toEqual([]);
  expect(await tab.overflow()).toBeLessThanOrEqual(0);
  expect(await tab.page.locator("main script, main img").count()).toBe(0);
  expect(await tab.page.locator("a[href^='javascript']").count()).toBe(0);
  expect(tab.errors).toEqual([]);
});

test("the page loads nothing and lets nothing but its own script run", async () => {
  await using tab = await opened(stacks);
  const requests: string[] = [];
  tab.page.on("request", request => requests.push(request.url()));
  await tab.page.reload();
  expect(requests.filter(url => !url.startsWith("data:"))).toHaveLength(1);
  await tab.page.evaluate(`document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = true'>")`);
  expect(await tab.page.evaluate("window.ran")).toBeUndefined();
});

test("ten thousand contracts are less than 5 MB, and only the first are in the page until more are asked for", async () => {
  const state = readExport(exported("leases/prod", manyContracts(10_000)));
  const page = boardPage(boardOf([state], options));
  expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
  await using tab = await opened({ "leases/prod": manyContracts(10_000) });
  expect(await tab.page.locator("#found").textContent()).toBe("10,000 of 10,000");
  expect(await tab.page.locator(".terse > li").count()).toBe(200);
});
