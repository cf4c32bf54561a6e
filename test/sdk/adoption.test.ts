import { expect, test } from "vitest";
import { specOf } from "../../provider/resources/document/content.js";
import { inputsIn } from "../../provider/resources/document/declaration.js";
import { onlyReading } from "../../provider/resources/only-reading.js";
import { adopt } from "../../sdk/dynamic/adoption.js";
import { nda, pdf, type Rig, startRig } from "../faults/support/rig.js";
import { documentsIn } from "../support/documents.js";

const DAY_MS = 24 * 3_600_000;
const edited = nda({ name: "NDA, second edition", base64File: pdf("two") });

/** Imports it for the resource `nda`, while a create of `open` has no known outcome. */
async function importing(rig: Rig, id: string, open: typeof edited) {
  const { run, frontEnd } = rig.process();
  const { context } = run.runtime;
  const urn = frontEnd.urn({ name: "nda", type: "Document" });
  const scope = { service: context.service().origin, urn };
  const checked = async ({ inputs }: typeof edited) => (await frontEnd.check(urn, undefined, inputs)).inputs;
  const spec = await specOf(inputsIn(await checked(open)), context.pdfs);
  const { owned } = await context.journal.resource(scope);
  if (!spec) throw new Error("expected a PDF that is known");
  const begun = { ...spec.content, startedAt: context.clock.now(), supersedes: [], owned: owned.map(row => row.id) };
  await context.journal.begin(scope, begun, undefined);
  const reader = documentsIn(onlyReading(context));
  const inputs = await checked(nda());
  try {
    await adopt({ kind: "Document", context, reader }, run.call("nda", { urn }), id, inputs);
    await context.journal.refresh();
    return (await context.journal.ofContract(scope.service, spec.content)).owned.map(row => row.id);
  } finally {
    await run.end();
  }
}

test("an import keeps what the document was made of, though a create of other content is open", async () => {
  await using rig = await startRig();
  await rig.up([nda()]);
  expect(await importing(rig, rig.idOf("nda") ?? "", edited)).toEqual([]);
});

test("an import takes no document for an open create's that was made long before it", async () => {
  await using rig = await startRig();
  const emails = ["ana@example.com", "bob@example.org"];
  const id = rig.service.people.upload("first", { name: "NDA", pdf: Buffer.from("%PDF-1.4 other"), emails });
  for (const document of rig.service.ledger.documents()) document.createdAt -= 2 * DAY_MS;
  await expect(importing(rig, id, nda())).rejects.toThrow("isn't what the program says");
});
