import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMarkdown } from "../../commands/board/markdown.js";
import { readPreview } from "../../commands/board/preview.js";
import { missingEngine } from "../support/engine/found.js";
import { LISTS, openProject } from "./support/project.js";

const pdf = Buffer.from("%PDF-1.4\nCANARYPDF\n%%EOF\n");

describe.skipIf(missingEngine !== undefined)(`programs with the SDK ${missingEngine ?? ""}`, () => {
  test("secrets stay secret in state, log and output", async () => {
    await using project = await openProject({
      settings: "stack",
      service: { first: { apiKey: "CANARYKEY-0123456789" } },
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.mjs\n",
        "package.json": '{"type":"module"}',
        "nda.pdf": pdf,
        // An ES module.
        "index.mjs": `
          import { readFileSync } from "node:fs";
          import * as pulumi from "@pulumi/pulumi";
          import { Document, Folder } from "pulumi-docsign/dynamic";
          const nda = new Document("nda", {
            name: pulumi.secret("CANARYNAME"),
            description: pulumi.secret("CANARYTEXT"),
            base64File: pulumi.secret(readFileSync("nda.pdf").toString("base64")),
            invitations: pulumi.secret([{ email: "canary-ana@example.com", message: "CANARYMESSAGE" }]),
            extraParameters: pulumi.secret({ note: "CANARYEXTRA" }),
          });
          export const waiting = nda.pendingSigners;
          export const isFolder = Folder.isInstance(nda);
        `,
      },
    });
    const said = [
      await project.pulumi("preview"),
      await project.up(),
      await project.pulumi("refresh", "--yes", "--skip-preview"),
      await project.pulumi("preview", "--expect-no-changes"),
    ];
    const nda = await project.resource("nda");
    project.service.people.sign(nda.id ?? "", "canary-ana@example.com");
    project.write("nda.pdf", Buffer.concat([pdf, Buffer.from("% changed")]));
    said.push(await project.refused("preview"), await project.pulumi("destroy", "--yes", "--skip-preview"));

    const places = { said: said.map(({ text }) => text).join(), kept: project.kept() };
    const canaries = ["CANARY", "canary-ana", pdf.toString("base64").slice(0, 24)];
    const leaks = Object.entries(places).flatMap(([place, text]) =>
      canaries
        .map(canary => text.indexOf(canary))
        .flatMap(at => (at < 0 ? [] : [`${place}: ${text.slice(at - 80, at + 60)}`])),
    );
    expect(leaks).toEqual([]);
    expect(nda.outputs).toMatchObject({ status: "unsigned", secretInputs: expect.arrayContaining(["invitations"]) });
  });

  test("several in one component are created", async () => {
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "nda.pdf": pdf,
        "index.js": `
          const pulumi = require("@pulumi/pulumi");
          const { Document, Folder } = require("pulumi-docsign/dynamic");
          class Contracts extends pulumi.ComponentResource {
            constructor(name) {
              super("acme:index:Contracts", name);
              const folder = new Folder("folder", { name: "Legal" }, { parent: this });
              for (const who of ["ana", "bob"])
                new Document(who, {
                  name: who,
                  folderId: folder.folderId,
                  file: new pulumi.asset.FileAsset("nda.pdf"),
                  invitations: [{ email: who + "@example.com" }],
                }, { parent: this });
              this.registerOutputs();
            }
          }
          new Contracts("legal");
        `,
      },
    });
    await project.up();
    expect(project.service.ledger.mails()).toHaveLength(2);
    await project.pulumi("preview", "--expect-no-changes");
  });

  test("a preview says whom sets in a new folder mail, as far as that is known, and shows no secret of theirs", async () => {
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "nda.pdf": pdf,
        "index.js": `
          const pulumi = require("@pulumi/pulumi");
          const { DocumentSet, Folder } = require("pulumi-docsign/dynamic");
          const { folderId } = new Folder("folder", { name: "Legal" });
          const base64File = require("fs").readFileSync("nda.pdf");
          const rows = (...names) => Object.fromEntries(names.map(name => [name, { invitations: [{ email: name + "@example.com" }] }]));
          new DocumentSet("ndas", { documents: rows("ana", "bob"), defaults: { name: "NDA", base64File, folderId } });
          const defaults = { name: pulumi.secret("CANARYNAME"), base64File, folderId };
          new DocumentSet("leases", { documents: rows("cy"), defaults });
          new DocumentSet("others", { documents: folderId.apply(() => rows("dee")), defaults });
        `,
      },
    });
    const said = [await project.pulumi("preview", "--diff"), await project.pulumi("preview", "--json")];
    const [shown, json] = said;
    expect(shown?.text).toContain("in all: 2 people will be mailed (2 new documents)");
    expect(shown?.text).toContain("in all: 1 person will be mailed (1 new document)");
    expect(shown?.text).toContain("may mail people: its rows aren't known yet");
    const comment = planMarkdown(readPreview(JSON.parse(json?.stdout ?? "")));
    expect(comment).toContain("**3 people will be mailed, others aren't known yet**");

    said.push(await project.up());
    const { ledger } = project.service;
    expect(
      ledger
        .mails()
        .map(({ to }) => to)
        .sort(),
    ).toEqual(["ana", "bob", "cy", "dee"].map(name => `${name}@example.com`));
    expect(new Set(ledger.documents().map(({ folderId }) => folderId)).size).toBe(1);
    said.push(await project.pulumi("preview", "--expect-no-changes"));
    expect([...said.map(({ text }) => text), project.kept()].join()).not.toContain("CANARYNAME");
  });

  test("a hash of what was replaced is there once something was, and secret whatever is secret by then", async () => {
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "nda.pdf": pdf,
        "secret.txt": "4711",
        "index.js": `const { readFileSync } = require("fs");
          const pulumi = require("@pulumi/pulumi");
          const { Document } = require("pulumi-docsign/dynamic");
          const text = readFileSync("secret.txt", "utf8");
          const description = text === "" ? "NDA" : pulumi.secret(text);
          const invitations = [{ email: "ana@example.com" }];
          const nda = new Document("nda", { name: "NDA", description, base64File: readFileSync("nda.pdf"), invitations });
          exports.replaced = nda.supersededContents.apply(contents => Object.keys(contents || { none: "" }));
          exports.isSecret = pulumi.isSecret(nda.supersededContents);`,
      },
    });
    const exported = async () => JSON.parse(await project.shell("pulumi stack output --json --show-secrets"));
    await project.up();
    const { id = "" } = await project.resource("nda");
    expect(await exported()).toEqual({ replaced: ["none"], isSecret: false });

    project.write("secret.txt", "");
    await project.up();
    expect(await exported()).toEqual({ replaced: [id], isSecret: true });
    const { description, supersededContents } = (await project.resource("nda")).outputs;
    expect(description).toBe("NDA");
    expect(supersededContents).toEqual(expect.objectContaining({ ciphertext: expect.any(String) }));
    await project.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    await project.pulumi("preview", "--expect-no-changes");

    project.write("secret.txt", "4711");
    await project.up();
    expect((await project.resource("nda")).id).toBe(id);
    expect(project.mails()).toBe(2);
  });

  test("Ctrl-C while a document is being created: the next `up` finds it, and no one is mailed twice", async () => {
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "nda.pdf": pdf,
        "index.js": `const docsign = require("pulumi-docsign/dynamic");
          const base64File = require("fs").readFileSync("nda.pdf");
          new docsign.Document("nda", { name: "NDA", base64File, invitations: [{ email: "ana@example.com" }] });`,
      },
    });
    const { service } = project;
    service.faults.push({ kind: "hang", when: "after" }, "createDocument");
    const sent = (): boolean => service.ledger.documentCount() === 1;
    await project.interrupted(sent, "up", "--yes", "--skip-preview");
    await project.up();
    expect((await project.resource("nda")).id).toBe(service.ledger.documents()[0]?.id);
    expect(service.ledger.requests("createDocument")).toHaveLength(1);
    expect(project.mails()).toBe(1);
    await project.pulumi("preview", "--expect-no-changes");
  });

  test("a set of hundreds of rows keeps in state what was sent where one fails", async () => {
    await using project = await openProject({
      service: { lag: { list: Number.POSITIVE_INFINITY } },
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "nda.pdf": pdf,
        "index.js": `const docsign = require("pulumi-docsign/dynamic");
          const people = Array.from({ length: 300 }, (_, nth) => "person" + nth + "@example.com");
          new docsign.DocumentSet("ndas", {
            documents: Object.fromEntries(people.map(email => [email, { invitations: [{ email }] }])),
            defaults: { name: "NDA", base64File: require("fs").readFileSync("nda.pdf") },
          });`,
      },
    });
    project.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument");
    expect((await project.refused("up", "--yes", "--skip-preview")).text).toContain("answered 422");
    expect(project.mails()).toBe(299);
    project.set("DOCSIGN_STATE_DIR", join(project.folder, "another-journal"));
    await project.up();
    expect(project.mails()).toBe(300);
    await project.pulumi("preview", "--expect-no-changes");
  });

  test("`get` reads a document of somebody else, and what isn't known in a preview asks nothing of its own", async () => {
    await using project = await openProject({
      files: {
        "Pulumi.yaml": "name: contracts\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n",
        "package.json": "{}",
        "index.js": "",
      },
    });
    const id = project.service.people.upload("first", { name: "Theirs", pdf, emails: ["cy@example.com"] });
    project.write(
      "index.js",
      `const docsign = require("pulumi-docsign/dynamic");
       const theirs = docsign.Document.get("theirs", "${id}");
       const ours = new docsign.Document("ours", { name: "Ours", base64File: require("fs").readFileSync("nda.pdf"), invitations: [{ email: "ana@example.com" }] });
       exports.theirs = theirs.status;
       exports.waiting = docsign.getSignersOutput({ documentId: ours.documentId }).pendingSigners;
       exports.others = docsign.getUnmanagedDocumentsOutput({ managedIds: [ours.documentId] }).documents.apply(rows => rows.map(row => row.name));`,
    );
    project.write("nda.pdf", pdf);
    await project.pulumi("preview");
    expect(project.asked().sort()).toEqual([...LISTS, `GET /v1/documents/${id}`].sort());
    await project.up();
    const { stdout } = await project.pulumi("stack", "output", "--json");
    expect(JSON.parse(stdout)).toEqual({ theirs: "unsigned", waiting: ["ana@example.com"], others: ["Theirs"] });
    await project.pulumi("refresh", "--yes", "--skip-preview");
    await project.pulumi("destroy", "--yes", "--skip-preview");
    expect(project.service.ledger.documentCount()).toBe(2);
  });
});
