import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LocalLog } from "../../provider/resources/journal/local-log.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { scratchFolder } from "../support/scratch.js";
import { conformance } from "./conformance.js";

conformance("a folder", async () => {
  const folder = scratchFolder("docsign-journal-");
  return {
    journal: ({ run = "r", ...options } = {}) => new LoggedJournal(new LocalLog(folder), { run, ...options }),
    content: async () =>
      readdirSync(folder)
        .sort()
        .map(name => readFileSync(join(folder, name), "utf8"))
        .join(""),
    save: async () => {
      const copy = scratchFolder("docsign-journal-");
      cpSync(folder, copy, { recursive: true });
      return async () => {
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        cpSync(copy, folder, { recursive: true });
        rmSync(copy, { recursive: true });
      };
    },
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  };
});
