import { LEVELS } from "./law.js";
import { LAWS } from "./laws/index.js";
import type { Report, Result } from "./run.js";

/** One line, as for a badge: `42 of 42 must, 9 of 10 should, 1 of 1 could`. */
export function badge({ results }: Report): string {
  return LEVELS.flatMap(level => {
    const tried = results.filter(result => result.level === level && result.outcome !== "skipped");
    const held = tried.filter(({ outcome }) => outcome !== "failed");
    return tried.length === 0 ? [] : [`${held.length} of ${tried.length} ${level}`];
  }).join(", ");
}

/** What failed, once for each law and subject, with what it means; then what was skipped and waived, and the count. */
export function terminal(report: Report): string {
  const { provider, version, seed, results } = report;
  const lines = [`${provider}${version ? ` ${version}` : ""}, seed ${seed}`, ""];
  for (const outcome of ["failed", "waived"] as const) {
    const rows = grouped(results.filter(result => result.outcome === outcome));
    if (rows.length === 0) continue;
    lines.push(`${outcome}:`);
    for (const { first, engines } of rows) {
      const where = [first.subject, engines.length === 1 ? `${engines[0]} engine` : undefined]
        .filter(Boolean)
        .join(", ");
      lines.push(`  ${first.law} (${first.level})${where ? ` ${where}` : ""}`, `    ${first.message}`);
      const law = LAWS.find(({ name }) => name === first.law);
      if (outcome === "failed" && law) lines.push(`    ${law.breaks}`);
    }
    lines.push("");
  }
  lines.push(...notTried(results));
  lines.push(badge(report));
  return `${lines.join("\n")}\n`;
}

/** By reason, each with the laws and what they would have been tried on. */
function notTried(results: readonly Result[]): string[] {
  const reasons = new Map<string, { laws: Set<string>; subjects: Set<string> }>();
  for (const { outcome, message = "", law, subject } of results) {
    if (outcome !== "skipped") continue;
    const row = reasons.get(message) ?? { laws: new Set(), subjects: new Set() };
    row.laws.add(law);
    if (subject !== undefined) row.subjects.add(subject);
    reasons.set(message, row);
  }
  if (reasons.size === 0) return [];
  const lines = [...reasons].flatMap(([reason, { laws, subjects }]) => [
    `  ${[reason, [...subjects].join(", ")].filter(Boolean).join("; ")}`,
    `    ${[...laws].join(", ")}`,
  ]);
  return ["not tried:", ...lines, ""];
}

/** The same words under both engines' rules are one row. */
function grouped(results: readonly Result[]): { first: Result; engines: string[] }[] {
  const rows = new Map<string, { first: Result; engines: string[] }>();
  for (const result of results) {
    const key = JSON.stringify([result.law, result.subject, result.message]);
    const row = rows.get(key) ?? { first: result, engines: [] };
    row.engines.push(result.engine);
    rows.set(key, row);
  }
  return [...rows.values()];
}

export function junit({ provider, results }: Report): string {
  const count = (outcome: Result["outcome"]) => results.filter(result => result.outcome === outcome).length;
  const cases = results.map(({ law, level, subject, engine, outcome, message, milliseconds }) => {
    const about = `classname="${escaped(`${provider}.${level}`)}" name="${escaped([law, subject, engine].filter(Boolean).join(" "))}" time="${milliseconds / 1000}"`;
    if (outcome === "passed") return `    <testcase ${about}/>`;
    const inner = outcome === "failed" ? "failure" : "skipped";
    return `    <testcase ${about}><${inner} message="${escaped(message ?? "")}"/></testcase>`;
  });
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite name="${escaped(provider)}" tests="${results.length}" failures="${count("failed")}" skipped="${count("skipped") + count("waived")}">`,
    ...cases,
    `  </testsuite>`,
    `</testsuites>`,
    "",
  ].join("\n");
}

/** XML 1.0 has no way to write most control characters. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
    .replace(/[<>&"]/g, mark => `&#${mark.charCodeAt(0)};`);

/** The page of laws. */
export function lawsPage(): string {
  const sections = LEVELS.flatMap(level => [
    `## ${level}`,
    "",
    ...LAWS.filter(law => law.level === level).flatMap(({ name, claim, breaks }) => [
      `### ${name}`,
      "",
      claim,
      "",
      `Otherwise: ${breaks}`,
      "",
    ]),
  ]);
  return [
    "# Laws",
    "",
    "What the engine expects of a provider, and what goes wrong where it gets something else.",
    "",
    ...sections,
  ].join("\n");
}
