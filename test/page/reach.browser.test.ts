import { describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { Tab } from "../support/browser/browser.js";

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(2)> \u202egnp.exe \u05d0\u05d1\u05d2 `;
const LONG = "Extraordinarily".repeat(67).slice(0, 1000);

/** Everything a view can be made to show, by people who mean no good. */
async function hostile(): Promise<Sandbox> {
  const sandbox = await startSandbox({ control: true });
  const [first = 0] = sandbox.seed({
    folders: [{ name: HOSTILE }],
    documents: [
      {
        name: HOSTILE,
        description: HOSTILE + LONG,
        folder: HOSTILE,
        invitations: [{ email: `"${HOSTILE}"@example.com`, name: HOSTILE, message: HOSTILE }],
      },
      { name: LONG, description: LONG, invitations: [{ email: `${LONG}@example.com`, name: LONG, message: LONG }] },
    ],
  });
  sandbox.addComment(first, sandbox.email, HOSTILE, HOSTILE + LONG);
  sandbox.setStatus(first, HOSTILE);
  sandbox.faults.next({ kind: "raw", body: HOSTILE, match: { path: HOSTILE } });
  await fetch(`${sandbox.url}/v1/${encodeURIComponent(HOSTILE)}?a=${encodeURIComponent(LONG)}`, {
    method: "POST",
    body: JSON.stringify({ name: HOSTILE }),
  });
  return sandbox;
}

const VIEWS = ["inbox", "inbox/1", "inbox/2", "documents", "documents/5001", "documents/5002", "requests", "faults"];

describe.each(VIEWS)("%s", view => {
  test.each(["light", "dark"] as const)("is WCAG AA in the %s, with hostile names, on a phone", async colorScheme => {
    await using sandbox = await hostile();
    const address = `${sandbox.url}/_sandbox/page/${view}`;
    await using tab = await Tab.open(address, { colorScheme, viewport: { width: 360, height: 740 }, bypassCSP: true });
    for (const summary of await tab.page.locator("summary").all()) await summary.click();
    expect(await tab.accessibility()).toEqual([]);
    expect(await tab.overflow()).toBeLessThanOrEqual(0);
    expect(await tab.page.locator("main script, main img, main b").count()).toBe(0);
    expect(tab.errors).toEqual([]);
  });

  test("is readable without JavaScript", async () => {
    await using sandbox = await hostile();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/${view}`, { javaScriptEnabled: false });
    expect(await tab.page.getByRole("heading", { level: 1 }).count()).toBe(1);
    await tab.page.locator("noscript p").waitFor();
    expect(
      await tab.page
        .locator("form[data-action]")
        .first()
        .isVisible()
        .catch(() => false),
    ).toBe(false);
  });
});

test("the newest thousand mails are drawn as one list, those out of sight cost nothing, and people don't hide them", async () => {
  const invitations = (contract: number) =>
    Array.from({ length: 10 }, (_, index) => ({ email: `p${contract}.${index}@example.com` }));
  const documents = Array.from({ length: 101 }, (_, index) => ({
    name: `Contract ${index}`,
    invitations: invitations(index % 11),
  }));
  await using sandbox = await startSandbox({ control: true, scenario: { documents } });
  await using tab = await Tab.open(sandbox.url, { viewport: { width: 360, height: 740 } });
  await tab.page.getByText("1,010 mails, the newest 1,000 shown").waitFor();
  await tab.page.getByText("… and 10 more people, who have less to sign.").waitFor({ state: "attached" });
  const first = await tab.page.locator("#page .list > li").first().boundingBox();
  expect(first?.y).toBeLessThan(740);
  expect(await tab.page.locator("#page .list > li").count()).toBe(1000);
  const skipped = await tab.page.evaluate<boolean>(
    `!document.querySelector(".list > li:last-child a").checkVisibility({ contentVisibilityAuto: true })`,
  );
  expect(skipped).toBe(true);
});
