import { expect, test } from "vitest";
import { base64, people } from "../lifecycle/scene.js";
import { documentsIn } from "../support/documents.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { type Machine, startMachine } from "../support/machine.js";

/** What `pulumi do` without a stack gives every document. */
const URN = "urn:pulumi:dev::default::docsign:index:Document::Document";

const contract = (name: string) => ({ name, invitations: people, base64File: base64(name) });

type Service = Awaited<ReturnType<typeof startIndependentService>>;

/** One `pulumi do docsign:Document create --stateless`: a deployment of its own. */
async function doCreate(machine: Machine, service: Service, name: string) {
  await using run = machine.run({ baseUrl: service.url, apiKey: service.apiKey, reconcileTimeout: "0s" });
  const documents = documentsIn(run.runtime.context);
  const call = { ...run.call("Document"), urn: URN };
  const { inputs } = await documents.check(call, { olds: undefined, news: contract(name) });
  return await documents.create(call, { inputs });
}

test("creates of `pulumi do` have nothing to do with each other", async () => {
  await using service = await startIndependentService();
  using machine = startMachine();
  const first = await doCreate(machine, service, "Lease 12");
  service.people.sign(first.id, "ana@example.com");
  const second = await doCreate(machine, service, "Lease 13");
  expect(second.outputs["supersedes"]).toEqual([]);
  expect(service.ledger.documentCount()).toBe(2);
});

test("a create of `pulumi do` whose end was lost is sent once", async () => {
  await using service = await startIndependentService();
  using machine = startMachine();
  const [first, again] = [await doCreate(machine, service, "Lease 12"), await doCreate(machine, service, "Lease 12")];
  expect(again.id).toBe(first.id);
  expect(service.ledger.requests("createDocument")).toHaveLength(1);
});
