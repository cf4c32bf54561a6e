import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { withJournalWarnings } from "../../provider/registry.js";
import type { Context } from "../../provider/resources/context.js";
import { DocumentSetResource } from "../../provider/resources/document-set/document-set.js";
import { folderResource } from "../../provider/resources/folder.js";
import { reminderResource } from "../../provider/resources/reminder/reminder.js";
import type { Resource } from "../../provider/resources/resource.js";
import { uploaded } from "../gates/support.js";
import { nda, scene, sceneWith } from "../lifecycle/scene.js";
import { documentsIn } from "../support/documents.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { startMachine } from "../support/machine.js";

/** The journal's folder is a file: it can be neither read nor written. */
function breakJournal(folder: string): void {
  rmSync(join(folder, "journal"), { recursive: true, force: true });
  writeFileSync(join(folder, "journal"), "");
}

const saysSo = (lines: readonly string[]): number =>
  lines.filter(line => line.startsWith("warning: ") && line.includes("the journal in ")).length;

test("a journal that can't be reached is a warning of a preview and an up with nothing to do, once in each", async () => {
  await using s = await sceneWith([nda(), nda({ name: "annex", inputs: { name: "Annex" } })]);
  breakJournal(s.machine.folder);
  const up = await s.stack.up([nda(), nda({ name: "annex", inputs: { name: "Annex" } })]);
  expect(up.error).toBeUndefined();
  expect([saysSo(up.previewLines), saysSo(up.lines)]).toEqual([1, 1]);
});

test("a journal that can't be reached refuses a create before anything is sent", async () => {
  await using s = await scene();
  breakJournal(s.machine.folder);
  const up = await s.stack.up([nda()], { skipPreview: true });
  expect(up.error).toContain("the journal in ");
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});

test.each(["refresh", "destroy"] as const)("a journal that can't be reached doesn't stop a %s", async command => {
  await using s = await sceneWith([nda()]);
  breakJournal(s.machine.folder);
  const outcome = await s.stack[command]();
  expect(outcome.error).toBeUndefined();
  expect(saysSo(outcome.lines)).toBe(1);
});

/** Each resource, as a program first has it. */
const NEW: Record<string, (context: Context, documentId: string) => [Resource, Values]> = {
  Document: context => [documentsIn(context), nda().inputs as Values],
  DocumentSet: context => [new DocumentSetResource(context), { documents: { ana: nda().inputs as Values } }],
  Folder: context => [folderResource.serve(() => context), { name: "Leases" }],
  Reminder: (context, documentId) => [reminderResource.serve(() => context), { documentId, minInterval: "0s" }],
};

test.each(Object.entries(NEW))(
  "a journal that can't be read is a warning of a preview that would create a %s, and refuses the up",
  async (_, make) => {
    await using service = await startIndependentService();
    using machine = startMachine();
    const id = uploaded(service, "ana@example.com");
    const before = service.ledger.mails().length;
    const env = { DOCSIGN_JOURNAL: "postgres://nobody@127.0.0.1:1/none" };
    const run = machine.run({ baseUrl: service.url, apiKey: service.apiKey }, { env });
    const { context } = run.runtime;
    const [bare, news] = make(context, id);
    const resource = withJournalWarnings(bare, context);
    const { inputs } = await resource.check(run.call("new"), { olds: undefined, news });
    await resource.create(run.call("new", { preview: true }), { inputs });
    expect(run.lines.filter(({ severity }) => severity === "warn")).toMatchObject([
      { text: expect.stringContaining("the journal in postgres://127.0.0.1:1/none can't be used (ECONNREFUSED)") },
    ]);
    await expect(resource.create(run.call("new", { preview: false }), { inputs })).rejects.toThrow("can't be used");
    expect(service.ledger.mails()).toHaveLength(before);
    await run.end();
  },
);
