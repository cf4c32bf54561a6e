import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { openScene, type Scene } from "../support/engine/scene.js";
import type { StackOptions } from "../support/engine/stack.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const PDF = "contracts/nda.pdf";
const short = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}…`;

const waysOut = (reason: string): string => `What you can do:
  - keep this document: take the change back, or set the resource option ignoreChanges: ["file", "base64File"] (both)${reason.startsWith("changed: ") ? "" : `, or ["template", "variables"] for a template`}
  - send the changed contract as well: declare it as a new resource with its own name
  - let go of this one first: remove it from the program, \`pulumi up\`, then declare the new one (it stays at the service)`;

/** One contract from its first preview to the day it is let go. The claims are steps: each begins where the one before ended. */
export function contractLife(
  title: string,
  options: Omit<StackOptions, "service" | "language" | "program"> &
    Pick<Required<StackOptions>, "language" | "program">,
): void {
  const missing = missingFor(options.language);
  // Each quick start has a contract of its own.
  const name = options.program.startsWith("examples/quickstart-") ? `Mutual NDA (${title})` : "Mutual NDA";

  describe.skipIf(missingEngine)(`the life of a contract in ${title}`, () => {
    let scene: Scene;
    let original: Buffer;
    beforeAll(async () => {
      if (missing) return;
      scene = await openScene(options);
      original = scene.stack.read(PDF);
    });
    beforeEach(ctx => {
      if (missing) ctx.skip(missing);
      scene.asked();
      scene.mailed();
    });
    afterAll(() => scene?.[Symbol.asyncDispose]());

    const changed = () => Buffer.concat([original, Buffer.from("% one clause more\n")]);
    const folder = () => scene.service.ledger.folders()[0]?.id;
    /** What the program's two functions ask, whenever it runs. */
    const functions = () => [`GET /v1/documents/${scene.id()}`, `GET /v1/documents?folder_id=${folder()}`];
    const outputs = (more: Record<string, unknown>) => ({
      documentId: scene.id(),
      inFolder: [scene.id()],
      ...more,
    });
    /** The refusal with Ana's signature on the document; its time is the service's. */
    const refusal = (reason: string, first = "") => {
      const at = /** the only time in it */ String.raw`\d{4}-\d\d-\d\dT[\d:.]+-06:00(?: \(\d{4}-\d\d-\d\d \d\d:\d\d local time\))?`;
      const text = `error nda: document ${scene.id()} "${name}" is partially signed, so it is not replaced. No one was mailed. [docsign/replace-signed]
  ${reason}
  signed: ${ANA} (advanced), TIME
  waiting: ${BOB}
${waysOut(reason).replace("do:\n", `do:\n${first}`)}`;
      return new RegExp(`^${escaped(text).replace("TIME", at)}$`);
    };

    it("a first preview says who will be mailed, and only lists what is at the service", async () => {
      const preview = await scene.stack.preview();
      expect(preview.steps).toEqual(["create contracts", "create nda"]);
      expect(preview.notes).toEqual([
        `info nda: will mail ${ANA}, then ${BOB} (in stage 2, after those before): document "${name}"`,
      ]);
      expect(scene.asked().map(request => request.replace(/from_date=[^&]*&to_date=[^&]*&/, ""))).toEqual([
        "GET /v1/documents",
        ...["unsigned", "partially_signed", "signed"].map(status => `GET /v1/documents/by_date_range?status=${status}`),
      ]);
    });

    it("up sends what the program says, mails each signer once, and gives the outputs", async () => {
      const up = await scene.stack.up();
      expect(up.steps).toEqual(["create contracts", "create nda"]);
      expect(scene.stack.outputs()).toEqual(
        outputs({ status: "unsigned", allSigned: false, pendingSigners: [ANA, BOB], stillToSign: [ANA, BOB] }),
      );
      const [creation] = scene.service.ledger.requests("createDocument");
      expect(creation?.body).toEqual({
        name,
        description: "Between the two parties of the pilot project",
        folder_id: Number(folder()),
        invitations_attributes: [
          {
            invite_email: ANA,
            invite_name: "Ana Torres",
            message: "Please sign before Friday.",
            allowed_signature_types: "all",
            stage: 1,
          },
          { invite_email: BOB, invite_name: "Bob Lindqvist", allowed_signature_types: "all", stage: 2 },
        ],
        base64_file: { sha256: createHash("sha256").update(original).digest("hex"), size: original.length, pdf: true },
      });
      expect(scene.service.ledger.folders().map(({ name }) => name)).toEqual(["Contracts 2026"]);
      expect(scene.mailed()).toEqual([ANA, BOB]);
    });

    it("a preview with nothing changed asks what the program's functions ask, and nothing for its resources", async () => {
      const preview = await scene.stack.preview("--expect-no-changes");
      expect(preview.steps).toEqual([]);
      expect(scene.asked().sort()).toEqual(functions().sort());
    });

    // These pass no SDK. Each language's quick start has a refresh and a refusal as well.
    const isYaml = options.language === "yaml";
    const inYaml = (name: string, claim: () => Promise<void>): void => {
      if (isYaml) it(name, claim);
    };

    inYaml("a refresh learns of a signature, and leaves nothing to change", async () => {
      scene.service.people.sign(scene.id(), ANA);
      const refresh = await scene.stack.refresh();
      expect(refresh.steps.sort()).toEqual(["refresh contracts", "refresh nda"]);
      expect(scene.asked()).toEqual([`GET /v1/documents/${scene.id()}`]);
      const { nda } = scene.stack.entries();
      expect(nda?.outputs).toMatchObject({ status: "partially_signed", pendingSigners: [BOB], drift: [] });
      expect((await scene.stack.up("--expect-no-changes")).steps).toEqual([]);
      expect(scene.stack.outputs()).toEqual(
        outputs({ status: "partially_signed", allSigned: false, pendingSigners: [BOB], stillToSign: [BOB] }),
      );
    });

    inYaml("a changed PDF is refused at preview, and by an up that skips it", async () => {
      scene.stack.write(PDF, changed());
      const reason = `changed: file (${short(original)} → ${short(changed())})`;
      for (const command of [["preview"], ["up", "--yes", "--skip-preview"]]) {
        const refused = await scene.stack.refused(command);
        expect(refused.notes.find(note => note.startsWith("error nda"))).toMatch(refusal(reason));
        expect(refused.steps).toEqual([]);
      }
      expect(scene.asked().filter(request => !request.startsWith("GET"))).toEqual([]);
      scene.stack.write(PDF, original);
    });

    inYaml("a forced replacement is refused before anything new is made", async () => {
      const refused = await scene.stack.refused([
        "up",
        "--yes",
        "--skip-preview",
        "--target-replace",
        scene.stack.urn("nda"),
      ]);
      expect(refused.notes[0]).toMatch(
        refusal(
          "a replacement of it was asked for",
          `  - if it was tainted: pulumi state untaint ${scene.stack.urn("nda")}\n`,
        ),
      );
      expect(refused.steps).toEqual(["delete-replaced nda"]);
      expect(scene.asked().filter(request => !request.startsWith("GET"))).toEqual([]);
      expect((await scene.stack.up("--expect-no-changes")).steps).toEqual([]);
    });

    it("up --refresh brings the certificates once all have signed", async () => {
      // Ana has signed where there was a refresh.
      for (const who of isYaml ? [BOB] : [ANA, BOB]) scene.service.people.sign(scene.id(), who);
      scene.service.people.certify(scene.id());
      expect((await scene.stack.up("--refresh")).steps.sort()).toEqual(["refresh contracts", "refresh nda"]);
      const version = scene.service.ledger.documents()[0]?.versions[0];
      const { url } = scene.service;
      expect(scene.stack.outputs()).toEqual(
        outputs({
          status: "signed",
          allSigned: true,
          pendingSigners: [],
          stillToSign: [],
          signedPdf: `${url}/blob/signed/${version?.id}/${version?.sha256Signed}.pdf`,
          btcCertificate: `${url}/v3/timestamps/${version?.sha256Signed}.pdf`,
          ethCertificate: `${url}/v3/timestamps/eth/${version?.sha256Signed}.pdf`,
          nom151: `document-${scene.id()}-v1.asn1`,
        }),
      );
    });

    it("destroy forgets, names what stays at the service, and sends no request", async () => {
      const destroy = await scene.stack.destroy();
      expect(destroy.steps).toEqual(["delete nda", "delete contracts"]);
      expect(destroy.notes).toEqual([
        `warning nda: document ${scene.id()} is removed from state, not deleted: it stays at the service, which can't delete documents. It was signed when it was last read.`,
        `warning contracts: folder ${folder()} is removed from state, not deleted: the service can't delete folders, so it and what is in it stay there.`,
      ]);
      expect(scene.asked()).toEqual([]);
      expect(scene.stack.entries()).toEqual({});
    });

    it("in all of it one document was made, and each signer had one mail", () => {
      const { ledger } = scene.service;
      expect(ledger.requests("createDocument")).toHaveLength(1);
      expect(ledger.requests("createFolder")).toHaveLength(1);
      expect(ledger.mails().map(({ to, kind }) => [to, kind])).toEqual([
        [ANA, "invitation"],
        [BOB, "invitation"],
      ]);
    });
  });
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
