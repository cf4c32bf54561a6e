import { describe, expect, test } from "vitest";
import { makePdf, startSandbox } from "../../sandbox/index.js";
import { Tab } from "../support/browser/browser.js";

const signed = {
  name: "Lease 13",
  signed: "all" as const,
  certified: true,
  invitations: [{ email: "bob@example.org", name: "Bob Lindqvist" }],
};
const open = { name: "Lease 14", invitations: [{ email: "ana@example.com", name: "Ana Torres" }] };
const started = () => startSandbox({ control: true, quota: 7, scenario: { documents: [signed, open] } });

describe("documents", () => {
  test("are listed with their status and what is left of the quota, and found by name and person", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/documents`);
    await tab.page.getByText("may still be signed").waitFor();
    expect(await tab.page.locator("dd").allTextContents()).toEqual(["2", "1", "1", "6", "no limit"]);
    await tab.page.getByRole("searchbox").fill("BOB@");
    await tab.page.getByText("1 document", { exact: true }).waitFor();
    expect(await tab.page.locator(".list a").count()).toBe(1);
    expect(tab.page.url()).toMatch(/\?q=BOB%40$/);
  });

  test("take a new version, a comment and certificates", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/documents/5002`);
    const pdf = makePdf(["Another page"]);
    await tab.page
      .getByLabel("PDF", { exact: true })
      .setInputFiles({ name: "a.pdf", mimeType: "application/pdf", buffer: pdf });
    await tab.page.getByRole("button", { name: "Upload" }).click();
    await tab.page.getByRole("heading", { name: "Version 2" }).waitFor();
    expect(sandbox.content(5002)?.equals(pdf)).toBe(true);
    await tab.page.getByLabel("Comment", { exact: true }).fill("Page 2?");
    await tab.page.getByRole("button", { name: "Comment" }).click();
    await tab.page.getByRole("heading", { name: "1 comment" }).waitFor();
    expect(await tab.page.getByRole("button", { name: "Certify" }).isDisabled()).toBe(true);
    await tab.page.getByRole("button", { name: "Everybody signs" }).click();
    await tab.page.getByText("A new version needs an unsigned document; this one is signed.").waitFor();
    await tab.page.getByLabel("Make").selectOption("nom151");
    await tab.page.getByRole("button", { name: "Certify" }).click();
    await tab.page.getByRole("link", { name: "NOM151 constancia" }).waitFor();
    expect(await tab.page.getByRole("link", { name: "Bitcoin certificate" }).count()).toBe(0);
  });

  test("show what a version changed, word by word, and nothing where its text can't be read", async () => {
    await using sandbox = await started();
    const upload = (version: Buffer) =>
      fetch(`${sandbox.url}/_sandbox/version`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ documentId: 5002, pdf: version.toString("base64") }),
      });
    await upload(makePdf(["The rent is 900 <b>euros</b>."]));
    await upload(makePdf(["The rent is 950 <b>euros</b>."]));
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/documents/5002`);
    await tab.page.getByRole("link", { name: "What it changed" }).first().click();
    await tab.page.getByRole("heading", { name: "What version 3 changed" }).waitFor();
    expect(await tab.page.locator(".panel").allInnerTexts()).toEqual(["The rent is 900 950 <b>euros</b>."]);
    expect(await tab.page.locator(".panel del, .panel ins").allInnerTexts()).toEqual(
      ["900", "950"].map(text => `${text} `),
    );
    await upload(makePdf([]));
    await tab.page.goto(`${sandbox.url}/_sandbox/page/documents/5002/versions/4`);
    await tab.page.getByText("The text of version 4 can't be read: there is none in it, as in a scan.").waitFor();
    for (const none of ["1", "9", "x"])
      expect((await fetch(`${sandbox.url}/_sandbox/page/documents/5002/versions/${none}`)).status).toBe(404);
  });

  test("refuse what the platform refuses, in its words, beside the button", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/documents/5002`);
    await tab.page.getByLabel("By (a registered person)").fill("nobody@example.com");
    await tab.page.getByLabel("Comment", { exact: true }).fill("Hello");
    await tab.page.getByRole("button", { name: "Comment" }).click();
    await tab.page.getByText("nobody@example.com is not registered, only registered users may comment").waitFor();
    expect(await tab.page.getByLabel("Comment", { exact: true }).inputValue()).toBe("Hello");
  });

  test("downloads are what the service signed and certified", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/documents/5001`);
    const names = ["Original PDF", "Signed PDF", "Bitcoin certificate", "Ethereum certificate", "NOM151 constancia"];
    for (const name of names) {
      const href = await tab.page.getByRole("link", { name, exact: true }).getAttribute("href");
      expect((await fetch(sandbox.url + href)).status, name).toBe(200);
    }
  });
});

describe("on a phone", () => {
  const phone = { viewport: { width: 360, height: 740 } };

  test.each(["inbox", "documents", "requests", "faults"])(
    "the tab of %s is in sight, and so are the others",
    async view => {
      await using sandbox = await started();
      await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/${view}`, phone);
      for (const link of await tab.page.locator(".top nav a").all()) {
        const box = await link.boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
      }
      expect(await tab.page.locator(".top nav [aria-current]").count()).toBe(1);
    },
  );

  test.each(["inbox", "inbox/2", "documents/5002", "faults"])(
    "each button, field and way back of %s is high enough for a thumb",
    async view => {
      await using sandbox = await started();
      await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/${view}`, { ...phone, hasTouch: true });
      const targets = tab.page
        .locator("main")
        .locator("button, select, input:not([type=radio]), .title p > a, .people a");
      const low: string[] = [];
      for (const target of await targets.filter({ visible: true }).all()) {
        const box = await target.boundingBox();
        const isSwitch = (await target.getAttribute("role")) === "switch";
        if (!isSwitch && box && box.height < 44) low.push(`${await target.textContent()} ${box.height}`);
      }
      expect(low).toEqual([]);
    },
  );

  test("without a viewer there is no empty box above what is signed, and the PDF is a click away", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/inbox/2`, phone);
    // The browser of these tests has none.
    expect(await tab.page.evaluate("navigator.pdfViewerEnabled")).toBe(false);
    expect(await tab.page.locator(".pdf").isVisible()).toBe(false);
    const sign = await tab.page.getByRole("button", { name: /^Sign as/ }).boundingBox();
    expect(sign && sign.y + sign.height).toBeLessThan(740);
    const href = await tab.page.getByRole("link", { name: "Open the PDF" }).getAttribute("href");
    expect((await fetch(sandbox.url + href)).headers.get("content-type")).toBe("application/pdf");
  });
});

