import { cpSync } from "node:fs";
import { join } from "node:path";
import { run } from "./child.js";
import { environment, root } from "./found.js";

/** Generates the SDKs into dist/sdks/, where schema.json has moved on. */
export function generateSdks(): Promise<void> {
  generated ??= generate();
  return generated;
}

let generated: Promise<void> | undefined;

async function generate(): Promise<void> {
  const script = join(root, "scripts", "sdks.mjs");
  const made = await run(process.execPath, [script], { cwd: root, env: environment() });
  if (made.code !== 0) throw new Error(`the SDKs can't be generated:\n${made.stdout}${made.stderr}`);
}

/** Puts the generated SDK for a language into `target`. */
export async function copySdk(language: "nodejs" | "python" | "go", target: string): Promise<void> {
  await generateSdks();
  cpSync(join(root, "dist", "sdks", language), target, { recursive: true });
}
