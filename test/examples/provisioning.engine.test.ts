import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Desk, missingForExample } from "./support/desk.js";
import { LANGUAGES } from "./support/readme.js";

const CY = { id: "cy", name: "Cy Young", email: "cy@example.net" };

describe.each(LANGUAGES)("the example of provisioning in %s", language => {
  it("mails each member of the list their NDA once, and a new member alone", async ctx => {
    const missing = missingForExample(language);
    if (missing) ctx.skip(missing);
    await using desk = await Desk.open({ example: "provisioning", language });
    await desk.upTo("pulumi up");
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["ana@example.com", "bob@example.org"]);
    expect(await desk.run("curl -s $DOCSIGN_BASE_URL/_sandbox/mails")).toContain('"to":"ana@example.com"');

    desk.edit(`${language}/team.json`, text => text.replace(/\n]/, `,\n  ${JSON.stringify(CY)}\n]`));
    if (language === "yaml") await desk.also("node ndas.mjs");
    const preview = await desk.run("pulumi preview");
    expect(preview).toContain("+ 1 to create");
    expect(preview.match(/will mail .*/g)?.at(-1)).toBe('will mail cy@example.net: document "NDA of Cy Young"');
    await desk.run("pulumi up");
    expect(desk.mailed()).toEqual(["cy@example.net"]);
    expect(await desk.outputs()).toEqual({
      waitingFor: expect.toSatisfy(
        (emails: string[]) => emails.flat().join() === "ana@example.com,bob@example.org,cy@example.net",
      ),
    });

    // Who leaves the list and comes back has the NDA they had. Once is enough: the setting is the same in all languages.
    if (language === "yaml") {
      const team = readFileSync(desk.path("yaml/team.json"), "utf8");
      for (const text of [team.replace(/.*"bob".*\n/, ""), team]) {
        writeFileSync(desk.path("yaml/team.json"), text);
        await desk.also("node ndas.mjs && pulumi up");
      }
      expect(desk.mailed()).toEqual([]);
    }

    await desk.rest();
    expect(desk.mailed()).toEqual([]);
    expect(desk.sandbox.documents()).toHaveLength(3);
    expect(desk.sandbox.folders().map(({ name }) => name)).toEqual(["Team NDAs"]);
  });
});