test("an address without a page says so as a page, and to programs as JSON", async () => {
  await using sandbox = await started();
  for (const path of ["nowhere", "documents/4711", "inbox/99"]) {
    const address = `${sandbox.url}/_sandbox/page/${path}`;
    await using tab = await Tab.open(address);
    expect(await tab.page.getByRole("heading", { level: 1 }).textContent(), path).toBe("Nothing here");
    await tab.page.getByRole("link", { name: "Go to the inbox" }).click();
    await tab.page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    const answer = await fetch(address);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
  }
});

test("what went wrong in a form stays while others make requests, until the form is mended", async () => {
  await using sandbox = await started();
  await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/faults`);
  await tab.page.getByLabel("Go on by hours").fill("1e12");
  await tab.page.getByRole("button", { name: "Go", exact: true }).click();
  const message = tab.page.getByText("advance must lead to a time from 1970 to 9999");
  await message.waitFor();
  await fetch(`${sandbox.url}/v1/documents`, { headers: { "x-api-key": sandbox.apiKey } });
  await tab.page.getByRole("link", { name: /^Requests 1$/ }).waitFor();
  expect(await message.isVisible()).toBe(true);
  await tab.page.getByLabel("Go on by hours").fill("1");
  await message.waitFor({ state: "detached" });
});

describe("requests", () => {
  test("arrive as they are made, with keys left out and PDFs folded", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/requests`);
    await tab.page.getByRole("heading", { name: "No requests yet" }).waitFor();
    await fetch(`${sandbox.url}/v1/documents`, {
      method: "POST",
      headers: { "x-api-key": sandbox.apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        name: "It's new",
        base64_file: `data:application/pdf;base64,${makePdf(["New"]).toString("base64")}`,
        invitations_attributes: [{ invite_email: "legal@example.net" }],
      }),
    });
    await tab.page.getByText("POST /v1/documents").click();
    const asked = await tab.page.getByLabel("What was asked").textContent();
    expect(asked).toMatch(/x-api-key: \*\*\*/);
    expect(asked).toMatch(/\[PDF, \d+ bytes, sha256 [0-9a-f]{64}\]/);
    expect(await tab.page.getByLabel("What was answered").textContent()).toMatch(/^201\n\{\n {2}"ok": true/);
    const curl = await tab.page.getByLabel("As curl").textContent();
    expect(curl).toContain(`curl -X POST '${sandbox.url}/v1/documents'`);
    expect(curl).toContain(`-H "x-api-key: $DOCSIGN_API_KEY"`);
    expect(curl).toContain(`"name":"It'\\''s new"`);
    expect(await tab.page.content()).not.toContain(sandbox.apiKey);
    // What is open stays open while more arrive.
    await fetch(`${sandbox.url}/v1/documents`);
    await tab.page.getByText("2 requests").waitFor();
    expect(await tab.page.getByLabel("As curl").last().isVisible()).toBe(true);
  });

  test("are filtered by text, route and outcome, and the address keeps the filter", async () => {
    await using sandbox = await started();
    for (const path of ["/v1/documents", "/v1/documents/5001", "/nowhere"])
      await fetch(sandbox.url + path, { headers: { "x-api-key": sandbox.apiKey } });
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/requests`);
    await tab.page.getByLabel("Outcome").selectOption("refused");
    await tab.page.getByText("1 request", { exact: true }).waitFor();
    await tab.page.getByLabel("Outcome").selectOption("");
    await tab.page.getByText("3 requests", { exact: true }).waitFor();
    await tab.page.getByLabel("Route").selectOption("getDocument");
    await tab.page.getByText("1 request", { exact: true }).waitFor();
    expect(tab.page.url()).toContain("?route=getDocument");
    await tab.page.reload();
    expect(await tab.page.locator(".list > li").count()).toBe(1);
  });

  test("the newest 200 are shown, and the older ones are a click away", async () => {
    await using sandbox = await started();
    for (let count = 0; count < 203; count++) await fetch(`${sandbox.url}/nowhere`);
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/requests`);
    await tab.page.getByText("203 requests, the newest 200 shown").waitFor();
    await tab.page.getByRole("link", { name: "Older requests" }).click();
    await tab.page.getByText("3 requests", { exact: true }).waitFor();
  });
});

