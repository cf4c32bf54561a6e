import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Desk, missingForExample } from "./support/desk.js";
import { LANGUAGES } from "./support/readme.js";

describe.each([...LANGUAGES, "go"] as const)("the example of provisioning in %s", language => {
  it("mails each member of the list their NDA once, and a new member alone", async ctx => {
    const missing = missingForExample(language);
    if (missing) ctx.skip(missing);
    await using desk = await Desk.open({ example: "provisioning", language });
    await desk.upTo("pulumi up");
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["ana@example.com", "bob@example.org"]);
    expect(await desk.run("curl -s $DOCSIGN_BASE_URL/_sandbox/mails")).toContain('"to":"ana@example.com"');

    const team = desk.path(`${language}/team.csv`);
    appendFileSync(team, "cy@example.net,Cy Young,1 April 2027\n");
    const preview = await desk.run("pulumi preview");
    expect(preview).toContain("~ 1 to update");
    // In the resource's row, and again below it.
    expect(new Set(preview.match(/will mail .*/g))).toEqual(
      new Set(['will mail cy@example.net: document "NDA of Cy Young"']),
    );
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["cy@example.net"]);
    expect(await desk.outputs()).toMatchObject({
      waitingFor: ["ana@example.com", "bob@example.org", "cy@example.net"].map(email => ({ key: email, email })),
      summary: { total: 3, unsigned: 3, signed: 0, forgotten: 0 },
    });

    // Who leaves the list and comes back has the NDA they had. Once is enough: the setting is the same in all languages.
    if (language === "yaml") {
      const whole = readFileSync(team, "utf8");
      for (const text of [whole.replace(/^bob.*\n/m, ""), whole]) {
        writeFileSync(team, text);
        await desk.also("pulumi up --skip-preview");
      }
      expect(desk.mailed()).toEqual([]);
    }

    await desk.rest();
    expect(desk.mailed()).toEqual([]);
    expect(desk.sandbox.documents()).toHaveLength(3);
  });
});
