import { expect, test, vi } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openStack, type StackOptions } from "../support/engine/stack.js";
import { type IndependentService, startIndependentService } from "../support/independent-service/index.js";
import { scratchFolder } from "../support/scratch.js";

const it = test.skipIf(missingEngine);
const ANA = "ana@example.com";
const UP = ["up", "--yes", "--skip-preview"];

const document = (name: string, text = "one") => ({
  name,
  file: { "fn::stringAsset": `%PDF-1.4\n${text}\n%%EOF\n` },
  invitations: [{ email: ANA }],
});
const contract = (name: string, text?: string) => ({
  type: "docsign:Document",
  properties: document(name, text),
});
const set = { type: "docsign:DocumentSet", properties: { documents: { ana: document("nda") } } };

const open = (service: IndependentService, resources: Record<string, object>, more: Partial<StackOptions> = {}) =>
  openStack({ service, yaml: { resources }, ...more });

it("a Document of one stack and a set's row of another, at once on one journal: one is sent", async () => {
  await using service = await startIndependentService();
  const env = { DOCSIGN_STATE_DIR: scratchFolder("docsign-shared-journal-") };
  await using first = await open(service, { nda: contract("nda") }, { env, name: "dev" });
  await using second = await open(service, { ndas: set }, { env, name: "prod" });

  const looked = service.gate("processed", "listDocuments");
  const underWay = service.gate("received-body", "createDocument");
  const early = first.attempt(UP);
  await looked.reached;
  const late = second.attempt(UP);
  await underWay.reached;
  looked.open();
  expect((await early).text).toContain("[docsign/create-elsewhere]");
  underWay.open();
  expect((await late).code).toBe(0);
  expect((await first.refused(UP)).text).toContain("[docsign/duplicate]");
  expect(service.ledger.mailsTo(ANA)).toHaveLength(1);
});

it("what is signed while its replacement waits for its place is kept", async () => {
  await using service = await startIndependentService();
  const program = (text: string) => ({ one: contract("one", text), two: contract("two", text) });
  await using stack = await open(service, program("first"));
  await stack.configure("docsign:maxConcurrency", "1");
  await stack.up();
  const { ledger, people } = service;
  const old = ledger.documents().map(({ id }) => id);
  const reads = (id: string) => ledger.requests("getDocument").filter(({ path }) => path.endsWith(`/${id}`)).length;
  const before = old.map(reads);

  stack.declare({ resources: program("second") });
  const underWay = service.gate("received-body", "createDocument");
  const went = stack.attempt(UP);
  await underWay.reached;
  // Diff, Delete and Create have asked about both.
  await vi.waitFor(() => expect(old.every((id, nth) => reads(id) >= (before[nth] ?? 0) + 3)).toBe(true), 60_000);
  for (const id of old) people.signAll(id);
  underWay.open();
  expect((await went).text).toMatch(/document \d+ .* is signed, so it is not replaced\. No one was mailed\./);
  expect(ledger.documents()).toHaveLength(3);
});

it("after `pulumi cancel`, who the first machine is about to remind isn't reminded by the second", async () => {
  await using service = await startIndependentService();
  await using stack = await open(service, { nda: contract("nda") });
  await stack.up();
  const [{ id } = { id: "" }] = service.ledger.documents();
  const reminder = { type: "docsign:Reminder", properties: { documentId: id, minInterval: "0s", triggers: [1] } };
  stack.declare({ resources: { nda: contract("nda"), reminder } });

  const underWay = service.gate("received-body", "remind");
  const early = stack.attempt(UP);
  await underWay.reached;
  await stack.run(["cancel", "--yes", "--stack", stack.name]);
  expect((await stack.up()).text).toContain("counts as sent, and isn't sent again");
  underWay.open();
  await early;
  await stack.attempt(UP);
  expect(service.ledger.mailsTo(ANA, "reminder")).toHaveLength(1);
});
