/** On a board that is served: loads it anew when there is a newer one, unless its reader is typing. */
export function startRefresh(): void {
  const seconds = Number(document.documentElement.dataset["refresh"]);
  if (!(seconds > 0)) return;
  let known: string | null = null;
  window.setInterval(async () => {
    const response = await fetch(location.pathname, { method: "HEAD" }).catch(() => undefined);
    const etag = response?.headers.get("etag") ?? null;
    if (etag === null || document.activeElement instanceof HTMLInputElement) return;
    if (known !== null && etag !== known) location.reload();
    known = etag;
  }, seconds * 1000);
}
