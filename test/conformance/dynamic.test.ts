import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readFixture } from "../../conformance/fixture.js";
import { run } from "../../conformance/run.js";
import { scratchFolder } from "../support/scratch.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** As Pulumi's SDK serialises it: notes, each a file in a folder. */
const PROVIDER = `exports.handler = () => {
  const { readFileSync, rmSync, writeFileSync } = require("node:fs");
  const file = id => process.env.NOTES + "/" + id;
  const text = ({ text }) => (text && text.value !== undefined ? text.value : text);
  const write = (id, inputs) => {
    writeFileSync(file(id), text(inputs));
    return { ...inputs, length: text(inputs).length };
  };
  return {
    check: async (_, inputs) => ({ inputs, failures: inputs.text === "" ? [{ property: "text", reason: "is empty" }] : [] }),
    diff: async (_, olds, news) => ({
      changes: olds.text !== news.text || olds.title !== news.title,
      replaces: olds.title === news.title ? [] : ["title"],
    }),
    create: async inputs => ({ id: inputs.title, outs: write(inputs.title, inputs) }),
    read: async (id, props) => {
      try {
        const text = readFileSync(file(id), "utf8");
        return { id, props: { ...props, text, length: text.length }, inputs: { title: id, text } };
      } catch {
        return { id: "", props: {} };
      }
    },
    update: async (id, _, news) => ({ outs: write(id, news) }),
    delete: async id => rmSync(file(id), { force: true }),
  };
};`;

/** What conformance/README.md says of Pulumi's dynamic provider. */
const FOUND = [
  ["unknown-token-is-refused", "expected an error that names package:index:ThereIsNoSuchThing"],
  ["a-forced-replacement-loses-nothing", 'expected the new resource to be there, got "" from Read'],
];

it("Pulumi's dynamic provider breaks these laws and no other", async () => {
  const folder = join(scratchFolder("conformance-"), "notes");
  mkdirSync(folder);
  const { resources, ...rest } = readFixture(here("dynamic/fixture.json"));
  const { results } = await run({
    target: { command: [process.execPath, here("../../node_modules/@pulumi/pulumi/cmd/dynamic-provider")] },
    fixture: {
      ...rest,
      resources: Object.fromEntries(
        Object.entries(resources).map(([token, resource]) => [
          token,
          { ...resource, inputs: { ...resource.inputs, __provider: PROVIDER } },
        ]),
      ),
      environment: { NOTES: folder },
    },
    engines: ["newest"],
    seed: "test",
    // What ends at all ends within it, on a machine as slow as it likes.
    soonMs: 300_000,
  });
  const failed = results.filter(({ outcome }) => outcome === "failed");
  expect(failed.map(({ law, message }) => [law, message])).toEqual(
    FOUND.map(([law, message]) => [law, expect.stringContaining(message ?? "")]),
  );
});
