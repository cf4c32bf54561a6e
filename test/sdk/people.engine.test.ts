import { describe, expect, test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { LISTS, openProject } from "./support/project.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";

/** A document, a gate that looks and never waits, and a reminder. */
const program = (week: number): string => `
  const docsign = require("pulumi-docsign/dynamic");
  const nda = new docsign.Document("nda", {
    name: "NDA",
    base64File: Buffer.from("%PDF-1.4\\nnda\\n%%EOF\\n"),
    invitations: [{ email: "${ANA}" }, { email: "${BOB}" }],
  });
  const signed = new docsign.SignatureGate("signed", { documentId: nda.documentId });
  new docsign.Reminder("weekly", { documentId: nda.documentId, minInterval: "0s", triggers: { week: ${week} } });
  exports.satisfied = signed.satisfied;
  exports.waiting = signed.pendingSigners;
`;

describe.skipIf(missingEngine !== undefined)(`gates and reminders through the SDK ${missingEngine ?? ""}`, () => {
  test("a gate opens once everyone has signed, and each person is reminded exactly once", async () => {
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "index.js": program(1),
      },
    });
    const { service } = project;
    const reminded = (): string[] => service.ledger.mails("reminder").map(({ to }) => to);
    const outputs = async () => JSON.parse((await project.pulumi("stack", "output", "--json")).stdout);

    const first = await project.pulumi("preview");
    expect(first.text).toContain("may remind people: whom isn't known yet");
    expect(first.text).toContain("what the gate waits for isn't known yet");
    expect(project.asked()).toEqual(LISTS);

    await project.up();
    expect(reminded().sort()).toEqual([ANA, BOB]);
    expect(await outputs()).toEqual({ satisfied: false, waiting: [ANA, BOB] });
    const { id = "", sourcePosition } = await project.resource("nda");
    // Where the program says so, not where the package does.
    expect(sourcePosition).toMatch(/\/index\.js#3,/);
    service.people.sign(id, ANA);

    project.asked();
    const open = await project.pulumi("preview");
    expect(open.text).toContain(`document ${id} waits for ${BOB} to sign (1 of 2 signed)`);
    expect(project.asked()).toEqual([`GET /v1/documents/${id}`]);
    await project.up();
    await project.pulumi("preview", "--expect-no-changes");

    project.write("index.js", program(2));
    const again = await project.pulumi("preview");
    expect(again.text).toContain(`will mail ${BOB}: a reminder of document ${id} (changed: triggers)`);
    expect(reminded()).toHaveLength(2);
    await project.up();
    expect(reminded().slice(2)).toEqual([BOB]);

    service.people.sign(id, BOB);
    await project.up();
    expect(await outputs()).toEqual({ satisfied: true, waiting: [] });

    await project.pulumi("refresh", "--yes", "--skip-preview");
    project.asked();
    await project.pulumi("preview", "--expect-no-changes");
    expect(project.asked()).toEqual([]);

    await project.pulumi("destroy", "--yes", "--skip-preview");
    expect(reminded()).toHaveLength(3);
    expect(project.mails()).toBe(5);
    expect(service.ledger.requests("createDocument")).toHaveLength(1);
  });

  test("a change of a document's terms changes neither its gate nor its reminder, in a preview as in an update", async () => {
    const index = program(1);
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "index.js": index,
      },
    });
    await project.up();
    const mails = project.mails();
    project.write("index.js", index.replace('name: "NDA",', 'name: "NDA", expiresAt: "2031-01-31",'));
    const { stdout } = await project.pulumi("preview", "--json");
    const { steps, diagnostics } = JSON.parse(stdout);
    const changed = steps.filter(({ op }: { op: string }) => op !== "same");
    expect(changed.map(({ op, urn }: Record<string, string>) => `${op} ${urn?.split("::").at(-1)}`)).toEqual([
      "update nda",
    ]);
    expect(JSON.stringify(diagnostics)).toContain(`waits for ${ANA}, ${BOB} to sign`);
    expect(JSON.stringify(diagnostics)).not.toContain("remind");
    await project.up();
    expect(project.mails()).toBe(mails);
  });

  test("Ctrl-C ends a wait at once, the gate is kept, and the next `up` goes on waiting", async () => {
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
      },
    });
    const { people, ledger } = project.service;
    const id = people.upload("first", { name: "NDA", pdf: Buffer.from("%PDF-1.4\n%%EOF\n"), emails: [ANA] });
    project.write(
      "index.js",
      `const docsign = require("pulumi-docsign/dynamic");
       new docsign.SignatureGate("signed", { documentId: "${id}", mode: "wait" }, { customTimeouts: { create: "10m" } });`,
    );
    const waits = (said: string): boolean => said.includes(`waiting for ${ANA} to sign`);
    const { text } = await project.interrupted(waits, "up", "--yes", "--skip-preview");
    expect(text).toContain(`cancelled while document ${id} waits for ${ANA} to sign`);
    expect(await project.resource("signed")).toMatchObject({ id, outputs: { satisfied: false } });

    people.signAll(id);
    await project.up();
    expect((await project.resource("signed")).outputs).toMatchObject({ satisfied: true });
    await project.pulumi("preview", "--expect-no-changes");
    expect(ledger.mails("reminder")).toEqual([]);
  });
});