describe("faults and the clock", () => {
  test("a switch arms a fault with its parameters, and takes it back", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/faults`);
    const row = tab.page.locator("#fault-status-row");
    expect(await row.getByLabel("For").isVisible()).toBe(false);
    await row.locator("summary").click();
    await row.getByLabel("For").selectOption("listDocuments");
    await row.getByLabel("How often").selectOption("always");
    await row.getByRole("spinbutton", { name: "Status" }).fill("502");
    await row.getByLabel("Retry-After").fill("3");
    await row.getByRole("switch", { name: "status" }).click();
    await row.getByText("1 armed").waitFor();
    expect(sandbox.faults.pending).toEqual([
      { kind: "status", match: { route: "listDocuments" }, times: "always", status: 502, retryAfter: "3" },
    ]);
    const answer = await fetch(`${sandbox.url}/v1/documents`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([502, "3"]);
    await row.getByRole("switch", { name: "status", checked: true }).click();
    await row.getByRole("switch", { name: "status", checked: false }).waitFor();
    expect(sandbox.faults.pending).toEqual([]);
  });

  test("the next create loses its answer, once", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/faults`);
    await tab.page.getByRole("button", { name: "The next create loses its answer" }).click();
    await tab.page.getByRole("heading", { name: "1 fault armed" }).waitFor();
    expect(sandbox.faults.pending).toEqual([{ kind: "reset", match: { route: "createDocument" }, at: "after" }]);
    await tab.page.getByRole("button", { name: /Clear all faults/ }).click();
    await tab.page.getByRole("heading", { name: "No fault is armed" }).waitFor();
    expect(sandbox.faults.pending).toEqual([]);
  });

  test("every fault that HTTP can arm has a switch, and every switch arms what it names", async () => {
    await using sandbox = await started();
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/faults`);
    const kinds = await tab.page.locator("[id^=fault-] h3").allTextContents();
    const { faultKinds } = await import("../../sandbox/index.js");
    expect(kinds).toEqual(Object.keys(faultKinds).filter(kind => kind !== "rewrite"));
    for (const kind of kinds) {
      await tab.page.locator(`#fault-${kind}-row summary`).click();
      await tab.page.locator(`#fault-${kind}-row`).getByRole("switch").click();
      await tab.page.locator(`#fault-${kind}-row`).getByText("1 armed").waitFor();
    }
    expect(sandbox.faults.pending.map(({ kind }) => kind)).toEqual(kinds);
  });

  test("time goes on by hours and days, and stands still", async () => {
    await using sandbox = await startSandbox({ control: true, now: "2031-03-14T09:00:00Z", frozen: true });
    await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/faults`);
    await tab.page.getByRole("button", { name: "+ 1 day" }).click();
    await tab.page.getByText("Time stands still at 15 Mar 2031, 09:00 UTC").first().waitFor();
    await tab.page.getByLabel("Go on by hours").fill("1.5");
    await tab.page.getByRole("button", { name: "Go", exact: true }).click();
    await tab.page.getByText("Time stands still at 15 Mar 2031, 10:30 UTC").first().waitFor();
    await tab.page.getByRole("switch", { name: "Stand still", checked: true }).click();
    await tab.page.getByRole("switch", { name: "Stand still", checked: false }).waitFor();
    expect(sandbox.clock.frozen).toBe(false);
  });
});
