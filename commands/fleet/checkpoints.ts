import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { Environment } from "../../provider/config.js";
import type { PlannedStack } from "./plan.js";

const EVERY = {};
const ONCE = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };

let latest: { readonly text: string; readonly checkpoints: Readonly<Record<string, string>> } | undefined;

const yamlProgram = z.object({
  runtime: z.union([z.literal("yaml"), z.object({ name: z.literal("yaml"), options: z.undefined().optional() })]),
  main: z.undefined().optional(),
  // Where stacks have their settings, by its name now and before.
  stackConfigDir: z.undefined().optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  resources: z.record(z.string(), z.object({ type: z.string().regex(/^(docsign:|pulumi:providers:docsign$)/) })),
});

/**
 * How often the engine writes its state in an `up`: once, at the end, where the journal carries the run. That is known of a
 * program in YAML whose resources are all ours; of one in another language only once it has run. A program or a stack that
 * says something of a journal has it where this process doesn't look. What the user says of checkpoints holds.
 */
export function checkpointsOf(
  program: string,
  { name, config }: PlannedStack,
  env: Environment,
): Readonly<Record<string, string>> {
  if (env["PULUMI_SKIP_CHECKPOINTS"] !== undefined || env["PULUMI_EXPERIMENTAL"] !== undefined) return EVERY;
  try {
    const text = readFileSync(join(program, "Pulumi.yaml"), "utf8");
    if (/journal/i.test(text + settingsOf(program, name) + Object.keys(config).join())) return EVERY;
    // All stacks of a fleet have one program: of a hundred resources, reading it takes 30 ms.
    if (latest?.text !== text)
      latest = { text, checkpoints: yamlProgram.safeParse(parse(text)).success ? ONCE : EVERY };
    return latest.checkpoints;
  } catch {
    // The engine says what is wrong with it.
    return EVERY;
  }
}

function settingsOf(program: string, stack: string): string {
  try {
    return readFileSync(join(program, `Pulumi.${stack}.yaml`), "utf8");
  } catch {
    return "";
  }
}
