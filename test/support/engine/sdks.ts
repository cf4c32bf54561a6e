import { cpSync } from "node:fs";
import { join } from "node:path";
import { root } from "./found.js";

/** Puts the generated SDK for a language into `target`: set-up has generated it. */
export function copySdk(language: "nodejs" | "python" | "go", target: string): void {
  cpSync(join(root, "dist", "sdks", language), target, { recursive: true });
}
