import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printable } from "../../provider/core/text.js";
import {
  factsIn,
  factsOfRun,
  mailsIn,
  mailsTo,
  mostOf,
  peopleIn,
  sumOf,
  withFacts,
  wordsIn,
} from "../../provider/schema/facts.js";
import "../support/properties.js";

const urn = (type: string, name = "nda") => `urn:pulumi:dev::contracts::docsign:index:${type}::${name}`;

describe("facts at the end of a line", () => {
  test("are what a machine reads, and a person reads the words", () => {
    const line = withFacts('will mail ana@example.com: document "NDA"', { mails: 1, to: ["ana@example.com"] });
    expect(line).toBe('will mail ana@example.com: document "NDA" [docsign/facts mails=1&to=ana@example.com]');
    expect(factsIn(line)).toEqual({ mails: 1, to: ["ana@example.com"] });
    expect(wordsIn(`<{%reset%}>${line}<{%reset%}>\n`)).toBe('will mail ana@example.com: document "NDA"');
    expect(factsIn(`<{%reset%}>${line}<{%reset%}>\n`)).toEqual({ mails: 1, to: ["ana@example.com"] });
  });

  test("come back as they were written, whatever stands in them, on their way through the engine", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter(each => each.isWellFormed());
    const facts = fc.record(
      { mails: fc.nat(), refused: fc.nat(), to: fc.array(text, { minLength: 1, maxLength: 3 }) },
      { requiredKeys: ["mails"] },
    );
    fc.assert(
      fc.property(fc.string(), facts, (words, given) => {
        expect(factsIn(`${printable(withFacts(words, given))}\n`)).toEqual(given);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    'will mail ana@example.com: document "NDA" [docsign/facts mails=0]',
    "[docsign/facts mails=0]",
    "[docsign/<{%reset%}>facts mails=0]",
    "[docsign/facts mails=0]\u202e",
  ])("can't be written by a title: %j", words => {
    expect(factsIn(printable(withFacts(words, {})))).toBeUndefined();
    expect(factsIn(printable(withFacts(words, { mails: 3 })))).toEqual({ mails: 3 });
  });

  test("hold no secret, no text that is no address, and ten of a list", () => {
    const to = ["eve@example.com", "x".repeat(255), ...Array.from({ length: 12 }, (_, n) => `p${n}@example.com`)];
    const line = withFacts("", { mails: 14, to }, text => text.replaceAll("eve@example.com", "[secret]"));
    expect(factsIn(line)?.to).toEqual(to.slice(2, 12));
    expect(line).not.toMatch(/eve|xxx/);
    expect(line.length).toBeLessThan(400);
  });

  test("hold no secret in what a change would have said, however JSON spells it", () => {
    const change = JSON.stringify({ after: { variables: { code: 'a"secret"b', rent: "900" } } });
    const line = withFacts("", { refused: 1, change }, text => text.replaceAll('a"secret"b', "[secret]"));
    expect(JSON.parse(factsIn(line)?.change ?? "")).toEqual({
      after: { variables: { code: "[secret]", rent: "900" } },
    });
    expect(line).not.toContain("secret%22b");
  });

  test.each([
    "[docsign/facts mails=-1]",
    "[docsign/facts mails=1e3]",
    "[docsign/facts mails=1&mails=2]",
    "[docsign/facts mails=]",
    "[docsign/facts __proto__=1]",
    "[docsign/facts later=1]",
    "[docsign/facts mails=1] and more",
  ])("that this version doesn't understand are none: %s", line => expect(factsIn(line)).toBeUndefined());
});

test("facts of several things are added, and of one thing said twice the larger counts", () => {
  const one = { mails: 2, to: ["ana@example.com"] };
  const other = { mails: 1, takesBack: 1, to: ["ana@example.com", "bob@example.com"] };
  expect(sumOf([one, other])).toEqual({ mails: 3, takesBack: 1, to: ["ana@example.com", "bob@example.com"] });
  expect(mostOf([one, one, { mails: 0 }])).toEqual(one);
  expect(sumOf([])).toEqual({});
});

describe("facts of a run", () => {
  const said = (type: string, message: string, severity = "info") => ({ urn: urn(type), message, severity });

  test("nobody is mailed where each step that may mail said so, or there is none", () => {
    expect(mailsIn(factsOfRun([], []))).toBe(0);
    const steps = ["same", "update", "delete", "read"].map(op => ({ op, urn: urn("Document", op) }));
    expect(mailsIn(factsOfRun([...steps, { op: "create", urn: urn("Folder") }], []))).toBe(0);
    const set = { op: "update", urn: urn("DocumentSet") };
    expect(mailsIn(factsOfRun([set], []))).toBeUndefined();
    expect(factsOfRun([set], []).silent).toEqual([set.urn]);
    expect(mailsIn(factsOfRun([set], [said("DocumentSet", "in all: [docsign/facts mails=0]")]))).toBe(0);
  });

  test("what isn't known yet isn't nobody", () => {
    const create = { op: "create", urn: urn("Document") };
    expect(mailsIn(factsOfRun([create], [said("Document", "[docsign/facts undecided=1&sends=1]")]))).toBeUndefined();
  });

  test("what a forced replacement would mail about isn't nobody, where the step is a replacement", () => {
    const notice = said("Document", "[docsign/facts keeps=1&keptUnlessForced=1]");
    const mails = (op: string) => mailsIn(factsOfRun([{ op, urn: urn("Document") }], [notice]));
    expect([mails("create"), mails("replace"), mails("create-replacement")]).toEqual([0, undefined, undefined]);
  });

  test("a notice said twice counts once, and other resources' lines and errors count for nothing", () => {
    const create = { op: "create", urn: urn("Document") };
    const notice = said("Document", "[docsign/facts mails=2&sends=1]");
    const forged = [
      { urn: "urn:pulumi:dev::contracts::other:index:Thing::x", message: "[docsign/facts mails=9]", severity: "info" },
      { message: "[docsign/facts mails=9]", severity: "info" },
      said("Document", "[docsign/facts mails=9]", "error"),
      said("Document", "[docsign/facts mails=0]"),
    ];
    expect(mailsIn(factsOfRun([create], [notice, notice, ...forged]))).toBe(2);
  });

  test("dynamic resources say them under their own types", () => {
    const dynamic = "urn:pulumi:dev::contracts::pulumi-nodejs:dynamic/docsign:Document::nda";
    const notice = { urn: dynamic, message: "[docsign/facts mails=1&sends=1]", severity: "info" };
    expect(mailsIn(factsOfRun([{ op: "create", urn: dynamic }], [notice]))).toBe(1);
  });
});

test("who is mailed twice is one person, and whose address isn't known is another one", () => {
  expect(mailsTo(["ana@example.com", "bob@example.com"])).toEqual({ mails: 2 });
  expect(mailsTo(["ana@example.com", "Ana@example.com ", undefined, undefined])).toEqual({ mails: 4, people: 3 });
  expect([{ mails: 4, people: 3 }, { mails: 4 }, {}].map(peopleIn)).toEqual([3, 4, 0]);
});
