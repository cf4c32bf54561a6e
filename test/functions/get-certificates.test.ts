import { describe, expect, it } from "vitest";
import { RateLimitedError, StatusError } from "../../provider/client/errors.js";
import { answer, FakeService, fixture, invoke } from "./service.js";

const REQUESTED = "document-certificates-requested";
const READY = "document-certificates";

function serviceWith(name: string) {
  const service = new FakeService();
  service.documents = [fixture(name)];
  return { service, documentId: service.documents[0]?.id ?? "" };
}

describe("what getCertificates requires", () => {
  it.each([
    [
      REQUESTED,
      "blockchain",
      /^document \d+ is still without its blockchain certificates \(status "requested"\), and `require: "blockchain"` was asked for\./,
    ],
    [REQUESTED, "nom151", /^document \d+ is still without its NOM151 certificate, and/],
    [
      REQUESTED,
      "all",
      /its blockchain certificates \(status "requested"\) and its NOM151 certificate, and `require: "all"`/,
    ],
  ])("fails in words: %s, %s", async (name, require, words) => {
    const { service, documentId } = serviceWith(name);
    await expect(answer(service, "getCertificates", { documentId, require })).rejects.toThrow(words);
  });

  it("is answered where it is there", async () => {
    const ready = serviceWith(READY);
    const { documentId } = ready;
    expect(await answer(ready.service, "getCertificates", { documentId, require: "blockchain" })).toMatchObject({
      certificates: { ready: true },
    });
    const nom151 = serviceWith("document-nom151");
    expect(
      await answer(nom151.service, "getCertificates", { documentId: nom151.documentId, require: "nom151" }),
    ).toMatchObject({ nom151: { ready: true } });
  });

  it("is one of three words, and the service isn't asked otherwise", async () => {
    const { service, documentId } = serviceWith(READY);
    const answered = await invoke(service, "getCertificates", { documentId, require: "signed" });
    expect(answered).toMatchObject({
      failures: [{ property: "require", reason: expect.stringContaining('one of "blockchain", "nom151", "all"') }],
    });
    expect(service.asked).toEqual([]);
  });
});

describe("whether certificates need the key", () => {
  it.each([
    ["no, where the address opens without it", () => "%PDF-1.7", false, [false]],
    [
      "yes, where it opens with it alone",
      (withKey: boolean) => (withKey ? "%PDF-1.7" : new StatusError("no", 401)),
      true,
      [false, true],
    ],
    [
      "yes, where without it a page comes",
      (withKey: boolean) => (withKey ? "%PDF-1.7" : "<html>"),
      true,
      [false, true],
    ],
    ["unknown, where neither leads to a PDF", () => new StatusError("no", 404), null, [false, true]],
    ["unknown, where the service has a fault", () => new StatusError("down", 503), null, [false]],
    ["unknown, where the service is busy", () => new RateLimitedError("busy", 429), null, [false]],
  ])("%s", async (_, stored: (withKey: boolean) => string | Error, expected, tries) => {
    const { service, documentId } = serviceWith(READY);
    service.stored = (_address, withKey) => stored(withKey);
    const result = (await answer(service, "getCertificates", { documentId })) as {
      certificates: { btcUrl: string };
      certificatesNeedKey: boolean | null;
    };
    expect(result.certificatesNeedKey).toBe(expected);
    expect(service.asked.slice(1)).toEqual(tries.map(withKey => ["download", result.certificates.btcUrl, withKey]));
  });

  it("isn't asked while they aren't there", async () => {
    const { service, documentId } = serviceWith(REQUESTED);
    expect(await answer(service, "getCertificates", { documentId })).toMatchObject({
      certificates: { status: "requested", ready: false, btcUrl: null, ethUrl: null },
      certificatesNeedKey: null,
    });
    expect(service.asked).toEqual([["getDocument", documentId]]);
  });
});
