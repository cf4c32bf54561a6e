import { describe, expect, it } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { Tab } from "../support/browser/browser.js";
import { missingEngine } from "../support/engine/found.js";
import { openStack, type Project } from "../support/engine/stack.js";

const nda = {
  type: "docsign:Document",
  properties: {
    name: "Mutual NDA",
    file: { "fn::stringAsset": "%PDF-1.7\n%%EOF\n" },
    invitations: [
      { email: "ana@example.com", name: "Ana Torres", stage: 1 },
      { email: "bob@example.org", name: "Bob Lindqvist", stage: 2 },
    ],
  },
};
const documentId = `\${nda.documentId}`;

/** A sandbox with its page, and a stack that talks to it. */
async function scene(yaml: Project) {
  await using owned = new AsyncDisposableStack();
  const sandbox = owned.use(await startSandbox({ control: true }));
  const stack = owned.use(await openStack({ yaml, service: sandbox }));
  const tab = owned.use(await Tab.open(sandbox.url));
  const all = owned.move();
  return { sandbox, stack, page: tab.page, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe.skipIf(missingEngine)("a stack, and people who sign in a browser", () => {
  it("waits at a gate until Ana and Bob have signed through the page", async () => {
    const gate = { type: "docsign:SignatureGate", properties: { documentId, mode: "wait", pollInterval: "1s" } };
    await using place = await scene({ resources: { nda, gate }, outputs: { satisfied: `\${gate.satisfied}` } });
    const { stack, sandbox, page } = place;
    const up = stack.up();
    for (const who of ["Ana Torres", "Bob Lindqvist"]) {
      await page.getByRole("link", { name: /Inbox/ }).first().click();
      await page.getByRole("link", { name: /Please sign.*to sign/ }).click({ timeout: 60_000 });
      await page.getByRole("button", { name: `Sign as ${who}` }).click();
      await page.getByText(`${who} signed, as advanced`).waitFor();
    }
    await up;
    expect(stack.outputs()).toEqual({ satisfied: true });
    expect(sandbox.mails.map(({ to }) => to)).toEqual(["ana@example.com", "bob@example.org"]);
  });

  it("reminds nobody until a day has gone by in the page", async () => {
    const reminder = (round: number) => ({ type: "docsign:Reminder", properties: { documentId, triggers: round } });
    await using place = await scene({ resources: { nda, remind: reminder(1) } });
    const { stack, sandbox, page } = place;
    await stack.up();
    expect(sandbox.mails.map(({ kind }) => kind)).toEqual(["invitation"]);
    await page.getByRole("link", { name: /Faults and clock/ }).click();
    await page.getByRole("button", { name: "+ 1 day" }).click();
    await page.getByText("1 day later.").waitFor();
    stack.declare({ resources: { nda, remind: reminder(2) } });
    await stack.up();
    expect(sandbox.mails.map(({ kind, to }) => `${kind} ${to}`)).toEqual([
      "invitation ana@example.com",
      "reminder ana@example.com",
    ]);
    await page.getByRole("link", { name: /Inbox/ }).first().click();
    await page.getByRole("link", { name: /Reminder: please sign/ }).waitFor();
  });

  it("finds the document again whose create lost its answer, and mails nobody twice", async () => {
    await using place = await scene({ resources: { nda }, outputs: { documentId } });
    const { stack, sandbox, page } = place;
    await page.getByRole("link", { name: /Faults and clock/ }).click();
    await page.getByRole("button", { name: "The next create loses its answer" }).click();
    await page.getByRole("heading", { name: "1 fault armed" }).waitFor();
    await stack.up();
    expect(stack.outputs()).toEqual({ documentId: "5001" });
    expect(sandbox.documents()).toHaveLength(1);
    expect(sandbox.mails).toHaveLength(1);
    await page.getByRole("link", { name: /^Requests/ }).click();
    await page.getByLabel("Outcome").selectOption("with a fault");
    await page.getByText("1 request", { exact: true }).waitFor();
    await page.getByText("POST /v1/documents").waitFor();
  });
});
