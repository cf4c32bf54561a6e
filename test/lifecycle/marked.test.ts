import { describe, expect, test } from "vitest";
import { pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { forgetMachine, nda, type Scene, sceneWith } from "./scene.js";

/* With the setting `creationMarker`, a contract that was sent before isn't sent again for another resource. */

const nobody = { creates: 0, mails: 0 };
const renamed = nda({ name: "renamed" });
const marked = (more = {}) => sceneWith([nda()], { config: { creationMarker: true, ...more } });
const refused = async (s: Scene, stack: Stack) => {
  const { error } = await stack.up([renamed], { skipPreview: true });
  expect(error).toContain("[docsign/duplicate]");
  expect(s.sent()).toEqual(nobody);
};

describe.each([false, true])("a marked document, signed: %s,", isSigned => {
  const open = async (more = {}) => {
    const s = await marked(more);
    if (isSigned) s.service.people.signAll(s.id());
    return s;
  };

  test("isn't sent under another name", async () => {
    await using s = await open();
    await refused(s, s.stack);
  });

  test("isn't sent by another stack", async () => {
    await using s = await open();
    await refused(s, new Stack(pluginFrontEnd(s.machine), s.stack.providers, "other"));
  });

  test("isn't sent on a machine that has seen nothing", async () => {
    await using s = await open();
    await forgetMachine(s);
    await refused(s, s.stack);
  });

  test("isn't sent once the setting is taken out", async () => {
    await using s = await open();
    s.stack.providers["default"] = { ...s.stack.providers["default"], creationMarker: false };
    await refused(s, s.stack);
  });

  test("isn't taken by another resource where `duplicatePolicy` is adopt", async () => {
    await using s = await open({ duplicatePolicy: "adopt" });
    await forgetMachine(s);
    await refused(s, new Stack(pluginFrontEnd(s.machine), s.stack.providers, "other"));
  });

  test("is taken back after a destroy", async () => {
    await using s = await open();
    await s.stack.destroy();
    expect((await s.stack.up([renamed], { skipPreview: true })).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
  });
});
