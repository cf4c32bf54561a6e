import { parse, YAMLParseError } from "yaml";
import { z } from "zod";
import { parseDuration } from "../../provider/schema/types.js";
import { CommandError } from "../cli/flags.js";
import type { COMMANDS } from "./flags.js";

export type FleetCommand = (typeof COMMANDS)[number];

export const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const nameSchema = (what: string) =>
  z.string().regex(NAME, { error: `expected ${what} of letters, digits, "_", "." and "-"` });
const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
const config = texts.describe(
  `Pulumi configuration. ${["stack", "file", "shard", "shards"].map(name => `\`\${${name}}\``).join(", ")} are filled in.`,
);
const env = texts.describe(
  "Environment variables of the engine and the program, filled in like `config`. No secrets: name those in `secrets`.",
);
const seconds = (what: string, fallback: string, least: number) =>
  z
    .string()
    .refine(text => (parseDuration(text) ?? 0) >= least * 1000, {
      error: `expected a duration of ${least}s or more, such as "${fallback}"`,
    })
    .default(fallback)
    .describe(`${what} (default ${fallback})`);

const stackSchema = z.strictObject({
  name: nameSchema("a stack name").describe("Name of the stack."),
  config: config.optional(),
  env: env.optional(),
});

const shards = z.strictObject({
  of: z.string().min(1).describe("CSV with a header, relative to this file: its rows are cut into shards."),
  key: z.string().min(1).describe("Column whose value says which shard a row belongs to: the key of the set."),
  count: z
    .int()
    .min(1)
    .max(10_000)
    .describe("Number of shards, each a stack of its own: `<name>-0`, `<name>-1` and so on."),
});

const stacks = z
  .strictObject({
    list: z.array(stackSchema).min(1).optional().describe("The stacks, one by one."),
    files: z
      .string()
      .min(1)
      .optional()
      .describe("One stack for each file of this glob, relative to this file, named after it."),
    shards: shards.optional().describe("One stack for each shard of a table."),
  })
  .refine(given => Object.values(given).filter(value => value !== undefined).length === 1, {
    error: "expected exactly one of `list`, `files` and `shards`",
  });

const schedule = z.strictObject({
  name: nameSchema("a name").describe("Names the schedule."),
  cron: z.string().min(1).describe("When: a cron expression of five fields, such as `0 2 * * *`."),
  timezone: z.string().min(1).default("UTC").describe("Time zone of `cron` (default UTC)."),
  command: z.enum(["up", "refresh", "preview"]).describe("What to run on every stack."),
  config: config.optional(),
});

export const fleetSchema = z.strictObject({
  $schema: z.string().optional(),
  name: nameSchema("a name").describe("Names the fleet: its jobs, and the stacks of its shards."),
  program: z
    .string()
    .min(1)
    .default(".")
    .describe("Folder with Pulumi.yaml, relative to this file; any language (default `.`)."),
  stacks: stacks.describe("Which stacks there are."),
  config: config.default({}),
  env: env.default({}),
  secrets: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "expected the name of an environment variable" }))
    .default([])
    .describe("Environment variables that each worker must have. Only their names are kept."),
  secretsProvider: z
    .string()
    .min(1)
    .optional()
    .describe("Secrets provider of stacks that are made, as `pulumi stack init` takes it."),
  workers: z
    .strictObject({
      parallel: z.int().min(1).max(64).default(2).describe("Stacks that one worker runs at a time (default 2)."),
      lease: seconds("How long a worker may be silent before another takes its stacks", "30s", 10),
    })
    .prefault({}),
  limits: z
    .strictObject({
      requestsInFlight: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe("Requests to the service in flight at most, all workers together."),
    })
    .prefault({}),
  schedules: z
    .array(schedule)
    .default([])
    .refine(all => new Set(all.map(({ name }) => name)).size === all.length, {
      error: "expected a name of its own for each",
    }),
});

export type FleetFile = z.output<typeof fleetSchema>;

export const leaseSeconds = (file: FleetFile): number =>
  Math.round((parseDuration(file.workers.lease) ?? 30_000) / 1000);

/** The fleet file's text, parsed. Says everything that is wrong with it at once. */
export function parseFleet(text: string, path: string): FleetFile {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new CommandError(`${path}: expected YAML, got ${error.message.split("\n")[0]}`);
  }
  const parsed = fleetSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(issue => `  ${issue.path.join(".") || "the file"}: ${reworded(issue.message)}`);
  throw new CommandError(`${path} isn't a fleet file:\n${lines.join("\n")}`);
}

/** zod's own words, in ours. */
const reworded = (message: string): string =>
  message
    .replace(/^Invalid input: expected (.*), received (.*)$/, "expected $1, got $2")
    .replace(/^Invalid option: expected (.*)$/, "expected $1")
    .replace(/^Unrecognized keys?: (.*)$/, "expected known settings, got $1");

/** For editors: `fleet.schema.json` is this. */
export const fleetJsonSchema = (): object => ({
  $id: "https://unpkg.com/pulumi-docsign/fleet/fleet.schema.json",
  title: "A fleet of stacks for docsign fleet",
  ...z.toJSONSchema(fleetSchema, { io: "input" }),
});
