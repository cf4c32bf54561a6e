import { Idiomorph } from "idiomorph";
import { byId, debounce, elementOf } from "../../../commands/ui/browser/dom.js";

document.documentElement.classList.add("live");
if (!navigator.pdfViewerEnabled) document.documentElement.classList.add("no-pdfs");

document.addEventListener("submit", event => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  if (form.dataset["action"] !== undefined) {
    event.preventDefault();
    if (isByHand(form)) void send(form);
  } else if (form.dataset["filter"] !== undefined) {
    event.preventDefault();
    filter(form);
  }
});

function filter(form: HTMLFormElement): void {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string" && value !== "") query.set(name, value);
  history.replaceState(null, "", query.size > 0 ? `?${query}` : location.pathname);
  void redraw();
}

const filterSoon = debounce(() => {
  const form = document.querySelector("form[data-filter]");
  if (form instanceof HTMLFormElement) filter(form);
}, 80);

document.addEventListener("input", event => {
  const problem = elementOf(event)?.closest("form[data-action]")?.querySelector(".problem");
  if (problem) problem.textContent = "";
  if (elementOf(event)?.closest("form[data-filter]")) filterSoon();
});

document.addEventListener("click", event => {
  const id = elementOf(event)?.closest("[data-copy]")?.getAttribute("data-copy");
  const text = id && byId(id)?.textContent;
  if (text)
    void navigator.clipboard.writeText(text).then(
      () => say("Copied."),
      () => say("The browser doesn't let this page copy; select the text instead."),
    );
});

function say(text: string): void {
  const toast = byId("toast");
  if (toast) toast.textContent = text;
}

// ---- Sending a form ----

/** Sends a form as the JSON of its action, and says what came of it. */
async function send(form: HTMLFormElement): Promise<void> {
  const problem = form.querySelector(".problem");
  const { action = "", done = "" } = form.dataset;
  if (problem) problem.textContent = "";
  try {
    const response = await fetch(`/_sandbox/${action}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(await bodyOf(form)),
    });
    const answer: { error?: { message?: string } } = await response.json();
    if (!response.ok) throw new Error(answer.error?.message ?? `the sandbox answered ${response.status}`);
    form.reset();
    await redraw();
    say(done);
  } catch (error) {
    if (problem) problem.textContent = error instanceof Error ? error.message : String(error);
  }
}

type Nested = { [name: string]: unknown };

async function bodyOf(form: HTMLFormElement): Promise<Nested> {
  const body: Nested = {};
  for (const [path, given] of new FormData(form)) {
    const field = form.elements.namedItem(path);
    const value = await read(given, field instanceof HTMLElement ? field.dataset["kind"] : undefined);
    if (value === undefined) continue;
    const [name = "", inner] = path.split(".");
    if (inner === undefined) body[name] = value;
    else body[name] = { ...(body[name] as Nested | undefined), [inner]: value };
  }
  return body;
}

async function read(given: File | string, kind: string | undefined): Promise<unknown> {
  // Where no file is chosen, one without a name is given.
  if (typeof given !== "string") return given.name === "" ? undefined : base64Of(given);
  if (given === "") return undefined;
  if (kind === "number") return Number(given);
  if (kind === "hours") return Number(given) * 3_600_000;
  if (kind === "boolean") return given === "true";
  if (kind === "json") return given === "always" ? given : JSON.parse(given);
  return given;
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error(`${file.name} can't be read`));
    reader.readAsDataURL(file);
  });
}

// ---- Drawing anew ----

let drawing: Promise<void> | undefined;
let again = false;

/** Fetches the view anew and changes what has changed. What is being typed, drawn, read or focused stays as it is. */
function redraw(): Promise<void> {
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
function startLive(): void {
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

// ---- Signatures by hand ----

const drawn = new WeakSet<Element>();
let stroke: { pad: HTMLCanvasElement; x: number; y: number } | undefined;

// A pad can be drawn on with a mouse, a pen or a finger.
document.addEventListener("pointerdown", event => {
  const pad = event.target;
  if (!(pad instanceof HTMLCanvasElement)) return;
  size(pad);
  pad.setPointerCapture(event.pointerId);
  stroke = { pad, x: event.offsetX, y: event.offsetY };
});
document.addEventListener("pointermove", event => {
  const pen = stroke?.pad.getContext("2d");
  if (!stroke || !pen) return;
  pen.beginPath();
  pen.moveTo(stroke.x, stroke.y);
  pen.lineTo(event.offsetX, event.offsetY);
  pen.stroke();
  stroke = { pad: stroke.pad, x: event.offsetX, y: event.offsetY };
  drawn.add(stroke.pad);
});
document.addEventListener("pointerup", () => {
  stroke = undefined;
});

/** As many dots as the screen has; only before the first stroke, as resizing empties it. */
function size(pad: HTMLCanvasElement): void {
  if (drawn.has(pad)) return;
  const scale = window.devicePixelRatio;
  pad.width = pad.clientWidth * scale;
  pad.height = pad.clientHeight * scale;
  const pen = pad.getContext("2d");
  if (!pen) return;
  pen.scale(scale, scale);
  pen.lineWidth = 2;
  pen.lineCap = "round";
  pen.strokeStyle = getComputedStyle(pad).color;
}

/** Whether nothing is missing: who signs by hand has typed or drawn something. Says so otherwise. */
function isByHand(form: HTMLFormElement): boolean {
  if (new FormData(form).get("type") !== "autograph") return true;
  const typed = form.querySelector<HTMLInputElement>("input[data-hand]");
  const pad = form.querySelector("canvas[data-hand]");
  if (typed?.value.trim() !== "" || (pad && drawn.has(pad))) return true;
  const problem = form.querySelector(".problem");
  if (problem) problem.textContent = "Type your name or draw your signature first.";
  typed?.focus();
  return false;
}

// Last: by now all of the above is there.
startLive();
