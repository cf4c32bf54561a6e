import { readFileSync, statSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { nom151Asset } from "../../sdk/index.js";
import { certificateFile } from "../../sdk/nom151-asset.js";

const value = <T>(output: pulumi.Output<T>): Promise<T> => new Promise(resolve => output.apply(resolve));

test("the certificate's very bytes, in a file of its owner's alone, the same file for the same bytes", async () => {
  const bytes = Buffer.from([0x30, 0x82, 0x00, 0xff, 0x80]);
  const nom151 = {
    ready: true,
    dataUri: `data:application/octet-stream;base64,${bytes.toString("base64")}`,
    fileName: "document-7-v1.asn1",
  };
  const asset = (await value(nom151Asset(pulumi.output(nom151)))) as pulumi.asset.FileAsset;
  const path = await asset.path;
  expect(path).toMatch(/document-7-v1\.asn1$/);
  expect(readFileSync(path)).toEqual(bytes);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const again = (await value(nom151Asset(nom151))) as pulumi.asset.FileAsset;
  expect(await again.path).toBe(path);
});

test("fails closed while the certificate isn't there", () => {
  expect(() => certificateFile({ ready: false })).toThrow(/isn't there yet.*SignatureGate/);
});
