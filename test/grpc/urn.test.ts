import { expect, it } from "vitest";
import { isStatelessUrn } from "../../provider/resources/urn.js";

it.each([
  ["urn:pulumi:dev::default::docsign:index:Document::Document", true],
  ["urn:pulumi:dev::default::docsign:index:Folder::Folder", true],
  ["urn:pulumi:dev::default::docsign:index:Document::nda", false],
  ["urn:pulumi:dev::contracts::docsign:index:Document::Document", false],
  ["urn:pulumi:prod::default::docsign:index:Document::Document", false],
  ["urn:pulumi:dev::default::app:index:Team$docsign:index:Document::Document", false],
  ["urn:pulumi:dev::default::docsign:index:Document::Document::Document", false],
  ["urn:pulumi:dev::default::::", false],
  ["", false],
])("%s: shared by all of `pulumi do` without a stack: %s", (urn, expected) => {
  expect(isStatelessUrn(urn)).toBe(expected);
});
