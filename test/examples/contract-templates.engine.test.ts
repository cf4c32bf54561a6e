import { describe, expect, it } from "vitest";
import { Desk, missingForExample } from "./support/desk.js";
import { LANGUAGES } from "./support/readme.js";

const ZOE = "zoe@acme.example";
const JUERGEN = "juergen@globex.example";

describe.each(LANGUAGES)("the example of contract templates in %s", language => {
  it("a changed clause is refused where somebody has signed, and replaces the rest", async ctx => {
    const missing = missingForExample(language);
    if (missing) ctx.skip(missing);
    await using desk = await Desk.open({ example: "contract-templates", language });
    const documentOf = (email: string) => desk.sandbox.mails.findLast(({ to }) => to === email)?.documentId;
    await desk.upTo("pulumi up");
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual([JUERGEN, ZOE]);
    const [zoes, juergens] = [documentOf(ZOE), documentOf(JUERGEN)];

    await desk.upTo("pulumi preview");
    await desk.also("pulumi preview --expect-no-changes");

    desk.edit(`${language}/contracts/terms.md`, text => text.replace("thirty", "sixty"));
    const refused = await desk.refused("pulumi preview");
    expect(refused).toContain(`document ${zoes} "Terms of service, Acme S.A." is signed, so it is not replaced`);
    expect(refused).toMatch(/changed: template \(sha256:\w{12}… → sha256:\w{12}…\)/);
    expect(refused).toContain('ignoreChanges: ["template", "variables"]');
    expect(refused).not.toContain(`document ${juergens} "Terms of service, Globex GmbH" is`);
    expect(desk.mailed()).toEqual([]);

    if (language === "yaml") desk.edit("yaml/Pulumi.yaml", text => text.replace("# ignoreChanges", "ignoreChanges"));
    else desk.edit(`${language}/customers.json`, text => text.replace('"seats": 12', '"seats": 12, "keep": true'));
    const preview = await desk.run("pulumi preview");
    expect(preview).toContain(`will mail ${JUERGEN}`);
    expect(preview).not.toContain(`will mail ${ZOE}`);
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual([JUERGEN]);
    expect(await desk.outputs()).toEqual({ documentIds: [String(zoes), String(documentOf(JUERGEN))] });
    expect(documentOf(JUERGEN)).not.toBe(juergens);

    await desk.rest();
    expect(desk.mailed()).toEqual([]);
    expect(desk.sandbox.documents()).toHaveLength(3);
  });
});
