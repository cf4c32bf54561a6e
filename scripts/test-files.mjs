// Which test files a run has, and what they need of the machine: so that nothing is brought for tests that don't run.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Started by `npm test` without arguments each day. */
const EVERY_DAY = [
  "test/docs/quickstart.engine.test.ts",
  "test/engine/yaml.engine.test.ts",
  "test/faults/kill.engine.test.ts",
];
/** Mostly long. `npm test` without arguments runs some of them, others each day. */
const SAMPLED =
  /\.engine\.test\.|^test\/(bench\/plugin-memory|conformance\/(conformance|docsign|dynamic|go-provider|kit)|examples\/compiles|fleet\/(command|kill|simulation)|packaging\/release|scripts\/check|sdk\/package|templates\/same-bytes)\./;
/** Ten minutes, and it asks package registries. */
const NEVER_SAMPLED = "test/packaging/rehearsal.engine.test.mjs";
/** What a day's files may take, in the seconds of `times`. */
const A_DAY = 80;
/** Of those that `times` doesn't name, at most. */
const SHORT = 5;

/**
 * Seconds that a file takes on two processors, where it is {@link SHORT} or more: the longest begin first, `npm test`
 * without arguments has room for so many of them, and `--changed` leaves them out. `npm test -- --all --times` measures.
 */
const times = JSON.parse(readFileSync(join(import.meta.dirname, "test-times.json"), "utf8"));

/** The rows of `times`, of milliseconds by file. */
export const timesOf = files =>
  Object.fromEntries(
    Object.entries(files)
      .map(([file, milliseconds]) => [file, Math.round(milliseconds / 1_000)])
      .filter(([, seconds]) => seconds >= SHORT)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** `20260131`: a sample for each day. */
export const today = () => new Date().toISOString().slice(0, 10).replaceAll("-", "");

/** The words that name files: what follows a flag may be its value. */
export const namesOf = args =>
  args.filter((argument, nth) => !argument.startsWith("-") && !/^-[^=]*$/.test(args[nth - 1] ?? ""));

export function filesUnder(root, folder = "test") {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === "fixtures" ? [] : filesUnder(root, path);
      return /\.test\.(ts|mjs)$/.test(entry.name) ? [path] : [];
    });
}

/** What vitest's filters leave. */
export const filesNamed = (files, names) =>
  names.length === 0 ? files : files.filter(file => names.some(name => file.includes(name.replace(/^\.\//, ""))));

/** What a day's sample leaves out. */
export function leftOut(files, seed) {
  const place = file => createHash("sha256").update(`${seed} ${file}`).digest("hex");
  let taken = 0;
  return files
    .filter(file => SAMPLED.test(file) && !EVERY_DAY.includes(file))
    .map(file => ({ file, place: place(file) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ file }) => file)
    .filter(file => {
      const time = times[file] ?? SHORT;
      // One that takes more than a day has comes when it is the first.
      const isToday = file !== NEVER_SAMPLED && (taken === 0 || taken + time <= A_DAY);
      if (isToday) taken += time;
      return !isToday;
    });
}

/** What shows that a file, or one that it imports, needs something. */
const NEEDS = {
  engine:
    /^\S+\.engine\.test\.|DOCSIGN_TEST_ENGINE\b|import \{[^}]*\b(missingEngine|pulumi|environment)\b[^}]*\} from "[^"]*engine\/found\.js"/,
  python: /machine\.python\b|DOCSIGN_TEST_PYTHON/,
  // What is packed has the SDK for npm in it, and packing asks no network for what would generate it.
  sdks: /\bsdksMissing\b|"sdks"|DOCSIGN_TEST_SDKS|import \{[^}]*\bpacked\b[^}]*\} from "[^"]*\/project\.js"/,
  java: /DOCSIGN_TEST_JAVA\b/,
  s3Server: /DOCSIGN_TEST_S3_SERVER\b/,
  conformance: /DOCSIGN_TEST_(NOTES|PROVIDERTEST)\b/,
  oldestNode: /DOCSIGN_TEST_OLDEST_NODE\b/,
  nodeWithin: /"archives\.mjs"|import \{[^}]*\barchived\b|packaging\/executable\.mjs"|"--rehearse"/,
};
/** It says where everything is, and needs nothing. */
const MACHINE = /\/support\/engine\/found\.ts$/;
const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** `{ engine: true, python: false, … }` for these files. */
export function needsOf(root, files) {
  const seen = new Set(files.map(file => join(root, file)));
  const needs = Object.fromEntries(Object.keys(NEEDS).map(name => [name, false]));
  for (const path of seen) {
    if (MACHINE.test(path)) continue;
    const text = `${relative(root, path)}\n${readFileSync(path, "utf8")}`;
    for (const [name, sign] of Object.entries(NEEDS)) needs[name] ||= sign.test(text);
    for (const [, target] of text.matchAll(IMPORT)) {
      const plain = resolve(dirname(path), target);
      const found = [plain.replace(/\.js$/, ".ts"), plain].find(each => existsSync(each));
      if (found?.startsWith(join(root, "test"))) seen.add(found);
    }
  }
  return needs;
}
