/** The element with this id, if there is one. */
export const byId = (id: string): HTMLElement | null => document.getElementById(id);

/** The form field behind an event, or the element it happened in. */
export const elementOf = (event: Event): Element | null => (event.target instanceof Element ? event.target : null);

/** Calls again and again lead to one run, `pause` after the last. */
export function debounce(run: () => void, pause: number): () => void {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(run, pause);
  };
}
