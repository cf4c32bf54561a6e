import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Desk, missingForExample } from "./support/desk.js";
import { LANGUAGES } from "./support/readme.js";

/** What stops the second stack, in every language. */
const REFUSAL =
  /document 5001 is still without its blockchain certificates \(status "[a-z_]+"\), and `require: "blockchain"` was asked for/;

describe.each(LANGUAGES)("the example of certificates in %s", language => {
  it("the second stack mails nobody before the certificates are there", async ctx => {
    const missing = missingForExample(language);
    if (missing) ctx.skip(missing);
    await using desk = await Desk.open({ example: "certificates", language });
    await desk.upTo("pulumi up");
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["ana@example.com", "bob@example.org"]);

    await desk.upTo("pulumi up");
    expect(await desk.refused("pulumi up")).toMatch(REFUSAL);
    expect(desk.mailed()).toEqual([]);

    await desk.upTo("pulumi up");
    const hash = desk.sandbox.document(5001).files.at(-1)?.signedSha256;
    const btcCertificate = `${desk.sandbox.url}/v3/timestamps/${hash}.pdf`;
    const ethCertificate = `${desk.sandbox.url}/v3/timestamps/eth/${hash}.pdf`;
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["auditor@example.net"]);
    expect(await desk.outputs()).toEqual({ btcCertificate, ethCertificate });
    expect(desk.sandbox.documents().at(-1)?.description).toBe(
      `Bitcoin: ${btcCertificate}, Ethereum: ${ethCertificate}`,
    );

    const archive = "env -u DOCSIGN_API_KEY -u DOCSIGN_BASE_URL pulumi up";
    await desk.upTo(archive);
    await desk.run(archive);
    // Python's SDK leaves out what is None.
    const absent = language === "python" ? {} : { btcCertificate: null, signedSha256: null };
    expect(await desk.outputs()).toEqual({ ready: false, ...absent });
    await desk.upTo(archive);
    await desk.run(archive);
    const read = { ready: true, btcCertificate, signedSha256: hash };
    expect(await desk.outputs()).toEqual(read);

    // The same on a machine with an empty home, where neither the provider nor its SDK is to be found.
    const ours = ["bin", "node_modules/pulumi-docsign"].map(path => join(desk.checkout, path));
    for (const path of ours) renameSync(path, `${path}.away`);
    const home = 'HOME="$(mktemp -d)" PULUMI_HOME="$(mktemp -d)"';
    await desk.also(`${home} env -u DOCSIGN_API_KEY -u DOCSIGN_BASE_URL pulumi up --yes --stack dev --non-interactive`);
    expect(await desk.outputs()).toEqual(read);
    for (const path of ours) renameSync(`${path}.away`, path);

    await desk.rest();
    expect(desk.mailed()).toEqual([]);
  });
});
