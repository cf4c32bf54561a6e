// The summary vitest writes, as a table by folder: each folder below provider/, and every other top folder.
import { relative } from "node:path";

const COUNTED = ["statements", "branches", "functions"];

/** @param {Record<string, Record<string, { total: number, covered: number }>>} summary by file, with a "total" */
export function coverageTable({ total, ...files }, root) {
  const folders = {};
  for (const [file, counts] of Object.entries(files)) {
    const folder = folderOf(relative(root, file).replaceAll("\\", "/"));
    folders[folder] ??= Object.fromEntries(COUNTED.map(kind => [kind, { total: 0, covered: 0 }]));
    for (const kind of COUNTED) {
      folders[folder][kind].total += counts[kind].total;
      folders[folder][kind].covered += counts[kind].covered;
    }
  }
  const rows = [...Object.entries(folders).sort(([a], [b]) => (a < b ? -1 : 1)), ["together", total]];
  const width = Math.max(...rows.map(([name]) => name.length));
  const line = (name, cells) => [name.padEnd(width), ...cells.map(cell => cell.padStart(10))].join("  ");
  return [
    line("", COUNTED),
    ...rows.map(([name, counts]) =>
      line(
        name,
        COUNTED.map(kind => percent(counts[kind])),
      ),
    ),
  ].join("\n");
}

function folderOf(path) {
  const [top, second, ...rest] = path.split("/");
  return ["provider", "sdk", "commands"].includes(top) && rest.length > 0 ? `${top}/${second}` : top;
}

/** Rounded down: 100 % is said of nothing less. */
const percent = ({ total, covered }) =>
  total === 0 ? "–" : `${(Math.floor((covered / total) * 1000) / 10).toFixed(1)} %`;
