import { debounce, elementOf } from "../../../commands/ui/browser/dom.js";
import { armPads, isByHand } from "./by-hand.js";
import { redraw, startLive } from "./live.js";
import { send } from "./send.js";

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
  const text = id && document.getElementById(id)?.textContent;
  if (text)
    void navigator.clipboard.writeText(text).then(
      () => say("Copied."),
      () => say("The browser doesn't let this page copy; select the text instead."),
    );
});

function say(text: string): void {
  const toast = document.getElementById("toast");
  if (toast) toast.textContent = text;
}

armPads();
startLive();
