import { describe, expect, test } from "vitest";
import { isUnknown, UNKNOWN, type Value, type Values } from "../../kit/values.js";
import { documentsIn } from "../support/documents.js";
import { mixedDialects, startIndependentService } from "../support/independent-service/index.js";
import { startMachine } from "../support/machine.js";

const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");

const nda = (more: Values = {}): Values => ({
  name: "NDA",
  invitations: [
    { email: "ana@example.com", name: "Ana", stage: 1 },
    { email: "bob@example.org", name: "Bob", stage: 2 },
  ],
  base64File: pdf("one"),
  ...more,
});

describe.each(mixedDialects)("a service of the dialect $name:", ({ settings }) => {
  test("creates, refreshes and keeps a document with one request that mails", async () => {
    await using service = await startIndependentService(settings);
    using machine = startMachine();
    await using run = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
    const documents = documentsIn(run.runtime.context);
    const call = run.call("nda");

    const checked = await documents.check(call, { olds: undefined, news: nda() });
    expect(checked.failures).toEqual([]);
    const created = await documents.create(call, { inputs: checked.inputs });

    expect(service.ledger.documentCount()).toBe(1);
    expect(service.ledger.requests("createDocument")).toHaveLength(1);
    expect(created.id).toBe(service.ledger.documents()[0]?.id);
    expect(created.outputs["documentId"]).toBe(created.id);
    expect(Object.values(created.outputs).some(isUnknown)).toBe(false);

    const read = await documents.read(call, { id: created.id, inputs: checked.inputs, outputs: created.outputs });
    expect(read.inputs).toEqual(checked.inputs);
    const again = await documents.check(call, { olds: checked.inputs, news: nda() });
    const diff = await documents.diff(call, {
      id: created.id,
      olds: read.outputs,
      oldInputs: read.inputs,
      news: again.inputs,
    });
    expect(diff.changes).toBe("none");
  });
});

describe("an import that its create keeps", () => {
  const contract = { name: "NDA", invitations: [{ email: "ana@example.com" }] };
  const uploaded = { name: "NDA", pdf: Buffer.from(pdf("one"), "base64"), emails: ["ana@example.com"] };

  /** What a preview and the create say of it, once Diff was given this. */
  async function said(given: Values): Promise<readonly (Value | undefined)[]> {
    await using service = await startIndependentService();
    using machine = startMachine();
    const id = service.people.upload("first", uploaded);
    const answers: (Value | undefined)[] = [];
    for (const preview of [true, false]) {
      await using run = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
      const documents = documentsIn(run.runtime.context);
      const call = run.call("nda", { preview });
      const { inputs = {}, outputs } = await documents.read(call, { id, inputs: undefined, outputs: undefined });
      const changed = await documents.check(call, {
        olds: inputs,
        news: { ...contract, base64File: pdf("one"), ...given },
      });
      await documents.diff(call, { id, olds: outputs, oldInputs: inputs, news: changed.inputs });
      const news = { ...contract, base64File: pdf("one"), ...(preview ? given : {}) };
      const checked = await documents.check(call, { olds: undefined, news });
      answers.push((await documents.create(call, { inputs: checked.inputs })).outputs["imported"]);
    }
    expect(service.ledger.documentCount()).toBe(1);
    return answers;
  }

  test("is one in a preview as well", async () => {
    expect(await said({})).toEqual([true, true]);
  });

  test("may be one in a preview that doesn't know an input yet", async () => {
    expect(await said({ description: UNKNOWN })).toEqual([UNKNOWN, true]);
  });
});
