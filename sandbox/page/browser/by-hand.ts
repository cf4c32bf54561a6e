const drawn = new WeakSet<Element>();
const armed = new WeakSet<Element>();

/** Lets every pad be drawn on, with a mouse, a pen or a finger. */
export function armPads(): void {
  for (const pad of document.querySelectorAll<HTMLCanvasElement>("canvas.pad")) {
    if (armed.has(pad)) continue;
    armed.add(pad);
    arm(pad);
  }
}

function arm(pad: HTMLCanvasElement): void {
  let from: { x: number; y: number } | undefined;
  const at = (event: PointerEvent) => ({ x: event.offsetX, y: event.offsetY });
  pad.addEventListener("pointerdown", event => {
    size(pad);
    pad.setPointerCapture(event.pointerId);
    from = at(event);
  });
  pad.addEventListener("pointermove", event => {
    const pen = pad.getContext("2d");
    if (!from || !pen) return;
    const to = at(event);
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.stroke();
    from = to;
    drawn.add(pad);
  });
  pad.addEventListener("pointerup", () => {
    from = undefined;
  });
}

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
export function isByHand(form: HTMLFormElement): boolean {
  if (new FormData(form).get("type") !== "autograph") return true;
  const typed = form.querySelector<HTMLInputElement>("input[data-hand]");
  const pad = form.querySelector("canvas[data-hand]");
  if (typed?.value.trim() !== "" || (pad && drawn.has(pad))) return true;
  const problem = form.querySelector(".problem");
  if (problem) problem.textContent = "Type your name or draw your signature first.";
  typed?.focus();
  return false;
}
