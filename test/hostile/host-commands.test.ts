import { expect, test } from "vitest";
import { printable, withoutHostCommands } from "../../provider/core/text.js";

test.each([
  ["::set-output name=a::b", "\\u003a:set-output name=a::b"],
  ["line\n \t::add-mask::x", "line\n \t\\u003a:add-mask::x"],
  ["line\r::stop-commands::x", "line\n\\u003a:stop-commands::x"],
  ["a ##[set-env name=A]b", "a \\u0023#[set-env name=A]b"],
  ["##vso[task.setvariable variable=A]b", "\\u0023#vso[task.setvariable variable=A]b"],
  ["###teamcity[x]", "#\\u0023#teamcity[x]"],
  ["urn:pulumi:dev::bench::x", "urn:pulumi:dev::bench::x"],
  ["## [a heading](x)\n: a", "## [a heading](x)\n: a"],
])("a CI host finds no command of its own in %j", (given, wanted) => {
  expect(printable(given)).toBe(wanted);
});

test("JSON stays the same without them", () => {
  const value = { "##[group]": ["::debug::x", "##vso[x]"] };
  const written = withoutHostCommands(JSON.stringify(value, null, 2));
  expect(written).not.toMatch(/##\w*\[/);
  expect(JSON.parse(written)).toEqual(value);
});
