import { Idiomorph } from "idiomorph";
import { byId } from "../../../commands/ui/browser/dom.js";
import { armPads } from "./by-hand.js";

let drawing: Promise<void> | undefined;
let again = false;

/** Fetches the view anew and changes what has changed. What is being typed, drawn, read or focused stays as it is. */
export function redraw(): Promise<void> {
  if (drawing) {
    again = true;
    return drawing;
  }
  drawing = draw()
    .catch(() => {})
    .finally(() => {
      drawing = undefined;
      if (again) {
        again = false;
        void redraw();
      }
    });
  return drawing;
}

async function draw(): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const [now, next] = [byId("page"), fresh.getElementById("page")];
  if (!now || !next) return;
  document.title = fresh.title;
  Idiomorph.morph(now, next, {
    ignoreActiveValue: true,
    callbacks: { beforeNodeMorphed: mayMorph, beforeAttributeUpdated: mayUpdate },
  });
  armPads();
}

/**
 * A viewer would load its PDF again, a canvas would be empty, a changed field would lose what was typed, and what went wrong in a
 * form stays until the form is mended.
 */
function mayMorph(now: Node, next: Node): boolean {
  if (!(now instanceof HTMLElement)) return true;
  if (now.classList.contains("problem") && now.textContent !== "") return false;
  if (now.dataset["keep"] !== undefined) return !(next instanceof HTMLElement) || now.id !== next.id;
  return !isChanged(now);
}

function isChanged(field: HTMLElement): boolean {
  if (field instanceof HTMLInputElement) {
    return field.type === "radio" || field.type === "checkbox"
      ? field.checked !== field.defaultChecked
      : field.type !== "hidden" && field.value !== field.defaultValue;
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  return field instanceof HTMLSelectElement && [...field.options].some(one => one.selected !== one.defaultSelected);
}

const mayUpdate = (name: string, node: Element): boolean => !(name === "open" && node instanceof HTMLDetailsElement);

/** Draws anew whenever the sandbox says that something has changed. */
export function startLive(): void {
  const offline = byId("offline");
  const events = new EventSource("/_sandbox/events");
  events.addEventListener("change", () => {
    if (offline) offline.hidden = true;
    void redraw();
  });
  events.addEventListener("error", () => {
    if (offline) offline.hidden = false;
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void redraw();
  });
}
