import { expect, test } from "vitest";
import { type SandboxOptions, startSandbox } from "../../sandbox/index.js";
import { Tab } from "../support/browser/browser.js";

const nda = {
  name: "Mutual NDA",
  description: "Between the two companies.",
  invitations: [
    { email: "ana@example.com", name: "Ana Torres", stage: 1, message: "Please sign by Friday." },
    { email: "bob@example.org", name: "Bob Lindqvist", stage: 2, allowedSignatureTypes: "advanced" as const },
  ],
};

const started = (options: SandboxOptions = {}) =>
  startSandbox({ control: true, scenario: { documents: [nda] }, ...options });

test("somebody who opens the link signs in three clicks, and the next stage is mailed without a reload", async () => {
  await using sandbox = await started();
  await using other = await Tab.open(sandbox.url);
  await using tab = await Tab.open(sandbox.url);
  await tab.page.getByRole("link", { name: "Please sign Mutual NDA" }).click();
  expect(await tab.page.getByText("Please sign by Friday.").isVisible()).toBe(true);
  expect(await tab.page.getByText("Between the two companies.").isVisible()).toBe(true);
  await tab.page.getByRole("button", { name: "Sign as Ana Torres" }).click();
  await tab.page.getByText("Ana Torres signed, as advanced").waitFor();
  expect(sandbox.documents()[0]?.status).toBe("partially_signed");
  await other.page.getByRole("link", { name: /To bob@example.org/ }).waitFor();
  expect(tab.errors.concat(other.errors)).toEqual([]);
});

test("a person's inbox holds their mails alone", async () => {
  await using sandbox = await started();
  await using tab = await Tab.open(sandbox.url);
  await tab.page.getByRole("navigation", { name: "People" }).getByText("Bob Lindqvist").click();
  await tab.page.getByText("No mail yet. Bob Lindqvist is mailed when the stage before is complete.").waitFor();
  await tab.page.getByRole("navigation", { name: "People" }).getByText("Ana Torres").click();
  await tab.page.getByRole("heading", { name: "Inbox of Ana Torres" }).waitFor();
  expect(await tab.page.getByRole("region", { name: "Mails" }).getByRole("link").count()).toBe(1);
});

test("what the invitation doesn't allow is disabled, and says why", async () => {
  await using sandbox = await started();
  sandbox.sign(5001, "ana@example.com");
  await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/inbox/2`);
  const autograph = tab.page.getByRole("radio", { name: /Autograph/ });
  expect(await autograph.isDisabled()).toBe(true);
  await tab.page.getByText("The invitation lets Bob Lindqvist sign as advanced only.").waitFor();
  await tab.page.getByRole("button", { name: "Sign as Bob Lindqvist" }).click();
  await tab.page.getByText("Bob Lindqvist signed, as advanced").waitFor();
  expect(sandbox.documents()[0]?.status).toBe("signed");
});

test("a stage that isn't open yet is disabled, and says who comes first", async () => {
  await using sandbox = await started();
  // A reminder reaches them all the same once their stage was open and a person was added before them.
  sandbox.sign(5001, "ana@example.com");
  sandbox.addInvitation(5001, { email: "legal@example.net", name: "Legal", stage: 1 });
  await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/inbox/2`);
  await tab.page.getByText("Bob Lindqvist signs in stage 2; stage 1 comes first (Legal).").waitFor();
  expect(await tab.page.getByRole("button", { name: "Sign as Bob Lindqvist" }).isDisabled()).toBe(true);
  expect(await tab.page.getByRole("button", { name: "Decline" }).isDisabled()).toBe(true);
});

test("an autograph is drawn or typed, and asked for where it is missing", async () => {
  await using sandbox = await started();
  await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/inbox/1`);
  expect(await tab.page.locator("canvas").isVisible()).toBe(false);
  await tab.page.getByRole("radio", { name: /Autograph/ }).check();
  await tab.page.getByRole("button", { name: "Sign as Ana Torres" }).click();
  await tab.page.getByText("Type your name or draw your signature first.").waitFor();
  expect(sandbox.documents()[0]?.status).toBe("unsigned");
  const box = await tab.page.locator("canvas").boundingBox();
  if (!box) throw new Error("the pad can't be seen");
  await tab.page.mouse.move(box.x + 20, box.y + 60);
  await tab.page.mouse.down();
  await tab.page.mouse.move(box.x + 160, box.y + 30, { steps: 8 });
  await tab.page.mouse.up();
  await tab.page.getByRole("button", { name: "Sign as Ana Torres" }).click();
  await tab.page.getByText("Ana Torres signed, as autograph").waitFor();
  expect(sandbox.documents()[0]?.files[0]?.signers[0]?.signatureType).toBe("autograph");
});

test("what is being typed and chosen stays while the page is drawn anew", async () => {
  await using sandbox = await started();
  await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/inbox/1`);
  await tab.page.getByRole("radio", { name: /Autograph/ }).check();
  await tab.page.getByLabel("Type your name").fill("Ana T");
  await fetch(`${sandbox.url}/v1/documents`);
  await tab.page.getByRole("link", { name: /^Requests 1/ }).waitFor();
  expect(await tab.page.getByLabel("Type your name").inputValue()).toBe("Ana T");
  expect(await tab.page.getByRole("radio", { name: /Autograph/ }).isChecked()).toBe(true);
});

test("somebody declines, and can still sign", async () => {
  await using sandbox = await started();
  await using tab = await Tab.open(`${sandbox.url}/_sandbox/page/inbox/1`);
  await tab.page.getByRole("button", { name: "Decline" }).click();
  await tab.page.getByText("Ana Torres has declined, and can still sign.").waitFor();
  expect(sandbox.documents()[0]?.invitations[0]?.status).toBe("declined");
});

test("with the keyboard alone: from the address to a signature", async () => {
  await using sandbox = await started();
  await using tab = await Tab.open(sandbox.url);
  const press = async (key: string, until: string) => {
    for (let count = 0; count < 30; count++) {
      await tab.page.keyboard.press(key);
      const focused = await tab.page.evaluate<string>("document.activeElement?.textContent?.trim() ?? ''");
      if (focused.includes(until)) return;
    }
    throw new Error(`${key} doesn't lead to "${until}"`);
  };
  await press("Tab", "Skip to content");
  await press("Tab", "Please sign Mutual NDA");
  await tab.page.keyboard.press("Enter");
  await tab.page.getByRole("heading", { name: "Sign as Ana Torres" }).waitFor();
  await press("Tab", "Sign as Ana Torres");
  await tab.page.keyboard.press("Enter");
  await tab.page.getByText("Ana Torres signed, as advanced").waitFor();
});

test("an empty sandbox says how to begin, and a sample contract is one click away", async () => {
  await using sandbox = await startSandbox({ control: true });
  await using tab = await Tab.open(sandbox.url);
  await tab.page.getByText(`export DOCSIGN_BASE_URL=${sandbox.url}`).waitFor();
  await tab.page.getByRole("button", { name: "Add a sample contract" }).click();
  await tab.page.getByRole("link", { name: "Please sign Mutual NDA (sample)" }).waitFor();
  expect(sandbox.mails.map(({ to }) => to)).toEqual(["ana@example.com"]);
});

test("the page says when the sandbox has stopped", async () => {
  await using sandbox = await started();
  await using tab = await Tab.open(sandbox.url);
  expect(await tab.page.getByRole("alert").filter({ hasText: "doesn't answer" }).isVisible()).toBe(false);
  await sandbox.close();
  await tab.page.getByText("The sandbox doesn't answer any more.").waitFor();
});
