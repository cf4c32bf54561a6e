import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { functions } from "../../provider/functions/index.js";
import type { ProviderFunction } from "../../provider/resources/resource.js";
import { createRuntime } from "../../provider/runtime.js";
import { Asset, type Values } from "../../provider/schema/values.js";
import { openScene, type Scene } from "../evidence/support.js";
import { call } from "./service.js";

let written: string | undefined;
afterEach(() => {
  if (written !== undefined) rmSync(written, { recursive: true, force: true });
});

async function getEvidence(
  { service, id, directory }: Scene,
  more: Values = {},
): ReturnType<ProviderFunction["invoke"]> {
  written = directory;
  const runtime = createRuntime({
    env: {},
    version: "0.0.0",
    engine: undefined,
    pid: process.pid,
    isAlive: () => true,
  });
  runtime.configure({ baseUrl: service.url, apiKey: service.apiKey });
  try {
    const fn = functions(runtime.context).find(({ token }) => token === "docsign:index:getEvidence");
    if (!fn) throw new Error("there is no getEvidence");
    return await fn.invoke(call(), { documentId: String(id), directory, ...more });
  } finally {
    await runtime.close();
  }
}

describe("getEvidence", () => {
  it("writes the files, checked, and gives each as an asset", async () => {
    await using signed = await openScene();
    signed.service.certify(signed.id);
    const answered = await getEvidence(signed);
    if (!("result" in answered)) throw new Error(JSON.stringify(answered));
    const { result } = answered;
    const files = result["files"] as Values[];
    expect(files.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["original", "signed", "nom151"]));
    for (const { fileName, sha256, asset } of files) {
      expect(asset).toEqual(new Asset({ path: join(signed.directory, String(fileName)), hash: String(sha256) }));
      expect(signed.files()).toContain(fileName);
    }
    expect(result).toMatchObject({ documentId: String(signed.id), directory: signed.directory, missing: [] });
    expect(JSON.parse(readFileSync(join(signed.directory, "evidence.json"), "utf8"))).toMatchObject({
      complete: result["complete"],
    });
  });

  it("fails with `requireComplete` while something is missing, and says what", async () => {
    await using unsigned = await openScene();
    const [id = 0] = unsigned.service.seed({
      documents: [{ name: "Open", invitations: [{ email: "ana@example.com" }] }],
    });
    const open = { ...unsigned, id } as Scene;
    await expect(getEvidence(open, { requireComplete: true })).rejects.toThrow(
      `the evidence of document ${id} isn't complete, and \`requireComplete\` was asked for: signed: not everybody has signed`,
    );
    expect(await getEvidence(open)).toMatchObject({
      result: { complete: false, missing: [{ kind: "signed", why: "not everybody has signed" }] },
    });
  });

  it("refuses a directory that holds another document's evidence, in words", async () => {
    await using signed = await openScene();
    await getEvidence(signed);
    const [id = 0] = signed.service.seed({
      documents: [{ name: "Other", invitations: [{ email: "ana@example.com" }] }],
    });
    await expect(getEvidence({ ...signed, id } as Scene)).rejects.toThrow("give each document a directory of its own");
  });

  it("names what is wrong with its arguments, and asks nothing", async () => {
    await using signed = await openScene();
    expect(await getEvidence(signed, { directory: "", documentId: "x" })).toMatchObject({
      failures: [
        { property: "documentId", reason: expect.stringContaining("documentId") },
        { property: "directory", reason: expect.stringContaining("the path of a directory") },
      ],
    });
    expect(signed.files()).toEqual([]);
  });
});
