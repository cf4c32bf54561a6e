import { expect, test } from "vitest";
import { renderTemplate } from "../../sdk/templates/index.js";
import { open, pdf } from "../sdk/support/scene.js";

const MARKDOWN = "# NDA\n\nBetween {{company}} and **{{name}}**.\n";
const VARIABLES = { company: "Acme", name: "Zoë Kovač" };

/** A string asset, as the engine sends one. */
const template = (text: string) => ({
  "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17",
  text,
});

const contract = (more: object = {}) => ({
  name: "NDA",
  invitations: [{ email: "ana@example.com", name: "Ana" }],
  template: template(MARKDOWN),
  variables: VARIABLES,
  ...more,
});

test("a dynamic resource renders the same PDF, and has no diff after a refresh on another machine", async () => {
  await using scene = await open();
  const program = scene.host().program("nda", contract({ pageNumbers: false }));
  const entry = await scene.host().create(program);
  const rendered = await renderTemplate({ template: { markdown: MARKDOWN }, variables: VARIABLES, pageNumbers: false });
  expect(entry.outputs["sha256"]).toBe(rendered.sha256);
  expect(JSON.stringify(entry)).not.toContain("Between");
  const read = await scene.anotherMachine().refresh(entry);
  expect(read.outputs).toEqual(entry.outputs);
  const host = scene.anotherMachine();
  expect(await host.diff(read, program)).toMatchObject({ changes: false, replaces: [] });
  expect(scene.posts()).toBe(1);
});

test("a dynamic resource is replaced when a variable changes, and not when only the way to give the PDF does", async () => {
  await using scene = await open();
  const host = scene.host();
  const entry = await host.create(host.program("nda", contract()));
  const other = contract({ variables: { ...VARIABLES, company: "Umbrella" } });
  expect(await host.diff(entry, host.program("nda", other))).toEqual({
    changes: true,
    replaces: ["variables"],
    deleteBeforeReplace: true,
  });
  const { base64 } = await renderTemplate({ template: { markdown: MARKDOWN }, variables: VARIABLES });
  const { template: _template, variables: _variables, ...rest } = contract();
  expect(await host.diff(entry, host.program("nda", { ...rest, base64File: base64 }))).toMatchObject({
    changes: false,
  });
  expect(await host.diff(entry, host.program("nda", { ...rest, base64File: pdf("other") }))).toMatchObject({
    changes: true,
    replaces: ["base64File"],
  });
});
