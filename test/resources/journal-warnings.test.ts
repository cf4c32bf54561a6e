import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nda, scene, sceneWith } from "../lifecycle/scene.js";

/** The journal's folder is a file: it can be neither read nor written. */
function breakJournal(folder: string): void {
  rmSync(join(folder, "journal"), { recursive: true, force: true });
  writeFileSync(join(folder, "journal"), "");
}

const saysSo = (lines: readonly string[]): number =>
  lines.filter(line => line.startsWith("warning: ") && line.includes("the journal in ")).length;

test("a journal that can't be reached is a warning of a preview and an up with nothing to do, once in each", async () => {
  await using s = await sceneWith([nda(), nda({ name: "annex", inputs: { name: "Annex" } })]);
  breakJournal(s.machine.folder);
  const up = await s.stack.up([nda(), nda({ name: "annex", inputs: { name: "Annex" } })]);
  expect(up.error).toBeUndefined();
  expect([saysSo(up.previewLines), saysSo(up.lines)]).toEqual([1, 1]);
});

test("a journal that can't be reached refuses a create before anything is sent", async () => {
  await using s = await scene();
  breakJournal(s.machine.folder);
  const up = await s.stack.up([nda()], { skipPreview: true });
  expect(up.error).toContain("the journal in ");
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});

test.each(["refresh", "destroy"] as const)("a journal that can't be reached doesn't stop a %s", async command => {
  await using s = await sceneWith([nda()]);
  breakJournal(s.machine.folder);
  const outcome = await s.stack[command]();
  expect(outcome.error).toBeUndefined();
  expect(saysSo(outcome.lines)).toBe(1);
});
