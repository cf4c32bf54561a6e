import { describe, expect, it } from "vitest";
import {
  autograph,
  contractsIn,
  foreignSigners,
  isSandboxInProduction,
  kindOf,
  stackIn,
  withoutEnd,
  withoutStages,
} from "../../sdk/policy/rules.js";

const ana = { email: "ana@example.com", stage: 1, allowedSignatureTypes: "advanced" };
const bob = { email: "Bob@Legal.Example.org" };
const nda = { name: "NDA", invitations: [ana, bob] };

describe("the contracts of a resource", () => {
  it("are a document's, of either front end, or a set's, with its defaults", () => {
    expect(contractsIn("docsign:index:Document", nda)).toEqual([nda]);
    expect(contractsIn("pulumi-nodejs:dynamic/docsign:Document", nda)).toEqual([nda]);
    const documents = { a: { name: "A" }, b: { name: "B", invitations: [bob] } };
    expect(contractsIn("docsign:index:DocumentSet", { documents, defaults: { invitations: [ana] } })).toEqual([
      { name: "A", invitations: [ana] },
      { name: "B", invitations: [bob] },
    ]);
  });

  it("are a dynamic set's, whose rows have another name", () => {
    const props = { documentRows: { a: { name: "A" } }, defaults: { invitations: [ana] } };
    const rows = [{ name: "A", invitations: [ana] }];
    expect(contractsIn("pulumi-nodejs:dynamic/docsign:DocumentSet", props)).toEqual(rows);
  });

  it("are a set's, whose folder isn't known yet", () => {
    const defaults = {
      get folderId(): string {
        throw new Error("unknown");
      },
      invitations: [ana],
    };
    const documents = { a: { name: "A" } };
    expect(contractsIn("docsign:index:DocumentSet", { documents, defaults })).toEqual([
      { name: "A", invitations: [ana] },
    ]);
  });

  it.each(["docsign:index:Folder", "aws:s3:Bucket", "pulumi-nodejs:dynamic:Resource"])("aren't in %s", type => {
    expect(contractsIn(type, nda)).toEqual([]);
  });

  it("know their stack, and their kind", () => {
    expect(stackIn("urn:pulumi:prod::p::docsign:index:Document::nda")).toBe("prod");
    expect(kindOf("docsign:index:Document")).toBe("Document");
    expect(kindOf("other:index:Document")).toBeUndefined();
  });
});

describe("domains of signers", () => {
  it.each([
    [[], []],
    [["example.com", "legal.example.org"], []],
    [["example.com", "*.example.org"], []],
    [["EXAMPLE.com", "*.Example.org"], []],
    [["example.com"], ["Bob@Legal.Example.org"]],
    [["example.com", "example.org"], ["Bob@Legal.Example.org"]],
    [["*.example.com", "*.example.org"], ["ana@example.com"]],
    [["ample.com", "*.org"], ["ana@example.com"]],
  ])("%j leave out %j", (domains, left) => {
    const wrong = foreignSigners(nda, { domains });
    expect(wrong).toEqual(left.map(email => `"NDA": expected signers of ${domains.join(", ")}, got ${email}.`));
  });

  it("takes an address for what stands behind its last @", () => {
    const invitations = [{ email: '"ana@example.com"@evil.example' }, {}];
    expect(foreignSigners({ ...nda, invitations }, { domains: ["example.com"] })).toHaveLength(2);
  });
});

it("stages are required of everybody from a number of people on", () => {
  expect(withoutStages(nda, { from: 2 })).toEqual([
    '"NDA": expected a stage for everybody, got none for Bob@Legal.Example.org.',
  ]);
  expect(withoutStages(nda, { from: 3 })).toEqual([]);
  expect(withoutStages({ ...nda, invitations: [ana, { ...bob, stage: 0 }] }, { from: 2 })).toEqual([]);
});

it("an autograph signature is refused for the class alone, also where nothing is said", () => {
  expect(autograph(nda, { names: ["^nda$"] })).toEqual([
    '"NDA": expected `allowedSignatureTypes: advanced` for everybody, got another for Bob@Legal.Example.org.',
  ]);
  expect(autograph(nda, { names: ["lease", "order"] })).toEqual([]);
  expect(autograph(nda, { names: [] })).toEqual([]);
  expect(autograph({ ...nda, invitations: [ana] }, { names: ["."] })).toEqual([]);
});

it("an end is required of the class alone", () => {
  expect(withoutEnd(nda, { names: ["."] })).toEqual([
    '"NDA": expected `expiresAt`, the contract\'s last day, got none.',
  ]);
  expect(withoutEnd(nda, { names: ["lease"] })).toEqual([]);
  expect(withoutEnd(nda, { names: [] })).toEqual([]);
  const row = { name: "NDA", invitations: [ana] };
  const [ending, endless] = contractsIn("docsign:index:DocumentSet", {
    documents: { ana: row, bob: { ...row, expiresAt: null } },
    defaults: { expiresAt: "2028-02-29" },
  });
  expect([ending, endless].map(each => each && withoutEnd(each, { names: ["."] }).length)).toEqual([0, 1]);
});

describe("a sandbox in production", () => {
  const config = { stacks: ["prod", "prod-*"], sandboxes: ["localhost", "127.*", "[::1]", "*sandbox*"] };
  it.each([
    ["prod", "http://127.0.0.1:4010", true],
    ["prod-eu", "http://localhost", true],
    ["PROD", "http://[::1]:4010", true],
    ["prod", "https://api-sandbox.example.com/v1", true],
    ["prod", "https://api.example.com/sandbox", false],
    ["prod", "https://127.example.com", true],
    ["dev", "http://127.0.0.1:4010", false],
    ["preprod", "http://127.0.0.1:4010", false],
    ["prod", "not an address", false],
  ])("stack %s at %s: %s", (stack, address, expected) => {
    expect(isSandboxInProduction(stack, address, config)).toBe(expected);
  });
});
