import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Values } from "../../kit/values.js";
import { functions } from "../../provider/functions/index.js";
import type { ProviderFunction } from "../../provider/resources/resource.js";
import { createRuntime } from "../../provider/runtime.js";
import { openScene, type Scene } from "../evidence/support.js";
import { hasOpenssl, Tsa } from "../evidence/tsa.js";
import { call } from "./service.js";

async function getEvidence(
  { service, id }: Pick<Scene, "service" | "id">,
  more: Values = {},
): ReturnType<ProviderFunction["invoke"]> {
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
    return await fn.invoke(call(), { documentId: String(id), ...more });
  } finally {
    await runtime.close();
  }
}

async function resultOf(answered: ReturnType<ProviderFunction["invoke"]>): Promise<Values> {
  const given = await answered;
  if (!("result" in given)) throw new Error(JSON.stringify(given));
  return given.result;
}

function open({ service }: Scene): Pick<Scene, "service" | "id"> {
  const [id = 0] = service.seed({ documents: [{ name: "Open", invitations: [{ email: "ana@example.com" }] }] });
  return { service, id };
}

describe("getEvidence", () => {
  it("says what a pull writes, byte for byte, and writes nothing", async () => {
    await using signed = await openScene();
    signed.service.certify(signed.id, "all");
    const result = await resultOf(getEvidence(signed));
    expect(signed.files()).toEqual([]);

    const manifest = await signed.download();
    const { sha256, complete, missing } = result;
    expect({ sha256, complete, missing }).toEqual({
      sha256: createHash("sha256").update(signed.read("evidence.json")).digest("hex"),
      complete: true,
      missing: [],
    });
    const files = result["files"] as Values[];
    expect(files.map(({ address, ...file }) => file)).toEqual(manifest.files);
    for (const { kind, address } of files)
      expect(address === undefined || String(address).startsWith(`${signed.service.url}/`), String(kind)).toBe(true);
    expect(files.filter(({ address }) => address === undefined).map(({ kind }) => kind)).toEqual(["nom151"]);
  });

  it.skipIf(!hasOpenssl())("checks a time stamp against the files", async () => {
    await using signed = await openScene();
    using tsa = new Tsa();
    await signed.download();
    const constancia = tsa.stamp(signed.read("signed.pdf")).toString("base64");
    signed.service.certify(signed.id, "nom151", { constancia });
    expect(await resultOf(getEvidence(signed))).toMatchObject({
      complete: true,
      constancia: { kind: "rfc3161", matches: "signed", signature: "fits its certificate" },
    });
  });

  it("fails with `requireComplete` while something is missing, and says what", async () => {
    await using signed = await openScene();
    const unsigned = open(signed);
    await expect(getEvidence(unsigned, { requireComplete: true })).rejects.toThrow(
      `the evidence of document ${unsigned.id} isn't complete, and \`requireComplete\` was asked for: signed: not everybody has signed`,
    );
    expect(await getEvidence(unsigned)).toMatchObject({
      result: { complete: false, missing: [{ kind: "signed", why: "not everybody has signed" }] },
    });
  });

  it("names what is wrong with its arguments, and asks nothing", async () => {
    await using signed = await openScene();
    expect(await getEvidence(signed, { documentId: "x", requireComplete: "perhaps" })).toMatchObject({
      failures: [
        { property: "documentId", reason: expect.stringContaining("documentId") },
        { property: "requireComplete", reason: expect.stringContaining("true or false") },
      ],
    });
  });
});
