import { timeOf } from "./rows.js";

const HEAD = ["Contract", "Document", "Status", "Late", "Sent", "Deadline", "Signed by", "To sign", "PDF", "Details"];

/** What is shown, for a spreadsheet. */
export function csvOf(rows: readonly HTMLElement[]): string {
  return [HEAD, ...rows.map(cells)].map(line => line.map(quoted).join(",")).join("\r\n");
}

function cells(row: HTMLElement): string[] {
  const iso = (name: "t" | "e") => {
    const time = timeOf(row, name);
    return time === undefined ? "" : new Date(time).toISOString();
  };
  const people = (selector: string) =>
    [...row.querySelectorAll(selector)]
      .map(one => (one.querySelector("i") ?? one.querySelector("bdi"))?.textContent ?? "")
      .join("; ");
  return [
    row.querySelector("h3")?.textContent ?? "",
    row.id.replace(/^c\d+-/, ""),
    row.querySelector("b")?.textContent ?? "",
    row.querySelector(":scope > b.l") === null ? "" : "late",
    iso("t"),
    iso("e"),
    people("li.y"),
    people("li.t"),
    row.querySelector("a")?.href ?? "",
    row.querySelector("p")?.textContent ?? "",
  ];
}

/** A spreadsheet would take a text that begins like this for a formula. */
const quoted = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
