/** Gives every nasty value to one entry, in a process of its own, and says for each what came of it and what it took. */
import fc from "fast-check";
import { NASTY_TEXTS } from "../values.js";
import { entries, type Given, OURS } from "./entries.js";

const deep = (depth: number): unknown => {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = [value];
  return value;
};
const MANY = 100_000;
const many = Array.from({ length: MANY }, (_, index) => NASTY_TEXTS[index % NASTY_TEXTS.length] ?? "");

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
const drawn = fc.sample(fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.json({ maxDepth: 4 })), {
  numRuns: 200,
  seed: Number(process.argv[3]),
});

const only = (text: string): Given => ({ text, value: text });
const values: [string, Given][] = [
  ...[...NASTY_TEXTS, ...drawn].map((text): [string, Given] => [JSON.stringify(text), { text, value: parsed(text) }]),
  ["1 MB", only("x".repeat(1_000_000))],
  ["200,000 spaces in a text", only(`a${" ".repeat(200_000)}b@example.com`)],
  ["wide spaces in ten parts", only(`a\nb${"\u2003".repeat(45_000)}c\n\n`.repeat(10))],
  ["200,000 slashes in a path", only(`https://example.com/${"/".repeat(200_000)}a`)],
  ["100,000 tags that aren't closed", only(`<html>${"<input ".repeat(100_000)}`)],
  ["100,000 @", only("@e".repeat(100_000))],
  ["100,000 texts", { text: many.join(","), value: many }],
  ["100,000 lines", { text: many.join("\n"), value: many.map(name => ({ name, email: name })) }],
  [
    "100,000 keys",
    {
      text: many.map((key, at) => `${key}${at}: 1`).join("\n"),
      value: Object.fromEntries(many.map((key, at) => [`${key}${at}`, key])),
    },
  ],
  ["lists 10,000 deep", { text: "[".repeat(10_000) + "]".repeat(10_000), value: deep(10_000) }],
  ["objects 10,000 deep", { text: `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, value: deep(10_000) }],
];

async function main(): Promise<void> {
  const entry = entries[process.argv[2] ?? ""];
  if (!entry) throw new Error(`there is no entry ${process.argv[2]}`);
  for (const [value, given] of values) {
    const before = process.cpuUsage();
    let said: unknown;
    let bug: string | undefined;
    try {
      said = await entry(given);
    } catch (error) {
      if (!OURS.some(kind => error instanceof kind))
        bug = String(error instanceof Error ? error.stack : error).slice(0, 1_000);
    }
    const { user, system } = process.cpuUsage(before);
    const lines = Array.isArray(said) ? said.map(String) : [];
    const unfit = lines
      .filter(line => line.length > 2_000 || /[^\P{Cc}\n]|\p{Cs}|\u202e/u.test(line))
      .map(line => line.slice(0, 300));
    const took = { value: value.slice(0, 80), cpuSeconds: (user + system) / 1e6, bug, unfit };
    process.stdout.write(`${JSON.stringify(took)}\n`);
  }
}

void main();
