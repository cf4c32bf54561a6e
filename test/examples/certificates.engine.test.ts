import { describe, expect, it } from "vitest";
import { Desk, missingForExample } from "./support/desk.js";
import { type ExampleLanguage, LANGUAGES } from "./support/readme.js";

/** What stops the second stack, in each language's words. */
const REFUSAL: Record<ExampleLanguage, RegExp> = {
  typescript: /Required output '(btc|eth)Certificate' does not exist on stack 'organization\/certificates-sign\/dev'/,
  yaml: /the second argument to fn::join must be a list of strings, found nil at index 0/,
  python: /KeyError: '(btc|eth)Certificate'/,
};

describe.each(LANGUAGES)("the example of certificates in %s", language => {
  it("the second stack mails nobody before the first has the addresses", async ctx => {
    const missing = missingForExample(language);
    if (missing) ctx.skip(missing);
    await using desk = await Desk.open({ example: "certificates", language });
    await desk.upTo("pulumi up");
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["ana@example.com", "bob@example.org"]);

    await desk.upTo("pulumi up");
    expect(await desk.refused("pulumi up")).toMatch(REFUSAL[language]);
    expect(desk.mailed()).toEqual([]);

    await desk.upTo("pulumi stack output btcCertificate");
    const hash = desk.sandbox.document(5001).files.at(-1)?.signedSha256;
    const btcCertificate = `${desk.sandbox.url}/v3/timestamps/${hash}.pdf`;
    const ethCertificate = `${desk.sandbox.url}/v3/timestamps/eth/${hash}.pdf`;
    expect(await desk.run("pulumi stack output btcCertificate")).toBe(btcCertificate);

    await desk.upTo("pulumi up");
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["auditor@example.net"]);
    expect(await desk.outputs()).toEqual({ btcCertificate, ethCertificate });
    expect(desk.sandbox.documents().at(-1)?.description).toBe(
      `Bitcoin: ${btcCertificate}, Ethereum: ${ethCertificate}`,
    );

    await desk.rest();
    expect(desk.mailed()).toEqual([]);
  });
});
