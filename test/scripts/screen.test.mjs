import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { createScreen } from "../../scripts/demo/screen.mjs";

it("shows a resource's progress when it changes, and every other line", () => {
  const stream = new PassThrough({ encoding: "utf8" });
  const { engine } = createScreen(stream);
  const creating = " +  docsign:index:DocumentSet ndas creating";
  engine("Updating (dev)");
  engine(`${creating} (0s)`);
  engine(`${creating} (1s) created 9 of 50`);
  engine(`${creating} (1s) created 9 of 50`);
  engine("@ updating....");
  engine(`${creating} (2s) created 9 of 50`);
  engine(" +  docsign:index:Folder contracts creating (2s)");
  engine(`${creating} (2s) created 18 of 50`);
  engine(" +  docsign:index:DocumentSet ndas created (3s) created 50 of 50");
  engine(" ");
  engine(" ");
  engine("Updating (dev)");
  const lines = stripVTControlCharacters(stream.read()).trimEnd().split("\n");
  expect(lines.map(line => line.replace("   | ", "").trim())).toEqual([
    "Updating (dev)",
    "+  docsign:index:DocumentSet ndas creating (0s)",
    "+  docsign:index:DocumentSet ndas creating (1s) created 9 of 50",
    "@ updating....",
    "+  docsign:index:Folder contracts creating (2s)",
    "+  docsign:index:DocumentSet ndas creating (2s) created 18 of 50",
    "+  docsign:index:DocumentSet ndas created (3s) created 50 of 50",
    "",
    "",
    "Updating (dev)",
  ]);
});
