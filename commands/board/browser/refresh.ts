/** On a board that is served: loads it anew when there is a newer one, unless its reader is typing. */
export function startRefresh(): void {
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
