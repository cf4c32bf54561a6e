import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Nom151Certificate } from "./types.js";

/** As this package names them: state can hold what somebody wrote into it. */
const FILE_NAME = /^document-\d{1,19}(-v\d{1,9})?\.asn1$/;
const PREFIX = "data:application/octet-stream;base64,";
let folder: string | undefined;

/**
 * A document's NOM151 certificate as an asset, to hand to another resource such as a bucket object. It is binary, so it
 * becomes a file of its owner's alone for as long as the program runs.
 *
 * It fails closed: while the certificate isn't there, the program ends with an error. To wait for it, put a
 * `SignatureGate` with `until: "nom151"` in front.
 *
 * @example
 * ```ts
 * new aws.s3.BucketObjectv2("constancia", { bucket, source: docsign.nom151Asset(nda.nom151) });
 * ```
 */
export function nom151Asset(certificate: pulumi.Input<CertificateText>): pulumi.Output<pulumi.asset.Asset> {
  return pulumi.output(certificate).apply(certificateFile);
}

/** What a file is made of. */
type CertificateText = Pick<Nom151Certificate, "ready"> & Partial<Pick<Nom151Certificate, "dataUri" | "fileName">>;

/** The certificate's file, or an error while there is none. */
export function certificateFile({ ready, dataUri, fileName }: CertificateText): pulumi.asset.Asset {
  if (!ready || !dataUri?.startsWith(PREFIX)) {
    throw new pulumi.RunError(
      'the NOM151 certificate isn\'t there yet. Wait for it with a SignatureGate (until: "nom151"), or run `pulumi up --refresh` once it is.',
    );
  }
  const bytes = Buffer.from(dataUri.slice(PREFIX.length), "base64");
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const path = join(privateFolder(), `${hash}-${FILE_NAME.test(fileName ?? "") ? fileName : "constancia.asn1"}`);
  writeFileSync(path, bytes, { mode: 0o600 });
  return new pulumi.asset.FileAsset(path);
}

function privateFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "pulumi-docsign-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}
