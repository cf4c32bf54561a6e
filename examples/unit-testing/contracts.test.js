import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";

const created = [];
let contracts;

before(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      created.push({ type, name, inputs });
      return { id: "4711", state: { ...inputs, documentId: "4711", status: "unsigned" } };
    },
    call: ({ token, inputs }) => {
      assert.equal(token, "docsign:index:getSigners");
      return { documentId: inputs.documentId, pendingSigners: ["legal@example.com"] };
    },
  });
  // After the mocks: a module that declares resources needs them.
  contracts = await import("./contracts.js");
});

const resolved = output => new Promise(resolve => void output.apply(resolve));

test("legal signs after the customer", async () => {
  const contract = contracts.sendContract({ id: "acme", name: "Acme", email: "ana@acme.example" }, "contract.pdf");
  assert.equal(await resolved(contract.status), "unsigned");
  const { type, name, inputs } = created[0];
  assert.equal(type, "pulumi-nodejs:dynamic/docsign:Document");
  assert.equal(name, "contract-acme");
  assert.deepEqual(
    inputs.invitations.map(({ email }) => email),
    ["ana@acme.example", "legal@example.com"],
  );
});

test("reminders name who is missing", async () => {
  const contract = contracts.sendContract({ id: "b", name: "B", email: "bob@b.example" }, "contract.pdf");
  assert.deepEqual(await resolved(contracts.reminders([contract])), [
    { documentId: "4711", pendingSigners: ["legal@example.com"] },
  ]);
});
