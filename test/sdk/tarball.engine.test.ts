import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { DOCUMENT, LISTS, openProject, packed } from "./support/project.js";

const pdf = (text: string): Buffer => Buffer.from(`%PDF-1.4\n${text} CANARYPDF\n%%EOF\n`);

const PULUMI = "name: contracts\nruntime: nodejs\n";
// What Pulumi's own templates have; newer compilers call this resolution deprecated.
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
    ignoreDeprecations: "6.0",
    types: ["node"],
  },
  files: ["index.ts"],
});
const PROGRAM = `
import { readFileSync } from "fs";
import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign/dynamic";

const folder = new docsign.Folder("folder", { name: "Contracts" });
const nda = new docsign.Document("nda", {
  name: "NDA",
  folderId: folder.folderId,
  file: new pulumi.asset.FileAsset("nda.pdf"),
  invitations: [{ email: "ana@example.com", name: "Ana" }, { email: "bob@example.org", stage: 2 }],
});
const lease = new docsign.Document("lease", {
  name: "Lease",
  base64File: readFileSync("lease.pdf"),
  invitations: [{ email: "ana@example.com" }],
});
export const id: pulumi.Output<string> = nda.documentId;
export const waiting: pulumi.Output<string[]> = docsign.getSignersOutput({ documentId: nda.documentId }).pendingSigners;
export const leaseStatus: pulumi.Output<string> = lease.status;
`;

describe.skipIf(missingEngine !== undefined)(
  `the packed package in an empty TypeScript project ${missingEngine ?? ""}`,
  () => {
    let folder: string;
    let unpacked: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "docsign-pack-"));
      unpacked = await packed(folder);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test("holds the plugin's SDK under the package's name, dynamic resources beside it, and names no plugin to install", () => {
      const { exports, pulumi } = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
      expect(pulumi).toBeUndefined();
      expect(readdirSync(join(unpacked, "dist", "sdks"))).toEqual(["nodejs"]);
      expect(JSON.parse(readFileSync(join(unpacked, "dist/sdks/nodejs/package.json"), "utf8")).pulumi).toBeUndefined();
      const missing = Object.values<string | { types: string; default: string }>(exports)
        .flatMap(paths => (typeof paths === "string" ? [paths] : [paths.types, paths.default]))
        .filter(path => !existsSync(join(unpacked, path)));
      expect(missing).toEqual([]);
    });

    test("lives a whole life, and nothing signed is replaced", async () => {
      await using project = await openProject({
        files: {
          "Pulumi.yaml": PULUMI,
          "package.json": '{"name":"contracts","main":"index.ts"}',
          "tsconfig.json": TSCONFIG,
          "index.ts": PROGRAM,
          "nda.pdf": pdf("nda"),
          "lease.pdf": pdf("lease"),
        },
        package: unpacked,
      });
      const { service } = project;
      const preview = await project.pulumi("preview");
      expect(preview.text).toContain(
        'will mail ana@example.com, then bob@example.org (in stage 2, after those before): document "NDA"',
      );
      expect(project.asked()).toEqual(LISTS);

      // It is the same program from here on: its types have been checked.
      project.set("PULUMI_NODEJS_TRANSPILE_ONLY", "true");
      await project.up();
      expect(service.ledger.documentCount()).toBe(2);
      expect(project.mails()).toBe(3);
      const nda = await project.resource("nda");
      const { stdout } = await project.pulumi("stack", "output", "--json");
      expect(JSON.parse(stdout)).toEqual({
        id: nda.id,
        waiting: ["ana@example.com", "bob@example.org"],
        leaseStatus: "unsigned",
      });

      project.asked();
      await project.pulumi("preview", "--expect-no-changes");
      // The program itself asks for its signers; the resources ask nothing.
      expect(project.asked()).toEqual([`GET /v1/documents/${nda.id}`]);

      service.people.sign(nda.id ?? "", "ana@example.com");
      await project.pulumi("refresh", "--yes", "--skip-preview");
      expect((await project.resource("nda")).outputs).toMatchObject({
        status: "partially_signed",
        pendingSigners: ["bob@example.org"],
        drift: [],
      });

      project.write("nda.pdf", pdf("another"));
      const refusal = `document ${nda.id} "NDA" is partially signed, so it is not replaced`;
      expect((await project.refused("preview")).text).toContain(refusal);
      const refused = await project.refused("up", "--yes", "--skip-preview");
      expect(refused.text).toContain("changed: file (sha256:");
      expect(refused.text).not.toMatch(/\\n\\s+at .*(:\\d+){2}/);
      project.write("nda.pdf", pdf("nda"));
      const forced = ["up", "--yes", "--skip-preview", "--target-replace", nda.urn];
      expect((await project.refused(...forced)).text).toContain(refusal);
      expect((await project.pulumi("preview", "--expect-no-changes")).text).not.toContain("replace");

      const kept = project.kept();
      expect(kept).not.toContain("CANARYPDF");
      expect(kept).not.toContain(pdf("nda").toString("base64").slice(0, 40));
      expect(kept).not.toContain(service.apiKey);
      for (const { inputs, outputs } of (await project.resources()).filter(({ type }) => type === DOCUMENT)) {
        for (const { __provider } of [inputs, outputs]) {
          expect(__provider).toBe('exports.handler=()=>require("pulumi-docsign/runtime").provider');
        }
      }

      const destroyed = await project.pulumi("destroy", "--yes", "--skip-preview");
      expect(destroyed.text).toContain("it stays at the service, which can't delete documents");
      expect(service.ledger.documentCount()).toBe(2);
      expect(project.mails()).toBe(3);
    });
  },
);
