import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "./contract.js";
import { MemoryJournal } from "./memory-journal.js";

/** TEMPORARY */
export class FileJournal extends MemoryJournal {
  constructor(
    private readonly folder: string,
    run: string,
  ) {
    super(run);
    const names = [
      "resource",
      "content",
      "owner",
      "elsewhere",
      "begin",
      "hint",
      "withdraw",
      "claim",
      "show",
      "replace",
      "release",
    ] as const;
    for (const name of names) {
      const inner = (MemoryJournal.prototype as any)[name].bind(this);
      (this as any)[name] = async (...args: any[]) => {
        this.load(this.read());
        const result = await inner(...args);
        if (!["resource", "content", "owner", "elsewhere"].includes(name)) this.save();
        return result;
      };
    }
  }
  read(): any {
    try {
      return JSON.parse(readFileSync(join(this.folder, "j.json"), "utf8"));
    } catch {
      return { owned: [], attempts: [] };
    }
  }
  save() {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, "j.json"), JSON.stringify(this.dump()));
  }
  pathOf({ service, urn }: Scope): string {
    return join(
      this.folder,
      "x",
      "urns",
      Buffer.from(service + urn)
        .toString("hex")
        .slice(-40),
    );
  }
}
