import { byId, debounce } from "../../ui/browser/dom.js";
import { csvOf, Rows } from "./rows.js";

const [people, morePeople] = [byId("people"), byId("more-people")];
if (people && morePeople) Rows.inPieces(people, morePeople);

const [list, tools, found, more] = ["rows", "tools", "found", "more"].map(byId);

if (list && tools instanceof HTMLFormElement && found && more) {
  const rows = Rows.inPieces(list, more);
  const query = new URLSearchParams(location.search);
  for (const field of tools.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    const value = query.get(field.name);
    if (value !== null) field.value = value;
  }

  const apply = () => {
    const filter = new URLSearchParams();
    for (const [name, value] of new FormData(tools))
      if (typeof value === "string" && value !== "") filter.set(name, value);
    rows.find(Object.fromEntries(filter));
    found.textContent = `${rows.found.length.toLocaleString("en")} of ${rows.all.length.toLocaleString("en")}`;
    more.hidden = !rows.hasMore;
    // A page that was opened from disk may not change its address in every browser; the filter works all the same.
    try {
      history.replaceState(null, "", `${filter.size > 0 ? `?${filter}` : location.pathname}${location.hash}`);
    } catch {}
  };

  const reveal = () => {
    if (location.hash.length < 2) return;
    const row = rows.reveal(location.hash.slice(1));
    more.hidden = !rows.hasMore;
    row?.scrollIntoView({ block: "center" });
  };

  tools.addEventListener("input", debounce(apply, 30));
  tools.addEventListener("submit", event => {
    event.preventDefault();
    apply();
  });
  // Whoever follows a link to a contract wants it, whatever is filtered.
  addEventListener("hashchange", () => {
    if (!rows.found.some(row => row.id === location.hash.slice(1))) {
      tools.reset();
      apply();
    }
    reveal();
  });
  byId("print")?.addEventListener("click", () => print());
  byId("csv")?.addEventListener("click", () => download(csvOf(rows.found)));
  apply();
  reveal();
}

startRefresh();

function download(csv: string): void {
  const link = document.createElement("a");
  // Spreadsheets take a file without this mark for another encoding.
  link.href = URL.createObjectURL(new Blob(["\u{feff}", csv], { type: "text/csv" }));
  link.download = "contracts.csv";
  link.click();
  URL.revokeObjectURL(link.href);
}

/** On a board that is served: loads it anew when there is a newer one, unless its reader is typing. */
function startRefresh(): void {
  const { refresh, version } = document.documentElement.dataset;
  const seconds = Number(refresh);
  if (!(seconds > 0)) return;
  window.setInterval(async () => {
    const response = await fetch(location.pathname, { method: "HEAD" }).catch(() => undefined);
    const newest = response?.headers.get("etag") ?? null;
    if (newest === null || document.activeElement instanceof HTMLInputElement) return;
    if (newest !== `"${version}"`) location.reload();
  }, seconds * 1000);
}
