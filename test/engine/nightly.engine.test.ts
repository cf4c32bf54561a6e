import { expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene } from "../support/engine/scene.js";

/** A value of another resource, as YAML names it. */
const of = (path: string): string => `\${${path}}`;

const document = (name: string) => ({
  type: "docsign:Document",
  properties: {
    name,
    base64File: Buffer.from(`%PDF-1.4\n${name}\n%%EOF\n`).toString("base64"),
    invitations: [{ email: "ana@example.com" }],
  },
});
const remindOf = (documentId: string, triggers: number) => ({
  type: "docsign:Reminder",
  properties: { documentId, triggers, minInterval: "0s" },
});

it.skipIf(missingEngine)(
  "`pulumi refresh --run-program` moves the stack's outputs and mails nobody, whatever a failed merge left unsent",
  async () => {
    const sent = { nda: document("NDA") };
    const outputs = { status: of("nda.status"), waitingFor: of("nda.pendingSigners") };
    await using scene = await openScene({ yaml: { resources: sent, outputs } });
    await scene.stack.up();
    expect(scene.stack.outputs()).toEqual({ status: "unsigned", waitingFor: ["ana@example.com"] });
    expect(scene.mailed()).toEqual(["ana@example.com"]);

    // The main branch has a contract that wasn't sent, a changed one, and a reminder.
    const unsent = { lease: document("Lease"), weekly: remindOf(of("nda.documentId"), 2) };
    scene.stack.declare({
      resources: { nda: document("NDA"), ...unsent },
      outputs: { ...outputs, lease: of("lease.status") },
    });
    scene.service.people.sign(scene.id(), "ana@example.com");
    const writes = () => scene.asked().filter(line => !line.startsWith("GET "));
    writes();
    await scene.stack.refresh("--run-program");
    expect(scene.stack.outputs()).toMatchObject({ status: "signed", waitingFor: [] });
    expect(Object.keys(scene.stack.entries())).toEqual(["nda"]);
    expect(writes()).toEqual([]);
    expect(scene.mailed()).toEqual([]);

    // `up` sends what was left.
    await scene.stack.up();
    expect(scene.mailed()).toEqual(["ana@example.com"]);
  },
);
